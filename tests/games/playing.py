"""Matches by random play, recorded step by step, and small literal deals, for the tests of this room."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from arena.games import GAMES
from arena.games.events import Event
from arena.games.game import Action, Game, Options, State, Step
from protocol.cards import Seat
from protocol.streams import DealSource, Stream

LONGEST = 10_000
"""Steps after which a match of few deals is taken to be endless."""


class Packs(DealSource):
    """Decks and lot as given instead of drawn."""

    def __init__(self, packs: Sequence[Sequence[str]], lot: int) -> None:
        super().__init__("given")
        self.packs, self.named = packs, lot

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        assert sorted(cards) == sorted(self.packs[deal_no - 1])
        return tuple(self.packs[deal_no - 1])

    def lot(self, seats: int) -> int:
        return self.named


def play(state: State, actions: str) -> tuple[State, list[Event]]:
    """The actions in turn, by whoever is the one to act; all events."""
    events: list[Event] = []
    for action in actions.split():
        (seat,) = state.pending
        state, more = state.apply({seat: action})
        events += more
    return state, events


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def hands(*texts: str) -> tuple[tuple[str, ...], ...]:
    return tuple(map(cards, texts))


class Variant(NamedTuple):
    """A game at one seat count with one setting of its options."""

    game: Game
    seats: int
    options: Options

    def __str__(self) -> str:
        chosen = (f"{key}={value}" for key, value in msgspec.structs.asdict(self.options).items())
        return "-".join((self.game.id, str(self.seats), *chosen))

    def start(self, source: DealSource, deals: int = 2) -> Step:
        return self.game.start(self.seats, self.options, deals, source)


class Moment(NamedTuple):
    """A state, the actions taken in it, and what came of them."""

    state: State
    actions: Mapping[Seat, Action]
    step: Step


class Record(NamedTuple):
    start: Step
    moments: tuple[Moment, ...]

    @property
    def states(self) -> tuple[State, ...]:
        return (self.start.state, *(moment.step.state for moment in self.moments))

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.start, *(moment.step for moment in self.moments))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step.events)


def choices(options: type[Options]) -> list[Options]:
    """The defaults, and every option alone at another value."""
    found = [options()]
    info = msgspec.inspect.type_info(options)
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        other: Any = not field.default if isinstance(field.type, msgspec.inspect.BoolType) else 1
        found.append(msgspec.convert({field.name: other}, options))
    return found


def variants(*games: Game) -> list[Variant]:
    return [
        Variant(game, seats, options)
        for game in games
        for options in choices(game.options)
        for seats in game.seats
    ]


REGISTERED = variants(*GAMES.values())


@cache
def random_match(variant: Variant, key: str = "laws", deals: int = 2) -> Record:
    start = variant.start(DealSource(key), deals)
    stream = Stream(f"play/{key}")
    state, moments = start.state, []
    while state.pending:
        assert len(moments) < LONGEST
        actions = {seat: stream.choice(state.legal(seat)) for seat in state.pending}
        step = state.apply(actions)
        moments.append(Moment(state, actions, step))
        state = step.state
    return Record(start, tuple(moments))
