"""`arena config`: the settings of a run, as `arena tournament --config` takes them."""

import glob
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from arena.director.state import Record
from arena.playing.arguments import declared
from arena.system.errors import UserError
from arena.system.text import escaped


def _keys() -> dict[str, str]:
    """The key of each argument in a file: the name of its flag."""
    # Imported here because it needs numpy, and most of what the library reads does not.
    from arena.commands.tournament import RunTournament

    return {
        one.name: one.name if one.argument.positional else one.flag.removeprefix("--")
        for one in declared(RunTournament)
    }


def settings(record: Record, *, with_seed: bool) -> dict[str, Any]:
    """The settings of a run by the names of their flags, without those that are not set, and without the
    functions of a program among its bots."""
    created = record.created
    limits = created.limits
    named = {
        "bots": [entrant.source for entrant in created.entrants if not entrant.is_function],
        "game": created.game,
        "format": created.format,
        "rounds": record.rounds if record.deadline is None else None,
        "seats": created.pod_size,
        "deals": created.deals,
        "duplicates": created.duplicates,
        "seed": created.seed if with_seed else None,
        "time": f"{limits.decision_ms}ms" + (f"+{limits.bank_ms}ms" if limits.bank_ms else ""),
        "startup": f"{limits.start_ms}ms",
        "faults": created.faults,
        "challengers": created.challengers,
        "ponder": created.ponder,
        "keep_bots": created.keep_bots,
        "sandbox": created.sandbox.level,
        "memory": created.sandbox.memory_mb,
        "allow": created.sandbox.allowed,
        "options": {name: value for name, value in created.options.items() if value is not None},
        "authors": created.authors,
        "groups": created.groups,
        "titles": {entrant.name: entrant.title for entrant in created.entrants if entrant.title},
    }
    keys = _keys()
    return {keys[name]: value for name, value in named.items() if value not in (None, (), {})}


def as_toml(values: Mapping[str, Any]) -> str:
    """Settings as TOML; dictionaries become tables at the end."""
    # Imported here because only this needs it.
    import tomli_w

    # `escaped` changes characters inside of texts only, where TOML has the escapes of JSON.
    return escaped(tomli_w.dumps(values))


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a file. Raises UserError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML: {error}") from None


def expanded(word: str) -> list[str]:
    """The paths that match a pattern like bots/*, as in a shell. A word that is an existing path, or matches
    nothing, stays as it is."""
    return [word] if os.path.exists(word) else sorted(glob.glob(word)) or [word]


OF_SCREENS: Final = ("quiet", "json")


def arguments_of(path: Path) -> dict[str, Any]:
    """The settings in a file as arguments of a Python call: `keep-bots` is `keep_bots`, and `option` is
    `options`. Patterns like bots/* are expanded. Raises UserError."""
    names = {key: name for name, key in _keys().items()}
    values = {key: value for key, value in read_toml(path).items() if key not in OF_SCREENS}
    named = {names.get(key, key.replace("-", "_")): value for key, value in values.items()}
    if isinstance(named.get("bots"), list):
        named["bots"] = [path for word in named["bots"] for path in expanded(str(word))]
    return named
