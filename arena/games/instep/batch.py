"""What every batch of deals has: whose turn it is, what is legal, a step, points and observations.

Deals of a batch are rows. An action is a number, as in a PettingZoo environment: the cards in deck order,
then the game's words. Seats that choose in secret are asked one after the other, and no observation shows
what has been chosen before all have. Knows no rules but that a card is played by the seat that holds it.
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
    """What all deals of a batch have in common. `totals`: a row for each, with the points of the deals before
    by seat."""

    game: Game
    options: Options
    seats: int
    deals: int
    deal_no: int
    totals: Points

    @classmethod
    def of_view(cls, game: Game, view: View, size: int) -> Self:
        """The match of which a seat has this view, `size` times."""
        ours = {name: getattr(view, name) for name in game.options.__struct_fields__ if hasattr(view, name)}
        totals = np.tile(np.array(view.points, np.int64), (size, 1))
        return cls(game, game.options(**ours), view.seats, view.deals, view.deal_no, totals)


class Batch(abc.ABC):
    """`size` deals. `turn`: by deal, the seat that decides, or GONE; it is not to be changed."""

    def __init__(self, match: Match, owner: Owners) -> None:
        """`owner`: by deal and card of the deck, the seat that holds the card, or GONE."""
        game, seats = match.game, match.seats
        deck = game.deck(seats)
        self.match = match
        self.size = len(owner)
        self.seats = seats
        self.actions: tuple[Action, ...] = (*deck, *game.words)
        # No seat owns a word, so that reading and writing owners needs no exception for words.
        words = np.full((self.size, len(game.words)), GONE, np.int8)
        self._owner: Owners = np.ascontiguousarray(np.concatenate((owner.astype(np.int8), words), axis=1))
        self.deck = Deck.of(game, seats)
        self._cards = len(deck)
        self._row = np.arange(self.size)
        # What is indexed by deal and action, or by deal and seat, is written in one dimension, as a view of
        # the array: that takes numpy half the time.
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
        """The first deals of so many matches."""

    @classmethod
    def imagine(cls, game: Game, view: Any, size: int, rng: np.random.Generator, *, copies: int = 1) -> Self:
        """`size` random deals that a view allows, each so many times, one after the other. Where several
        seats choose in secret, none has chosen. Raises ValueError if no deal is consistent with it."""
        return cls.with_owners(game, view, np.repeat(cls.imagined(game, view, size, rng), copies, axis=0))

    @classmethod
    def imagined(cls, game: Game, view: Any, size: int, rng: np.random.Generator) -> Owners:
        """By card, the owners in `size` random deals that a view allows, all equally likely. Raises
        ValueError if no deal is consistent with it. Needed only where imagined deals are weighed, or if
        `imagine` is not overridden; so is `with_owners`."""
        raise NotImplementedError(f"{cls.__name__} imagines deals in another way")

    @classmethod
    def with_owners(cls, game: Game, view: Any, owner: Owners) -> Self:
        """The deals with these owners of cards, and all else as a view shows it."""
        raise NotImplementedError(f"{cls.__name__} imagines deals in another way")

    @classmethod
    @abc.abstractmethod
    def of(cls, game: Game, states: Sequence[Any]) -> Self:
        """The deals of these states: of matches that are not over and that are alike, and at the same point
        of a deal, as far as the game needs it. Where several seats choose in secret, none has chosen. Raises
        ValueError."""

    @abc.abstractmethod
    def following(self, rng: np.random.Generator) -> Self:
        """The next deals of the same matches, when all of these are over. Raises ValueError before, and after
        the last deal."""

    @property
    @abc.abstractmethod
    def over(self) -> bool:
        """Whether all deals are over."""

    @abc.abstractmethod
    def legal(self) -> Mask:
        """By deal and action, whether the seat in turn may choose it. All False for a deal that is over."""

    def at_random(self, rng: np.random.Generator, deals: Indexes | None = None) -> Indexes:
        """A random legal action in each deal, or in those of these numbers; any where a deal is over."""
        legal = self.legal() if deals is None else self.legal()[deals]
        # Legal actions, deal after deal: those of a deal begin where those of the deals before it end. The
        # last of the deals may be over, and then has none to begin with.
        found, counts = np.append(np.flatnonzero(legal), 0), np.count_nonzero(legal, axis=1)
        wanted = counts.cumsum() - counts + (rng.random(len(legal)) * counts).astype(np.intp)
        actions: Indexes = found.take(wanted) % legal.shape[1]
        return actions

    def hands(self) -> Mask:
        """By deal and card, whether the seat in turn holds it."""
        hands: Mask = (
            self._owner[:, : self._cards]
            == np.where(self.turn == GONE, GONE - 1, self.turn).astype(np.int8)[:, None]
        )
        return hands

    @abc.abstractmethod
    def step(self, actions: npt.ArrayLike) -> None:
        """In every deal the seat in turn chooses its action; what is given for a deal that is over counts for
        nothing. Raises IllegalAction, and changes nothing, if one is not legal."""

    @property
    @abc.abstractmethod
    def points(self) -> Points:
        """By deal and seat, the points of this deal. They mean nothing for a deal that is not over."""

    @property
    def gains(self) -> Points:
        """The points, with the sign at which more is better."""
        return self.points

    def observe(self) -> Numbers:
        """By deal, what the seat in turn may know, as arena/games/observation.py writes a view;
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
        raise NotImplementedError(f"{type(self).__name__} writes observations in another way")

    def _write(self, field: str, value: Any) -> None:
        assert self._public is not None
        self._public[:, self._at[field]] = value if np.ndim(value) != 1 else value[:, None]

    def _put(self, field: str, block: int, cards: Indexes, value: Any, rows: Any = slice(None)) -> None:
        """Write a number at one card of each deal, into the given row of the deck that a field has."""
        assert self._public is not None
        first = self._at[field].start + block * self._cards
        self._public.reshape(-1)[self._of_public[rows] + (first + cards)] = value

    def _require_next(self) -> None:
        """Raises ValueError unless these deals are over and others follow."""
        if not self.over:
            raise ValueError("the deals are not over")
        if self.match.deal_no == self.match.deals:
            raise ValueError("the matches are over")

    def _as_actions(self, actions: npt.ArrayLike) -> Indexes:
        """Raises IllegalAction for what are not as many numbers of actions as there are deals."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise IllegalAction(f"not {self.size} whole numbers, one for each deal")
        return chosen.astype(np.intp, copy=False)

    def _refuse(self, actions: Indexes, legal: Mask) -> None:
        """Raises IllegalAction for the first deal in which `legal` is False."""
        deal = int(legal.argmin())
        action = int(actions[deal])
        named = repr(self.actions[action]) if 0 <= action < len(self.actions) else f"action {action}"
        raise IllegalAction(f"seat {self.turn[deal]} may not choose {named} in deal {deal}")


class Deck(NamedTuple):
    """The cards of a game, by their numbers. `suits` are numbered from 0, in deck order."""

    suits: Indexes
    values: Indexes

    @classmethod
    def of(cls, game: Game, seats: int) -> Self:
        """The deck for so many seats."""
        letters = "".join(game.suits(seats))
        cards = game.deck(seats)
        return cls(
            np.array([letters.index(suit(card)) for card in cards]), np.array([value(card) for card in cards])
        )


def best_of(legal: Mask, worths: Worths) -> Indexes:
    """By deal, the legal card that is worth most, the first in deck order among equals. `worths` is by deal
    and card; words are worth nothing, and are chosen where no card is legal."""
    cards = worths.shape[-1]
    best: Indexes = np.where(legal[:, :cards], worths, -np.inf).argmax(axis=1)
    words = ~legal[:, :cards].any(axis=1)
    if words.any():
        best[words] = legal[words].argmax(axis=1)
    return best


def dealt(cards: int, seats: int, size: int, rng: np.random.Generator) -> Owners:
    """Owners of `size` shuffled decks that are dealt out evenly; what is left over is GONE."""
    each = cards // seats
    owner = np.full(cards, GONE, np.int8)
    owner[: each * seats] = np.repeat(np.arange(seats, dtype=np.int8), each)
    return rng.permuted(np.tile(owner, (size, 1)), axis=1)


def alike(game: Game, states: Sequence[State], point: Callable[[Any], Hashable]) -> Match:
    """The match of all these states. Raises ValueError unless there are some, of matches that are alike and
    not over, and at the same `point` of a deal."""
    if not all(state.pending for state in states):
        raise ValueError("a match is over")
    views = [state.view(0) for state in states]
    matches = [Match.of_view(game, view, 1) for view in views]
    if len({(*match[1:-1], point(state)) for match, state in zip(matches, states, strict=True)}) != 1:
        raise ValueError("a batch is one deal or more, all at the same point of matches that are alike")
    return matches[0]._replace(totals=np.array([view.points for view in views], np.int64))


def held(game: Game, states: Sequence[State]) -> Owners:
    """The owners of the cards in these states."""
    seats = states[0].setting.seats
    place = {card: i for i, card in enumerate(game.deck(seats))}
    owner = np.full((len(states), len(place)), GONE, np.int8)
    for row, state in zip(owner, states, strict=True):
        for seat, hand in enumerate(state.hands):
            row[[place[card] for card in hand]] = seat
    return owner
