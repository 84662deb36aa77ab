"""Finds out if a path is something that another command takes, so that the error can name that command. If
the path does not look like anything known, the command itself reports the error.

Knows command lines and what kinds of files look like; reads no journal and no log.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.onward import WORDS, onward
from arena.system.errors import UserError
from arena.system.places import Place, PlaceKind, place_of

OF_A_LEAGUE: Final[Mapping[str, str]] = {
    **{name: name for name in ("standings", "faults", "report", "verify", "annul", "export")},
    **{"resume": "run", "withdraw": "retire", "admit": "add", "replace": "add"},
}
"""Commands for tournaments, each with its counterpart in `arena league`."""
OF_A_TOURNAMENT: Final[Mapping[str, str]] = {
    **{there: here for here, there in OF_A_LEAGUE.items()},
    "add": "admit",
}
MORE: Final = ("annul", "retire", "withdraw", "add", "admit", "replace", "export")
"""Commands of a league or a tournament that take more than its folder."""


class PlaceType(click.Path):
    """A path to something of these kinds."""

    def __init__(self, *wanted: PlaceKind) -> None:
        super().__init__(path_type=Path)
        self._wanted = wanted

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if ctx is not None and isinstance(path, Path):
            words = ctx.command_path.split()[1:]
            flag = param.opts[0] if isinstance(param, click.Option) else ""
            self._require(path, words, flag, verify="--verify" in ctx.meta.get(WORDS, ()))
        return path

    def _require(self, path: Path, words: Sequence[str], flag: str, *, verify: bool) -> None:
        """Raise UserError if the path is of another kind, or is a file inside a folder of the right kind.
        `words`: the command; `flag`: the option that names the path, "" for an argument."""
        found = place_of(path)
        if found is None:
            if what := _of_bots(path):
                raise UserError(f"{path} is {what}: {onward('check', path)}")
            if self._wanted == (PlaceKind.LOG,) and os.path.isdir(path):
                raise UserError(f"{path} is a folder, but a log is a file: name the .jsonl file of a match")
        elif found.kind in self._wanted:
            if found.path != path:
                meant = shlex.join((flag, str(found.path))) if flag else onward(*words, found.path)
                raise UserError(f"{path} is in {found.kind}: {meant}")
        elif found.kind is PlaceKind.LEAGUE_LOG:
            draw = path.name.partition(".")[0]
            meant = f"{onward('league', 'log', found.path, f'{draw}-1-1')} > match.jsonl"
            raise UserError(f"{path} is {found.kind}: {meant} joins the parts of one of its matches")
        else:
            raise UserError(f"{path} is {found.kind}: {_meant(words, found, verify=verify)}")


def _of_bots(path: Path) -> str:
    """What the path is, if it is something that commands for bots take; "" otherwise."""
    # Imported here because most paths need no second look.
    from arena.entrants.manifest import MANIFEST
    from arena.entrants.table import CSV
    from arena.process.launch import SUFFIXES, has_shebang

    if os.path.isdir(path):
        return "a bot" if os.path.isfile(path / MANIFEST) else ""
    if not os.path.isfile(path):
        return ""
    if path.suffix.lower() == CSV:
        return "a class of bots"
    return "a bot" if path.suffix in SUFFIXES or has_shebang(path) else ""


def _meant(words: Sequence[str], found: Place, *, verify: bool) -> str:
    """The advice to the author of a command with these words, who named this thing."""
    name = words[-1]
    match found.kind:
        case PlaceKind.LEAGUE:
            there = OF_A_LEAGUE.get(name, "standings")
            return _with_more("league", there, found.path)
        case PlaceKind.TOURNAMENT if words[0] == "league":
            return _with_more(OF_A_TOURNAMENT.get(name, "standings"), found.path)
        case PlaceKind.TOURNAMENT if verify:
            return onward("verify", found.path)
        case PlaceKind.TOURNAMENT:
            from arena.director.journal import LOGS

            log = min((found.path / LOGS).glob("*.jsonl"), default=found.path / LOGS / "MATCH.jsonl")
            pages = f"; {onward('report', found.path)} writes pages of all" * (name == "replay")
            return f"{onward(*words, log)} works on one of its matches{pages}"
        case PlaceKind.LOG:
            return onward("replay", *(("--verify",) if name == "verify" else ()), found.path)
        case PlaceKind.PAGE | PlaceKind.LEAGUE_LOG:
            return "open it in one"


def _with_more(*words: object) -> str:
    """The command, with a mark where it takes more than a folder."""
    return onward(*words) + " …" * (words[-2] in MORE)
