"""A match by real processes, in which whatever a bot does wrong fails the test; and how the bot that SPEC.md
lists and those in bots/ are called.
"""

import select
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from arena.games import GAMES
from arena.games.events import Event
from arena.games.game import Game
from protocol import streams
from protocol.codec import encode, raw
from protocol.dialogue import Phase
from protocol.faults import Fault
from protocol.inbox import Inbox
from protocol.messages import NOTE_LIMIT, PROTOCOL, End, FromReferee, Hello, Limits, Ready, Reply, Request
from protocol.outcome import totals
from tests.cli.calls import NEEDED
from tests.spec.text import ROOT, listing
from tests.support.needs import require

PYTHON: Final = (getattr(sys, "_base_executable", sys.executable), "-P")
PATIENCE_SECONDS: Final = 20.0


class Seated:
    """One bot process, asked one line at a time. Whatever it does wrong fails the test."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._inbox = Inbox()
        self.unread: list[Event] = []
        self.last_id = 0
        self.said: list[Ready | Reply] = []

    def __enter__(self) -> "Seated":
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()
        self._child.stdin.close()
        self._child.stdout.close()

    def tell(self, message: FromReferee) -> None:
        self._child.stdin.write(encode(message))

    def ask(self, message: Hello | Request, phase: Phase) -> Ready | Reply:
        self._inbox.open(phase, self.last_id)
        self.tell(message)
        verdict = self._inbox.take()
        while verdict is None:
            readable, _, _ = select.select([self._child.stdout], [], [], PATIENCE_SECONDS)
            assert readable, f"no answer to {message}"
            data = self._child.stdout.read(65536)
            assert data, "the bot has gone"
            verdict = self._inbox.take(data)
        assert not isinstance(verdict, Fault), verdict
        self.said.append(verdict)
        return verdict

    def goodbye(self) -> int:
        """The exit status after the end of input."""
        self._child.stdin.close()
        status = self._child.wait(PATIENCE_SECONDS)
        assert self._child.stdout.read() == b"", "it said something behind its last reply"
        return status


def play(
    commands: Sequence[Sequence[str]], deals: int, seed: str, game: Game = GAMES["sticheln"]
) -> list[list[Ready | Reply]]:
    """A match to its end, by real processes. Returns what each seat said."""
    seats = len(commands)
    pod = streams.pod_key(seed, 0, 0)
    match = streams.match_key(pod, 1)
    with ExitStack() as stack:
        bots = [stack.enter_context(Seated(command)) for command in commands]
        for seat, bot in enumerate(bots):
            hello = Hello(
                PROTOCOL,
                game.id,
                msgspec.to_builtins(game.options()),
                seats,
                seat,
                deals,
                game.deck(seats),
                dict(game.suits(seats)),
                Limits(),
                streams.bot_seed(match, f"seat-{seat}"),
                streams.derive(match, "match")[:16],
            )
            assert isinstance(bot.ask(hello, "starting"), Ready)
        state, happened = game.start(seats, game.options(), deals, streams.DealSource(pod))
        publish(bots, happened)
        while state.pending:
            actions = {}
            for seat, decision in state.pending.items():
                bot = bots[seat]
                bot.last_id += 1
                events, bot.unread = [raw(event) for event in bot.unread], []
                request = Request(bot.last_id, decision, state.legal(seat), events, state.view(seat), 11_000)
                reply = bot.ask(request, "asked")
                assert isinstance(reply, Reply)
                assert reply.action in request.legal
                assert len(reply.note) <= NOTE_LIMIT
                actions[seat] = reply.action
            state, happened = state.apply(actions)
            publish(bots, happened)
        outcome = state.tally()
        for bot in bots:
            events = [raw(event) for event in bot.unread]
            bot.tell(End(events, totals(outcome.points, seats), outcome.placings, "finished"))
        assert [bot.goodbye() for bot in bots] == [0] * seats
        return [bot.said for bot in bots]


def publish(bots: Sequence[Seated], events: Sequence[Event]) -> None:
    for seat, bot in enumerate(bots):
        bot.unread += [event for event in events if event.audience in (None, seat)]


def shortest(folder: Path) -> Path:
    code = listing("python", '"first"')
    assert len(code.splitlines()) <= 12
    path = folder / "first.py"
    path.write_text(code, "utf-8")
    return path


def command(name: str) -> tuple[str, ...]:
    path = ROOT / "bots" / name
    if path.suffix == ".py":
        return (*PYTHON, str(path))
    require(*NEEDED[path.suffix])
    return (NEEDED[path.suffix][0], str(path))
