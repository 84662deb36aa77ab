"""A second implementation of the rules, with which a game is compared step by step: a function of the author,
best written by somebody else, straight from the leaflet.

The function gets a `FixedChance` and returns a generator that plays the match. It yields

    ("ask", seat, options)     the seat has to choose; the action that it chose is sent in
    ("tell", "points", row)    the deal is over, with the points of each seat

`options` are all legal actions, in any order; a card may be a text, `"R5"`, or a pair of suit and value,
`("R", 5)`. The option that was chosen is sent in. If several seats choose in secret at the same time, ask one
after the other, in order of their numbers. Any other `tell` is ignored. The generator returns when the match
is over.

    def second(table):
        hands = [list(hand) for hand in table.hands[0]]
        …
        card = yield ("ask", seat, set(hands[seat]))
"""

import importlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from arena.games.game import Action
from arena.laws.judge import Law
from arena.laws.trial import Broken, Trial
from protocol.cards import Card, Hands, Seat
from protocol.streams import DealSource


class FixedChance(msgspec.Struct, frozen=True):
    """The settings of a match, and what chance decides in it."""

    seats: int
    options: Mapping[str, Any]
    lot: Seat
    """The seat chosen by lot."""
    packs: tuple[tuple[Card, ...], ...]
    """The shuffled deck of each deal, in the order in which it is dealt."""
    hands: tuple[Hands, ...]
    """The hands of each deal as dealt, so that the second implementation need not deal."""
    stocks: tuple[tuple[Card, ...], ...]
    """The stock of each deal as dealt."""


Said: TypeAlias = tuple[Any, ...]
Second: TypeAlias = Callable[[FixedChance], Generator[Said, Any, Any]]
OVER: Final[Said] = ("over",)
FIX: Final = "one of the two implements the rules wrongly; the leaflet decides"


class RetellingFailed(Exception):
    """The second implementation cannot go on; the text says why."""


class Telling:
    """A match in the second implementation, up to its next question."""

    def __init__(self, match: Generator[Said, Any, Any]) -> None:
        self.told: list[Said] = []
        """Everything after `tell` so far."""
        self._match = match
        self._question: Said = OVER
        self._go_on(None)

    @property
    def is_over(self) -> bool:
        return self._question is OVER

    @property
    def seat(self) -> Seat | None:
        """The seat that has to choose; None when the match is over."""
        return None if self.is_over else self._question[1]

    @property
    def options(self) -> dict[Action, Any]:
        """What the seat may choose, as text, each with the option as it was yielded."""
        return {} if self.is_over else {as_text(option): option for option in self._question[2]}

    def choose(self, action: Action) -> None:
        """Send in an action, which must be one of the options."""
        self._go_on(self.options[action])

    def _go_on(self, answer: Any) -> None:
        while True:
            try:
                said = self._match.send(answer)
            except StopIteration:
                self._question = OVER
                return
            # An author's code can raise anything.
            except Exception as error:
                raise RetellingFailed(
                    f"the second implementation raised {type(error).__name__}: {error}"
                ) from error
            match said:
                case ("ask", int(), Collection()):
                    self._question = said
                    return
                case ("tell", *what):
                    self.told.append(tuple(what))
                case _:
                    raise RetellingFailed(
                        f"the second implementation yields {said!r}, which is neither `ask` nor `tell`"
                    )
            answer = None


def as_text(option: Any) -> Action:
    """An option as an action: a pair of suit and value is a card."""
    return option if isinstance(option, str) else f"{option[0]}{option[1]}"


def fixed_chance(trial: Trial) -> FixedChance:
    """What the second implementation gets before the match."""
    source, record = DealSource(trial.key), trial.record
    begun = {state.deal_no: state for state in reversed(record.states)}
    states = [begun[deal_no] for deal_no in sorted(begun)]
    return FixedChance(
        seats=trial.variant.seats,
        options=msgspec.to_builtins(trial.variant.options),
        lot=source.lot(trial.variant.seats),
        packs=tuple(source.deck(no, trial.deck) for no in range(1, trial.deals + 1)),
        hands=tuple(state.hands for state in states),
        stocks=tuple(tuple(state.stock) for state in states),
    )


def agreement(second: Second) -> Law:
    """The law that the game agrees with a second implementation of its rules."""

    def the_second_telling_agrees(trial: Trial) -> Iterator[Broken]:
        """A second implementation of the rules asks the same seats, allows the same actions and counts the
        same points."""
        try:
            yield from _compared(trial, Telling(second(fixed_chance(trial))))
        except RetellingFailed as error:
            yield Broken(str(error), "fix the second implementation")

    return the_second_telling_agrees


def _compared(trial: Trial, telling: Telling) -> Iterator[Broken]:
    for i, (state, actions, step) in enumerate(trial.record.moments):
        for seat in sorted(state.pending):
            if fault := _disagreement(telling, seat, state.legal(seat)):
                yield trial.broken(i, fault, FIX)
                return
            telling.choose(actions[seat])
        points = [tuple(row[0]) for what, *row in telling.told if what == "points"]
        if step.state.deal_no == state.deal_no and step.state.pending:
            continue
        ours = list(step.state.tally().points)
        if points != ours:
            deal = next(
                (no for no, (one, other) in enumerate(zip(ours, points, strict=False)) if one != other),
                min(len(ours), len(points)),
            )
            yield trial.broken(
                i + 1,
                f"in deal {deal + 1} the second implementation counts {_row(points, deal)}, but the game "
                f"counts {_row(ours, deal)}",
                FIX,
            )
            return
    if not telling.is_over:
        yield trial.broken(
            len(trial.record.moments),
            f"the match is over, but the second implementation asks seat {telling.seat}",
            FIX,
        )


def _disagreement(telling: Telling, seat: Seat, legal: Collection[Action]) -> str | None:
    """How the two implementations differ before `seat` chooses; None if they agree."""
    if telling.is_over:
        return f"seat {seat} has to choose, but in the second implementation the match is over"
    if telling.seat != seat:
        return f"seat {seat} has to choose, but in the second implementation seat {telling.seat}"
    only_here = sorted({*legal} - telling.options.keys())
    only_there = sorted(telling.options.keys() - {*legal})
    parts = []
    if only_here:
        parts.append(f"only the game allows {' '.join(only_here)}")
    if only_there:
        parts.append(f"only the second implementation allows {' '.join(only_there)}")
    return f"for seat {seat}, {', and '.join(parts)}" if parts else None


def _row(points: list[tuple[int, ...]], deal: int) -> str:
    return str(points[deal]) if deal < len(points) else "nothing"


def named(place: str) -> Second:
    """The function that `MODULE:FUNCTION` names. Raises ImportError, AttributeError, ValueError."""
    module, _, function = place.partition(":")
    if not module or not function:
        raise ValueError("write it as MODULE:FUNCTION")
    second: Second = getattr(importlib.import_module(module), function)
    return second
