"""What a game may bring besides its rules, all of it optional: its rules as text, a picture, advice for bots
that search, the typical luck, and words for people.

Everything is a plain value or a function of views and states, so that terminals and pages can show it alike.
Knows no screen.
"""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from arena.games.game import Action, clockwise
from arena.games.tricks import Trick
from protocol.cards import Card, Seat

Advise: TypeAlias = Callable[[Any, Seat, tuple[Action, ...]], Action]
"""What somebody who knows the game would do: takes a state, a seat and its legal actions, and returns one of
them. It may use only that seat's hand and what is public, though the state has everything. The heuristic bot
plays by it, and the search bot uses it in playouts; without it both play at random."""

Paint: TypeAlias = Callable[[Any, tuple[str, ...]], "Picture"]
"""From a view and the names by seat to a picture."""


class Picture(msgspec.Struct, frozen=True):
    """What a screen shows of a view besides the names, the hand and the points. All are texts; a word that is
    a card of the deck gets the colour of its suit. A page shows the same picture to everybody, so it should
    contain only what all seats know."""

    progress: str = ""
    """How far the deal is: `trick 3 of 13`."""
    headings: tuple[str, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    """The table of seats: a cell for each heading, a row for each seat."""
    on_table: Sequence[str] = ()
    """Lines with the cards on the table. A page that can draw the view's `trick` leaves them out."""
    lines: Sequence[str] = ()
    """What else people should know, such as trumps."""
    played: Sequence[Card] = ()
    """The cards that are or were face up in this deal."""
    prompts: Mapping[str, str] = {}
    """A sentence that asks for each kind of decision."""
    legend: Sequence[str] = ()
    """What the columns mean."""


class Luck(msgspec.Struct, frozen=True):
    """The standard deviation of a bot's gain in a deal, with the deals played in several seatings and
    without. `arena tournament --plan` uses it, `arena standings DIR --full` prints it. For our own games it
    was measured with the sample bots, in pods of four and matches of four deals."""

    with_duplicates: float
    without: float


class Extras(msgspec.Struct, frozen=True):
    """What a game brings besides its rules."""

    rules: str = ""
    """Markdown."""
    picture: Paint | None = None
    advise: Advise | None = None
    quick_advice: bool = True
    """Whether the advice is fast enough for playouts, which ask thousands of times a second."""
    luck: Luck | None = None
    words: Mapping[Action, str] = {}
    """What people read for an action that is not a card."""

    @property
    def quick(self) -> Advise | None:
        """The advice, if it is fast enough for playouts."""
        return self.advise if self.quick_advice else None


def text_of(package: str, name: str) -> str:
    """The text of a file that is installed with a package. Raises OSError."""
    data = pkgutil.get_data(package, name)
    assert data is not None
    return data.decode("utf-8")


def trick_line(trick: Trick, names: Sequence[str]) -> str:
    """A trick as a picture shows it, in order of play: `ada C4 · bob C11`."""
    return " · ".join(
        f"{names[clockwise(trick.leader, i, len(names))]} {card}" for i, card in enumerate(trick.cards)
    )
