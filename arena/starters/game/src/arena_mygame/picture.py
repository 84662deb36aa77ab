"""What a terminal and a page show of a view, besides the names, the hand and the points. Only texts: a word
that is a card gets the colour of its suit."""

from arena.games.api import Picture, clockwise
from arena_mygame.game import HAND_SIZE, MyGameView


def picture(view: MyGameView, names: tuple[str, ...]) -> Picture:
    """A column with the tricks that each seat took, and a line for the open trick."""
    takers = [trick.taker for trick in view.tricks]
    played = [*view.trick, *(card for trick in view.tricks for card in trick.cards)]
    trick = " · ".join(
        f"{names[clockwise(view.leader, at, view.seats)]} {card}" for at, card in enumerate(view.trick)
    )
    return Picture(
        progress=f"trick {min(len(view.tricks) + 1, HAND_SIZE)} of {HAND_SIZE}",
        headings=("tricks",),
        rows=[[str(takers.count(seat))] for seat in range(view.seats)],
        on_table=[f"trick: {trick}" if trick else f"{names[view.leader]} leads"],
        played=played,
        prompts={"play": "Follow the suit that was led if you can."},
        legend=("tricks: those taken in this deal, one point each",),
    )
