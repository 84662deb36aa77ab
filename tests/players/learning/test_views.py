"""Every kind of field that a view may have, as numbers: nothing of it is lost, and what cannot be written is
refused with the way out.
"""

import itertools
from typing import Annotated, Any, Literal

import msgspec
import pytest

from arena.games.api import Card, Hands, View
from arena.games.observation import Observation
from arena.laws.judge import judge
from arena.laws.learners import learners_can_tell_views_apart
from arena.laws.trial import Trial, Variant
from tests.games.fifth import Fifth, FifthState

SEATS = 2


class Bid(msgspec.Struct, frozen=True):
    seat: int
    what: Literal["pass", "double"] | None


class Laid(msgspec.Struct, frozen=True):
    card: Card
    face: Literal["up", "down"]


def observed(kind: Any) -> tuple[Observation, type[View]]:
    """What writes a view with one more field, `more`, of this type."""
    game: Any = Fifth()
    views = msgspec.defstruct("Views", [("more", kind)], bases=(View,), frozen=True)
    game.views = views
    return Observation(game, SEATS), views


def rows(kind: Any, *values: Any) -> list[bytes]:
    observation, views = observed(kind)
    return [observation.of(views(1, 1, SEATS, 0, 0, (), (0, 0), value)).tobytes() for value in values]


CARDS = ("A1", "A3", "C2")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (int | None, (None, 0, 1, -1)),
        (bool | None, (None, False, True)),
        (Literal["left", "right"] | None, (None, "left", "right")),
        (tuple[int, int, int], ((1, 0, 0), (0, 0, 1))),
        (tuple[int, bool, Card], ((1, True, "A1"), (1, False, "A1"), (1, True, "A3"))),
        (tuple[Literal["in", "out"], ...], (("in", "out"), ("out", "in"))),
        (tuple[bool, ...], ((True, False), (False, True))),
        (
            Annotated[tuple[int, ...], msgspec.Meta(max_length=5)],
            ((), (0,), (0, 0, 0, 0, 0), (0, 0, 0, 0, 1)),
        ),
        (
            Annotated[tuple[Bid, ...], msgspec.Meta(max_length=3)],
            ((), (Bid(0, None),), (Bid(0, "pass"),) * 3),
        ),
        (Bid | None, (None, Bid(0, None), Bid(1, None), Bid(0, "double"))),
        (tuple[Card, ...], tuple(itertools.permutations(CARDS))),
        (tuple[tuple[Card, ...], ...], tuple((first, ("C1",)) for first in itertools.permutations(CARDS))),
        (tuple[tuple[Card, ...], ...], ((("A1",), (), (), ("A3",)), (("A1",), (), ("A3",), ()))),
        (tuple[Laid, ...], ((Laid("A1", "up"),), (Laid("A1", "down"),), (Laid("A3", "up"),))),
    ],
    ids=str,
)
def test_different_values_are_different_rows(kind: Any, values: tuple[Any, ...]) -> None:
    assert len(set(rows(kind, *values))) == len(values)


def test_hands_which_are_in_deck_order_take_one_row_of_the_deck() -> None:
    deck = len(Fifth().deck(SEATS))
    for kind, size in ((Hands, deck), (tuple[tuple[Card, ...], ...], 2 * deck)):
        at = observed(kind)[0].layout["more"]
        assert at.stop - at.start == size


@pytest.mark.parametrize(
    "kind",
    [float, dict[str, int], int | str, tuple[Bid, ...], tuple[tuple[int, ...], ...], set[str]],
    ids=str,
)
def test_a_type_for_which_there_is_no_way_is_named_with_its_field(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"`more`: .*(no way to write|max_length)"):
        observed(kind)


@pytest.mark.parametrize("kind", [tuple[int, ...], Annotated[tuple[int, ...], msgspec.Meta(max_length=3)]])
def test_more_values_than_there_is_room_for_are_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"4 values\b.*max_length"):
        rows(kind, (1, 2, 3, 4))


class LongView(View, frozen=True):
    long: tuple[int, ...]


class PileView(View, frozen=True):
    piles: Hands


class Viewed(FifthState, frozen=True):
    """The fifth game with another view."""

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        first = msgspec.structs.astuple(view)[:7]
        if Viewing.views is LongView:
            return LongView(*first, tuple(range(self.setting.seats + len(self.shown) // 2)))
        return PileView(*first, (tuple(card for shown in self.shown for card in shown.cards),))


class Viewing(Fifth):
    views: Any = LongView

    def start(self, *words: Any) -> Any:
        step = super().start(*words)
        return step._replace(state=Viewed(**msgspec.structs.asdict(step.state)))


@pytest.mark.parametrize(
    ("views", "found"), [(LongView, "give it a `max_length`"), (PileView, "`piles` of the view of seat")]
)
def test_a_law_says_so(views: Any, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Viewing, "views", views)
    game: Any = Viewing()
    judged = judge(learners_can_tell_views_apart, [[Trial(Variant(game, SEATS, game.options()))]])
    assert found in judged.broken[0].found
