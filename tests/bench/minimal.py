"""The floor of a decision in a game: its rules, its messages, its bots' pipes and two signals in a blocking
loop, with nothing that makes a referee: no clock bank, fault, note, log or watchdog.

Knows no class of the referee's, since it is what they are measured against.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.games import GAMES
from arena.games.events import Event
from arena.log.hello import hello
from protocol.messages import End, Hello, Limits, Ready, Reply, Request
from protocol.outcome import totals
from protocol.streams import DealSource, match_key, pod_key
from tests.bench.figures import Figures

PATIENCE_MS = 1000
READ = 4096

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Ready | Reply).decode


class Child:
    """A bot, and the events that it has not been told."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.poll = select.poll()
        self.poll.register(self.output, select.POLLIN)
        self.unsent: list[msgspec.Raw] = []
        self.asked = 0

    def ask(self, message: Hello | Request) -> Ready | Reply:
        """Wakes it, writes, waits, reads, stops it."""
        pid = self.process.pid
        os.killpg(pid, signal.SIGCONT)
        os.write(self.input, encode(message) + b"\n")
        assert self.poll.poll(PATIENCE_MS)
        answer: Ready | Reply = decode(os.read(self.output, READ))
        os.killpg(pid, signal.SIGSTOP)
        return answer

    def tell(self, message: End) -> None:
        os.write(self.input, encode(message) + b"\n")


@contextlib.contextmanager
def children(program: Path, seats: int) -> Iterator[list[Child]]:
    bots = [Child(program) for _ in range(seats)]
    try:
        yield bots
    finally:
        for bot in bots:
            bot.process.kill()
            bot.process.communicate()


def play(bots: list[Child], game_id: str, deals: int, key: str) -> int:
    """Plays one match; the number of decisions."""
    game, seats, made = GAMES[game_id], len(bots), 0
    limits, options, of_match = Limits(), game.options(), match_key(key, 1)
    for seat, bot in enumerate(bots):
        greeting = hello(
            game,
            msgspec.to_builtins(options),
            seats=seats,
            seat=seat,
            deals=deals,
            limits=limits,
            match_key=of_match,
            entrant=f"echo-{seat}",
        )
        assert isinstance(bot.ask(greeting), Ready)

    def publish(events: tuple[Event, ...]) -> None:
        for event in events:
            line = msgspec.Raw(encode(event))
            for bot in bots if event.audience is None else [bots[event.audience]]:
                bot.unsent.append(line)

    state, events = game.start(seats, options, deals, DealSource(key))
    publish(events)
    while pending := state.pending:
        actions = {}
        for seat, decision in pending.items():
            bot, legal = bots[seat], state.legal(seat)
            told, bot.unsent = bot.unsent, []
            bot.asked += 1
            reply = bot.ask(Request(bot.asked, decision, legal, told, state.view(seat), limits.decision_ms))
            assert isinstance(reply, Reply)
            assert reply.action in legal
            actions[seat] = reply.action
        made += len(actions)
        state, events = state.apply(actions)
        publish(events)
    tally = state.tally()
    for bot in bots:
        bot.tell(End(bot.unsent, totals(tally.points, seats), tally.placings, "finished"))
        bot.unsent = []
    return made


def minimal(game_id: str, program: Path, seats: int, *, count: int, deals: int) -> Figures:
    """µs of its CPU a decision, and decisions a second, over so many matches with kept bots."""
    with children(program, seats) as bots:
        play(bots, game_id, deals, pod_key("7", 0, 0))
        cpu, wall = time.process_time(), time.perf_counter()
        made = sum(play(bots, game_id, deals, pod_key("7", 0, number)) for number in range(count))
        return (time.process_time() - cpu) / made * 1e6, made / (time.perf_counter() - wall)
