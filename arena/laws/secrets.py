"""Laws of hidden cards: where every card is, what a seat can infer about cards that it does not see, and the
states that are imagined from a view.

A seat *knows* a card of a deal once it has held it, once an event that it may know has named it, or once it
has named it itself. Cards that it does not know change places in an *exchange*: they are renamed in the
shuffled deck, the other seats choose the renamed cards, and the match is played again. As long as all those
actions are legal, the seat must not be able to distinguish the two matches. So it does not matter how a game
stores its cards, and a card that the rules make public stays where it is once an event has named it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.events import Played
from arena.games.game import Action, State, Step
from arena.laws.known import (
    cards_beside_the_hand,
    cards_in,
    cards_of_events,
    difference_of_texts,
    heard,
    seats_named,
    told,
)
from arena.laws.trial import LONGEST, Broken, Trajectory, Trial, events_of_deal
from protocol.cards import Card, Seat
from protocol.streams import DealSource, Stream

SHARES: Final = ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.5))
"""For the first deal and the second: after which shares of its steps exchanges end. The second differs from
the first only in that its cards are dealt at the end of another deal."""
PAIRS: Final = 2
STRIDE: Final = 25
MATCHING: Final = 40
"""After this many equal imagined deals, there is taken to be only one."""

Breaches = Iterator[Broken]


# ---------------------------------------------------------------- where the cards are


def cards_are_conserved(trial: Trial) -> Breaches:
    """Every card of the deck is in one place only: in a hand, in the stock, or open to all."""
    laid = _laid(trial)
    for i, state in enumerate(trial.record.states):
        lying = _lying(state)
        counts = Counter(card for _, cards in lying for card in cards)
        for card, count in counts.items():
            places = ", ".join(place for place, cards in lying if card in cards)
            if card not in trial.cards:
                yield trial.broken(i, f"{card!r} ({places}) is not a card of the deck", "list it in `deck`")
            if count > 1:
                yield trial.broken(
                    i, f"{card} exists {count} times: {places}", "move cards, do not copy them"
                )
        shown = [trial.shown(i, seat) for seat in trial.seats]
        for card in trial.deck:
            without = [seat for seat in trial.seats if card not in shown[seat]]
            if card not in counts and without:
                yield trial.broken(
                    i,
                    f"{card} is in no hand and not in the stock, and the view of {seats_named(without)} does "
                    "not show it",
                    "a face-down card belongs in `stock`; a face-up card must be shown in every view until "
                    "the deal ends",
                )
            if card in counts and not without and card in laid[i]:
                place = next(place for place, cards in lying if card in cards)
                yield trial.broken(
                    i,
                    f"{card} was laid and is in every view, but is also {place}",
                    "remove it from there; if a card stays in its hand for everybody to see, use your own "
                    "event instead of Played",
                )


def _lying(state: State) -> list[tuple[str, tuple[Card, ...]]]:
    """The hidden places with their cards."""
    hands = [(f"in the hand of seat {seat}", tuple(hand)) for seat, hand in enumerate(state.hands)]
    return [*hands, ("in the stock", tuple(state.stock))]


def _place_of(state: State, card: Card) -> str:
    return next((place for place, cards in _lying(state) if card in cards), "on the table")


def _laid(trial: Trial) -> list[set[Card]]:
    """For each state, the cards that Played events have laid since its deal began."""
    found: list[set[Card]] = []
    record = trial.record
    for i, step in enumerate(record.steps):
        begins = i == 0 or step.state.deal_no != record.states[i - 1].deal_no
        events = events_of_deal(step)
        laid = {event.card for event in events if isinstance(event, Played)}
        found.append(laid if begins else found[-1] | laid)
    return found


# ---------------------------------------------------------------- what a seat can infer


def known_cards(record: Trajectory, seat: Seat, first: int, last: int, deck: Collection[Card]) -> set[Card]:
    """The cards that `seat` gets to know from `states[first]`, in which a deal begins, to `states[last]`."""
    known: set[Card] = set()
    for i in range(first, last + 1):
        step = record.steps[i]
        known |= set(step.state.hands[seat]) | cards_of_events(events_of_deal(step), seat, deck)
        if i > first:
            known |= cards_in(record.moments[i - 1].actions.get(seat), deck)
    return known


def events_tell_only_what_views_show(trial: Trial) -> Breaches:
    """A hidden card that an event names is in the view of every seat that may know the event."""
    for i, step in enumerate(trial.record.steps):
        if not step.state.pending:
            continue  # At the end of a match or a deal, hands may be shown.
        for seat in trial.seats:
            view = trial.shown(i, seat) | set(step.state.hands[seat])
            for event in events_of_deal(step):
                for card in sorted(cards_of_events([event], seat, trial.cards) - view):
                    if any(card in cards for _, cards in _lying(step.state)):
                        yield trial.broken(
                            i,
                            f"the event {type(event).__name__} shows seat {seat} {card}, which is "
                            f"{_place_of(step.state, card)}, but the view of seat {seat} does not show it",
                            f"if seat {seat} may know it, show it in the view; otherwise give the event an "
                            "`audience`",
                        )
                        return


def no_view_depends_on_hidden_cards(trial: Trial) -> Breaches:
    """No view changes when cards that its seat cannot see change places."""
    yield from _leaks(
        trial,
        "view",
        "leave it out, or sort it so that it does not depend on where hidden cards are. If the rules make "
        "it public, make an event name the card",
    )


def no_event_depends_on_hidden_cards(trial: Trial) -> Breaches:
    """No event that a seat may know changes when cards that the seat cannot see change places."""
    yield from _leaks(
        trial,
        "event",
        "give the event the seat that may know it as its `audience`. If the rules make it public, make the "
        "event name the card",
    )


def no_choice_depends_on_hidden_cards(trial: Trial) -> Breaches:
    """Neither the legal actions of a seat nor the kind of its decision change when cards that it cannot see
    change places."""
    yield from _leaks(
        trial,
        "choice",
        "make `legal` and `pending` depend only on the seat's own hand and on what everybody can see",
    )


class Leak(NamedTuple):
    """What a seat can infer: in `states[at]`, `what` is `one`, and `other` after an exchange."""

    kind: str
    at: int
    seat: Seat
    what: str
    one: str
    other: str


def _leaks(trial: Trial, kind: str, fix: str) -> Breaches:
    found = leaks(trial).get(kind)
    if found is None:
        return
    leak, names = found
    state = trial.record.states[leak.at]
    pairs = sorted({tuple(sorted(pair)) for pair in names.items() if pair[0] != pair[1]})
    cards = " and ".join(f"{card} ({_place_of(state, card)})" for card in pairs[0])
    more = f" (and {len(pairs) - 1} more)" if len(pairs) > 1 else ""
    yield trial.broken(
        leak.at,
        f"seat {leak.seat} can tell where hidden cards are: {leak.what} is {leak.one}, but {leak.other} if "
        f"{cards}{more} change places",
        fix,
    )


def leaks(trial: Trial) -> dict[str, tuple[Leak, Mapping[Card, Card]]]:
    """The first leak of each kind, with the exchange that shows it."""
    known: dict[str, tuple[Leak, Mapping[Card, Card]]] | None = trial.notes.get("leaks")
    if known is None:
        known = trial.notes["leaks"] = {}
        for seat, first, last, names in exchanges(trial):
            leak = exchanged(trial, seat, first, last, names)
            if leak is not None and leak.kind not in known:
                known[leak.kind] = _smallest(trial, leak, first, last, names)
    return known


def _smallest(
    trial: Trial, leak: Leak, first: int, last: int, names: Mapping[Card, Card]
) -> tuple[Leak, Mapping[Card, Card]]:
    """The leak with an exchange of only two cards, if two of this exchange show it."""
    for one, other in names.items():
        pair = {one: other, other: one}
        found = exchanged(trial, leak.seat, first, last, pair) if one != other else None
        if found is not None and found.kind == leak.kind:
            return found, pair
    return leak, names


def dealings(record: Trajectory) -> list[tuple[int, int]]:
    """For each deal, the numbers of its first and its last state."""
    found: dict[int, tuple[int, int]] = {}
    for i, state in enumerate(record.states):
        found[state.deal_no] = (found.get(state.deal_no, (i, i))[0], i)
    return list(found.values())


def exchanges(trial: Trial) -> Iterator[tuple[Seat, int, int, dict[Card, Card]]]:
    """A seat, the first and the last state of a part of a deal, and the cards that the seat does not know in
    it, each with the card whose place it takes: all at once, all within their suits (so that actions stay
    legal if there is a duty to follow), and single pairs."""
    record, stream = trial.record, Stream(f"exchange/{trial.key}")
    for (first, end), shares in zip(dealings(record), SHARES, strict=False):
        for last in sorted({first + round(share * (end - first)) for share in shares}):
            for seat in trial.seats:
                known = known_cards(record, seat, first, last, trial.cards)
                hidden = [card for card in trial.deck if card not in known]
                if len(hidden) < 2:
                    continue
                yield seat, first, last, dict(zip(hidden, stream.shuffled(hidden), strict=True))
                suits = [[card for card in hidden if card[0] == suit] for suit in {c[0]: 0 for c in hidden}]
                within = {
                    card: other
                    for cards in suits
                    for card, other in zip(cards, stream.shuffled(cards), strict=True)
                }
                yield seat, first, last, within
                for _ in range(PAIRS):
                    one, other, *_ = stream.shuffled(hidden)
                    yield seat, first, last, {one: other, other: one}


class SwappedDeck(DealSource):
    """The decks of a key, but in one deal some cards take the places of others."""

    def __init__(self, key: str, deal_no: int, names: Mapping[Card, Card]) -> None:
        super().__init__(key)
        self._deal_no = deal_no
        self._names = names

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        shuffled = super().deck(deal_no, cards)
        return tuple(self._names.get(c, c) for c in shuffled) if deal_no == self._deal_no else shuffled


def exchanged(trial: Trial, seat: Seat, first: int, last: int, names: Mapping[Card, Card]) -> Leak | None:
    """What `seat` can infer from an exchange in the deal that begins with `states[first]`, up to
    `states[last]`; None if nothing. From the first state on in which the actions that followed are not legal,
    nothing counts: those actions show the seat the difference anyway."""
    record = trial.record
    step = trial.start(SwappedDeck(trial.key, record.states[first].deal_no, names))
    for i in range(last + 1):
        actions = _renamed(record, i, seat, names if i >= first else {})
        if actions is not None and not _are_legal(step.state, actions):
            return None
        if i >= first and (leak := _leak_between(record.steps[i], step, i, seat)) is not None:
            return leak
        if actions is None:
            return None
        if i < last:
            step = step.state.apply(actions)
    return None


def _renamed(
    record: Trajectory, at: int, seat: Seat, names: Mapping[Card, Card]
) -> Mapping[Seat, Action] | None:
    """The actions in `states[at]`, those of other seats with the cards renamed; None at the end."""
    if at == len(record.moments):
        return None
    taken = record.moments[at].actions
    return {other: action if other == seat else names.get(action, action) for other, action in taken.items()}


def _are_legal(state: State, actions: Mapping[Seat, Action]) -> bool:
    return actions.keys() == state.pending.keys() and all(
        action in state.legal(seat) for seat, action in actions.items()
    )


def _leak_between(one: Step, other: Step, at: int, seat: Seat) -> Leak | None:
    """The first thing by which `seat` can distinguish two steps."""
    for was, then in zip(heard(one.events, seat), heard(other.events, seat), strict=False):
        if was != then:
            tag = msgspec.json.decode(was)["event"]
            found = difference_of_texts(was, then)
            return Leak("event", at, seat, f"`{found.place}` of the event `{tag}`", found.one, found.other)
    counts = [len(heard(step.events, seat)) for step in (one, other)]
    if counts[0] != counts[1]:
        return Leak("event", at, seat, "the number of events", *map(str, counts))
    ours, theirs = told(one.state, seat), told(other.state, seat)
    for name in ours:
        if ours[name] != theirs[name]:
            place, was_there, is_there = difference_of_texts(ours[name], theirs[name])
            kind = "view" if name == "view" else "choice"
            what = {
                "view": f"`{place}` of its view",
                "legal": "its legal actions",
                "decision": "its decision",
            }
            if name != "view":
                was_there, is_there = ours[name].decode(), theirs[name].decode()
            return Leak(kind, at, seat, what[name], was_there, is_there)
    return None


# ---------------------------------------------------------------- what is imagined


def imagined_states_look_the_same(trial: Trial) -> Breaches:
    """An imagined state shows its seat what the true one does, and contains the same cards."""
    stream = Stream("imagine")
    for i, state in enumerate(trial.record.states):
        for seat in trial.seats:
            imagined = trial.variant.game.imagine(state.view(seat), stream)
            one, other = told(state, seat), told(imagined, seat)
            for name in one:
                if one[name] != other[name]:
                    found = difference_of_texts(one[name], other[name])
                    yield trial.broken(
                        i,
                        f"in a state imagined from the view of seat {seat}, "
                        f"{f'`{found.place}` of ' if found.place else ''}its {name} is {found.other} instead "
                        f"of {found.one}",
                        "`imagine(view, stream).view(view.seat)` is `view` again",
                    )
            if imagined.pending != state.pending or imagined.deal_no != state.deal_no:
                yield trial.broken(
                    i,
                    f"in a state imagined from the view of seat {seat} pending is {imagined.pending} in deal "
                    f"{imagined.deal_no}, instead of {state.pending} in deal {state.deal_no}",
                    "a view shows whose turn it is; derive `pending` from it",
                )
            there, here = _all_hidden(imagined), _all_hidden(state)
            if there != here:
                odd = sorted((there - here) + (here - there))
                yield trial.broken(
                    i,
                    f"a state imagined from the view of seat {seat} has different cards in hands and stock "
                    f"from the true one: {' '.join(odd)}",
                    "`imagined_hands` and `imagined_with_stock` deal the unseen cards",
                )


def _all_hidden(state: State) -> Counter[Card]:
    return Counter(card for _, cards in _lying(state) for card in cards)


def the_same_stream_imagines_the_same(trial: Trial) -> Breaches:
    """All chance in an imagined state comes from the stream."""
    for i, state in enumerate(trial.record.states[::STRIDE]):
        for seat in trial.seats:
            one, other = (trial.variant.game.imagine(state.view(seat), Stream("twice")) for _ in range(2))
            if _lying(one) != _lying(other):
                yield trial.broken(
                    i * STRIDE,
                    f"the same stream imagined two different deals from the view of seat {seat}",
                    "derive all randomness from `stream`",
                )


def imagined_states_play_on_to_the_end(trial: Trial) -> Breaches:
    """From an imagined state random play reaches the end of the match."""
    stream = Stream("imagine and play")
    for i in range(0, len(trial.record.states), STRIDE):
        seat = i // STRIDE % trial.variant.seats
        imagined = trial.variant.game.imagine(trial.record.states[i].view(seat), stream)
        for _ in range(LONGEST):
            if not imagined.pending:
                break
            imagined = imagined.apply({s: stream.choice(imagined.legal(s)) for s in imagined.pending}).state
        if imagined.outcome() is None:
            yield trial.broken(
                i,
                f"from a state imagined from the view of seat {seat}, {LONGEST} steps of random play did "
                "not reach the end",
                "give the imagined state everything that a true one has",
            )


def imagined_states_are_a_sample(trial: Trial) -> Breaches:
    """If a seat cannot know where hidden cards are, imagined states differ from each other, and not all of
    them are the true one."""
    record, stream = trial.record, Stream("sample")
    for seat in trial.seats:
        first = next((i for i in range(len(record.states)) if _hidden_places(trial, i, seat) > 1), None)
        if first is None:
            continue
        view = record.states[first].view(seat)
        found = []
        for _ in range(MATCHING):
            found.append(_lying(trial.variant.game.imagine(view, stream)))
            if found[-1] != found[0]:
                break
        else:
            true = found[0] == _lying(record.states[first])
            yield trial.broken(
                first,
                f"{MATCHING} states imagined from the view of seat {seat} have the same hands"
                f"{', the true ones' if true else ''}, though seat {seat} cannot know them",
                "deal the hidden cards again with `stream`: `imagined_hands`, `imagined_with_stock`",
            )


def _hidden_places(trial: Trial, at: int, seat: Seat) -> int:
    """The number of hands and stocks with cards that the view of `seat` does not show."""
    state, shown = trial.record.states[at], trial.shown(at, seat)
    places = [hand for other, hand in enumerate(state.hands) if other != seat]
    return sum(not shown.issuperset(cards) for cards in (*places, state.stock))


def imagined_states_go_on_alike(trial: Trial) -> Breaches:
    """The same actions have the same consequences in an imagined state, as far as its seat can see."""
    record, stream = trial.record, Stream("imagine and go on")
    for i, (state, actions, step) in enumerate(record.moments):
        seat = min(state.pending)  # Its own action stays legal whatever it imagines.
        imagined = trial.variant.game.imagine(state.view(seat), stream)
        if not _are_legal(imagined, actions):
            continue
        other = imagined.apply(actions)
        following = record.moments[i + 1].actions if i + 1 < len(record.moments) else None
        ends = step.state.deal_no != state.deal_no or not step.state.pending
        if following is not None and not ends and not _are_legal(other.state, following):
            continue
        one, two = (_until_the_end(trial, after, state, seat, actions) for after in (step, other))
        if one is not None and two is not None and one != two:
            line = next((pair for pair in zip(one, two, strict=False) if pair[0] != pair[1]), None)
            found = difference_of_texts(*line) if line else None
            what = (
                f"`{found.place}` of an event is {found.other} instead of {found.one}"
                if found
                else f"there are {len(two)} events instead of {len(one)}"
            )
            yield trial.broken(
                i,
                f"in a state imagined from the view of seat {seat}, the actions that followed have "
                f"different consequences: {what}",
                "a view needs everything that the rules depend on: options, points, what happened in the "
                "deal",
            )


def _until_the_end(
    trial: Trial, step: Step, before: State, seat: Seat, actions: Mapping[Seat, Action]
) -> list[bytes] | None:
    """The events of a step in the deal of `before` that `seat` may know; None if they show it cards that were
    hidden and not chosen."""
    of_next = events_of_deal(step) if step.state.deal_no != before.deal_no else ()
    events = step.events[: len(step.events) - len(of_next)]
    known = set(actions.values()) | set(before.hands[seat]) | cards_beside_the_hand(before, seat, trial.cards)
    if cards_of_events(events, seat, trial.cards) - known:
        return None
    return heard(events, seat)
