"""What laws judge: a variant of a game, and a match of it by random play, recorded step by step."""

import linecache
import traceback
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.events import Event
from arena.games.game import Action, Game, Options, State, Step
from arena.laws.known import cards_beside_the_hand, encoded, heard, seats_named, told
from protocol.cards import Card, Seat
from protocol.streams import DealSource, Stream

LONGEST: Final = 10_000
"""After this many steps a match of few deals is taken to be endless."""
FEW_DEALS: Final = 2
MANY_DEALS: Final = 12
TRACE_LINES: Final = 3


class Broken(msgspec.Struct, frozen=True):
    """What breaks a law, for the author of the game."""

    found: str
    mend: str
    """How to fix it."""
    where: str = ""
    """The place in the match."""
    trace: tuple[str, ...] = ()
    """The last lines of the author's code in an exception."""
    variant: str = ""
    """The game with its number of seats and options."""


class Unplayable(Exception):
    """Random play cannot bring this match to its end."""

    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.found)
        self.broken = broken


class Variant(NamedTuple):
    """A game with one number of seats and certain options."""

    game: Game
    seats: int
    options: Options

    def __str__(self) -> str:
        chosen = (f"{key}={value}" for key, value in msgspec.structs.asdict(self.options).items())
        return "-".join((self.game.id, str(self.seats), *chosen))

    def start(self, source: DealSource, deals: int = FEW_DEALS) -> Step:
        return self.game.start(self.seats, self.options, deals, source)


def variants(*games: Game) -> list[Variant]:
    """Every game with every number of seats, with its default options and with one option at other values."""
    return [
        Variant(game, seats, options)
        for game in games
        for options in choices(game.options)
        for seats in game.seats
    ]


def choices(options: type[Options]) -> list[Options]:
    """The defaults, also with one option at another value: at every other if its type lists them."""
    found = [options()]
    info = msgspec.inspect.type_info(options)
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        for other in _others(field.type, getattr(found[0], field.name)):
            try:
                found.append(msgspec.convert({field.encode_name: other}, options))
            except msgspec.ValidationError:
                continue
            if isinstance(field.type, msgspec.inspect.IntType):
                break
    return found


def _others(kind: msgspec.inspect.Type, default: Any) -> list[Any]:
    """Other values for an option of this type; [] if the type neither lists its values nor is a number."""
    match kind:
        case msgspec.inspect.BoolType():
            values: list[Any] = [not default]
        case msgspec.inspect.IntType():
            values = [1, *((default + 1, default - 1) if isinstance(default, int) else ())]
        case msgspec.inspect.LiteralType():
            values = list(kind.values)
        case msgspec.inspect.EnumType():
            values = [member.value for member in kind.cls]
        case msgspec.inspect.UnionType():
            values = [value for part in kind.types for value in _others(part, default)]
        case _:
            values = []
    return [value for value in values if value != default]


class Transition(NamedTuple):
    """A state, the actions taken in it, and the step that followed."""

    state: State
    actions: Mapping[Seat, Action]
    step: Step


class Trajectory:
    """A match. `steps[i]` is the step that led to `states[i]`; `moments[i]` is what was done there."""

    def __init__(self, start: Step, moments: tuple[Transition, ...]) -> None:
        self.start = start
        self.moments = moments

    @cached_property
    def states(self) -> tuple[State, ...]:
        return (self.start.state, *(moment.step.state for moment in self.moments))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return (self.start, *(moment.step for moment in self.moments))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step.events)


class Trial:
    """A match of a variant by random play. The same key gives the same match. `deals` None: as many as the
    game has by default, at most MANY_DEALS."""

    def __init__(self, variant: Variant, key: str = "laws", deals: int | None = FEW_DEALS) -> None:
        self.variant = variant
        self.key = key
        self._deals = deals
        self._shown: dict[tuple[int, Seat], frozenset[Card]] = {}
        self.notes: dict[str, Any] = {}
        """What one law has computed and another one uses, by a name."""

    @cached_property
    def deals(self) -> int:
        variant = self.variant
        return self._deals or min(variant.game.deals(variant.seats, variant.options), MANY_DEALS)

    @cached_property
    def deck(self) -> tuple[Card, ...]:
        return self.variant.game.deck(self.variant.seats)

    @cached_property
    def cards(self) -> frozenset[Card]:
        """The deck, for quick look-ups."""
        return frozenset(self.deck)

    def shown(self, at: int, seat: Seat) -> frozenset[Card]:
        """The cards that the view of `seat` shows in `states[at]` in any field but `hand`."""
        if (at, seat) not in self._shown:
            state = self.record.states[at]
            self._shown[at, seat] = cards_beside_the_hand(state, seat, self.cards)
        return self._shown[at, seat]

    @property
    def seats(self) -> range:
        return range(self.variant.seats)

    @property
    def record(self) -> Trajectory:
        """The match. Raises Unplayable."""
        if isinstance(self._played, Unplayable):
            raise self._played
        return self._played

    def start(self, source: DealSource | None = None) -> Step:
        """Start the match again, with the same cards unless a `source` is given."""
        return self.variant.start(source or DealSource(self.key), self.deals)

    @cached_property
    def _played(self) -> Trajectory | Unplayable:
        moments: list[Transition] = []
        try:
            return self._play(moments)
        except Unplayable as error:
            return error
        # An author's code can raise anything, and may even want to end the program.
        except (Exception, SystemExit) as error:
            return Unplayable(raised(error, self.variant.game, _where_after(moments)))

    def _play(self, moments: list[Transition]) -> Trajectory:
        start, stream = self.start(), Stream(f"play/{self.key}")
        state = start.state
        while state.pending:
            if len(moments) == LONGEST:
                found = f"after {LONGEST} steps of random play the match of {self.deals} deals is not over"
                fix = "a match needs a bound that does not depend on how it is played"
                raise Unplayable(Broken(found, fix, _where_after(moments)))
            for seat in state.pending:
                told(state, seat)  # As the referee does: a view that cannot be sent cannot be played.
            actions = {seat: stream.choice(state.legal(seat)) for seat in state.pending}
            step = state.apply(actions)
            moments.append(Transition(state, actions, step))
            state = step.state
        return Trajectory(start, tuple(moments))

    def where(self, at: int) -> str:
        """The place of `states[at]`, for messages."""
        return _where_after(self.record.moments[:at])

    def broken(self, at: int, found: str, fix: str) -> Broken:
        """What was found in `states[at]`."""
        return Broken(found, fix, self.where(at))


def _where_after(moments: tuple[Transition, ...] | list[Transition]) -> str:
    if not moments:
        return "at the start"
    last = moments[-1]
    chose = ", ".join(f"{seats_named([seat])} chose {action}" for seat, action in last.actions.items())
    return f"deal {last.state.deal_no}, after step {len(moments)} ({chose})"


def trials(variant: Variant, matches: int) -> Iterator[Trial]:
    """`matches` matches: the second is as long as the game's default, the others have two deals."""
    for number in range(matches):
        yield Trial(variant, f"laws/{number}" if number else "laws", None if number == 1 else FEW_DEALS)


def events_of_deal(step: Step) -> tuple[Event, ...]:
    """The events of a step that belong to the deal of its state: those after the end of the deal before."""
    for i in range(len(step.events) - 1, -1, -1):
        ended = msgspec.to_builtins(step.events[i])
        if ended["event"] == "scored" and ended.get("deal_no") != step.state.deal_no:
            return step.events[i + 1 :]
    return step.events


def transcript(record: Trajectory, seats: range) -> list[list[str]]:
    """All texts of a match by step: the events, and each seat's view, legal actions and decision."""
    return [
        [
            *(encoded(event).decode() for event in step.events),
            *(text.decode() for seat in seats for text in told(step.state, seat).values()),
            *(text.decode() for seat in seats for text in heard(step.events, seat)),
        ]
        for step in record.steps
    ]


def call(file: str, line: int, function: str) -> str:
    """A line of the author's code, for a message."""
    return f"{file}:{line} in {function}: {linecache.getline(file, line).strip()}"


def raised(error: BaseException, game: Game, where: str = "") -> Broken:
    """An exception as its text and the last lines of the game's own code that it came through."""
    theirs = type(game).__module__.partition(".")[0]
    ours = __package__
    lines = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == theirs and not module.startswith(ours):
            lines.append(call(frame.f_code.co_filename, number, frame.f_code.co_name))
    text = " ".join(str(error).split())
    found = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if lines:
        fix = "fix the line that is named last"
        return Broken(f"the game raised {found}", fix, where, tuple(lines[-TRACE_LINES:]))
    return Broken(
        f"what the game returns cannot be judged: {found}",
        "return the types that arena.games.api names",
        where,
    )
