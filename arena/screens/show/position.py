"""A position as one seat sees it, and what its game adds to it in words and columns. The arena's own games
each have a function here, other games bring theirs. A game without one is shown with what all games have in
common.

Everything comes from a view, so nothing is shown that the seat does not know. Anything else that may be shown
(all hands of a finished match) is passed separately. Knows no screen.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.text import Text

from arena.games import registry
from arena.games.david_and_goliath.rules import DUST, DavidAndGoliathView, high_and_low
from arena.games.david_and_goliath.rules import HAND_SIZE as DAVID_HAND
from arena.games.extras import Picture
from arena.games.game import Action, Game, View, clockwise
from arena.games.ole.rules import CHIP, CHIP_POINTS, ORDERS, OleView
from arena.games.ole.rules import SUITS as OLE_SUITS
from arena.games.sticheln.rules import TRICKS, Sticheln, StichelnView, TargetView, taking
from arena.games.tricks import Trick, hand_sizes
from arena.screens.show.cards import NONE, Suits, by_suit, coloured, coloured_words, style_of
from arena.screens.show.you import to_you
from arena.system.text import caption
from protocol.cards import Card, Hands, Seat, suit, value


class Position(msgspec.Struct, frozen=True):
    """The position of a match. `view` belongs to the seat for which it is shown, or to any seat if `hands`
    shows all hands. `acting` are the seats that have to decide; `you` is the seat of the person who is
    looking."""

    game: Game
    view: View
    names: tuple[str, ...]
    acting: tuple[Seat, ...] = ()
    you: Seat | None = None
    hands: Hands | None = None

    @property
    def suits(self) -> Suits:
        """The suits' names by letter, in deck order."""
        return self.game.suits(self.view.seats)


class StyledPicture(msgspec.Struct, frozen=True):
    """What a game adds to a position. `progress`: how far the deal is; `headings` and `rows`: columns of the
    table of seats, with a row for each seat; `middle`: lines below the table; `played`: the cards that are or
    were face up in this deal; `prompts`: a sentence for each kind of decision; `legend`: the meaning of the
    columns; `total`: the name of the last column."""

    progress: str = ""
    headings: tuple[str, ...] = ()
    rows: Sequence[Sequence[Text | str]] = ()
    middle: Sequence[Text] = ()
    played: Sequence[Card] = ()
    prompts: Mapping[str, str] = {}
    legend: Sequence[str] = ()
    total: str = "total"


def picture(position: Position) -> StyledPicture:
    """What the position's game adds to it; an empty row for each seat if the game has no function here."""
    for kind, function in PICTURES.items():
        if isinstance(position.view, kind):
            return function(position, position.view)
    if found := registry.picture_of(position.game, position.view, position.names):
        return _styled(found, position)
    return StyledPicture(rows=[()] * position.view.seats)


def _styled(found: Picture, position: Position) -> StyledPicture:
    suits = position.suits
    return StyledPicture(
        progress=found.progress,
        headings=found.headings,
        rows=[[coloured_words(cell, suits) for cell in row] for row in found.rows],
        middle=[coloured_words(to_you(line), suits) for line in (*found.on_table, *found.lines)],
        played=found.played,
        prompts=found.prompts,
        legend=found.legend,
        total=position.game.counts,
    )


def title(position: Position) -> Text:
    """Game, deal and progress in one line."""
    view, progress = position.view, picture(position).progress
    parts = [position.game.title, f"deal {view.deal_no} of {view.deals}", progress]
    return Text(" · ".join(filter(None, parts)), "bold")


def prompt(position: Position, decision: str) -> str:
    """A sentence that asks for this kind of decision."""
    return picture(position).prompts.get(decision, f"Choose: {decision}")


WORDS: Final[Mapping[Action, str]] = {CHIP: "take a chip", "red": "red on top", "yellow": "yellow on top"}
"""The text for an action of the arena's own games that is not a card."""


def word_for(action: Action, game: Game) -> str:
    """The text for an action that is not a card."""
    return WORDS.get(action) or caption(registry.extras(game).words.get(action, action))


# Trick games.


def _laid(position: Position, leader: Seat, cards: Sequence[Card]) -> Text:
    """`ada G4 · bob R5`, in order of play."""
    seats = position.view.seats
    parts = [
        Text.assemble(f"{position.names[clockwise(leader, at, seats)]} ", coloured(card, position.suits))
        for at, card in enumerate(cards)
    ]
    return Text(" · ").join(parts)


def _trick(
    position: Position, leader: Seat, cards: Sequence[Card], so_far: str, last: Text | None
) -> list[Text]:
    """A line for the open trick, and one for the trick before it, if there is one (`last`)."""
    if not cards:
        now = Text(to_you(f"{position.names[leader]} leads the next trick") if position.acting else "")
    else:
        led = suit(cards[0])
        now = Text.assemble(
            "trick: ",
            _laid(position, leader, cards),
            ("; led: ", "dim"),
            (position.suits[led], style_of(led, position.suits)),
            (so_far and f"; {so_far}", "dim"),
        )
    return [now] if last is None else [now, Text.assemble(("before: ", "dim"), last)]


def _sticheln(position: Position, view: StichelnView) -> StyledPicture:
    seats, suits = view.seats, position.suits
    assert isinstance(position.game, Sticheln)
    left = hand_sizes(Trick(view.leader, view.trick), view.seat, len(view.hand), seats)
    deal = view.deal_points or ()
    rows: list[list[Text | str]] = []
    for seat in range(seats):
        if not view.pain:
            rows.append([str(left[seat]), "?", "", ""])
            continue
        hurts = suit(view.pain[seat])
        taken = [card for trick in view.tricks if trick.taker == seat for card in trick.cards]
        good = sum(suit(card) != hurts for card in taken)
        bad = sum(value(card) for card in taken if suit(card) == hurts)
        pain = coloured(view.pain[seat], suits)
        rows.append([str(left[seat]), pain, f"+{good} −{bad}", str(deal[seat])])
    target = view.target if isinstance(view, TargetView) else 0
    trick_no = min(len(view.tricks) + 1, TRICKS)
    progress = f"trick {trick_no} of {TRICKS}" if view.pain else "pain cards"
    return StyledPicture(
        progress=progress + (f" · to {target} points" if target else ""),
        headings=("hand", "pain", "taken", "deal"),
        rows=rows,
        middle=_sticheln_tricks(position, view, position.game),
        played=[*view.pain, *view.trick, *(card for trick in view.tricks for card in trick.cards)],
        prompts={
            "pain": "Choose your pain card: it costs its value, as do all cards of its colour that you take.",
            "play": "Play any card.",
        },
        legend=(
            "taken: +1 for each card, − the values of cards in the pain colour;",
            "deal: the points of this deal so far, less the value of the pain card.",
        ),
    )


def _sticheln_tricks(position: Position, view: StichelnView, game: Sticheln) -> list[Text]:
    """The lines below the table of seats."""
    if not view.pain:
        then = to_you(f"{position.names[view.leader]} leads")
        return [Text(f"pain cards are chosen in secret; then {then}")]
    last = None
    if view.tricks:
        before = view.tricks[-1]
        taker = "nobody" if before.taker is None else position.names[before.taker]
        taken = to_you(f"{taker} takes it")
        last = Text.assemble(_laid(position, before.leader, before.cards), f" → {taken}")
    so_far = ""
    if view.trick:
        at = taking(view.trick, game.edition.led_zero_takes)
        highest = "nobody" if at is None else position.names[clockwise(view.leader, at, view.seats)]
        so_far = f"taking so far: {highest}"
    return _trick(position, view.leader, view.trick, so_far, last)


def _david_and_goliath(position: Position, view: DavidAndGoliathView) -> StyledPicture:
    seats, suits = view.seats, position.suits
    left = hand_sizes(Trick(view.leader, view.trick), view.seat, len(view.hand), seats)
    deal = view.deal_points or ()
    rows: list[list[Text | str]] = []
    for seat, pile in enumerate(view.won):
        own = dict(by_suit(pile))
        piles = [_pile(own.get(letter, []), style_of(letter, suits)) for letter in suits]
        rows.append([str(left[seat]), *piles, str(deal[seat])])
    last = None
    if view.tricks:
        before = view.tricks[-1]
        high, low = high_and_low(before.cards)
        last = Text.assemble(
            _laid(position, before.leader, before.cards),
            f" → low {before.cards[low]}: ",
            to_you(f"{position.names[before.high_to]} wins {before.cards[high]}, "),
            to_you(f"{position.names[before.rest_to]} wins the rest"),
        )
    so_far = ""
    if len(view.trick) > 1:
        high, low = high_and_low(view.trick)
        so_far = f"so far high {view.trick[high]}, low {view.trick[low]}"
    must = f"Follow {suits[suit(view.trick[0])]} if you hold it." if view.trick else "Lead any card."
    return StyledPicture(
        progress=f"trick {min(len(view.tricks) + 1, DAVID_HAND)} of {DAVID_HAND}",
        headings=(
            "hand",
            *(f"won {letter}" if letter == next(iter(suits)) else letter for letter in suits),
            "deal",
        ),
        rows=rows,
        middle=_trick(position, view.leader, view.trick, so_far, last),
        played=[*view.trick, *(card for trick in view.tricks for card in trick.cards)],
        prompts={"play": must},
        legend=(
            "won: one or two cards of a colour count their values; three or more count a point each (4×1);",
            "deal: the points of this deal so far.",
        ),
    )


def _pile(cards: Sequence[Card], style: str) -> Text:
    """Won cards of one suit as they are scored: one or two by their values, three or more by a point each."""
    if len(cards) >= DUST:
        return Text(f"{len(cards)}×1", style)
    return Text("+".join(str(value(card)) for card in cards), style) if cards else NONE


# Olé!


def _ole(position: Position, view: OleView) -> StyledPicture:
    suits = position.suits
    lasts: dict[Seat, Text] = {}
    for play in view.plays:
        lasts[play.seat] = Text("chip") if play.action == CHIP else coloured(play.action, suits)
    rows: list[list[Text | str]] = [
        [str(view.sizes[seat]), str(view.chips[seat]), lasts.get(seat, NONE)] for seat in range(view.seats)
    ]
    chip = f", or take a chip ({CHIP_POINTS} points)" if not view.forced_play else ""
    play_prompts = {
        "opening": "You had to lay the lowest card: add any second card.",
        "turn": f"Lay a card higher in colour or value (if in both, you play on){chip}.",
        "series": f"Continue your series: lay a card that outranks your last{chip}.",
    }
    return StyledPicture(
        progress=PHASES.get(view.phase, ""),
        headings=("hand", "chips", "last"),
        rows=rows,
        middle=_ole_table(position, view),
        played=[play.action for play in view.plays if play.action != CHIP],
        prompts={
            "top": "You lost the last deal: choose the top colour, red or yellow; the other becomes lowest.",
            "play": play_prompts.get(view.phase, ""),
        },
        legend=("last: the last action of a seat; penalty points: from earlier deals, few are good.",),
        total=position.game.counts,
    )


def _ole_table(position: Position, view: OleView) -> list[Text]:
    """The lines below the table of seats: the order of the colours, and the card on the table."""
    suits = position.suits
    if view.top is None:
        lines = [Text(to_you(f"{position.names[view.leader]} chooses the colour on top"))]
    else:
        order = Text(" < ").join(
            Text(f"{letter} {OLE_SUITS[letter]}", style_of(letter, suits)) for letter in ORDERS[view.top]
        )
        lines = [Text.assemble("colours, low to high: ", order)]
    if view.table is not None:
        layer = next(play.seat for play in reversed(view.plays) if play.action == view.table)
        lines.append(
            Text.assemble(
                "on the table: ",
                coloured(view.table, suits),
                f" of {position.names[layer]}",
                (f"; chips since then: {view.chips_in_a_row} (at {view.seats} the deal ends)", "dim"),
            )
        )
    return lines


PHASES: Final[Mapping[str, str]] = {"top": "colour order", "opening": "opening", "series": "a series"}
"""The progress of a deal of Olé! by the phase of its view; other phases have no name."""

PICTURES: Final[Mapping[type[View], Callable[[Position, Any], StyledPicture]]] = {
    StichelnView: _sticheln,
    DavidAndGoliathView: _david_and_goliath,
    OleView: _ole,
}
"""What each game adds, by the type of its views."""
