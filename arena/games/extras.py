"""What a game may bring besides its rules, all of it optional: its rules as text, a picture, advice for bots
that search, the typical luck, and words for people.

Everything is a plain value or a function of views and states, so that it can be shown by a terminal and by a
page alike. Knows no screen.
"""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from arena.games.game import Action, clockwise
from arena.games.tricks import Trick
from protocol.cards import Card, Seat

Advise: TypeAlias = Callable[[Any, Seat, tuple[Action, ...]], Action]
"""What somebody who knows the game would do: from a state, a seat and its legal actions to one of them. It
may use the hand of that seat and what is public, and nothing else, though the state holds all. The heuristic
bot plays by it, and the search bot uses it in playouts; without it both play at random."""

Paint: TypeAlias = Callable[[Any, tuple[str, ...]], "Picture"]
"""From a view and the names by seat to a picture."""


class Picture(msgspec.Struct, frozen=True):
    """What a screen shows of a view besides the names, the hand and the points. A page shows one picture to
    whoever looks, so it should hold only what all seats know. All are texts; a word that is
    a card of the deck is shown in the colour of its suit.

    `progress`: how far the deal is, `trick 3 of 13`. `headings` and `rows`: columns of the table of seats, a
    row for each seat. `on_table`: lines that say which cards lie on the table; a page that can draw the
    view's `trick` leaves them out. `lines`: what else is to be known, such as trumps. `played`: the cards
    that are or were face up in this deal. `prompts`: a sentence that asks for each kind of decision.
    `legend`: what the columns mean."""

    progress: str = ""
    headings: tuple[str, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    on_table: Sequence[str] = ()
    lines: Sequence[str] = ()
    played: Sequence[Card] = ()
    prompts: Mapping[str, str] = {}
    legend: Sequence[str] = ()


class Luck(msgspec.Struct, frozen=True):
    """The standard deviation of a bot's gain in a deal, which `arena tournament --plan` goes by: as `arena
    standings DIR --full` prints it, with the deals played in several seatings and without. For our own games
    it was measured with the sample bots, in pods of four and matches of four deals."""

    with_duplicates: float
    without: float


class Extras(msgspec.Struct, frozen=True):
    """`rules` are Markdown. `quick_advice`: whether the advice is fast enough to be asked thousands of times
    a second, in playouts. `words`: what people read for an action that is no card."""

    rules: str = ""
    picture: Paint | None = None
    advise: Advise | None = None
    quick_advice: bool = True
    luck: Luck | None = None
    words: Mapping[Action, str] = {}

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
