"""A position as text for a terminal: the seats, the table, the cards."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from arena.games.game import Action
from arena.screens.show.cards import NONE, by_suit, hand, style_of
from arena.screens.show.position import Position, StyledPicture, picture, word_for
from protocol.cards import Card, Hands, value

NAME_WIDTH: Final = 16
TURN: Final = "►"


def draw(
    position: Position, keys: Mapping[Action, str] | None = None, chosen: Action | None = None
) -> list[RenderableType]:
    """The position from top to bottom. `keys` are the keys that choose each legal action, `chosen` is the
    action under the cursor."""
    shown = picture(position)
    parts: list[RenderableType] = [_seats(position, shown)]
    if shown.middle:
        parts.append(Text("\n").join(shown.middle))
    if position.hands is not None:
        parts.append(_all_hands(position, position.hands))
    else:
        parts.append(_own_hand(position, shown.played, keys or {}, chosen))
    return parts


def _seats(position: Position, shown: StyledPicture) -> Table:
    view = position.view
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(width=1)
    table.add_column("seat")
    table.add_column("", max_width=NAME_WIDTH, no_wrap=True, overflow="ellipsis")
    for heading in shown.headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(shown.total, justify="right")
    for seat in range(view.seats):
        acts = seat in position.acting
        table.add_row(
            Text(TURN if acts else ""),
            str(seat),
            Text(position.names[seat], "bold" if acts else ""),
            *shown.rows[seat],
            str(view.points[seat]),
        )
    return table


def _all_hands(position: Position, hands: Hands) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, max_width=NAME_WIDTH, overflow="ellipsis")
    table.add_column()
    for seat, cards in enumerate(hands):
        table.add_row(Text(position.names[seat]), hand(cards, position.suits))
    return table


def _own_hand(
    position: Position, played: Sequence[Card], keys: Mapping[Action, str], chosen: Action | None
) -> Table:
    """A row for each suit: the cards held, with their keys, and the cards played so far. Below them a row
    with the legal actions that are not cards."""
    own, gone = dict(by_suit(position.view.hand)), set(played)
    deck = dict(by_suit(position.game.deck(position.view.seats)))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", no_wrap=True)
    own_hand = "your hand" if position.you is not None else f"hand of {position.names[position.view.seat]}"
    table.add_column(Text(own_hand), no_wrap=True)
    table.add_column("played so far")
    for letter, name in position.suits.items():
        style = style_of(letter, position.suits)
        cells = [_choice(card, str(value(card)), keys, chosen, style) for card in own.get(letter, ())]
        seen = " ".join(str(value(card)) for card in deck[letter] if card in gone)
        table.add_row(Text(f"{letter} {name}", style), Text(" ").join(cells) or NONE, Text(seen, style))
    words = [action for action in keys if action not in position.view.hand]
    if words:
        cells = [_choice(word, word_for(word, position.game), keys, chosen, "bold") for word in words]
        table.add_row(Text("or"), Text(" ").join(cells), "")
    return table


def _choice(action: Action, text: str, keys: Mapping[Action, str], chosen: Action | None, style: str) -> Text:
    if action not in keys:
        return Text(f"  {text:>2} " if keys else f"{text:>2}", f"{style} not bold" if keys else style)
    left, right = ("[", "]") if action == chosen else (" ", " ")
    return Text(f"{left}{keys[action]} {text}{right}", f"{style} reverse" if action == chosen else style)
