"""What a screen shows of Hearts besides names, hand and points. Everything comes from a view."""

from collections.abc import Iterator, Mapping

from arena.games.api import Picture, Seat, Trick, clockwise, hand_sizes, suit, trick_line
from arena_hearts.rules import PASSED, SEATS, STEPS, SUITS, TRICKS, HeartsView


def paint(view: HeartsView, names: tuple[str, ...]) -> Picture:
    """The picture of a view."""
    sizes = hand_sizes(Trick(view.leader, view.trick), view.seat, len(view.hand), SEATS)
    passing = not (view.tricks or view.trick)
    trick_no = min(len(view.tricks) + 1, TRICKS)
    return Picture(
        progress=f"passing {view.direction}" if passing else f"trick {trick_no} of {TRICKS}",
        headings=("hand", "taken"),
        rows=[[str(sizes[seat]), str(view.penalty[seat])] for seat in range(SEATS)],
        lines=[*_passes(view, names), *([] if passing else _tricks(view, names))],
        played=[*view.trick, *(card for trick in view.tricks for card in trick.cards)],
        prompts=_prompts(view, names),
        legend=(
            "taken: the points of this deal so far, 1 a heart and 13 for S12, the queen of spades;",
            "11 jack, 12 queen, 13 king, 14 ace.",
        ),
    )


def _other(view: HeartsView, steps: int) -> Seat:
    return clockwise(view.seat, steps, SEATS)


def _passes(view: HeartsView, names: tuple[str, ...]) -> Iterator[str]:
    steps = STEPS[view.direction]
    if not steps:
        yield "no cards are passed in this deal"
        return
    to = names[_other(view, steps)]
    if view.received:
        gave = f"{names[view.seat]} passed {' '.join(view.passed)} to {to}"
        yield f"{gave}, got {' '.join(view.received)} from {names[_other(view, -steps)]}"
    else:
        yield f"chosen for {to}: {' '.join(view.passed) or '–'}, {len(view.passed)} of {PASSED}"


def _tricks(view: HeartsView, names: tuple[str, ...]) -> Iterator[str]:
    broken = "hearts are broken" if view.broken else "hearts are not broken"
    if view.trick:
        yield f"trick: {trick_line(Trick(view.leader, view.trick), names)}   {broken}"
    else:
        yield f"{names[view.leader]} leads   {broken}"
    if view.tricks:
        last = view.tricks[-1]
        assert last.taker is not None
        yield f"before: {trick_line(last, names)} → {names[last.taker]}"


def _prompts(view: HeartsView, names: tuple[str, ...]) -> Mapping[str, str]:
    if view.trick:
        play = f"Follow {SUITS[suit(view.trick[0])]} if you hold any."
    else:
        play = "Lead any card." if view.broken else "Lead any card but a heart."
    to = names[_other(view, STEPS[view.direction])]
    return {"pass": f"Choose a card to pass to {to}, {len(view.passed) + 1} of {PASSED}.", "play": play}
