"""A tournament that has to end in time: which rounds are begun, what a clock that is set does to it, and what
becomes of a round that is cut off.
"""

import shutil
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import trio

from arena.director.deadline import Countdown, time_up
from arena.director.director import run
from arena.director.ends import when
from arena.director.entries import (
    Deadline,
    Extended,
    JournalEntry,
    MatchPlayed,
    RoundPaired,
    Skipped,
    TimeUp,
    place,
)
from arena.director.forecast import Expected, Forecast, Stretch, fits, rounds_that_fit
from arena.director.journal import Journal
from arena.director.state import Record
from arena.playing.job import Job, Report
from arena.playing.pool import never_stop, play_all
from arena.system.errors import UserError
from tests.support.directors import created, nothing
from tests.support.journals import wrong
from tests.support.programs import ECHO

SIX = tuple((name, ECHO) for name in ("ada", "bob", "cy", "dee", "eve", "flo"))
"""Two pods of three."""


@pytest.mark.parametrize(
    ("left", "seconds", "spread", "rounds"),
    [
        (100, 10, 0.0, 10),
        (99, 10, 0.0, 9),
        (100, 10, 0.1, 9),
        (12, 10, 0.25, 0),
        (12.5, 10, 0.25, 1),
        (-1, 0, 0, 0),
    ],
)
def test_as_many_rounds_as_fit(left: float, seconds: float, spread: float, rounds: int) -> None:
    expected = Expected(seconds, spread)
    assert rounds_that_fit(left, expected, 1000) == rounds
    assert rounds_that_fit(left, expected, 3) == min(3, rounds)
    assert fits(left, expected) == (rounds > 0)


def test_a_round_of_which_nothing_is_known_is_begun_before_the_deadline() -> None:
    assert (fits(0.1, None), fits(0.0, None)) == (True, False)


class Played:
    """A tournament whose matches take as long as is said."""

    def __init__(self, folder: Path) -> None:
        self.entries: list[JournalEntry] = [created(folder, *SIX)]
        self.forecast = Forecast(self.entries, 0.0)
        self.now = 0.0

    def draw(self) -> None:
        pods = (("ada", "bob", "cy"), ("dee", "eve", "flo"))
        self._add(RoundPaired(1 + sum(isinstance(one, RoundPaired) for one in self.entries), pods))

    def end(self, seconds: float) -> None:
        """One more match; which one does not matter to a forecast."""
        self.now += seconds
        self._add(Skipped("r01-p001-s01", self.forecast.round_no, ""))

    def _add(self, entry: JournalEntry) -> None:
        self.entries.append(entry)
        self.forecast.look(self.now)


def test_what_is_expected_follows_the_matches_that_were_played(tmp_path: Path) -> None:
    played = Played(tmp_path)
    forecast = played.forecast
    assert forecast.round_of(12, 0.0) is None
    played.draw()
    assert (forecast.matches_of_round, forecast.left_of_round(0.0)) == (12, None)
    for _ in range(6):
        played.end(2.0)
    assert (forecast.done_of_round, forecast.left_of_round(played.now)) == (6, 12.0)
    # A match that does not end makes the rest longer.
    assert forecast.left_of_round(played.now + 12.0) == 24.0
    for _ in range(6):
        played.end(2.0)
    played.draw()
    # Its halves took the same time.
    assert forecast.round_of(12, played.now) == Expected(24.0, 0.1)
    for _ in range(12):
        played.end(3.0)
    played.draw()
    assert forecast.round_of(12, played.now) == Expected(30.0, pytest.approx(0.2))


def test_old_rounds_are_forgotten(tmp_path: Path) -> None:
    played = Played(tmp_path)
    for seconds in (100.0, 1.0, 1.0, 1.0):
        played.draw()
        for _ in range(12):
            played.end(seconds)
    played.draw()
    assert played.forecast.round_of(12, played.now) == Expected(12.0, 0.1)
    assert Stretch(12, 1200.0, 600.0) in played.forecast._finished


@pytest.mark.parametrize(
    ("seconds", "spread"),
    [((2.0, 2.0), 0.1), ((2.0, 2.4), 0.4 / 2.2), ((1.0, 3.0), 0.25), ((3.0, 1.0), 0.25)],
)
def test_one_round_is_as_sure_as_its_halves_are_alike(
    seconds: tuple[float, float], spread: float, tmp_path: Path
) -> None:
    played = Played(tmp_path)
    played.draw()
    for half in seconds:
        for _ in range(6):
            played.end(half)
    # A further round is decided on before it is drawn.
    asked = [played.forecast.round_of(12, played.now)]
    played.draw()
    asked.append(played.forecast.round_of(12, played.now))
    assert [one and one.spread for one in asked] == [pytest.approx(spread)] * 2


def test_the_last_match_may_end_in_the_time_of_grace() -> None:
    """Rounds of 29 s, of matches of 3.6 s, and a minute: the second one is dared."""
    assert fits(30.6, Expected(29.0, 0.1), grace=3.6)
    assert not fits(30.6, Expected(29.0, 0.25), grace=3.6)
    # What is expected itself has to end before the bell.
    assert not fits(28.0, Expected(29.0, 0.1), grace=5.0)


def test_a_clock_that_is_set_moves_a_time_of_day_and_no_duration() -> None:
    wall, steady = [1000.0], [50.0]
    at = {by_clock: Deadline(1060, 9, by_clock) for by_clock in (True, False)}
    count = {
        by_clock: Countdown(deadline, lambda: wall[0], lambda: steady[0]) for by_clock, deadline in at.items()
    }
    wall[0], steady[0] = 1010.0, 60.0
    assert [one.seconds_left for one in count.values()] == [50.0, 50.0]
    wall[0] -= 3600
    assert [count[True].seconds_left, count[False].seconds_left] == [3650.0, 50.0]
    wall[0] += 7200
    assert [count[True].seconds_left, count[False].seconds_left] == [-3550.0, 50.0]


@pytest.fixture
def central_europe(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone()


@pytest.mark.usefixtures("central_europe")
@pytest.mark.parametrize(
    ("now", "until", "hours"),
    [
        ("2026-05-07T10:00", "11:30", 1.5),
        ("2026-05-07T08:00", "22:00", 14),
        ("2026-05-07T23:00", "00:30", 1.5),
        ("2026-05-07T23:00", "0:30", 1.5),
        ("2026-05-07T10:00", "2026-05-08T10:00", 24),
        ("2026-05-07T10:00", "2026-05-07T10:00Z", 2),
        # Clocks go from 2:00 to 3:00, and from 3:00 back to 2:00: 2:30 comes twice.
        ("2026-03-28T23:30", "03:30", 3),
        ("2026-10-24T23:30", "03:30", 5),
        ("2026-10-25T01:00", "02:30", 1.5),
    ],
)
def test_the_next_time_that_a_clock_shows_is_meant(now: str, until: str, hours: float) -> None:
    found = when(until, None, at(now))
    assert found is not None
    assert (found.at - at(now).timestamp(), found.by_clock) == (hours * 3600, True)


@pytest.mark.usefixtures("central_europe")
@pytest.mark.parametrize(
    ("until", "said"),
    [
        (
            "11:30",
            "that was 15 min ago; name a time in the future, or for tomorrow --until 2026-05-08T11:30",
        ),
        ("2026-05-07T11:30", "that was 15 min ago"),
        ("2027-05-07T11:30", "more than a week from now"),
        ("24:00", "is not a time like 11:30"),
        ("2026-02-30T10:00", "is not a time like 11:30"),
        ("half past nine", "is not a time like 11:30"),
        ("١١:٣٠", "is not a time like 11:30"),
    ],
)
def test_a_time_that_is_wrong_names_the_way_out(until: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        when(until, None, at("2026-05-07T11:45"))


def test_minutes_are_a_duration() -> None:
    now = datetime.now().astimezone()
    found = when(None, 40, now)
    assert found is not None
    assert (
        timedelta(minutes=39) < datetime.fromtimestamp(found.at).astimezone() - now <= timedelta(minutes=40)
    )
    assert not found.by_clock
    # Whoever says 0 wants the end, and not in the second that has begun.
    ends = when(None, 0, now)
    assert ends is not None
    assert ends.at <= now.timestamp()
    with pytest.raises(UserError, match="give only one of them"):
        when("11:30", 40, now)


@pytest.mark.thorough  # 2 s of processor.
async def test_a_pod_that_does_not_end_in_time_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [100.0]
    monkeypatch.setattr(Countdown, "seconds_left", property(lambda _: left[0]))
    folder = tmp_path / "run"
    with Journal.create(folder, created(tmp_path, *SIX, rounds=1)) as journal:
        journal.add(Deadline(int(time.time()), 9))

        async def first_pod_only(
            jobs: Iterable[Job],
            workers: int,
            done: Callable[[Report], None],
            stopping: Callable[[], bool] = never_stop,
        ) -> None:
            """Plays the first pod whole and a match of the second, and hangs until the deadline is over."""
            chosen = [job for job in jobs if place(job.match_id)[1] == 1 or job.match_id == "r01-p002-s01"]
            await play_all(chosen, workers, done)
            while sum(isinstance(entry, MatchPlayed) for entry in journal.entries) < len(chosen):
                await trio.sleep(0.01)
            left[0] = -100.0
            await trio.sleep_forever()

        await run(journal, 1, nothing, play_all=first_pod_only)
        entries, digest = list(journal.entries), journal.digest
        assert entries[-1] == TimeUp(1, ((1, 2),))
        # A director that begins again finds nothing to do.
        await run(journal, 1, nothing, play_all=first_pod_only)
        assert journal.digest == digest
    record = Record(entries)
    assert (record.over, record.rounds, record.deadline) == (True, 1, None)
    assert {result.pod_no for result in record.results} == {1}
    assert {place(match_id)[1] for match_id in record.played} == {1}
    assert wrong(folder) == {None}
    # What the organiser adds goes on behind it, and the pod stays out.
    assert not Record([*entries, Extended(2)]).over
    assert Record([*entries, Extended(2)]).due() == []
    # A result that comes for it afterwards is forged.
    with Journal(folder, write=True) as journal:
        journal.add(next(entry for entry in entries if getattr(entry, "match_id", "") == "r01-p002-s01"))
    assert wrong(folder) == {None, "the deadline had cut off its pod"}


async def test_what_no_deadline_decided_is_found(tmp_path: Path) -> None:
    at = int(time.time()) + 1000
    with Journal.create(tmp_path / "run", created(tmp_path, *SIX[:3], rounds=1)) as journal:
        await run(journal, 1, nothing)
        assert time_up(Record(journal.entries)) == TimeUp(1)
    for number, (entries, why) in enumerate(
        (
            ([TimeUp(1)], "there was no deadline"),
            ([Deadline(at, 9), TimeUp(7)], "1 rounds were drawn"),
            ([Deadline(at, 9), TimeUp(1, ((1, 1),))], "are not those that were unfinished"),
            ([Deadline(at, 9), TimeUp(1, ((999_999, 999_999),))], "are not those that were unfinished"),
        )
    ):
        folder = shutil.copytree(tmp_path / "run", tmp_path / str(number))
        with Journal(folder, write=True) as journal:
            journal.add(*entries)
        (found,) = wrong(folder) - {None}
        assert found is not None
        assert found.endswith(why)
