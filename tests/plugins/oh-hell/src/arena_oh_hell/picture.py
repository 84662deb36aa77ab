"""What a screen shows of Oh Hell besides names, hand and points. Everything comes from a view."""

from collections.abc import Iterator

from arena.games.api import Picture, Trick, hand_sizes, suit, trick_line
from arena_oh_hell.rules import NO_BID, SUITS, OhHellView


def paint(view: OhHellView, names: tuple[str, ...]) -> Picture:
    """The picture of a view."""
    sizes = hand_sizes(Trick(view.leader, view.trick), view.seat, len(view.hand), view.seats)
    bidding = NO_BID in view.bids
    tricks = "1 trick" if view.size == 1 else f"{view.size} tricks"
    follow = f"Follow {SUITS[suit(view.trick[0])]} if you hold any." if view.trick else "Lead any card."
    return Picture(
        progress=f"bids for {tricks}"
        if bidding
        else f"trick {min(len(view.tricks) + 1, view.size)} of {view.size}",
        headings=("hand", "bid", "won"),
        rows=[
            [str(size), "–" if bid == NO_BID else str(bid), str(won)]
            for size, bid, won in zip(sizes, view.bids, view.won, strict=True)
        ],
        on_table=tuple(_tricks(view, names)),
        lines=(
            f"turned up: {view.turned}, {SUITS[suit(view.turned)]} are trump; {names[view.dealer]} deals",
        ),
        played=[view.turned, *view.trick, *(card for trick in view.tricks for card in trick.cards)],
        prompts={"bid": f"Bid how many of {tricks} you will take, exactly.", "play": follow},
        legend=(
            "won: the tricks of this deal so far, a point each, and 10 for exactly the bid;",
            "11 jack, 12 queen, 13 king, 14 ace.",
        ),
    )


def _tricks(view: OhHellView, names: tuple[str, ...]) -> Iterator[str]:
    if view.trick:
        yield f"trick: {trick_line(Trick(view.leader, view.trick), names)}"
    elif NO_BID not in view.bids:
        yield f"{names[view.leader]} leads"
    if view.tricks:
        last = view.tricks[-1]
        assert last.taker is not None
        yield f"before: {trick_line(last, names)} → {names[last.taker]}"
