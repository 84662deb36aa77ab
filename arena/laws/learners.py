"""The law that learners get all of a view, as numbers (arena/games/observation.py)."""

from collections.abc import Iterator
from typing import Final

import msgspec

from arena.games.game import View
from arena.laws.trial import Broken, Trial
from protocol.cards import IN_DECK_ORDER, Card, ordered

VIEWS: Final = 40
"""About this many views of a match are checked."""
FIX: Final = (
    "the top of arena/games/observation.py lists the types that a field of a view may have; Hands "
    "are in deck order, other lists of cards are tuple[tuple[Card, ...], ...]"
)
REFUSED: Final = (ValueError, TypeError, KeyError, OverflowError, AttributeError)


def learners_can_tell_views_apart(trial: Trial) -> Iterator[Broken]:
    """Every view can be written as numbers for learners, and different views give different numbers, even if
    only the order of a list differs."""
    # Imported here, since it loads numpy, which commands that judge no game do not need.
    from arena.games.observation import Observation  # noqa: PLC0415

    try:
        observed = Observation(trial.variant.game, trial.variant.seats)
    except TypeError as error:
        yield Broken(f"a view cannot be written as numbers: {error}", FIX)
        return
    seen: dict[bytes, View] = {}
    states = trial.record.states
    for i in range(0, len(states), 1 + len(states) // VIEWS):
        seat = i % trial.variant.seats
        view = states[i].view(seat)
        try:
            row = observed.of(view).tobytes()
            alike = [
                name for name, other in reordered(view, trial.deck) if observed.of(other).tobytes() == row
            ]
        except REFUSED as error:
            found = f"the view of seat {seat} cannot be written as numbers: {type(error).__name__}: {error}"
            yield trial.broken(i, found, FIX)
            continue
        if (other := seen.setdefault(row, view)) != view:
            yield trial.broken(i, f"learners get the same numbers for {view} and for {other}", FIX)
        for name in alike:
            found = (
                f"learners get the same numbers if `{name}` of the view of seat {seat} has a different order"
            )
            yield trial.broken(i, found, FIX)


def reordered(view: View, deck: tuple[Card, ...]) -> Iterator[tuple[str, View]]:
    """Views that differ from this one by the order of a list in one field, each with the name of that field.
    Lists of cards whose type says that they are in deck order have no other order."""
    info = msgspec.inspect.type_info(type(view))
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        value, kind = getattr(view, field.name), field.type
        in_order = isinstance(kind, msgspec.inspect.Metadata) and kind.extra == IN_DECK_ORDER.extra
        if not isinstance(value, tuple):
            continue
        others = [value[::-1]]
        for i, inner in enumerate(value):
            if isinstance(inner, tuple):
                other = ordered(inner, deck) if in_order else inner[::-1]
                others.append((*value[:i], other, *value[i + 1 :]))
        for other in others:
            if other != value:
                yield field.name, msgspec.structs.replace(view, **{field.name: other})
