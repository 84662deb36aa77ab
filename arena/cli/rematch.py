"""`arena rematch`: plays a logged match again, with another bot at one seat."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from arena import registry
from arena.calls.match import Played, play_single, write_log
from arena.calls.terms import playable, require_apart, require_unread, with_titles
from arena.calls.walls import Walls
from arena.cli.options import json_option, log_option, sandbox_options, titles_option
from arena.cli.output import say
from arena.cli.replay import checked_seat, read_log
from arena.cli.single import show
from arena.cli.terms import titles_from
from arena.cli.trust import require_trusted, trust_option
from arena.entrants.digest import digest
from arena.entrants.entrant import Entrant
from arena.entrants.find import LENT, find, house_bot, lent, unlike
from arena.entrants.manifest import MANIFEST
from arena.log.entries import LoggedEntrant
from arena.log.retrace import Log
from arena.playing.job import Job
from arena.process.launch import Launch
from arena.process.sandbox import Sandbox
from arena.running.journal import FILE, Journal
from arena.running.state import Record
from arena.system.errors import UserError
from protocol.outcome import totals


@click.command("rematch")
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat that another bot takes.")
@click.argument("bot", type=click.Path())
@click.argument("others", nargs=-1, type=click.Path())
@titles_option
@log_option
@sandbox_options
@trust_option
@json_option
def command(
    path: Path,
    seat: int,
    bot: str,
    others: tuple[str, ...],
    titles: tuple[str, ...],
    log: Path | None,
    walls: Walls,
    trust: bool,
    as_json: bool,
) -> None:
    """Play the match in LOG again with the same deals and limits, and with BOT in SEAT.

    A log holds only the digests of the programs, and nothing in it is executed. The programs of the other
    seats are looked for among OTHERS by their digests, then at the paths that the tournament's journal beside
    the log names, if a file or folder there still has the digest. A bot that entered by a command line has to
    be among OTHERS. A program that has changed since is another opponent, and is refused. Paths of a run that
    was not made here by you are used only with --trust.

    Example: arena rematch match.jsonl --seat 0 mybot2.py bots/*
    """
    sandbox, sandbox_line = walls.settled()
    logged = read_log(path)
    checked_seat(logged, seat, path)
    known = list(find(others, logged.game.id, sandbox).entrants)
    (newcomer,) = playable([bot], logged.game.id, sandbox)
    if missing := _missing(logged, seat, known):
        known += _entrants_beside(path, logged, missing, sandbox, trust=trust)
    seated = _seated(logged, seat, newcomer, known)
    neighbours = (*seated[:seat], *seated[seat + 1 :])
    (newcomer,) = with_titles([seated[seat]], titles_from(titles), say, neighbours)
    job = _job(logged, (*seated[:seat], newcomer, *seated[seat + 1 :]), sandbox)
    require_apart(newcomer, neighbours, sandbox)
    require_unread(log, job.entrants, sandbox)
    say(sandbox_line)
    if (then := logged.opened.sandbox.memory_mb) != sandbox.memory_mb:
        say(f"in the log a bot had {then} MB: --memory {then} plays under the same terms")
    finished = play_single(job)
    write_log(log, finished)
    show(Played(job, finished, None), log=log, as_json=as_json)
    if not as_json:
        say(f"in {path} seat {seat} was {_before(logged, seat)}")


def _before(log: Log, seat: int) -> str:
    """The logged entrant of a seat with its result."""
    before = log.closed
    points = f"{totals(before.points, log.seats)[seat]} {log.game.counts}"
    return f"{log.opened.entrants[seat].called}, with {points}, placed {before.placings[seat]}"


def _missing(log: Log, seat: int, known: Sequence[Entrant]) -> list[LoggedEntrant]:
    """The logged entrants of the other seats whose programs are neither `known` nor our own."""
    digests = {entrant.digest for entrant in (*known, *_house(log.game.id))}
    return [one for at, one in enumerate(log.opened.entrants) if at != seat and one.digest not in digests]


def _house(game: str) -> tuple[Entrant, ...]:
    return (house_bot("house"), *(lent(name, game) for name in LENT))


def _entrants_beside(
    path: Path, log: Log, missing: Sequence[LoggedEntrant], sandbox: Sandbox, *, trust: bool
) -> Iterator[Entrant]:
    """The missing programs that are still at the path in the journal beside the log. The journal may come
    from anybody, so a program is built or run only if it has the digest of the log and the run is trusted.
    Raises UserError if it is not trusted."""
    folder = path.absolute().parent.parent
    if not (folder / FILE).is_file():
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
            require_trusted(journal, sandbox, found_again, trust=trust, level=sandbox.level)
    for entrant in found_again:
        # If it cannot play any more, _seated reports it as missing.
        with contextlib.suppress(UserError):
            yield from find([f"{entrant.name}={entrant.launch.argv[0]}"], log.game.id, sandbox).entrants


def _is_at(source: str, wanted: str) -> bool:
    """Whether `source` is the path of a program with this digest; a command line is not."""
    path = Path(source)
    try:
        there = path.is_absolute() and (path.is_file() or (path / MANIFEST).is_file())
        return there and digest([path]) == wanted
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
            changed = any(entrant.name == logged.name for entrant in known)
            why = "has changed since" if changed else "is not among the bots named behind BOT"
            raise UserError(f"seat {at}: the program of {logged.name} {why} (digest {logged.digest[:16]}…)")
        name, title = (newcomer.name, newcomer.title) if at == seat else (logged.name, logged.title)
        if at == seat and name in others:
            name = unlike(name, others, (f"-new{number}" for number in ("", *range(2, log.seats + 1))))
        seated.append(msgspec.structs.replace(same, name=name, title=title))
    return tuple(seated)


def _job(log: Log, entrants: tuple[Entrant, ...], sandbox: Sandbox) -> Job:
    opened = log.opened
    return Job(
        match_id=opened.match_id,
        **opened.settings | {"sandbox": sandbox, "game_package": registry.package_of(opened.game)},
        pod_key=opened.pod_key,
        seating_no=opened.seating_no,
        entrants=entrants,
    )
