"""An entry is an object: every kind says itself why it cannot stand, what it leads to and how it is told. A
new kind of entry is one class; `verify` and the state need not know of it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from arena.director.entries import JournalEntry
from arena.director.entries import Withdrawn as TakenOut
from arena.journal.entry import AnyEntry, Problem
from arena.league.carried import CarriedState
from arena.league.entries import (
    Checkpoint,
    Closed,
    Closes,
    Committed,
    Continued,
    Current,
    DrawAnnulled,
    DrawPlayed,
    DrawScheduled,
    DrawVoided,
    Entry,
    Finals,
    Founded,
    Frozen,
    PanelSet,
    Passed,
    Paused,
    Pruned,
    Received,
    Refused,
    Registered,
    Restored,
    Retired,
    Revealed,
    Sealed,
    Started,
    Stated,
    Unfrozen,
)
from arena.league.entries.base import LeagueEntry
from arena.league.hand import Request, answer
from arena.league.verify import _LeagueAudit
from arena.system.errors import UserError
from tests.support.boards import ANCHORS, BOARD, NOON, NOTHING, TODAY, closed, state_with

if TYPE_CHECKING:
    from arena.league.state import LeagueState

NOBODY = "red/nobody@1"
IMPOSSIBLE: list[tuple[Entry, str]] = [
    (Founded("0", (BOARD,)), "the settings must come first, and only once"),
    (
        Continued(2, NOTHING, Founded("0", (BOARD,)), CarriedState({}, {}, {}, (), {}, {}, {}, 0, {}, {}, 0)),
        "segment 2 does not begin with the state at the end of the one before it",
    ),
    (
        Received(NOBODY.replace("1", "2"), NOTHING, "x", NOON),
        "red/nobody@2 is not the next version of its bot",
    ),
    (Passed(NOBODY, "checked", 1.0), "red/nobody@1 is not in the intake"),
    (Refused(NOBODY, "checked", "", ""), "red/nobody@1 is not in the intake"),
    (Current(NOBODY, (BOARD.id,)), "red/nobody@1 was never received"),
    (PanelSet("ole:5", ANCHORS, ANCHORS[0]), "there is no board ole:5"),
    (Committed(TODAY, NOTHING), f"the seed of day {TODAY} was already committed"),
    (Revealed(TODAY, NOTHING), f"this is not the seed of day {TODAY} that was committed"),
    (
        DrawScheduled(9, BOARD.id, ANCHORS[:1], ANCHORS[1:4], "question", TODAY, NOON),
        "expected draw 1, got draw 9",
    ),
    (DrawPlayed(9, (), 1.0, NOTHING, NOTHING), "draw 9 is not being played"),
    (Checkpoint("ole:5", {}), "there is no board ole:5"),
    (
        Stated(BOARD.id, new=(("red/one@1", "house/a@1"),)),
        f"these statements of {BOARD.id} do not follow from the draws before them",
    ),
    (DrawVoided(9, "x"), "draw 9 is not being played"),
    (DrawAnnulled(9, "x"), "draw 9 does not count"),
    (Pruned(1, 9, True), "draw 9 is not over yet"),
    (Unfrozen(NOON), "it was not frozen"),
    (Closes("x", NOON, 0, NOON), "its deadline had passed"),
    (Finals({}), "no finals of these versions were due"),
    (Sealed(NOON), "not everything had been played when it was sealed"),
    (Paused(NOBODY, "x"), "red/nobody@1 did not pass the intake"),
    (Retired(NOBODY, "x"), "red/nobody@1 did not pass the intake"),
    (Restored(NOBODY, "x"), "red/nobody@1 did not pass the intake"),
]
CLOSED: list[tuple[Entry, str]] = [
    (Closed("again", NOON), "the league was closed"),
    (Registered("green", "", NOTHING), "the league was closed"),
]
ALWAYS = (Started, Frozen)
"""Of which nothing can be wrong at first."""


@pytest.mark.parametrize("kind", [*get_args(Entry), *get_args(JournalEntry)], ids=str)
def test_every_kind_judges_applies_and_tells_itself(kind: type[AnyEntry[object]]) -> None:
    assert issubclass(kind, AnyEntry)
    assert kind.apply is not AnyEntry.apply
    assert kind.problem is not AnyEntry.problem


def test_every_kind_has_an_example_here() -> None:
    assert {type(entry) for entry, _ in (*IMPOSSIBLE, *CLOSED)} | {*ALWAYS} == {*get_args(Entry)}


@pytest.mark.parametrize(("entry", "finding"), IMPOSSIBLE)
def test_an_entry_says_why_it_cannot_stand(entry: Entry, finding: str) -> None:
    problem = entry.problem(state_with("red/one@1"))
    assert problem is not None
    assert problem.finding == finding


@pytest.mark.parametrize(("entry", "finding"), CLOSED)
def test_an_entry_of_an_open_league_cannot_follow_its_end(entry: Entry, finding: str) -> None:
    problem = entry.problem(closed())
    assert problem is not None
    assert problem.finding == finding


@pytest.mark.parametrize("entry", [Started("0", "3", "x", 2, NOON), Frozen("why", NOON)])
def test_a_start_can_always_follow_and_a_freeze_once(entry: Entry) -> None:
    assert entry.problem(state_with("red/one@1")) is None


@pytest.mark.parametrize(
    ("request_", "finding", "refusal"),
    [
        (Paused(NOBODY, "x"), "did not pass the intake", "no version is called 'red/nobody@1'"),
        (DrawAnnulled(9, "x"), "draw 9 does not count", "no draw 9 was played; the last one is 0"),
        (PanelSet("ole:5", ANCHORS, ANCHORS[0]), "there is no board ole:5", "there is no board ole:5"),
    ],
    ids=["paused", "annulled", "panel"],
)
def test_the_hand_and_verify_have_one_problem_and_each_its_words(
    request_: Request, finding: str, refusal: str
) -> None:
    state = state_with("red/one@1")
    assert isinstance(request_, LeagueEntry)
    problem = request_.problem(state)
    assert problem is not None
    assert finding in problem.finding
    assert refusal in problem.refused
    with pytest.raises(UserError) as refused:
        answer(state, request_, NOON)
    assert str(refused.value) == problem.refused


class Noted(LeagueEntry, frozen=True, tag="noted"):
    """A kind that no file of the product names."""

    SENTENCE = "noted: {0.reason}"

    reason: str

    def misfit(self, state: "LeagueState") -> Problem | None:
        return Problem("it says nothing") if not self.reason else None

    def apply(self, state: "LeagueState") -> None:
        state.passes(NOON + len(self.reason))


def test_a_new_kind_is_one_class() -> None:
    state = state_with("red/one@1")
    noted: Entry = Noted("a\x1b[31mb")  # type: ignore[assignment]
    state.add(noted)
    assert state.at == NOON + 7
    assert "\x1b" not in noted.cleaned.sentence()
    assert noted.sentence().startswith("noted: a")
    founded: Entry = Founded("0", (BOARD,))
    audit = _LeagueAudit(Path(), [founded, noted], [NOTHING])
    assert audit.finding(2, noted).wrong is None
    assert audit.finding(3, Noted("")).wrong == "it says nothing"  # type: ignore[arg-type]


def test_the_organiser_of_a_tournament_is_told_by_the_entry() -> None:
    assert TakenOut("ada", "his own wish").sentence() == "by the organiser: withdrawn ada, his own wish"
