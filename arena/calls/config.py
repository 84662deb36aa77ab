"""`arena config`: the settings of a run, as `arena tournament --config` takes them."""

from collections.abc import Mapping
from typing import Any

from arena.running.journal import Created
from arena.system.text import escaped


def settings(created: Created, *, with_seed: bool) -> dict[str, Any]:
    """The settings of a run by the names of their flags, without those that are not set."""
    limits = created.limits
    named = {
        "bots": [entrant.source for entrant in created.entrants],
        "game": created.game,
        "format": created.format,
        "rounds": created.rounds,
        "seats": created.pod_size,
        "deals": created.deals,
        "duplicates": created.duplicates,
        "seed": created.seed if with_seed else None,
        "time": f"{limits.decision_ms}ms" + (f"+{limits.bank_ms}ms" if limits.bank_ms else ""),
        "startup": f"{limits.start_ms}ms",
        "faults": created.faults,
        "challenger": created.challengers,
        "ponder": created.ponder,
        "keep-bots": created.keep_bots,
        "sandbox": created.sandbox.level,
        "memory": created.sandbox.memory_mb,
        "allow": created.sandbox.allowed,
        "option": {name: value for name, value in created.options.items() if value is not None},
        "author": created.authors,
        "title": {entrant.name: entrant.title for entrant in created.entrants if entrant.title},
    }
    return {flag: value for flag, value in named.items() if value not in (None, (), {})}


def as_toml(values: Mapping[str, Any]) -> str:
    """Settings as TOML; dictionaries become tables at the end."""
    # Imported here because only this needs it.
    import tomli_w

    # `escaped` changes characters inside of texts only, where TOML has the escapes of JSON.
    return escaped(tomli_w.dumps(values))
