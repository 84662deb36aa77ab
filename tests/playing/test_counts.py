"""What a decision may cost, counted and not timed."""

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trio

import arena.playing.conversation
import arena.playing.referee
import arena.process.botprocess
from arena.entrants.entrant import Entrant
from arena.log.entries import Acted, Happened, parse, raw_events
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job
from arena.playing.referee import Referee
from arena.process.botprocess import BotProcess
from arena.process.launch import Launch, base_interpreter
from arena.process.watchdog import Watchdog
from protocol.codec import encode
from protocol.messages import End, Hello, Limits, Request
from protocol.streams import pod_key
from tests.support.fakes import READY, Answer, FakeProcess, after, reply
from tests.support.jobs import job, with_settings
from tests.support.programs import ECHO

Counted = Counter[str]


def echo(message: Hello | Request | End) -> Answer:
    if isinstance(message, Hello):
        return after(0, READY)
    return after(0, reply(message)) if isinstance(message, Request) else []


def logged(finished: Finished, kind: type) -> list[Any]:
    return [entry for entry in parse(finished.log.encode()) if isinstance(entry, kind)]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How often each of these is called: an event encoded, a line encoded, a line written, a signal sent to a
    group, a wait in the kernel, a look at what has come, a parking in trio; and how often a look found
    something."""
    counted: Counted = Counter()

    def counting(name: str, what: Any) -> Any:
        def call(*arguments: Any) -> Any:
            counted[name] += 1
            result = what(*arguments)
            counted[f"{name} well"] += result is not None
            return result

        return call

    monkeypatch.setattr(arena.playing.referee, "raw", counting("encoded", arena.playing.referee.raw))
    monkeypatch.setattr(arena.playing.conversation, "encode", counting("lines", encode))
    monkeypatch.setattr(os, "write", counting("written", os.write))
    stop, go_on = counting("stops", os.killpg), counting("continues", os.killpg)
    ways = {signal.SIGSTOP: stop, signal.SIGCONT: go_on, signal.SIGKILL: os.killpg}
    monkeypatch.setattr(os, "killpg", lambda group, number: ways[number](group, number))
    monkeypatch.setattr(BotProcess, "ready_within", counting("waited", BotProcess.ready_within))
    monkeypatch.setattr(BotProcess, "read_now", counting("looked", BotProcess.read_now))
    monkeypatch.setattr(BotProcess, "_park", counting("parked", BotProcess._park))
    # On a busy machine 20 ms, or one, are not enough for a bot that answers at once.
    monkeypatch.setattr(arena.process.botprocess, "short_poll", lambda process, _: process.ready_within(5))
    monkeypatch.setattr(arena.process.botprocess, "FORK_SECONDS", 5)
    return counted


async def test_an_event_is_encoded_once_for_all_seats_and_the_log(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watchdog, "watch", lambda self: trio.sleep_forever())
    entrants = tuple(Entrant(name, Launch((base_interpreter(),), "/"), "") for name in ("a", "b", "c", "d"))
    seats = iter(range(4))
    finished = await Referee(
        Job(
            *("m", pod_key("7", 0, 0), 1, entrants),
            MatchSettings(game="sticheln", options={}, deals=2, limits=Limits(), faults=1),
        ),
        lambda *_: FakeProcess(next(seats), echo, []),  # type: ignore[arg-type,return-value]
    ).play()
    assert counted["encoded"] == sum(len(raw_events(entry)) for entry in logged(finished, Happened))


async def test_a_decision_is_one_write_one_wait_one_read_and_two_signals(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watchdog, "watch", lambda self: trio.sleep_forever())  # It may signal, too.
    task = with_settings(job(tmp_path, ("a", ECHO), ("b", ECHO), ("c", ECHO)), limits=Limits())
    finished = await Referee(task).play()
    decisions = len(logged(finished, Acted))
    hello_and_end = 3 * 2
    assert counted["lines"] == decisions + hello_and_end
    assert counted["waited"] <= decisions + 3, "none where the answer is there at once"
    assert counted["stops"] == decisions + 3, "after `ready` and after each reply"
    assert counted["continues"] == decisions + 3, "for each decision, and to exit"
    assert counted["looked well"] == decisions + 3
    assert counted["looked"] <= 2 * (decisions + 3), "at once, and when it is there"
    assert decisions + hello_and_end <= counted["written"] <= decisions + hello_and_end + 3
    assert counted["parked"] == 0
