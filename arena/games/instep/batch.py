"""What every batch of deals has: whose turn it is, what is legal, a step, points and observations.

Arrays have a row for each deal. An action is a number, as in a PettingZoo environment: the cards in deck
order, then the game's words. Seats that choose in secret are asked one after the other, and no observation
shows their choices before all have chosen. Knows one rule: a card is played by the seat that holds it.
"""

import abc
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.game import Action, Game, IllegalAction, Options, State, View
from arena.games.instep.memory import in_parts, joined
from arena.games.named import named, of_name
from arena.games.observation import NUMBER, Numbers, Observation
from protocol.cards import suit, value

Indexes: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
Owners: TypeAlias = npt.NDArray[np.int8]
Points: TypeAlias = npt.NDArray[np.int64]
Worths: TypeAlias = npt.NDArray[np.float64]

GONE: Final = -1
"""The owner of a card that is in no hand, and the seat in turn of a deal that is over."""


class Match(NamedTuple):
    """What all deals of a batch have in common."""

    game: Game
    options: Options
    seats: int
    deals: int
    deal_no: int
    totals: Points
    """The points of the deals before, by deal of the batch and seat."""

    @classmethod
    def of_view(cls, game: Game, view: View, size: int) -> Self:
        """The match that a view shows, for `size` deals."""
        ours = {name: getattr(view, name) for name in game.options.__struct_fields__ if hasattr(view, name)}
        totals = np.tile(np.array(view.points, np.int64), (size, 1))
        return cls(game, game.options(**ours), view.seats, view.deals, view.deal_no, totals)


class Batch(abc.ABC):
    """`size` deals. `turn` is the seat that decides in each, or GONE; do not change it."""

    def __init__(self, match: Match, owner: Owners) -> None:
        """`owner`: the seat that holds each card (column) in each deal (row), or GONE."""
        game, seats = match.game, match.seats
        deck = game.deck(seats)
        self.match = match
        self.size = len(owner)
        self.seats = seats
        self.actions: tuple[Action, ...] = (*deck, *game.words)
        # No seat owns a word, so words need no special case when owners are read or written.
        words = np.full((self.size, len(game.words)), GONE, np.int8)
        self._owner: Owners = np.ascontiguousarray(np.concatenate((owner.astype(np.int8), words), axis=1))
        self.deck = Deck.of(game, seats)
        self._cards = len(deck)
        self._row = np.arange(self.size)
        # Cells by deal and action, or deal and seat, are written through a one-dimensional view of the array:
        # numpy needs half the time for that. `_of_action` and `_of_seat` are where each deal begins in it.
        self._owners = self._owner.reshape(-1)
        self._of_action = self._row * len(self.actions)
        self._of_seat = self._row * seats
        self.turn: Indexes = np.zeros(self.size, np.intp)
        self._public: Numbers | None = None

    def __getstate__(self) -> dict[str, Any]:
        attributes, bases = in_parts({**self.__dict__, "match": None})
        return {"attributes": attributes, "bases": bases, "match": [named(self.match.game), *self.match[1:]]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= joined(state["attributes"], state["bases"])
        game, *others = state["match"]
        self.match = Match(of_name(game), *others)

    @classmethod
    def start(
        cls,
        game: Game,
        seats: int,
        size: int,
        rng: np.random.Generator,
        *,
        deals: int | None = None,
        options: Options | None = None,
    ) -> Self:
        """The first deals of `size` matches, each with cards and a lot of its own."""
        options = options or game.options()
        totals = np.zeros((size, seats), np.int64)
        match = Match(game, options, seats, deals or game.deals(seats, options), 1, totals)
        return cls._first(match, size, rng)

    @classmethod
    @abc.abstractmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        """The first deals of `size` matches."""

    @classmethod
    def imagine(cls, game: Game, view: Any, size: int, rng: np.random.Generator, *, copies: int = 1) -> Self:
        """`size` random deals that a view allows, each repeated `copies` times. If several seats choose in
        secret, none has chosen. Raises ValueError if no deal is consistent with the view."""
        return cls.with_owners(game, view, np.repeat(cls.imagined(game, view, size, rng), copies, axis=0))

    @classmethod
    def imagined(cls, game: Game, view: Any, size: int, rng: np.random.Generator) -> Owners:
        """The owners of cards in `size` random deals that a view allows, all equally likely. Raises
        ValueError if no deal is consistent with the view. This and `with_owners` are needed only if imagined
        deals are weighted, or if `imagine` is not overridden."""
        raise NotImplementedError(f"{cls.__name__} imagines deals in a different way")

    @classmethod
    def with_owners(cls, game: Game, view: Any, owner: Owners) -> Self:
        """The deals with these owners of cards, and everything else as a view shows it."""
        raise NotImplementedError(f"{cls.__name__} imagines deals in a different way")

    @classmethod
    @abc.abstractmethod
    def of(cls, game: Game, states: Sequence[Any]) -> Self:
        """The deals of these states. Their matches must be alike and not over, and, if the game needs it, at
        the same point of a deal; else ValueError. If several seats choose in secret, none has chosen."""

    @abc.abstractmethod
    def following(self, rng: np.random.Generator) -> Self:
        """The next deals of the same matches. Raises ValueError if these are not over, or are the last."""

    @property
    @abc.abstractmethod
    def over(self) -> bool:
        """Whether all deals are over."""

    @abc.abstractmethod
    def legal(self) -> Mask:
        """Whether the seat in turn may choose an action (column) in a deal (row); False if it is over."""

    def at_random(self, rng: np.random.Generator, deals: Indexes | None = None) -> Indexes:
        """A random legal action in each deal, or in `deals`; any action for a deal that is over."""
        legal = self.legal() if deals is None else self.legal()[deals]
        # All legal actions, deal after deal. A 0 is appended, since the last deal may be over and have none.
        cells, counts = np.append(np.flatnonzero(legal), 0), np.count_nonzero(legal, axis=1)
        wanted = counts.cumsum() - counts + (rng.random(len(legal)) * counts).astype(np.intp)
        actions: Indexes = cells.take(wanted) % legal.shape[1]
        return actions

    def hands(self) -> Mask:
        """Whether the seat in turn holds each card (column) in each deal (row)."""
        hands: Mask = (
            self._owner[:, : self._cards]
            == np.where(self.turn == GONE, GONE - 1, self.turn).astype(np.int8)[:, None]
        )
        return hands

    @abc.abstractmethod
    def step(self, actions: npt.ArrayLike) -> None:
        """In every deal the seat in turn chooses its action; that of a deal that is over is ignored. Raises
        IllegalAction, and changes nothing, if one is not legal."""

    @property
    @abc.abstractmethod
    def points(self) -> Points:
        """The points by deal and seat; without meaning for a deal that is not over."""

    @property
    def gains(self) -> Points:
        """The points, negated where few are good."""
        return self.points

    def observe(self) -> Numbers:
        """What the seat in turn may know in each deal (row), as arena/games/observation.py writes a view;
        zeros for a deal that is over."""
        if self._public is None:
            self._observation = Observation(self.match.game, self.seats)
            self._at = self._observation.layout
            self._public = np.zeros((self.size, self._observation.size), NUMBER)
            self._of_public = self._row * self._observation.size
            self._write("deal_no", self.match.deal_no)
            self._write("deals", self.match.deals)
            self._write("seats", self.seats)
            self._write("points", self.match.totals)
        self._catch_up(self._public)
        observed = self._public.copy()
        mine = self.hands()
        observed[:, self._at["hand"]] = np.cumsum(mine, axis=1, dtype=NUMBER) * mine
        observed[:, self._at["seat"].start] = self.turn
        if (over := self.turn == GONE).any():
            observed[over] = 0
        return observed

    def _catch_up(self, public: Numbers) -> None:
        """Write into `public` what has become known since the last time."""
        raise NotImplementedError(f"{type(self).__name__} writes observations in a different way")

    def _write(self, field: str, value: Any) -> None:
        assert self._public is not None
        self._public[:, self._at[field]] = value if np.ndim(value) != 1 else value[:, None]

    def _put(self, field: str, block: int, cards: Indexes, value: Any, rows: Any = slice(None)) -> None:
        """Write a number at one card of each deal, into row number `block` of the deck in a field."""
        assert self._public is not None
        first = self._at[field].start + block * self._cards
        self._public.reshape(-1)[self._of_public[rows] + (first + cards)] = value

    def _require_next(self) -> None:
        """Raise ValueError unless these deals are over and others follow."""
        if not self.over:
            raise ValueError("the deals are not over")
        if self.match.deal_no == self.match.deals:
            raise ValueError("the matches are over")

    def _as_actions(self, actions: npt.ArrayLike) -> Indexes:
        """Raises IllegalAction unless there is a whole number for each deal."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise IllegalAction(f"expected {self.size} whole numbers, one for each deal")
        return chosen.astype(np.intp, copy=False)

    def _refuse(self, actions: Indexes, legal: Mask) -> None:
        """Raise IllegalAction for the first deal in which `legal` is False."""
        deal = int(legal.argmin())
        action = int(actions[deal])
        named = repr(self.actions[action]) if 0 <= action < len(self.actions) else f"action {action}"
        raise IllegalAction(f"seat {self.turn[deal]} may not choose {named} in deal {deal}")


class Deck(NamedTuple):
    """The suit (a number from 0, in deck order) and the value of each card, by the number of the card."""

    suits: Indexes
    values: Indexes

    @classmethod
    def of(cls, game: Game, seats: int) -> Self:
        letters = "".join(game.suits(seats))
        cards = game.deck(seats)
        return cls(
            np.array([letters.index(suit(card)) for card in cards]), np.array([value(card) for card in cards])
        )


def best_of(legal: Mask, worths: Worths) -> Indexes:
    """The legal card that is worth most in each deal, the first in deck order among equals; a word if no card
    is legal. `worths` is by deal and card."""
    cards = worths.shape[-1]
    best: Indexes = np.where(legal[:, :cards], worths, -np.inf).argmax(axis=1)
    words = ~legal[:, :cards].any(axis=1)
    if words.any():
        best[words] = legal[words].argmax(axis=1)
    return best


def dealt(cards: int, seats: int, size: int, rng: np.random.Generator) -> Owners:
    """The owners in `size` shuffled decks that are dealt out evenly; cards that are left over are GONE."""
    each = cards // seats
    owner = np.full(cards, GONE, np.int8)
    owner[: each * seats] = np.repeat(np.arange(seats, dtype=np.int8), each)
    return rng.permuted(np.tile(owner, (size, 1)), axis=1)


def alike(game: Game, states: Sequence[State], point: Callable[[Any], Hashable]) -> Match:
    """The match of these states. Raises ValueError if there are none, or if their matches are over, not
    alike, or not at the same `point` of a deal."""
    if not all(state.pending for state in states):
        raise ValueError("a match is over")
    views = [state.view(0) for state in states]
    matches = [Match.of_view(game, view, 1) for view in views]
    if len({(*match[1:-1], point(state)) for match, state in zip(matches, states, strict=True)}) != 1:
        raise ValueError(
            "a batch must be one or more deals, all at the same point in matches of the same kind"
        )
    return matches[0]._replace(totals=np.array([view.points for view in views], np.int64))


def held(game: Game, states: Sequence[State]) -> Owners:
    """The owners of cards in these states."""
    seats = states[0].setting.seats
    place = {card: i for i, card in enumerate(game.deck(seats))}
    owner = np.full((len(states), len(place)), GONE, np.int8)
    for row, state in zip(owner, states, strict=True):
        for seat, hand in enumerate(state.hands):
            row[[place[card] for card in hand]] = seat
    return owner
