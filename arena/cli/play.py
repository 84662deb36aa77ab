"""`arena play`: plays a match with a person at one seat, in the terminal or in a browser."""

import contextlib
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import click
import msgspec
import trio

from arena.cli import DONE, INTERRUPTED
from arena.cli.derived import argument, takes
from arena.cli.options import BOT, CLOCK, SectionCommand, json_option
from arena.cli.output import say
from arena.cli.single import show
from arena.commands.match import MatchOptions, PlayedMatch, play_single, write_log
from arena.entrants.apart import require_apart, require_unread
from arena.entrants.entrant import UNTIMED, Entrant
from arena.entrants.find import house_bot, person
from arena.playing.job import Finished, Job, Report
from arena.playing.pool import play_all
from arena.playing.terms import SettledTerms
from arena.playing.times import clock
from arena.process.interruptible import signals
from arena.screens.person.driver import SessionDriver
from arena.screens.person.hints import Adviser
from arena.screens.person.line import PersonLine
from arena.screens.person.session import PersonSession, TurnPhase
from arena.screens.terminal.playing import play_in_terminal
from arena.screens.terminal.terminal import detach, terminal, usable
from arena.system.errors import UserError
from arena.system.outputs import beside, unused
from arena.system.temporary import temporary_folder

NO_TERMINAL = "arena play needs a terminal, or --web and a browser"


LOG = f"{argument(MatchOptions, 'log').help}  [default: arena-<date>-<n>.jsonl]"


def _of_persons(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that only `arena play` has."""
    for option in (
        click.option(
            "--hint", type=BOT, help="The bot that gives hints.  [default: a copy of the first bot]"
        ),
        click.option(
            "--port",
            type=click.IntRange(1, 65535),
            help="With --web: use this port, for instance with `ssh -L 8000:localhost:8000`.  "
            "[default: a free one]",
        ),
        click.option(
            "--web", is_flag=True, help="Play in your browser, at a private address of this machine."
        ),
        click.option(
            "--own-time", type=CLOCK, help="Give yourself time limits, as in --time.  [default: none]"
        ),
    ):
        option(command)
    return command


@click.command("play", cls=SectionCommand)
@click.argument("bots", nargs=-1, metavar="[BOT]...", type=BOT)
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Your seat.")
@click.option("--name", default="person", show_default=True, help="Your name in the results, in any script.")
@takes(MatchOptions, {"log": {"help": LOG}}, game=_of_persons, log=json_option)
def command(
    call: MatchOptions,
    bots: tuple[str, ...],
    seat: int,
    name: str,
    own_time: str | None,
    web: bool,
    port: int | None,
    hint: str | None,
    as_json: bool,
) -> int:
    """Play a match against bots yourself. Choose cards with the keyboard, or with --web by clicking in a
    browser. You have no time limit unless you set --own-time; --time is for the bots. If you leave, you
    forfeit, and the match is played to its end without you, so that its log is complete.

    Example: arena play bots/careful.py bots/greedy.py bots/dreamer.pl
    """
    if port is not None and not web:
        raise UserError("--port works only with --web")
    settled, log = call.settled(), None if call.log is None else Path(call.log)
    others = settled.playable(bots)
    advising = settled.playable((hint,), one_each=True) if hint else ()
    your_limits = msgspec.structs.replace(
        clock(own_time) if own_time else UNTIMED, start_ms=settled.limits.start_ms
    )

    def match(settled: SettledTerms, log: Path) -> bool:
        """Whether it was played to its end."""
        with temporary_folder() as folder:
            line = PersonLine(folder)
            you = person(name, line.path, your_limits)
            seated = settled.seated((you, *others), call.seats, call.titles, say)
            job = settled.job(_with_person(seated, seat))
            adviser_bot = (*advising, *seated[1:], house_bot("house"))[0]
            require_apart(adviser_bot, others, settled.sandbox)
            if not web and not usable():
                raise UserError(NO_TERMINAL)
            require_unread(log, job.entrants, settled.sandbox)
            say(settled.sandbox_line)
            session = PersonSession([entrant.called for entrant in job.entrants])
            adviser = Adviser(adviser_bot, job.settings.limits, job.settings.sandbox)
            driver = SessionDriver(line, session, adviser)
            finished = play_single(job, partial(_run, screen, driver, log))
        show(PlayedMatch(job, finished, settled.seed), log=log, as_json=as_json)
        return session.end is not None

    with contextlib.closing(_browser(settled.game.id, port) if web else _InTerminal()) as screen:
        whole = match(settled, log or unused(".jsonl"))
        while screen.again:
            whole = match(settled.with_other_cards(), beside(log) if log else unused(".jsonl"))
    return DONE if whole else INTERRUPTED


class _PlayScreen(Protocol):
    """The screen on which a person plays."""

    @property
    def again(self) -> bool:
        """Whether the person asked for another match at the end of the last one."""

    async def play(self, driver: SessionDriver) -> None:
        """Play a match until the person leaves or has seen its end."""

    def logged(self, log: str) -> None:
        """The match is over; this is its log."""

    def close(self) -> None:
        """No further match follows."""


class _InTerminal:
    """Shows one match."""

    again = False

    async def play(self, driver: SessionDriver) -> None:
        async with terminal() as screen:
            await play_in_terminal(screen, driver)

    def logged(self, log: str) -> None:
        """The person steps through the log with `arena replay`."""

    def close(self) -> None:
        """`play` has left the terminal as it was."""


def _browser(game: str, port: int | None) -> _PlayScreen:
    from arena.screens.web.playing import Browser

    try:
        return Browser(game, say, port or 0)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UserError(f"--port {port}: {why}; choose another port, or leave out --port") from None


async def _run(
    screen: _PlayScreen, driver: SessionDriver, log: Path, job: Job, on_report: Callable[[Report], None]
) -> None:
    """Run the match, and the person's screen until they leave by a key, a signal or a closed terminal. For
    the referee, a person who has left is a bot that exited. A further signal ends the match too."""
    session = driver.session
    person_scope, over = trio.CancelScope(), trio.Event()

    async def match() -> None:
        await play_all([job], 1, report)
        over.set()
        if session.phase is TurnPhase.STARTING:
            person_scope.cancel()  # It ended before the person's seat was started.

    def report(report: Report) -> None:
        on_report(report)
        if isinstance(report, Finished):
            write_log(log, report)
            if not person_scope.cancel_called:
                screen.logged(report.log)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(_hear_signals, person_scope)
        nursery.start_soon(match)
        try:
            with person_scope:
                await screen.play(driver)
        finally:
            await driver.close()
        person_scope.cancel()
        if not over.is_set() and session.end is None:
            say("you have left; the match is being played to its end (Ctrl-C stops it)")
        await over.wait()
        nursery.cancel_scope.cancel()


async def _hear_signals(person_scope: trio.CancelScope) -> None:
    """A signal makes the person leave; a second one ends the match."""
    with signals() as heard:
        async for number in heard:
            if number == signal.SIGHUP:
                detach()
            elif person_scope.cancel_called:
                raise KeyboardInterrupt
            person_scope.cancel()


def _with_person(entrants: tuple[Entrant, ...], seat: int) -> tuple[Entrant, ...]:
    """The entrants by seat: the first one, the person, moves to `seat`; the others keep their order. Raises
    UserError."""
    you, *others = entrants
    if seat > len(others):
        raise UserError(f"--seat {seat}: the seats are 0 to {len(others)}")
    return (*others[:seat], you, *others[seat:])
