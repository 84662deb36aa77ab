"""What a screen shows of Hearts besides names, hand and points. Only the prompts, which are for the seat
itself, say what was chosen in secret. Everything comes from a view."""

from collections.abc import Iterator, Mapping

from arena.games.api import Picture, Trick, clockwise, hand_sizes, suit, trick_line
from arena_hearts.rules import PASSED, SEATS, STEPS, SUITS, TRICKS, HeartsView


def paint(view: HeartsView, names: tuple[str, ...]) -> Picture:
    """The picture of a view."""
    sizes = hand_sizes(Trick(view.leader, view.trick), view.seat, len(view.hand), SEATS)
    passing = not (view.tricks or view.trick)
    trick_no = min(len(view.tricks) + 1, TRICKS)
    passes = "no cards are passed" if view.direction == "hold" else f"three cards go {view.direction}"
    broken = "hearts are broken" if view.broken else "hearts are not broken"
    return Picture(
        progress="passing" if passing else f"trick {trick_no} of {TRICKS}",
        headings=("hand", "taken"),
        rows=[[str(sizes[seat]), str(view.penalty[seat])] for seat in range(SEATS)],
        on_table=() if passing else tuple(_tricks(view, names)),
        lines=(passes if passing else broken,),
        played=[*view.trick, *(card for trick in view.tricks for card in trick.cards)],
        prompts=_prompts(view, names),
        legend=(
            "taken: the points of this deal so far, 1 a heart and 13 for S12, the queen of spades;",
            "11 jack, 12 queen, 13 king, 14 ace.",
        ),
    )


def _tricks(view: HeartsView, names: tuple[str, ...]) -> Iterator[str]:
    if view.trick:
        yield f"trick: {trick_line(Trick(view.leader, view.trick), names)}"
    else:
        yield f"{names[view.leader]} leads"
    if view.tricks:
        last = view.tricks[-1]
        assert last.taker is not None
        yield f"before: {trick_line(last, names)} → {names[last.taker]}"


def _prompts(view: HeartsView, names: tuple[str, ...]) -> Mapping[str, str]:
    to = names[clockwise(view.seat, STEPS[view.direction], SEATS)]
    chosen = f" (so far {' '.join(view.passed)})" if view.passed else ""
    if view.trick:
        play = f"Follow {SUITS[suit(view.trick[0])]} if you hold any."
    else:
        play = "Lead any card." if view.broken else "Lead any card but a heart."
    return {"pass": f"Choose card {len(view.passed) + 1} of {PASSED} to pass to {to}{chosen}.", "play": play}
