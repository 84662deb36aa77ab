"""A logged match that is played again with another bot at one seat: `arena rematch`."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from arena.commands.match import PlayedMatch, Run, play_single, run_plainly, write_log
from arena.commands.replay import SeatNumber, checked_seat, read_log
from arena.commands.trust import TRUST, refuse_functions, require_trusted
from arena.director.journal import FILE, Journal
from arena.director.state import Record
from arena.entrants.apart import require_apart, require_unread
from arena.entrants.digest import Rule, rule_of
from arena.entrants.entrant import Entrant, Function
from arena.entrants.find import BUILTIN_BOTS, builtin_bot, find, find_again, house_bot, unlike
from arena.entrants.kept import how_changed
from arena.entrants.manifest import MANIFEST
from arena.games import registry
from arena.log.entries import LoggedEntrant
from arena.log.retrace import Log
from arena.playing.arguments import Argument
from arena.playing.job import Job
from arena.playing.spellings import Bot, Paths, PathText, paths_of
from arena.playing.terms import Say, Titles, Walls, playable, with_titles
from arena.process.launch import Launch
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError
from arena.system.outputs import require_other, require_place
from arena.system.places import PlaceKind
from arena.system.wording import flag
from protocol.outcome import totals


class RematchResult(msgspec.Struct, frozen=True):
    """The match that was played now, and who sat in the seat `before`, with its points and its placing."""

    played: PlayedMatch
    before: LoggedEntrant
    points: int
    placing: int


class RematchOptions(Walls, frozen=True, kw_only=True):
    """What is said of a match that is played again, besides its bots."""

    titles: Titles = msgspec.field(default_factory=dict)
    out: Annotated[
        PathText | None, Argument("Write the match log to this file.", flag="--log", kind="file")
    ] = None
    trust: Annotated[bool, Argument(TRUST, after="allow")] = False


class Rematch(RematchOptions, frozen=True):
    """The match in a log is played again with the same deals and limits, and with another bot in a seat. The
    programs of the other seats are looked for among the others by their digests, then where the journal
    beside the log says; if the run was not made here, with `trust` only."""

    log: Annotated[
        PathText, Argument("The log of a match.", metavar="LOG", positional=True, kind=(PlaceKind.LOG,))
    ]
    seat: Annotated[SeatNumber, Argument("The seat that a different bot takes.")]
    bot: Annotated[
        Bot, Argument("A bot, named as on the command line, or a function.", positional=True, kind="bot")
    ]
    others: Annotated[
        Paths,
        Argument("The other seats' programs, identified by their digests.", positional=True, kind="bot"),
    ] = ()

    def carry_out(self, say: Say, run: Run | None = None) -> RematchResult:
        """Plays the match, and writes its log. Raises UserError, also if a program has changed since, or was
        a function of the program that called; RuntimeError for an error of ours."""
        path, seat, others = Path(self.log), self.seat, paths_of("others", self.others)
        out = None if self.out is None else Path(self.out)
        require_place(flag("--log", "out"), out)
        require_other(flag("--log", "out"), out, path)
        sandbox, sandbox_line = self.walled()
        logged = read_log(path, say)
        checked_seat(logged, seat, path)
        known = list(find(others, logged.game.id, sandbox).entrants)
        (newcomer,) = playable([self.bot], logged.game.id, sandbox, one_each=True)
        if _missing(logged, seat, known):  # Maybe an older arena took their digests.
            known += find(others, logged.game.id, sandbox, rule=Rule.ALL).entrants
        if missing := _missing(logged, seat, known):
            functions = _functions(logged)
            refuse_functions(path, (one.name for one in missing if one.digest in functions))
            known += _entrants_beside(path, logged, missing, sandbox, say, trust=self.trust)
        seated = _seated(logged, seat, newcomer, known)
        neighbours = (*seated[:seat], *seated[seat + 1 :])
        (newcomer,) = with_titles([seated[seat]], self.titles, say, neighbours)
        job = _job(logged, (*seated[:seat], newcomer, *seated[seat + 1 :]), sandbox)
        require_apart(newcomer, neighbours, sandbox)
        require_unread(out, job.entrants, sandbox)
        say(sandbox_line)
        if (then := logged.opened.sandbox.memory_mb) != sandbox.memory_mb:
            say(f"in the log a bot had {then} MB: {flag.memory} {then} plays under the same conditions")
        finished = play_single(job, run or run_plainly)
        write_log(out, finished)
        return RematchResult(
            PlayedMatch(job, finished, None),
            logged.opened.entrants[seat],
            totals(logged.closed.points, logged.seats)[seat],
            logged.closed.placings[seat],
        )


def _missing(log: Log, seat: int, known: Sequence[Entrant]) -> list[LoggedEntrant]:
    """The logged entrants of the other seats whose programs are neither `known` nor our own."""
    digests = {entrant.digest for entrant in (*known, *_house(log.game.id))}
    return [one for at, one in enumerate(log.opened.entrants) if at != seat and one.digest not in digests]


def _functions(log: Log) -> set[str]:
    """The digests of functions that may have played. One is called by its name, or, where that was taken, by
    another with a number: then the first of that name sits there, too."""
    return {Function(entrant.name, 0).entrant.digest for entrant in log.opened.entrants}


def _house(game: str) -> tuple[Entrant, ...]:
    return (house_bot("house"), *(builtin_bot(name, game) for name in BUILTIN_BOTS))


def _entrants_beside(
    path: Path, log: Log, missing: Sequence[LoggedEntrant], sandbox: Sandbox, say: Say, *, trust: bool
) -> Iterator[Entrant]:
    """The missing programs that are still at the path in the journal beside the log. The journal may come
    from anybody, so a program is built or run only if it has the digest of the log and the run is trusted.
    Raises UserError if it is not trusted."""
    folder = path.absolute().parent.parent
    if not os.path.isfile(folder / FILE):
        return
    with Journal(folder) as journal:
        entrants = Record(journal.entries).entrants
        found_again = [
            msgspec.structs.replace(entrant, launch=Launch((source,), os.path.dirname(source)))
            for one in missing
            if (entrant := entrants.get(one.name)) is not None
            and _is_at(source := entrant.source.removeprefix(f"{one.name}="), one.digest)
        ]
        if found_again:
            require_trusted(journal, sandbox, found_again, say, trust=trust, level=sandbox.level)
    for entrant in found_again:
        # If it cannot play any more, _seated reports it as missing.
        with contextlib.suppress(UserError):
            word = f"{entrant.name}={entrant.launch.argv[0]}"
            same, _ = find_again(word, entrant.digest, log.game.id, sandbox)
            yield from (same,) if same else ()


def _is_at(source: str, wanted: str) -> bool:
    """Whether `source` is the path of a program with this digest; a command line is not."""
    path = Path(source)
    try:
        there = path.is_absolute() and (os.path.isfile(path) or os.path.isfile(path / MANIFEST))
        return there and rule_of(wanted, path) is not None
    except (OSError, ValueError):
        return False


def _seated(log: Log, seat: int, newcomer: Entrant, known: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The entrants by seat. The logged ones keep their names, from which their seeds are made. Raises
    UserError if the program of one is not known."""
    by_digest = {entrant.digest: entrant for entrant in (*_house(log.game.id), *known)}
    names = [entrant.name for entrant in log.opened.entrants]
    others = [name for at, name in enumerate(names) if at != seat]
    seated = []
    for at, logged in enumerate(log.opened.entrants):
        same = newcomer if at == seat else by_digest.get(logged.digest)
        if same is None:
            changed = [entrant for entrant in known if entrant.name == logged.name]
            why = "is not among the bots named after BOT"
            if changed:
                source = changed[0].source.removeprefix(f"{logged.name}=")
                why = how_changed(Path(source), logged.digest)
            raise UserError(f"seat {at}: the program of {logged.name} {why} (digest {logged.digest[:16]}…)")
        name, title = (newcomer.name, newcomer.title) if at == seat else (logged.name, logged.title)
        if at == seat and name in others:
            name = unlike(name, others, (f"-new{number}" for number in ("", *range(2, log.seats + 1))))
        seated.append(msgspec.structs.replace(same, name=name, title=title))
    return tuple(seated)


def _job(log: Log, entrants: tuple[Entrant, ...], sandbox: Sandbox) -> Job:
    opened = log.opened
    package = registry.package_of(opened.game)
    return Job(
        match_id=opened.match_id,
        settings=msgspec.structs.replace(opened.settings, sandbox=sandbox, game_package=package),
        pod_key=opened.pod_key,
        seating_no=opened.seating_no,
        entrants=entrants,
    )
