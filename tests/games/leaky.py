"""The sixth game with one thing wrong in each class. The docstring of a class says what; CASES says which
law promises that it does not happen, and how its message names the culprit.
"""

import random
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from arena.games.api import (
    Action,
    Card,
    DealSource,
    Dealt,
    Event,
    IllegalAction,
    Naming,
    Options,
    Outcome,
    Played,
    Scored,
    Seat,
    Step,
    Stream,
    clockwise,
    totals,
    value,
)
from arena.games.extras import Extras, Picture
from arena.laws import extras, house, learners, rules, secrets, words
from arena.laws.judge import Law
from tests.games.sixth import DECK, Passed, Sixth, SixthOptions, SixthState, SixthView, Taken


class TwistedView(SixthView, frozen=True):
    extra: tuple[Card, ...] = ()
    number: int = 0
    word: Literal["", "low", "high"] = ""
    numbers: tuple[int, ...] = ()


class Twisted:
    """A state of the sixth game as a broken game shows it."""

    def __init__(self, game: "Twist", inner: SixthState) -> None:
        self.game = game
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def hands(self) -> Any:
        return self.game.hands(self.inner)

    @property
    def stock(self) -> Any:
        return self.game.stock(self.inner)

    @property
    def deal_no(self) -> int:
        return self.inner.deal_no

    @property
    def pending(self) -> Mapping[Seat, str]:
        return self.game.pending(self.inner)

    def legal(self, seat: Seat) -> Any:
        return self.game.legal(self.inner, seat)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        return self.game.wrapped(self.game.apply(self.inner, actions))

    def view(self, seat: Seat) -> Any:
        base = self.inner.view(seat)
        fields = {name: getattr(base, name) for name in base.__struct_fields__}
        return TwistedView(**{**fields, **self.game.more(self.inner, seat)})

    def tally(self) -> Outcome:
        return self.game.tally(self.inner)

    def outcome(self) -> Outcome | None:
        return self.game.outcome(self)


class Twist(Sixth):
    """The sixth game, with a place for each thing that can be wrong."""

    views: Any = TwistedView

    def wrapped(self, step: Step) -> Step:
        return Step(Twisted(self, step.state), self.told(step.state, step.events))

    def hands(self, state: SixthState) -> Any:
        return state.hands

    def stock(self, state: SixthState) -> Any:
        return state.stock

    def pending(self, state: SixthState) -> Mapping[Seat, str]:
        return state.pending

    def legal(self, state: SixthState, seat: Seat) -> Any:
        return state.legal(seat)

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        return state.apply(actions)

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {}

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return events

    def tally(self, state: SixthState) -> Outcome:
        return state.tally()

    def outcome(self, state: Twisted) -> Outcome | None:
        return None if state.pending else state.tally()

    def start(self, seats: int, options: Any, deals: int, source: DealSource) -> Step:
        return self.wrapped(super().start(seats, options, deals, source))

    def imagine(self, view: Any, stream: Stream) -> Any:
        return Twisted(self, super().imagine(view, stream))


def neighbour(state: SixthState, seat: Seat) -> tuple[Card, ...]:
    return state.hands[clockwise(seat, 1, state.setting.seats)]


# ---------------------------------------------------------------- leaks


class HandShown(Twist):
    """A view shows the left neighbour's hand."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": neighbour(state, seat)}


class ValueShown(Twist):
    """A view shows a number that depends on the left neighbour's hand."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"number": min(map(value, neighbour(state, seat)), default=0)}


class SortedByOwner(Twist):
    """A view lists the cards not seen, those of one owner beside each other."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        hands = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
        return {"extra": (*hands, *state.stock)}


class StockShown(Twist):
    """A view shows the stock, in the order in which it lies."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": state.stock}


class PassShown(Twist):
    """Every view shows all cards that were passed."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": state.passed}


class LeaderTells(Twist):
    """While cards are passed, views call the holder of A9 the leader."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        holders = [other for other, hand in enumerate(state.hands) if "A9" in hand]
        return {"leader": holders[0]} if holders and not state.passed else {}


class DealtToAll(Twist):
    """The cards dealt to a seat are told to all."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(OpenlyDealt(*msgspec.structs.astuple(e)) if type(e) is Dealt else e for e in events)


class OpenlyDealt(Dealt, frozen=True, tag="dealt"):
    @property
    def audience(self) -> Seat | None:
        return None


class DealtToNeighbour(Twist):
    """The cards dealt to a seat are told to its neighbour as well."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        more = [
            ToNeighbour(e.deal_no, e.seat, state.setting.seats, e.hand) for e in events if type(e) is Dealt
        ]
        return (*events, *more)


class ToNeighbour(Dealt, frozen=True, tag="toneighbour"):
    @property
    def audience(self) -> Seat | None:
        return clockwise(self.seat, 1, self.leader)


class PassTold(Twist):
    """All are told who passes which card."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(OpenlyPassed(*msgspec.structs.astuple(e)) if type(e) is Passed else e for e in events)


class OpenlyPassed(Passed, frozen=True, tag="passed"):
    @property
    def audience(self) -> Seat | None:
        return None


class Summed(Event, frozen=True):
    number: int

    def sentence(self, name: Naming) -> str:
        return f"the cards passed add up to {self.number}"


class SumTold(Twist):
    """All are told the sum of the cards passed in secret."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        passed = [event.card for event in events if type(event) is Passed]
        return (*events, Summed(sum(map(value, passed)))) if passed else events


class Ready(Event, frozen=True):
    seat: Seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} has passed a card"


class OrderTells(Twist):
    """All are told that each seat has passed, in the order of the cards."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        passed = [event for event in events if type(event) is Passed and event.to == event.seat]
        passed.sort(key=lambda event: (value(event.card), event.card))
        return (*events, *(Ready(event.seat) for event in passed))


class LegalTells(Twist):
    """A seat may not pass a card that is higher than all of its neighbour's."""

    def legal(self, state: SixthState, seat: Seat) -> Any:
        legal = state.legal(seat)
        if state.passed or not legal:
            return legal
        highest = max(map(value, neighbour(state, seat)))
        return tuple(card for card in legal if value(card) <= highest) or legal


class DecisionTells(Twist):
    """A seat is asked to duck if its neighbour holds a 9."""

    decisions = ("pass", "play", "duck")

    def pending(self, state: SixthState) -> Mapping[Seat, str]:
        def kind(seat: Seat, decision: str) -> str:
            return "duck" if 9 in map(value, neighbour(state, seat)) else decision

        return {seat: kind(seat, decision) for seat, decision in state.pending.items()}


# ---------------------------------------------------------------- cards


class CardLost(Twist):
    """A card is lost from the stock."""

    def stock(self, state: SixthState) -> Any:
        return state.stock[1:]


class CardDoubled(Twist):
    """A card of the stock is in a hand as well."""

    def stock(self, state: SixthState) -> Any:
        return (*state.stock, *state.hands[0][:1])


class CardKept(Twist):
    """A card on the table lies in the stock as well."""

    def stock(self, state: SixthState) -> Any:
        return (*state.stock, *state.trick.cards[:1])


class OwnDeck(Twist):
    """The cards are always dealt alike."""

    def start(self, seats: int, options: Any, deals: int, source: DealSource) -> Step:
        return super().start(seats, options, deals, DealSource("mine"))


# ---------------------------------------------------------------- the same again


class SetOrder(Twist):
    """Legal actions come in the order of a set."""

    def legal(self, state: SixthState, seat: Seat) -> Any:
        return tuple(set(state.legal(seat)))


class ByChance(Twist):
    """Who leads is drawn from a source of its own."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"number": random.randrange(1000)}


class Counting(Twist):
    """A state counts how often it was applied."""

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        step = super().apply(state, actions)
        self.calls[id(state)] = self.calls.get(id(state), 0) + 1
        return step

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"number": self.calls.get(id(state), 0)}


# ---------------------------------------------------------------- actions


class AcceptsAll(Twist):
    """A card that is in hand can be played, follow suit or not."""

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        if state.passed and len(actions) == 1:
            ((seat, card),) = actions.items()
            if seat in state.pending and card in state.hands[seat]:
                return state._play(seat, card)
        return super().apply(state, actions)


class OtherError(Twist):
    """An illegal action raises KeyError."""

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        try:
            return super().apply(state, actions)
        except IllegalAction as error:
            raise KeyError(*actions.values()) from error


class RefusesLegal(Twist):
    """C9 is legal to pass, and refused."""

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        if not state.passed and "C9" in actions.values():
            raise IllegalAction("not that one")
        return super().apply(state, actions)


class NothingHappens(Twist):
    """No event tells that a card was played."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(event for event in events if not isinstance(event, Played))


class TwiceLegal(Twist):
    """The first legal action stands twice in the list."""

    def legal(self, state: SixthState, seat: Seat) -> Any:
        legal = state.legal(seat)
        return (*legal[:1], *legal)


class IdleLegal(Twist):
    """A seat that is not pending has legal actions."""

    def legal(self, state: SixthState, seat: Seat) -> Any:
        return state.legal(seat) or (state.hands[seat] if seat in range(state.setting.seats) else ())


# ---------------------------------------------------------------- ends


class NothingToPlay(Twist):
    """Nobody is pending at the start."""

    def pending(self, state: SixthState) -> Mapping[Seat, str]:
        return {}


class Endless(Twist):
    """A deal is dealt again and again."""

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        step = super().apply(state, actions)
        if step.state.deal_no > state.deal_no or not step.state.pending:
            return Sixth().start(
                state.setting.seats, SixthOptions(), state.setting.deals, state.setting.source
            )
        return step


class Crashes(Twist):
    """The rules crash where A1 is played."""

    def apply(self, state: SixthState, actions: Mapping[Seat, Action]) -> Step:
        return super().apply(state, {seat: {}.get(card, card) for seat, card in self.looked_up(actions)})

    def looked_up(self, actions: Mapping[Seat, Action]) -> Any:
        return [(seat, {card: card for card in DECK[2:]}[card]) for seat, card in actions.items()]


class NotJson(Twist):
    """A view holds what JSON has not."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": object()}


class Unscored(Twist):
    """The second deal is not scored."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(event for event in events if not isinstance(event, Scored) or event.deal_no != 2)


class EarlyOutcome(Twist):
    """There is an outcome as soon as the last deal has begun."""

    def outcome(self, state: Twisted) -> Outcome | None:
        return state.tally() if state.deal_no == state.setting.deals else None


class WrongPlacings(Twist):
    """All are first."""

    def tally(self, state: SixthState) -> Outcome:
        return msgspec.structs.replace(state.tally(), placings=(1,) * state.setting.seats)


class SmallLead(Twist):
    """No deal has a lead above 1, it says."""

    def largest_lead(self, seats: int) -> int:
        return 1


class Dependent(Twist):
    """The number in a view is that of the points of the last deal, and deals are independent, it says."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"number": totals(state.points, state.setting.seats)[0]}


# ---------------------------------------------------------------- words


class Lenient(Options, frozen=True, forbid_unknown_fields=False):
    double: bool = False


class AnyOption(Twist):
    """Unknown options are accepted."""

    options: Any = Lenient


class IdleSuit(Twist):
    """A suit has no cards."""

    def suits(self, seats: int) -> Mapping[str, str]:
        return {"A": "apple", "B": "banana", "C": "cherry"}


class HandUnsorted(Twist):
    """A view shows the hand from high to low."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"hand": state.hands[seat][::-1]}


class FreeWordView(TwistedView, frozen=True):
    trump: str = "apple"


class FreeWord(Twist):
    """A view has a text that is no card."""

    views = FreeWordView

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"turned": "high"}


class Quoted(Twist):
    """A suit's name has a space."""

    def suits(self, seats: int) -> Mapping[str, str]:
        return {"A": "sour apple", "C": "cherry"}


class Lists(Twist):
    """A view has a list where its class says tuple."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": [state.turned]}


class Fat(Twist):
    """A view takes 100 KiB."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"extra": (state.turned,) * 20_000}


class Speechless(Twist):
    """An event has a sentence with None."""

    def told(self, state: SixthState, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(Mute(event.seat) if isinstance(event, Taken) else event for event in events)


class Mute(Taken, frozen=True, tag="taken"):
    def sentence(self, name: Naming) -> str:
        return f"{None} takes the trick"


# ---------------------------------------------------------------- imagining


class ForgetsPass(Twist):
    """An imagined state does not know which card was passed."""

    def imagine(self, view: Any, stream: Stream) -> Any:
        state = super().imagine(view, stream)
        return Twisted(self, msgspec.structs.replace(state.inner, passed=("A1",) * len(state.inner.passed)))


class ForgetsOption(Twist):
    """No view tells the option, so that imagined states are scored without it."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"double": False}


class ImaginesOne(Twist):
    """Imagined states are all dealt alike."""

    def imagine(self, view: Any, stream: Stream) -> Any:
        return super().imagine(view, Stream("always"))


class ImaginesTruth(Twist):
    """Imagined states are the true ones, which the game remembers."""

    def __init__(self) -> None:
        self.true: dict[Any, SixthState] = {}

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        self.true.setdefault(state.view(seat), state)
        return {}

    def imagine(self, view: Any, stream: Stream) -> Any:
        fields = {name: getattr(view, name) for name in SixthView.__struct_fields__}
        return Twisted(self, self.true[SixthView(**fields)])


class ImaginesByChance(Twist):
    """Imagined states are drawn from a source of its own."""

    def imagine(self, view: Any, stream: Stream) -> Any:
        return super().imagine(view, Stream(str(random.random())))


class ImaginesLate(Twist):
    """Nothing can be imagined after two tricks."""

    def imagine(self, view: Any, stream: Stream) -> Any:
        if len(view.tricks) == 2:
            raise LookupError("not thought of")
        return super().imagine(view, stream)


class Stuck(Twisted):
    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        return Step(self, ())


class ImaginesStuck(Twist):
    """Nothing comes of what is done in an imagined state."""

    def imagine(self, view: Any, stream: Stream) -> Any:
        return Stuck(self, super().imagine(view, stream).inner)


# ---------------------------------------------------------------- besides the rules


class ShortRows(Twist):
    """The picture has a heading without cells."""

    extras = Extras(picture=lambda view, names: Picture(headings=("won",), rows=[()] * view.seats))


class ReadsStock(Twist):
    """The advice looks at the highest card of the stock."""

    extras = Extras(
        advise=lambda state, seat, legal: (
            legal[int(state.stock[0][1:]) % len(legal)] if state.stock else legal[0]
        )
    )


class Overlong(Twist):
    """Its views hold more numbers than there are seats, and do not say how many there can be."""

    def more(self, state: SixthState, seat: Seat) -> dict[str, Any]:
        return {"numbers": (1, 2, 3, 4)}


class Case(NamedTuple):
    game: type[Twist]
    law: Law
    says: str
    """A regular expression that the message has to match."""


CASES = [
    Case(HandShown, secrets.no_view_depends_on_hidden_cards, r"seat \d can tell .* `extra"),
    Case(ValueShown, secrets.no_view_depends_on_hidden_cards, r"`number` of its view is \d, but \d if"),
    Case(SortedByOwner, secrets.no_view_depends_on_hidden_cards, r"`extra\[\d+\]` of its view is"),
    Case(StockShown, secrets.no_view_depends_on_hidden_cards, r"`extra.* \(in the stock\)"),
    Case(PassShown, secrets.no_view_depends_on_hidden_cards, r"`extra\[\d\]` of its view is"),
    Case(LeaderTells, secrets.no_view_depends_on_hidden_cards, r"`leader` .* A9 \("),
    Case(DealtToAll, secrets.events_tell_only_what_views_show, r"OpenlyDealt shows seat \d"),
    Case(DealtToNeighbour, secrets.events_tell_only_what_views_show, r"ToNeighbour shows seat \d"),
    Case(PassTold, secrets.events_tell_only_what_views_show, r"OpenlyPassed shows seat \d"),
    Case(SumTold, secrets.no_event_depends_on_hidden_cards, r"`number` of the event `summed`"),
    Case(OrderTells, secrets.no_event_depends_on_hidden_cards, r"`seat` of the event `ready`"),
    Case(LegalTells, secrets.no_choice_depends_on_hidden_cards, r"its legal actions is \["),
    Case(DecisionTells, secrets.no_choice_depends_on_hidden_cards, r'its decision is "(duck|pass|play)"'),
    Case(CardLost, secrets.cards_are_conserved, r"[AC]\d is in no hand and not in the stock"),
    Case(CardDoubled, secrets.cards_are_conserved, r"[AC]\d exists 2 times: in the hand of seat 0, in the"),
    Case(CardKept, secrets.cards_are_conserved, r"[AC]\d was laid .*, but is also in the stock"),
    Case(OwnDeck, rules.cards_come_from_the_source, "5 sources gave the same hands"),
    Case(
        SetOrder, rules.the_same_source_gives_the_same_bytes, r"in another process .* \[\d\] is [AC]\d here"
    ),
    Case(ByChance, rules.the_same_source_gives_the_same_bytes, "different bytes the second time"),
    Case(Counting, rules.states_stay_as_they_are, r"changed the state itself: .*number was \d+ and is \d+"),
    Case(
        AcceptsAll, rules.other_actions_are_refused, "'[AC][0-9]' is not legal for seat .: `apply` accepts it"
    ),
    Case(OtherError, rules.other_actions_are_refused, r"KeyError: .*leaky.py:\d+ in apply"),
    Case(RefusesLegal, rules.legal_actions_can_be_applied, "C9 is legal for seat ., but `apply` refuses it"),
    Case(NothingHappens, rules.legal_actions_can_be_applied, r"[AC]\d of seat \d produces no event"),
    Case(
        TwiceLegal,
        rules.actions_are_cards_or_words_of_the_game,
        r"[AC]\d is listed twice in the legal actions of seat \d",
    ),
    Case(IdleLegal, rules.legal_actions_exist_exactly_for_pending_seats, r"seat \d is not pending, and its"),
    Case(NothingToPlay, rules.a_match_can_be_played, "over before anybody"),
    Case(Endless, rules.a_match_can_be_played, "after 10000 steps"),
    Case(Crashes, rules.a_match_can_be_played, r"the game raised KeyError: 'A\d'"),
    Case(NotJson, rules.a_match_can_be_played, "Encoding objects of type object is unsupported"),
    Case(Unscored, rules.deals_are_scored_one_by_one, "`deal_no` is 2, after 1 `scored`"),
    Case(EarlyOutcome, rules.an_outcome_exists_exactly_at_the_end, "outcome while seat 0 is to pass"),
    Case(WrongPlacings, rules.placings_agree_with_gains, r"the placings are \(1, 1, 1\), but gains of"),
    Case(SmallLead, rules.no_lead_is_larger_than_the_game_says, "a lead of ., but `largest_lead` says 1"),
    Case(Dependent, rules.independent_deals_pass_on_points_only, "view.number is"),
    Case(AnyOption, rules.unknown_options_are_named, "`jokers`, is accepted"),
    Case(IdleSuit, words.deck_and_suits_agree, "the suits are A B C, but those of the deck are A C"),
    Case(HandUnsorted, words.views_begin_alike, r"`hand` in the view of seat 0 is \["),
    Case(FreeWord, words.texts_in_views_are_cards, "`turned` of the view is 'high', which is not a card"),
    Case(Quoted, words.texts_are_plain, "the name 'sour apple'"),
    Case(
        Lists,
        words.texts_survive_the_trip_through_json,
        "the view of seat 0 was .*, and comes back from JSON as",
    ),
    Case(Fat, words.requests_fit_on_a_line, r"a request to seat \d takes \d+ KiB"),
    Case(Speechless, words.events_tell_a_sentence, "event Mute is 'None takes"),
    Case(ForgetsPass, secrets.imagined_states_look_the_same, "`passed` of its view is A1 instead of"),
    Case(ForgetsOption, secrets.imagined_states_go_on_alike, r"`points\[\d\]` of an event is \d instead of"),
    Case(ImaginesOne, secrets.imagined_states_are_a_sample, "from the view of seat 0 have the same hands"),
    Case(ImaginesTruth, secrets.imagined_states_are_a_sample, "the same hands, the true ones"),
    Case(ImaginesByChance, secrets.the_same_stream_imagines_the_same, "imagined two different deals"),
    Case(ImaginesLate, secrets.imagined_states_look_the_same, "LookupError: not thought of.*in imagine"),
    Case(ImaginesLate, house.builtin_bots_can_play, "LookupError: not thought of.*in imagine"),
    Case(Overlong, learners.learners_can_tell_views_apart, "give it a `max_length`"),
    Case(ShortRows, extras.the_picture_can_be_drawn, "for seat 0 cannot be drawn: a picture has a row"),
    Case(ReadsStock, extras.advice_uses_nothing_hidden, r"seat \d is advised \w+, but \w+ in another state"),
    Case(
        ImaginesStuck,
        secrets.imagined_states_play_on_to_the_end,
        "10000 steps of random play did not reach the end",
    ),
]
