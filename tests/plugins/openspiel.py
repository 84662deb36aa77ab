"""Hearts and Oh Hell beside OpenSpiel's `hearts` and `oh_hell`: the same deals and the same actions,
compared at every decision. OpenSpiel plays single deals, so each deal of a match of ours is a game there.

Knows no rules: it translates cards and actions, and notes where the two differ.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pytest
from arena_hearts.rules import MOON, STEPS, Hearts, HeartsOptions, HeartsState, penalty
from arena_oh_hell.rules import BIDS, EXACT, OhHell, OhHellOptions

from arena.games.api import (
    Action,
    Card,
    DealSource,
    Dealt,
    Event,
    Played,
    Scored,
    Seat,
    Step,
    Stream,
    Taken,
    value,
)

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

Choose: TypeAlias = Callable[[Any, Seat, tuple[Action, ...]], Action]
"""From a state, a seat and its legal actions to one of them."""


class Agreement:
    """How much was compared, by kind, and where the two disagreed."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        """How often something rare came up, which random play alone might miss."""
        self.disagreements: list[str] = []

    def compare(self, kind: str, ours: object, theirs: object) -> None:
        self.compared[kind] += 1
        if ours != theirs:
            self.disagreements.append(f"{kind}: ours {ours}, OpenSpiel's {theirs}")

    def __str__(self) -> str:
        counts = [f"{number:,} {kind}" for kind, number in (*self.compared.items(), *self.met.items())]
        return f"{', '.join(counts)}; {len(self.disagreements)} disagreements {self.disagreements[:5]}"


class Table:
    """One deal as OpenSpiel plays it. `suits` are our letters in its order, `words` our actions that are no
    cards. It numbers cards by rank, from 0 for a two, and within a rank by suit; words come behind them."""

    def __init__(self, game: Any, suits: str, agreement: Agreement, words: Sequence[Action] = ()) -> None:
        cards = [f"{letter}{rank}" for rank in range(2, 15) for letter in suits]
        self._actions = (*cards, *words)
        self._numbers = {action: number for number, action in enumerate(self._actions)}
        self.state = game.new_initial_state()
        self.agreement = agreement

    def chance(self, *numbers: int) -> None:
        for number in numbers:
            self.state.apply_action(number)

    def deal(self, hands: Collection[tuple[Card, ...]], *more: Card) -> None:
        """One card after the other round the table from player 0, whoever the dealer is; then `more`."""
        round_the_table = [card for cards in zip(*hands, strict=True) for card in cards]
        self.chance(*(self._numbers[card] for card in (*round_the_table, *more)))

    def decide(self, seat: Seat, legal: Collection[Action], action: Action) -> None:
        """Compare a decision, and make it."""
        self.agreement.compare("turns", seat, self.state.current_player())
        theirs = {self._actions[number] for number in self.state.legal_actions()}
        self.agreement.compare("decisions", set(legal), theirs)
        self.state.apply_action(self._numbers[action])

    def play_on(self, step: Step, choose: Choose) -> tuple[Step, tuple[int, ...]]:
        """The rest of the deal, in which one seat decides at a time. Returns the beginning of the next deal,
        and the points of this one."""
        while True:
            (seat,) = step.state.pending
            legal = step.state.legal(seat)
            action = choose(step.state, seat, legal)
            self.decide(seat, legal, action)
            step = step.state.apply({seat: action})
            ends = [at for at, event in enumerate(step.events) if isinstance(event, Scored)]
            if ends:
                break
            for event in step.events:
                if isinstance(event, Taken):  # Who took a trick leads the next one.
                    self.agreement.compare("trick winners", event.seat, self.state.current_player())
        scored = step.events[ends[0]]
        assert isinstance(scored, Scored)
        self.agreement.compare("ends", True, self.state.is_terminal())
        return Step(step.state, step.events[ends[0] + 1 :]), scored.points


def hearts(deals: int) -> Agreement:
    """All options of ours in turn. Half of the matches are played so that somebody may shoot the moon, and a
    quarter with hands that each have almost one suit only."""
    agreement, ours = Agreement(), Hearts()
    theirs: Mapping[HeartsOptions, Any] = {
        HeartsOptions(queen_breaks, bloody): pyspiel.load_game(
            "hearts", {"qs_breaks_hearts": queen_breaks, "no_pts_on_first_trick": not bloody}
        )
        for queen_breaks in (True, False)
        for bloody in (True, False)
    }
    per_match = ours.deals(4)
    for match_no in range(deals // per_match):
        options = list(theirs)[match_no % len(theirs)]
        turn = match_no // len(theirs) % 4
        choose = shooting(match_no) if turn % 2 else at_random(match_no)
        source = (Bunched if turn == 2 else DealSource)(f"hearts/{match_no}")
        step = ours.start(4, options, per_match, source)

        def watched(state: Any, seat: Seat, legal: tuple[Action, ...], choose: Choose = choose) -> Action:
            agreement.met.update(rarities(state, legal))
            return choose(state, seat, legal)

        while step.state.pending:
            table = Table(theirs[options], "CDHS", agreement)
            step, points = table.play_on(_passed(table, step, choose), watched)
            agreement.compare("deals", points, tuple(MOON - int(left) for left in table.state.returns()))
            agreement.met["moons"] += points.count(MOON) == 3
    return agreement


def rarities(state: HeartsState, legal: tuple[Action, ...]) -> Iterator[str]:
    """What a decision of Hearts shows that random play seldom meets."""
    if not state.tricks and all(map(penalty, legal)):
        yield "first tricks without another card"
    if not state.trick.cards and not state.broken and legal[0][0] == "H":
        yield "unbroken hearts led"


def _passed(table: Table, step: Step, choose: Choose) -> Step:
    """Deal, pass, and lead the two of clubs. In ours all seats pass a card at a time, in OpenSpiel one seat
    after the other passes three."""
    state: Any = step.state
    table.chance(STEPS[state.direction])
    table.deal(_hands(step.events))
    passes: list[list[tuple[tuple[Action, ...], Action]]] = [[] for _ in range(4)]
    while step.state.pending and len(step.state.pending) > 1:
        legal = {seat: step.state.legal(seat) for seat in step.state.pending}
        actions = {seat: choose(state, seat, legal[seat]) for seat in legal}
        for seat, action in actions.items():
            passes[seat].append((legal[seat], action))
        step = step.state.apply(actions)
    for seat, chosen in enumerate(passes):
        for cards, card in chosen:
            table.decide(seat, cards, card)
    (opening,) = [event for event in step.events if isinstance(event, Played)]
    table.decide(opening.seat, {opening.card}, opening.card)
    return step


def oh_hell(deals: int) -> Agreement:
    """All numbers of seats in turn, and hands of all sizes."""
    agreement, ours, played = Agreement(), OhHell(), 0
    for match_no, seats in enumerate(_in_turn(ours.seats)):
        if played >= deals:
            return agreement
        theirs = pyspiel.load_game("oh_hell", {"players": seats})
        choose, per_match = at_random(match_no), ours.deals(seats)
        step = ours.start(seats, OhHellOptions(), per_match, DealSource(f"oh-hell/{match_no}"))
        while step.state.pending:
            state: Any = step.state
            table = Table(theirs, "CDSH", agreement, BIDS)
            table.chance(state.size, state.dealer)
            table.deal(_hands(step.events), state.turned)
            step, points = table.play_on(step, choose)
            agreement.compare("deals", points, tuple(map(int, table.state.returns())))
            agreement.met["exact bids"] += sum(mine >= EXACT for mine in points)
        played += per_match
    raise AssertionError("there is no last number of seats")


def _in_turn(seats: range) -> Iterator[int]:
    while True:
        yield from seats


def _hands(events: Sequence[Event]) -> list[tuple[Card, ...]]:
    return [event.hand for event in events if isinstance(event, Dealt)]


class Bunched(DealSource):
    """Shuffled decks in which most cards of a suit lie together."""

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        shuffled = super().deck(deal_no, cards)
        stream = Stream(f"{self.key}/{deal_no}")
        order, cut = stream.shuffled("CDSH"), stream.below(3)
        bunched = sorted(shuffled, key=lambda card: order.index(card[0]))
        return (*bunched[cut:], *bunched[:cut])


def at_random(match_no: int) -> Choose:
    rng = random.Random(match_no)
    return lambda state, seat, legal: rng.choice(legal)


def shooting(match_no: int) -> Choose:
    """One seat keeps and plays its highest cards, the others pass theirs and play their lowest."""
    shooter = match_no % 4

    def choose(state: HeartsState, seat: Seat, legal: tuple[Action, ...]) -> Action:
        lowest = (seat == shooter) == state.passing
        return min(legal, key=value) if lowest else max(legal, key=value)

    return choose
