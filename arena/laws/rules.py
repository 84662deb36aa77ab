"""Laws of play: what may be chosen, what follows, how deals and matches end; and that it can be repeated."""

import random
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from arena.games.game import Action, IllegalAction, State
from arena.laws.known import difference, difference_of_texts, encoded, heard, plain, told
from arena.laws.trial import Broken, Trial, raised, transcript
from arena.laws.twin import NoTwin, retold
from protocol.cards import Seat
from protocol.outcome import Outcome
from protocol.streams import DealSource, Stream

OTHER_DEALS: Final = 5
CLIMBS: Final = 20
"""The number of attempts to raise one seat's lead in a deal, besides random play."""

Breaches = Iterator[Broken]


def a_match_can_be_played(trial: Trial) -> Breaches:
    """Random play, sent to every seat, brings a match to its end."""
    # `record` plays the match, and raises Unplayable if that fails.
    if not trial.record.moments:
        yield Broken(
            "the match is over before anybody has chosen anything", "make a seat pending at the start"
        )


def legal_actions_exist_exactly_for_pending_seats(trial: Trial) -> Breaches:
    """A seat has legal actions if and only if it has to decide."""
    decisions = trial.variant.game.decisions
    for i, state in enumerate(trial.record.states):
        for seat, decision in state.pending.items():
            if seat not in trial.seats:
                yield trial.broken(i, f"seat {seat!r} is pending", f"seats count from 0 to {trial.seats[-1]}")
            if decision not in decisions:
                yield trial.broken(i, f"seat {seat} is to decide {decision!r}", "list it in `decisions`")
        for seat in range(-1, trial.variant.seats + 1):
            legal, pending = state.legal(seat), seat in state.pending
            if bool(legal) != pending:
                yield trial.broken(
                    i,
                    f"seat {seat} is {'' if pending else 'not '}pending, and its legal actions are {legal}",
                    "`legal` is empty exactly for a seat that is not in `pending`",
                )


def actions_are_cards_or_words_of_the_game(trial: Trial) -> Breaches:
    """Every legal action is a card of the deck or one of the game's words, and is listed once."""
    known = {*trial.deck, *trial.variant.game.words}
    for i, state in enumerate(trial.record.states):
        for seat in state.pending:
            legal = state.legal(seat)
            for action in legal:
                if action not in known:
                    yield trial.broken(i, f"seat {seat} may choose {action!r}", "list it in `words`")
            if len(set(legal)) < len(legal):
                double = next(action for action in legal if legal.count(action) > 1)
                yield trial.broken(
                    i,
                    f"{double} is listed twice in the legal actions of seat {seat}",
                    "list an action only once",
                )


def legal_actions_can_be_applied(trial: Trial) -> Breaches:
    """Every legal action can be applied, and an event says what happened."""
    for i, (state, taken, _) in enumerate(trial.record.moments):
        for seat in state.pending:
            for action in state.legal(seat):
                try:
                    events = state.apply({**taken, seat: action}).events
                except IllegalAction as error:
                    yield trial.broken(
                        i,
                        f"{action} is legal for seat {seat}, but `apply` refuses it ({error})",
                        "make `legal` and `apply` use the same rule",
                    )
                    continue
                if not events:
                    yield trial.broken(
                        i,
                        f"{action} of seat {seat} produces no event",
                        "add an event that says what happened",
                    )


def other_actions_are_refused(trial: Trial) -> Breaches:
    """Any other action, a missing and an additional one raise IllegalAction, and change nothing."""
    record = trial.record
    chosen = {action for moment in record.moments for action in moment.actions.values()}
    tries = sorted({*chosen, *trial.deck, *trial.variant.game.words, "", "nonsense", "R99"})
    for i, (state, taken, _) in enumerate(record.moments):
        before = [told(state, seat) for seat in trial.seats]
        for wrong, what in _wrong_actions(state, taken, tries, trial.variant.seats):
            if (answer := _answer(state, wrong, trial)) is not None:
                yield trial.broken(i, f"{what}: {answer}", "`apply` raises IllegalAction; `check` does it")
        for seat in trial.seats:
            if told(state, seat) != before[seat]:
                yield trial.broken(
                    i,
                    f"refused actions have changed what seat {seat} is sent",
                    "make `apply` refuse before it changes anything",
                )


def _wrong_actions(
    state: State, taken: Mapping[Seat, Action], tries: list[Action], seats: int
) -> Iterator[tuple[dict[Seat, Action], str]]:
    """Actions that `apply` has to refuse, each with what is wrong."""
    for seat in state.pending:
        legal = set(state.legal(seat))
        for action in tries:
            if action not in legal:
                yield {**taken, seat: action}, f"{action!r} is not legal for seat {seat}"
        fewer = {other: action for other, action in taken.items() if other != seat}
        yield fewer, f"seat {seat} is pending but has not chosen"
    for seat in range(seats + 1):
        if seat not in state.pending:
            yield {**taken, seat: next(iter(taken.values()))}, f"seat {seat} chooses but is not pending"


def _answer(state: State, actions: Mapping[Seat, Action], trial: Trial) -> str | None:
    """What `apply` does instead of raising IllegalAction; None if it does raise it."""
    try:
        state.apply(actions)
    except IllegalAction:
        return None
    except Exception as error:
        broken = raised(error, trial.variant.game)
        return f"`apply` does not raise IllegalAction; {broken.found}" + "".join(
            f" ({line})" for line in broken.trace[-1:]
        )
    return "`apply` accepts it"


def states_stay_as_they_are(trial: Trial) -> Breaches:
    """A state never changes: the same actions have the same consequences a second time."""
    for i, (state, actions, step) in enumerate(trial.record.moments):
        before = _snapshot(state, trial.seats)
        again = state.apply(actions)
        after = _snapshot(state, trial.seats)
        if before != after:
            found = difference_of_texts(before, after)
            yield trial.broken(
                i,
                f"`apply` has changed the state itself: {found.place} was {found.one} and is {found.other}",
                "make a new state (`msgspec.structs.replace`), and use tuples in it, not lists",
            )
        one, other = encoded(step.events), encoded(again.events)
        if one == other:
            one, other = _snapshot(step.state, trial.seats), _snapshot(again.state, trial.seats)
        if one != other:
            found = difference_of_texts(one, other)
            yield trial.broken(
                i + 1,
                f"the same actions in the same state had a different result the second time: {found.place} "
                f"was {found.one} and is {found.other}",
                "make a step depend only on the state and the actions",
            )


def _snapshot(state: State, seats: range) -> bytes:
    """Everything that can be seen of a state, as JSON."""
    views = {f"the view of seat {seat}": state.view(seat) for seat in seats}
    legal = {f"the legal actions of seat {seat}": state.legal(seat) for seat in seats}
    return encoded({**views, **legal, "hands": state.hands, "stock": state.stock, "deal_no": state.deal_no})


def deals_are_scored_one_by_one(trial: Trial) -> Breaches:
    """Every deal ends with one `scored` event, deals count from 1, and the match ends with its last deal."""
    record = trial.record
    number = 1
    for i, step in enumerate(record.steps):
        for event in map(msgspec.to_builtins, step.events):
            if event["event"] != "scored":
                continue
            if event.get("deal_no") != number:
                yield trial.broken(
                    i,
                    f"deal {event.get('deal_no')} is scored, but deal {number} was played",
                    "an event with the tag `scored` has the field `deal_no`, and ends each deal once",
                )
            number += 1
        expected = min(number, trial.deals) if step.state.pending else number - 1
        if step.state.deal_no != expected:
            yield trial.broken(
                i,
                f"the state's `deal_no` is {step.state.deal_no}, after {number - 1} `scored` events",
                "`deal_no` is the current deal, from 1, and the last one when the match is over",
            )
    scored, last = number - 1, len(record.moments)
    too_few = scored < trial.deals and not trial.variant.options.open_ended
    if scored > trial.deals or too_few:
        yield trial.broken(
            last,
            f"a match of {trial.deals} deals ended after {scored}",
            "end it with its last deal; if an option lets play decide when it ends, the options are "
            "`open_ended`",
        )


def the_same_source_gives_the_same_bytes(trial: Trial) -> Breaches:
    """The same source and the same actions give the same bytes, in another process too."""
    record = trial.record
    ours = transcript(record, trial.seats)
    again = trial.start()
    for i, step in enumerate(record.steps):
        one = [heard(step.events, seat) + list(told(step.state, seat).values()) for seat in trial.seats]
        other = [heard(again.events, seat) + list(told(again.state, seat).values()) for seat in trial.seats]
        if one != other:
            yield trial.broken(
                i,
                "the same source and actions gave different bytes the second time",
                "derive all randomness from the DealSource, and keep nothing from one match to the next",
            )
            return
        if i < len(record.moments):
            again = again.state.apply(record.moments[i].actions)
    try:
        theirs = retold(trial)
    except NoTwin as error:
        yield Broken(f"in a separate process the same match failed: {error}", "keep the module importable")
        return
    yield from _unlike(trial, ours, theirs)


def _unlike(trial: Trial, ours: list[list[str]], theirs: list[list[str]]) -> Breaches:
    """The first place where the match differs in another process."""
    for i, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        for here, there in zip(one, other, strict=False):
            if here != there:
                found = difference_of_texts(here.encode(), there.encode())
                yield trial.broken(
                    i,
                    f"in another process the same match differs: {found.place or 'a string'} is {found.one} "
                    f"here and {found.other} there",
                    "do not depend on the order of a set, on id() or on hash(); sort first",
                )
                return
    if list(map(len, ours)) != list(map(len, theirs)):
        yield Broken(
            "in another process the same match has a different length", "sort what you take from sets"
        )


def cards_come_from_the_source(trial: Trial) -> Breaches:
    """The cards are dealt from the decks of the DealSource: another source deals other hands."""
    states = [trial.start(DealSource(f"other/{no}")).state for no in range(OTHER_DEALS)]
    hands = {(state.hands, tuple(state.stock)) for state in states}
    if len(hands) == 1:
        yield Broken(
            f"{OTHER_DEALS} sources gave the same hands",
            "deal from `source.deck(deal_no, cards)`",
            "at the start",
        )


def an_outcome_exists_exactly_at_the_end(trial: Trial) -> Breaches:
    """There is an outcome exactly when nobody has to decide, and it is the tally."""
    for i, state in enumerate(trial.record.states):
        outcome = state.outcome()
        if outcome is not None and state.pending:
            yield trial.broken(i, f"there is an outcome while {_pending(state)}", "return None until the end")
        if outcome is None and not state.pending:
            yield trial.broken(i, "the match is over but has no outcome", "return `tally()` at the end")
        if outcome is not None and outcome != state.tally():
            yield trial.broken(i, "outcome() is not tally()", "return `tally()` at the end")


def _pending(state: State) -> str:
    return ", ".join(f"seat {seat} is to {decision}" for seat, decision in state.pending.items())


def placings_agree_with_gains(trial: Trial) -> Breaches:
    """Placings follow the sums of the gains, equal sums share a placing, and views show summed points."""
    for i, state in enumerate(trial.record.states):
        tally = state.tally()
        if fault := _fault_of_tally(tally, trial.variant.seats):
            yield trial.broken(i, fault, "make it with `most_points_win` or `fewest_points_win`")
        sums = tuple(sum(deal[seat] for deal in tally.points) for seat in trial.seats)
        for seat in trial.seats:
            shown = tuple(state.view(seat).points)
            if shown != sums:
                yield trial.broken(
                    i,
                    f"the view of seat {seat} shows the points {shown}, but the finished deals add up to "
                    f"{sums}",
                    "show `totals(points, seats)`",
                )


def _fault_of_tally(tally: Outcome, seats: int) -> str | None:
    """How an outcome contradicts itself; None if it does not."""
    points, gains, placings = msgspec.structs.astuple(tally)
    if any(len(deal) != seats for deal in (*points, *gains)):
        return f"a deal in the tally does not have one number for each of {seats} seats: {points}, {gains}"
    sums = [sum(deal[seat] for deal in gains) for seat in range(seats)]
    due = tuple(1 + sum(other > mine for other in sums) for mine in sums)
    if placings != due:
        return f"the placings are {placings}, but gains of {sums} give {due}"
    if gains not in (points, tuple(tuple(-p for p in deal) for deal in points)):
        return f"the gains {gains} are neither the points {points} nor these negated"
    return None


def no_lead_is_larger_than_the_game_says(trial: Trial) -> Breaches:
    """In no deal do the gains of two seats differ by more than `largest_lead`."""
    largest = trial.variant.game.largest_lead(trial.variant.seats)
    fix = "`largest_lead` may be too large, but never too small"
    for deal in trial.record.states[-1].tally().gains:
        if max(deal) - min(deal) > largest:
            yield trial.broken(
                len(trial.record.moments),
                f"a deal with the gains {deal} has a lead of {max(deal) - min(deal)}, but `largest_lead` "
                f"says {largest}",
                fix,
            )
    if (lead := climbed_lead(trial, CLIMBS)) > largest:
        yield Broken(f"a deal can have a lead of {lead}, but `largest_lead` says {largest}", fix)


def climbed_lead(trial: Trial, tries: int) -> int:
    """The largest lead of the first seat over the second in one deal that hill climbing finds: it changes one
    choice at a time, and keeps the change unless the lead shrinks."""
    rng = random.Random(1)
    choices = [rng.random() for _ in range(1000)]

    def lead() -> int:
        state, turn = trial.variant.start(DealSource("lead"), 1).state, 0
        while pending := state.pending:
            actions = {}
            for seat in pending:
                legal = state.legal(seat)
                actions[seat] = legal[int(choices[turn % len(choices)] * len(legal))]
                turn += 1
            state = state.apply(actions).state
        ((first, second, *_),) = state.tally().gains
        return first - second

    best = lead()
    for _ in range(tries):
        changed = rng.randrange(120)
        before, choices[changed] = choices[changed], rng.random()
        if (now := lead()) >= best:
            best = now
        else:
            choices[changed] = before
    return best


def independent_deals_pass_on_points_only(trial: Trial) -> Breaches:
    """If a game says that its deals are independent, only the points of a deal affect the next one."""
    if not trial.variant.game.independent_deals:
        return
    second = next((i for i, state in enumerate(trial.record.states) if state.deal_no == 2), None)
    if second is None:  # An option ended the match with the first deal.
        return
    state, stream = trial.start().state, Stream(f"otherwise/{trial.key}")
    while state.pending and state.deal_no == 1:
        state = state.apply({seat: stream.choice(state.legal(seat)) for seat in state.pending}).state
    if not state.pending:
        return
    for seat in trial.seats:
        one, other = _without_points(trial.record.states[second], seat), _without_points(state, seat)
        if (found := difference(one, other)) is not None:
            yield trial.broken(
                second,
                f"how the first deal was played changes what seat {seat} is sent in the second: "
                f"{found.place} is {found.one}, and {found.other} after a different first deal",
                "set `independent_deals = False`",
            )


def _without_points(state: State, seat: Seat) -> dict[str, object]:
    return {"view": {**plain(state.view(seat)), "points": None}, "legal": list(state.legal(seat))}


def unknown_options_are_named(trial: Trial) -> Breaches:
    """An option that the game does not have is refused, and the error names it."""
    try:
        msgspec.convert({"jokers": "1"}, trial.variant.game.options, strict=False)
    except msgspec.ValidationError as error:
        if "jokers" not in str(error):
            yield Broken(
                f"the option `jokers` is refused with “{error}”, which does not name it",
                "keep `forbid_unknown_fields`",
            )
        return
    yield Broken("an unknown option, `jokers`, is accepted", "keep `forbid_unknown_fields` of `Options`")
