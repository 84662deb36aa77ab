"""A comparison leaves out the pods in which a bot of the arena's own failed twice, and stops at the third."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from arena.director.comparison import Comparison
from arena.entrants.entrant import Entrant
from arena.log.house_bugs import HouseBug
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job, Report
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from protocol.outcome import most_points_win
from tournaments.compare import ComparisonEstimate, Question

FAILED = (HouseBug(2, 9, 4, "search: ZeroDivisionError: division by zero"),)


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of a match that is void is kept here."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


class Played:
    """Every match as it would end, with what fails in it by its id and the number of the attempt."""

    def __init__(self, fails: Callable[[int, int, int], bool]) -> None:
        self.attempts: dict[str, int] = {}
        self._fails = fails

    async def __call__(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        for job in list(jobs):
            if stopping():
                return
            attempt = self.attempts[job.match_id] = self.attempts.get(job.match_id, 0) + 1
            pod_no, seating_no = map(int, job.match_id.split("/"))
            bugs = FAILED if self._fails(pod_no, seating_no, attempt) else ()
            outcome = most_points_win(((pod_no % 2, 0, 1),), 3)
            done(Finished(job.match_id, outcome, (), "the log", bugs))


async def settled(played: Played, budget: int = 12) -> tuple[Comparison, ComparisonEstimate]:
    entrants = [Entrant(name, Launch(("true",), "/"), "") for name in ("ada", "bob", "search")]
    job = Job(
        match_id="match",
        settings=MatchSettings(
            game="sticheln", options={}, deals=1, limits=Limits(), faults=1, sandbox=Sandbox(Level.NONE)
        ),
        pod_key="k",
        seating_no=1,
        entrants=tuple(entrants),
    )
    comparison = Comparison(job, "7", Question(0.05, 0.0, budget, False, None))
    return comparison, await comparison.settle(1, lambda answer: None, played)


async def test_a_match_that_is_spoilt_once_is_played_again() -> None:
    played = Played(lambda pod_no, seating_no, attempt: pod_no == 2 and seating_no == 1 and attempt == 1)
    comparison, answer = await settled(played)
    assert played.attempts["2/1"] == 2
    assert comparison.left_out == []
    assert answer.units == 12
    assert [bug.times for bug in comparison.bugs] == [1]


async def test_a_pod_that_is_spoilt_twice_is_left_out() -> None:
    comparison, answer = await settled(Played(lambda pod_no, seating_no, attempt: pod_no in (2, 5)))
    assert comparison.left_out == [2, 5]
    assert answer.units == 12
    assert comparison.matches % 12 == 0
    assert {bug.what for bug in comparison.bugs} == {FAILED[0].what}


async def test_the_third_stops_it() -> None:
    with pytest.raises(RuntimeError, match=r"3 pods were spoilt; .*ZeroDivisionError"):
        await settled(Played(lambda pod_no, seating_no, attempt: pod_no in (1, 2, 4)))
