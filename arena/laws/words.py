"""Laws of texts: what is sent comes back from JSON, begins the same in all games, and can be read by bots
without a JSON library, by learners and by people.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from arena.games.game import View
from arena.laws.known import encoded, heard, plain, told
from arena.laws.trial import Broken, Trial
from protocol.cards import ordered
from protocol.messages import LINE_BYTES

FIRST_FIELDS: Final = ["deal_no", "deals", "seats", "seat", "leader", "hand", "points"]
WORD: Final = re.compile("[A-Za-z0-9]+")
PLAIN: Final = re.compile("[A-Za-z0-9_-]+")
TEXT_IN_JSON: Final = re.compile(rb'"(.*?)"(?=[],:}])')

Breaches = Iterator[Broken]


def texts_survive_the_trip_through_json(trial: Trial) -> Breaches:
    """Events and views come back from JSON unchanged, and actions are letters and digits."""
    game = trial.variant.game
    for i, step in enumerate(trial.record.steps):
        views = [(f"the view of seat {seat}", step.state.view(seat), game.views) for seat in trial.seats]
        events = [(f"the event {type(event).__name__}", event, game.events) for event in step.events]
        for what, value, kind in (*events, *views):
            try:
                back = msgspec.json.decode(encoded(value), type=kind)
            except (msgspec.MsgspecError, TypeError) as error:
                yield trial.broken(
                    i,
                    f"{what} does not survive a round trip through JSON: {error}",
                    "list it in `events` or `views`, with the types of its fields",
                )
                continue
            if back != value:
                yield trial.broken(
                    i,
                    f"{what} was {value}, and comes back from JSON as {back}",
                    "use tuples, numbers, strings and None in it, not lists or sets",
                )
        for seat in step.state.pending:
            for action in step.state.legal(seat):
                if not WORD.fullmatch(action):
                    yield trial.broken(
                        i, f"seat {seat} may choose {action!r}", "an action must have only letters and digits"
                    )


def requests_fit_on_a_line(trial: Trial) -> Breaches:
    """A request, with view, legal actions and the events since the last one, is shorter than 64 KiB."""
    record = trial.record
    waiting = dict.fromkeys(trial.seats, 0)
    for i, step in enumerate(record.steps):
        for seat in trial.seats:
            waiting[seat] += sum(map(len, heard(step.events, seat)))
        for seat in step.state.pending:
            size = waiting[seat] + sum(map(len, told(step.state, seat).values()))
            if size >= LINE_BYTES:
                yield trial.broken(
                    i,
                    f"a request to seat {seat} takes {size // 1024} KiB",
                    f"send less: bots read lines of at most {LINE_BYTES // 1024} KiB (SPEC.md)",
                )
            waiting[seat] = 0


def texts_are_plain(trial: Trial) -> Breaches:
    """No text that is sent contains a quote, a bracket, a brace or a space, so bots need no JSON library."""
    game, record = trial.variant.game, trial.record
    for name in (game.id, *game.suits(trial.variant.seats).values()):
        if not PLAIN.fullmatch(name):
            yield Broken(f"the name {name!r}", "use letters, digits, `_` and `-`")
    for i, step in enumerate(record.steps):
        for line in map(encoded, (*step.events, *(step.state.view(seat) for seat in trial.seats))):
            for text in TEXT_IN_JSON.findall(line):
                if not PLAIN.fullmatch(text.decode()):
                    yield trial.broken(
                        i, f"the string {text.decode()!r} is sent", "use letters, digits, `_` and `-`"
                    )


def texts_in_views_are_cards(trial: Trial) -> Breaches:
    """A text in a view is a card; the type of other words is a Literal, since learners get their numbers."""
    cards = {*trial.deck, "", None}
    for i, state in enumerate(trial.record.states):
        for name, text in _texts_of(state.view(0)):
            if text not in cards:
                yield trial.broken(
                    i,
                    f"`{name}` of the view is {text!r}, which is not a card",
                    "make its type a Literal of its words",
                )


def _texts_of(view: View) -> Iterator[tuple[str, str | None]]:
    """The fields of a view whose type is any text, each with its value."""
    known: Any = msgspec.inspect.type_info(type(view))
    for field in known.fields:
        kinds = getattr(field.type, "types", (field.type,))
        if any(isinstance(kind, msgspec.inspect.StrType) for kind in kinds):
            yield field.name, getattr(view, field.name)


def views_begin_alike(trial: Trial) -> Breaches:
    """Every view begins with the fields that all games have, and they agree with the state."""
    for i, state in enumerate(trial.record.states):
        for seat in trial.seats:
            view = plain(state.view(seat))
            if list(view)[: len(FIRST_FIELDS)] != FIRST_FIELDS:
                yield trial.broken(
                    i,
                    f"the view begins with {', '.join(list(view)[: len(FIRST_FIELDS)])}",
                    f"make its class extend View, so that it begins with {', '.join(FIRST_FIELDS)}",
                )
                return
            due = {
                "deal_no": state.deal_no,
                "seats": trial.variant.seats,
                "seat": seat,
                "hand": list(ordered(state.hands[seat], trial.deck)),
            }
            for name, value in due.items():
                if view[name] != value:
                    yield trial.broken(
                        i,
                        f"`{name}` in the view of seat {seat} is {view[name]}, but should be {value}",
                        "show a hand in deck order (`ordered`)"
                        if name == "hand"
                        else "fill it from the state",
                    )
            if view["leader"] not in trial.seats:
                yield trial.broken(
                    i,
                    f"`leader` in the view of seat {seat} is {view['leader']}",
                    "it is a seat: the leader of the trick, or the seat in turn",
                )


def events_tell_a_sentence(trial: Trial) -> Breaches:
    """Every event has a short sentence for people."""
    for i, step in enumerate(trial.record.steps):
        for event in step.events:
            sentence = event.sentence(lambda seat: f"<{seat}>")
            if not sentence or sentence != sentence.strip() or "\n" in sentence or "None" in sentence:
                yield trial.broken(
                    i,
                    f"the sentence of the event {type(event).__name__} is {sentence!r}",
                    "write one line, without a space at either end and without `None`",
                )


def deck_and_suits_agree(trial: Trial) -> Breaches:
    """Every suit has cards, suits are in the order of the deck, and the first deal is deal 1."""
    suits = list(trial.variant.game.suits(trial.variant.seats))
    lettered = list(dict.fromkeys(card[0] for card in trial.deck))
    if suits != lettered:
        yield Broken(
            f"the suits are {' '.join(suits)}, but those of the deck are {' '.join(lettered)}",
            "list the suits of this number of seats, in deck order",
        )
    if trial.record.start.state.deal_no != 1:
        yield trial.broken(0, f"the first deal is {trial.record.start.state.deal_no}", "deals count from 1")
