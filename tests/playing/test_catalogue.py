"""The whole catalogue of bots that misbehave, with real processes: `pytest -m thorough` on this file. What a
seat does is its own; where it sits, and who else does what, is all the same.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio

from arena.log.entries import Acted, Faulted, Greeted, parse
from arena.playing.conversation import Conversation
from arena.playing.referee import play_match
from arena.process.botprocess import BotProcess
from arena.process.sandbox import Sandbox
from arena.process.spawn import spawn
from protocol.faults import Fault, FaultKind
from protocol.messages import Hello, Limits, Ready, Reply
from tests.support.jobs import ECHOES, check, job, with_settings
from tests.support.programs import CATALOGUE, ECHO, FORGIVEN, MISBEHAVING, ODD, SHORT, Program, at, entrant

ALL: Final[Mapping[str, Program]] = MISBEHAVING | CATALOGUE
GROWTH: Final = 50 << 20
"""Bytes by which the referee may grow over all of it."""

QUICK: Final = (
    "daemonises",
    "prompt",
    "utf-16",
    "over-two-lines",
    "id-of-30-digits",
    "stderr-flood",
    "drips",
)
"""A few of each kind, for the gate."""


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.fixture(scope="module", autouse=True)
def bounded_memory() -> Iterator[None]:
    before = resident()
    yield
    assert resident() - before < GROWTH


async def forfeits(name: str, seat: int, folder: Path) -> Faulted:
    seats = list(ECHOES)
    seats[seat] = (name, ALL[name])
    finished = await play_match(job(folder, *seats))
    (fault,) = check(finished, folder)
    assert (fault.seat, fault.kind, fault.forfeits) == (seat, ALL[name].fault, True), fault
    assert sorted(finished.outcome.placings) == [1, 2, 3]
    assert finished.outcome.placings[seat] == 3
    return fault


@pytest.mark.parametrize("name", QUICK)
async def test_some_of_the_catalogue(name: str, tmp_path: Path) -> None:
    await forfeits(name, 1, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("name", ALL)
async def test_the_whole_catalogue_at_every_seat(name: str, seat: int, tmp_path: Path) -> None:
    await forfeits(name, seat, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ODD | FORGIVEN)
async def test_what_is_odd_but_no_fault(name: str, tmp_path: Path) -> None:
    program = (ODD | FORGIVEN)[name]
    finished = await play_match(job(tmp_path, (name, program), *ECHOES[1:]))
    assert check(finished, tmp_path) == []
    assert finished.outcome == (await play_match(job(tmp_path, *ECHOES))).outcome


def test_every_kind_of_fault_is_in_the_catalogue() -> None:
    """But those that need no program, fill the machine, or need one that freezes by signals."""
    elsewhere = {FaultKind.SPAWN, FaultKind.MEMORY, FaultKind.EXCESS}
    assert {program.fault for program in ALL.values()} == {*FaultKind} - elsewhere


async def test_several_in_one_match(tmp_path: Path) -> None:
    names = ("utf-16", "nonsense", "daemonises-in-play")
    finished = await play_match(job(tmp_path, *((name, ALL[name]) for name in names), ("echo", ECHO)))
    faults = check(finished, tmp_path)
    assert {fault.seat: fault.kind for fault in faults} == {
        seat: ALL[name].fault for seat, name in enumerate(names)
    }
    assert finished.outcome.placings == (2, 2, 2, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", sorted({program.fault for program in ALL.values()} - {None}), ids=str)
async def test_all_seats_at_once(kind: FaultKind, tmp_path: Path) -> None:
    """Whatever the first three of a kind are."""
    names = [name for name, program in ALL.items() if program.fault is kind][:3]
    names = (names * 3)[:3]
    seats = [(f"{name}-{seat}", ALL[name]) for seat, name in enumerate(names)]
    finished = await play_match(job(tmp_path, *seats))
    assert [fault.kind for fault in check(finished, tmp_path)] == [kind] * 3
    assert finished.outcome.placings == (1, 1, 1)


async def test_a_helper_that_holds_the_pipes_does_not_hide_how_it_ended(tmp_path: Path) -> None:
    fault = await forfeits("daemonises", 2, tmp_path)
    assert (fault.status, fault.detail) == (3, "it ended, and what it had started held its pipes open")


async def test_a_reply_without_newline_counts_and_the_end_shows_at_the_next_request(tmp_path: Path) -> None:
    name = "exits-after-a-reply-without-newline"
    seats = (*ECHOES[:2], (name, ALL[name]))
    finished = await play_match(job(tmp_path, *seats))
    (fault,) = check(finished, tmp_path)
    assert (fault.id, fault.kind) == (10, FaultKind.EXITED)


async def test_a_bot_lives_on_its_bank_until_it_is_empty(tmp_path: Path) -> None:
    """Of 0.3 s for a decision and 2 s in the bank, six times 0.6 s are left, and not nine times."""
    for times, faults in ((5, 0), (9, 1)):
        slow = Program(asked=f"if 1 < m['id'] <= {1 + times}: time.sleep(0.6)")
        match = job(tmp_path, ("slow", slow), *ECHOES[1:])
        bank = msgspec.structs.replace(SHORT, bank_ms=2000)
        seats = (msgspec.structs.replace(match.entrants[0], limits=bank), *match.entrants[1:])
        finished = await play_match(msgspec.structs.replace(match, entrants=seats))
        assert [fault.kind for fault in check(finished, tmp_path)] == [FaultKind.TIMEOUT] * faults
        slowest = [
            e.us for e in parse(finished.log.encode()) if isinstance(e, Acted) and e.seat == 0 and e.id
        ]
        # More than its 0.3 s, and not the whole 0.6: what a busy machine lost is not counted.
        assert sum(us > 300_000 for us in slowest) >= 5


UNASKED: Final[Mapping[str, tuple[Program, FaultKind | None]]] = {
    "nonsense": (Program(asked=at(1, "answer += '\\nhmm'")), FaultKind.MALFORMED),
    "nonsense a little later": (Program(asked=at(1, "say(answer); answer = 'hmm'")), FaultKind.MALFORMED),
    "the next reply": (Program(asked=at(1, "say(answer); answer = answer.replace('1', '2', 1)")), None),
    "the same reply": (Program(asked=at(1, "say(answer)")), None),
    "blank lines": (Program(asked=at(1, "answer += '\\n' * 99")), None),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", UNASKED)
async def test_output_unasked_is_judged_alike_in_many_runs(name: str, tmp_path: Path) -> None:
    """A thousand in all: what stands behind an answer is the next request's, however late it was read."""
    program, verdict = UNASKED[name]
    bot = entrant(tmp_path, "bot", program)
    hello = Hello(1, "sticheln", {}, 3, 0, 1, ("R0",), {"R": "red"}, Limits(), 7, "m")
    seen = set()
    for _ in range(200):
        process = spawn(bot.launch, None, Sandbox())
        assert isinstance(process, BotProcess)
        try:
            conversation = Conversation(process, Limits())
            assert isinstance((await conversation.greet(hello)).answer, Ready)
            first, second = [(await conversation.ask("play", ("R1", "R2"), [], {})).answer for _ in range(2)]
            assert first == Reply(1, "R1")
            seen.add(second.kind if isinstance(second, Fault) else None)
        finally:
            process.kill()
    assert seen == {verdict}


@pytest.mark.thorough
async def test_a_slow_healthy_bot_is_touched_by_nothing_but_its_clock(tmp_path: Path) -> None:
    slow = Program(asked=at(9, "time.sleep(15)"))
    match = job(tmp_path, ("slow", slow), *ECHOES[1:])
    patient = Limits(start_ms=5000, decision_ms=20_000, bank_ms=0)
    with trio.fail_after(60):
        finished = await play_match(with_settings(match, limits=patient))
    assert check(finished, tmp_path) == []
    assert len([e for e in parse(finished.log.encode()) if isinstance(e, Greeted)]) == 3
