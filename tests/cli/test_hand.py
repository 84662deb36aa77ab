"""The organiser's hand while a tournament runs: orders from a second process, a director that is killed in
the middle of them, and the same entries from the journal alone.
"""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.director.entries import Admitted, ByOrganiser, MatchAnnulled, MatchPlayed, RoundPaired, Withdrawn
from arena.director.journal import Journal
from arena.director.state import Record
from arena.journal.place import FOLDER, SOCKET
from tests.cli.calls import ROOT, Call, arena
from tests.support.programs import Program
from tests.support.waiting import until

SLOW = Program(asked="time.sleep(0.01)").source()


class Evening:
    """A tournament in a process of its own, which may be killed and resumed."""

    def __init__(self, place: Path, rounds: int = 50, deals: int = 1) -> None:
        self.place, self.run = place, place / "run"
        bots = []
        for name in ("ada", "bob", "cy", "dee"):
            (place / f"{name}.py").write_text(SLOW)
            bots.append(str(place / f"{name}.py"))
        (place / "late.py").write_text(SLOW)
        (place / "later.py").write_text(SLOW)
        (place / "new").mkdir()
        (place / "new" / "cy.py").write_text(SLOW + "\n# mended\n")
        length = ("--seats", "4", "--rounds", str(rounds), "--deals", str(deals), "--jobs", "1")
        self.begin("tournament", *bots, *length, "--seed", "7", "--out", str(self.run))

    def begin(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena", *words],
            cwd=ROOT,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(lambda: (self.run / FOLDER / SOCKET).exists() or self.process.poll() is not None)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ended(self) -> int:
        return self.process.wait(timeout=240)

    def entries(self) -> list[object]:
        with Journal(self.run) as journal:
            return list(journal.entries)

    def record(self) -> Record:
        with Journal(self.run) as journal:
            return Record(journal.entries)

    def orders(self) -> list[ByOrganiser]:
        return list(self.record().by_organiser)

    def until_played(self, matches: int) -> None:
        until(lambda: sum(isinstance(one, MatchPlayed) for one in self.entries()) >= matches)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.kill()


def withdraw(evening: Evening) -> Call:
    return arena("withdraw", evening.run, "bob", "--reason", "his own wish")


def admit(evening: Evening) -> Call:
    return arena("admit", evening.run, evening.place / "late.py")


def admit_another(evening: Evening) -> Call:
    return arena("admit", evening.run, evening.place / "later.py")


def replace(evening: Evening) -> Call:
    return arena("replace", evening.run, evening.place / "new" / "cy.py", "--reason", "a crash mended")


def annul(evening: Evening) -> Call:
    return arena("annul", evening.run, "r01-p001-s01", "--reason", "the machine slept")


HAND = (withdraw, admit, replace, annul, admit_another)


def is_result_of(match_id: str, entry: object) -> bool:
    return isinstance(entry, MatchPlayed) and entry.match_id == match_id


def sound(evening: Evening, after: str = "") -> None:
    """Verified, and the same table from a copy of the journal alone."""
    verified = arena("verify", evening.run)
    assert (verified.status, "0 things wrong" in verified.out) == (0, True), verified.out + verified.err
    alone = evening.place / f"alone{after}"
    alone.mkdir()
    for part in evening.run.glob("tournament.db*"):
        shutil.copy(part, alone)
    table = arena("standings", evening.run, "--json")
    assert table.status == 0
    assert arena("standings", alone, "--json").out == table.out


def test_orders_to_a_tournament_that_runs(evening: Evening) -> None:
    """The director adds each entry itself, and plays on by it; whoever asks twice is told."""
    evening.until_played(1)
    for order in HAND:
        done = order(evening)
        assert done.status == 0, done.err
        assert "arena resume" not in done.err
        assert order(evening).status == 0
    assert len(evening.orders()) == len(HAND)
    rounds = len(evening.record().drawn)
    until(lambda: len(evening.record().drawn) > rounds)
    assert evening.process.poll() is None
    evening.kill()

    record = evening.record()
    later = {name for pod in record.drawn[-1] for name in pod if not name.startswith("house-")}
    assert later == {"ada", "cy", "dee", "late", "later"}
    at = {type(entry): no for no, entry in enumerate(evening.entries())}
    for no, entry in enumerate(evening.entries()):
        if isinstance(entry, RoundPaired):
            names = {name for pod in entry.pods for name in pod}
            assert ("bob" in names, "later" in names) == (no < at[Withdrawn], no > at[Admitted])
    # The annulled match was played again before another round was drawn.
    played = [no for no, entry in enumerate(evening.entries()) if is_result_of("r01-p001-s01", entry)]
    drawn = [no for no, entry in enumerate(evening.entries()) if isinstance(entry, RoundPaired)]
    assert len(played) == 2
    assert played[1] < min(no for no in drawn if no > at[MatchAnnulled])
    assert len(list((evening.run / "matches").glob("*.annulled-*"))) == 1
    sound(evening)


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("order", [withdraw, admit, replace, annul], ids=lambda order: order.__name__)
def test_what_cannot_be_is_refused_while_it_runs(order: Callable[[Evening], Call], evening: Evening) -> None:
    """By the same words as without a director."""
    wrong = {
        withdraw: ("withdraw", evening.run, "eve", "--reason", "x"),
        admit: ("admit", evening.run, evening.place / "new" / "cy.py"),
        replace: ("replace", evening.run, evening.place / "late.py", "--reason", "x"),
        annul: ("annul", evening.run, "r49-p001-s01", "--reason", "x"),
    }[order]
    asked = arena(*wrong)
    evening.kill()
    assert asked.status == 2
    assert arena(*wrong) == asked
    assert evening.orders() == []


@pytest.mark.thorough  # 2 s of processor.
def test_two_orders_at_once(evening: Evening) -> None:
    """Three processes admit the same bot: one entry, and nobody fails."""
    words = [sys.executable, "-P", "-m", "arena", "admit", str(evening.run), str(evening.place / "late.py")]
    called = [subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait() for one in called] == [0] * 3
    assert [type(one) for one in evening.orders()] == [Admitted]


@pytest.mark.thorough
@pytest.mark.parametrize("order", HAND[:4], ids=lambda order: order.__name__)
@pytest.mark.parametrize("stopped", [True, False], ids=["before the entry", "after the entry"])
def test_a_director_that_is_killed_while_it_is_asked(
    order: Callable[[Evening], Call], stopped: bool, tmp_path: Path
) -> None:
    """The entry is there or not, the order given again says which, and nothing is counted twice."""
    evening = Evening(tmp_path)
    evening.until_played(2)
    if stopped:
        evening.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as aside:
        asking = aside.submit(order, evening)
        if stopped:
            time.sleep(3)  # By then it waits for an answer; if not yet, it finds nobody.
            assert evening.orders() == []
        else:
            until(lambda: evening.orders() != [])
        evening.kill()
        done = asking.result()
    assert done.status == 0, done.err
    again = order(evening)
    assert (again.status, "already" in again.err) == (0, True)
    assert len(evening.orders()) == 1
    rounds = len(evening.record().drawn)
    evening.begin("resume", str(evening.run), "--jobs", "1")
    until(lambda: len(evening.record().drawn) > rounds)
    evening.kill()
    assert len(evening.orders()) == 1
    sound(evening)


@pytest.mark.thorough
def test_an_evening_in_which_the_director_is_killed_after_every_order(tmp_path: Path) -> None:
    evening = Evening(tmp_path, rounds=12)
    for matches, order in enumerate(HAND, 1):
        evening.until_played(matches)
        done = order(evening)
        assert done.status == 0, done.err
        evening.kill()
        assert order(evening).status == 0
        sound(evening, str(matches))
        evening.begin("resume", str(evening.run), "--jobs", "1")
    assert evening.ended() == 0
    assert len(evening.orders()) == len(HAND)
    sound(evening)
    assert arena("resume", evening.run, "--rounds", "+2").status == 0
    assert sum(isinstance(entry, RoundPaired) for entry in evening.entries()) == 14
    sound(evening, "-further")


def test_a_log_that_was_not_set_aside_is_so_before_its_match_is_played_again(evening: Evening) -> None:
    """Killed between the entry and the log."""
    evening.until_played(1)
    evening.kill()
    with Journal(evening.run, write=True) as journal:
        first = next(entry for entry in journal.entries if isinstance(entry, MatchPlayed))
        journal.add(MatchAnnulled(first.match_id, "the machine slept"))
    evening.begin("resume", str(evening.run), "--jobs", "1")
    until(lambda: (evening.run / "matches" / f"{first.match_id}.annulled-1").exists())
