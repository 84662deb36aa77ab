"""The law of innocence: whatever some seats do wrong, the others get the bytes and are counted the time that
they would have got and been counted had those seats been played by their substitutes from the same moment.

Without processes and without waiting: the referee plays with fakes, by a clock that only waiting moves.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import hypothesis.strategies as st
import msgspec
import trio
from hypothesis import given, settings
from trio.testing import MockClock

from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.log.entries import Acted, Faulted, Happened, parse
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job
from arena.playing.referee import Referee
from arena.process.launch import Launch, base_interpreter
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.watchdog import Watchdog
from protocol.faults import FORGIVABLE, FaultKind
from protocol.messages import End, Hello, Limits, Request
from protocol.streams import match_key, pod_key, substitute_stream
from tests.support.fakes import READY, Answer, FakeProcess, after, reply

LIMITS: Final = Limits(start_ms=5000, decision_ms=1000, bank_ms=10_000)
NEVER: Final[Answer] = []

AT_START: Final[Mapping[str, Answer]] = {
    "silent": NEVER,
    "banner": after(0.1, b"MyBot 1.0\n", READY),
    "gone": after(0.1, b""),
    "flood at start": after(0.1, b"x" * 70_000),
}
"""Misdeeds before `ready`; "not started" is one more."""

AT_REQUEST: Final[Mapping[str, tuple[FaultKind, Callable[[Request], Answer]]]] = {
    "sleeps": (FaultKind.TIMEOUT, lambda request: NEVER),
    "is late": (FaultKind.TIMEOUT, lambda request: after(request.ms / 1000 + 0.3, reply(request))),
    "drips": (FaultKind.TIMEOUT, lambda request: after(0.3 * request.ms / 1000, *[b" "] * 3)),
    "nonsense": (FaultKind.MALFORMED, lambda request: after(0.2, b"hmm\n")),
    "wrong id": (FaultKind.MALFORMED, lambda request: after(0, b'{"type":"reply","id":999,"action":"R1"}\n')),
    "illegal": (FaultKind.ILLEGAL, lambda request: after(0.3, reply(request, "Z99"))),
    "exits": (FaultKind.EXITED, lambda request: after(0.1, b"")),
    "hogs": (FaultKind.MEMORY, lambda request: after(0.1, b"")),
    "half a line": (FaultKind.EXITED, lambda request: after(0.1, reply(request)[:9], b"")),
    "floods": (FaultKind.FLOOD, lambda request: after(0.1, b"\n" * 70_000)),
}


class Misdeed(NamedTuple):
    """`request` 0 is the handshake."""

    request: int
    what: str


class Played(NamedTuple):
    finished: Finished
    bots: list[FakeProcess | None]
    ledger: list[tuple[str, int]]


class Plan(NamedTuple):
    """A match: who does what wrong, how long everybody thinks."""

    game: str
    seats: int
    faults: int
    misdeeds: Mapping[int, tuple[Misdeed, ...]]
    thinking_ms: tuple[int, ...]

    @property
    def innocent(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.misdeeds]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    game = draw(st.sampled_from(list(GAMES)))
    seats = draw(st.sampled_from(GAMES[game].seats[:2]))
    guilty = draw(st.lists(st.sampled_from(range(seats)), min_size=1, max_size=seats - 1, unique=True))
    at_start = st.builds(Misdeed, st.just(0), st.sampled_from(["not started", *AT_START]))
    later = st.builds(Misdeed, st.integers(1, 16), st.sampled_from(list(AT_REQUEST)))
    misdeeds = {
        seat: draw(
            st.one_of(
                st.tuples(at_start),
                st.lists(later, min_size=1, max_size=3, unique_by=lambda deed: deed.request).map(tuple),
            )
        )
        for seat in guilty
    }
    thinking = draw(st.lists(st.integers(0, 1100), min_size=1, max_size=5))
    return Plan(game, seats, draw(st.integers(1, 3)), misdeeds, tuple(thinking))


def own_choice(seat: int, request: Request) -> str:
    return request.legal[(5 * request.id + seat) % len(request.legal)]


def script(plan: Plan, seat: int, key: str, guilty: bool) -> Callable[[Hello | Request | End], Answer]:
    """What a bot does: the misdeeds; or, where they would be, what the substitute does."""
    deeds = {deed.request: deed.what for deed in plan.misdeeds.get(seat, ())}
    substitute = substitute_stream(key, seat)
    seen: list[FaultKind] = []

    def replaced(request: Request) -> bool:
        if request.id in deeds:
            seen.append(AT_REQUEST[deeds[request.id]][0])
        gone = 0 in deeds or len(seen) >= plan.faults or any(kind not in FORGIVABLE for kind in seen)
        return gone or request.id in deeds

    def answer(message: Hello | Request | End) -> Answer:
        if isinstance(message, Hello):
            return AT_START[deeds[0]] if guilty and 0 in deeds else after(0.01, READY)
        if isinstance(message, End):
            return []
        if guilty and message.id in deeds:
            return AT_REQUEST[deeds[message.id]][1](message)
        if not guilty and replaced(message):
            return after(0, reply(message, substitute.choice(message.legal)))
        # Who has lost its bank by a misdeed must not be late again for another reason.
        think = 0 if deeds else plan.thinking_ms[(message.id + seat) % len(plan.thinking_ms)] / 1000
        return after(think, reply(message, own_choice(seat, message)))

    return answer


def play(plan: Plan, *, guilty: bool) -> Played:
    pod = pod_key("innocence", 0, 0)
    key = match_key(pod, 1)
    launch = Launch((base_interpreter(),), "/")
    entrants = tuple(Entrant(f"bot-{seat}", launch, "") for seat in range(plan.seats))
    settings = MatchSettings(game=plan.game, options={}, deals=1, limits=LIMITS, faults=plan.faults)
    job = Job("m", pod, 1, entrants, settings)
    ledger: list[tuple[str, int]] = []
    bots: list[FakeProcess | None] = []

    def spawn(launch: Launch, stderr: Path | None, *rest: Any) -> Any:
        seat = len(bots)
        if guilty and Misdeed(0, "not started") in plan.misdeeds.get(seat, ()):
            bots.append(None)
            return Obstacle(ObstacleKind.OTHER, "Exec format error")
        hogs = guilty and any(deed.what == "hogs" for deed in plan.misdeeds.get(seat, ()))
        bots.append(FakeProcess(seat, script(plan, seat, key, guilty), ledger, hogs=hogs))
        return bots[-1]

    with patch.object(
        Watchdog, "watch", lambda self: trio.sleep_forever()
    ):  # There are no processes to watch.
        finished = trio.run(Referee(job, spawn).play, clock=MockClock(autojump_threshold=0))
    return Played(finished, bots, ledger)


@settings(max_examples=150, deadline=None)
@given(plans())
def test_the_law_of_innocence(plan: Plan) -> None:
    faulty, pure = play(plan, guilty=True), play(plan, guilty=False)

    assert not pure.finished.forfeits
    entries, pure_entries = (parse(played.finished.log.encode()) for played in (faulty, pure))
    assert [e for e in entries if isinstance(e, Happened)] == [
        e for e in pure_entries if isinstance(e, Happened)
    ]
    for seat in plan.innocent:
        told, purely_told = faulty.bots[seat], pure.bots[seat]
        assert told is not None
        assert purely_told is not None
        assert told.lines[:-1] == purely_told.lines[:-1], f"seat {seat} was told something else"
        # Placings honour forfeits, which the innocent gain by; all else in `end` is the same.
        end, pure_end = told.heard[-1], purely_told.heard[-1]
        assert isinstance(end, End)
        assert isinstance(pure_end, End)
        assert msgspec.structs.replace(end, placings=()) == msgspec.structs.replace(pure_end, placings=())
        counted, purely_counted = (
            [e for e in some if isinstance(e, Acted) and e.seat == seat] for some in (entries, pure_entries)
        )
        assert counted == purely_counted, f"seat {seat} was counted another time"


@settings(max_examples=30, deadline=None)
@given(plans())
def test_every_misdeed_is_one_fault_and_the_guilty_are_dead_before_anybody_else_is_told(plan: Plan) -> None:
    played = play(plan, guilty=True)
    faults = [entry for entry in parse(played.finished.log.encode()) if isinstance(entry, Faulted)]
    for seat, deeds in plan.misdeeds.items():
        own = [fault for fault in faults if fault.seat == seat]
        assert [fault.forfeits for fault in own[:-1]] == [False] * (len(own) - 1)
        requests = sorted(deed.request for deed in deeds)
        assert [fault.id for fault in own] == requests[: len(own)]
        bot = played.bots[seat]
        if own and own[-1].forfeits and bot is not None:
            last = max(at for at, entry in enumerate(played.ledger) if entry == ("told", seat))
            assert played.ledger[last + 1] == ("killed", seat)
    assert {fault.seat for fault in faults} <= plan.misdeeds.keys()
