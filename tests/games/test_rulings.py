"""How often random play meets each ruling, printed: `python -m tests.games.test_rulings [MATCHES]` from
the project's folder, for so many matches at every seat count. What it hardly ever meets needs a test of its
own.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from arena.games.ole.rules import Chipped, OlePlayed, OleScored, Opened, Topped, rule
from arena.games.sticheln.rules import Taken
from protocol.cards import suit, value
from tests.games.playing import REGISTERED, Trajectory, random_match

Sightings: TypeAlias = Iterator[str]
"""The label of a ruling, once for every time that it decided something."""


def in_tricks(record: Trajectory) -> Iterator[tuple[Any, Any]]:
    """Every finished trick, and the view of its deal just before its last card."""
    for state, actions, step in record.moments:
        if any(type(event).__name__ in ("Taken", "Split") for event in step.events):
            view: Any = state.view(0)
            yield (*view.trick, *actions.values()), (view, step)


def finals(record: Trajectory) -> Sightings:
    placings = record.states[-1].tally().placings
    if len(set(placings)) < len(placings):
        yield "final tie"


def sticheln(record: Trajectory) -> Sightings:
    for trick, (view, step) in in_tricks(record):
        lead = suit(trick[0])
        zeros = [value(card) == 0 for card in trick]
        others = [value(card) for card in trick if suit(card) != lead]
        taken = next(event for event in step.events if isinstance(event, Taken))
        if zeros[0]:
            yield "S-2 a zero is led"
        if others and not any(others) and not all(zeros):
            yield "S-3 only zeros beside the lead colour"
        if not zeros[0] and all(zeros[1:]):
            yield "S-4 the leader's card is the only one above zero"
        if all(zeros):
            yield "all zeros (S-5 in the last trick, T-2)"
            if len(view.tricks) == 13:
                yield "S-5 all zeros in the last trick"
        if others and max(others) and others.count(max(others)) > 1:
            yield "4a equal highest cards of other colours"
        if any(zero and suit(card) != lead for zero, card in zip(zeros, trick, strict=True)):
            yield "T-1 a zero of another colour is played"
        if taken.seat is not None and any(card == f"{suit(view.pain[taken.seat])}0" for card in trick):
            yield "S-8, T-5 a collected zero of the pain colour"
    for event in record.events:
        if type(event).__name__ == "Pains":
            colours = [suit(card) for card in event.cards]  # type: ignore[attr-defined]
            if len(set(colours)) < len(colours):
                yield "S-9 several seats with one pain colour"


def david_and_goliath(record: Trajectory) -> Sightings:
    for trick, _ in in_tricks(record):
        values = [value(card) for card in trick]
        if values.count(max(values)) > 1:
            yield "equal highest cards"
        if values.count(min(values)) > 1:
            yield "equal lowest cards"
        if len(set(values)) == 1:
            yield "D-2 all cards equal"
        last_high = max(at for at, number in enumerate(values) if number == max(values))
        if suit(trick[last_high]) != suit(trick[0]):
            yield "D-3 a card of another colour is high"
    for state, actions, _ in record.moments:
        ((seat, card),) = actions.items()
        view = state.view(seat)
        if view.trick and suit(card) != suit(view.trick[0]):
            yield "a seat cannot follow"


def ole(record: Trajectory) -> Sightings:
    laps: list[Any] = []
    series: list[int] = []
    for state, actions, step in record.moments:
        ((seat, action),) = actions.items()
        before: Any = state.view(seat)
        cards = [card for card in state.legal(seat) if card != "chip"]
        for event in step.events:
            match event:
                case Topped():
                    yield f"O-11 {event.top} on top"
                case OlePlayed(rule=0) if rule(event.card, before.table, before.top) == 3:
                    yield "O-2a a second opening card higher in both"
                case OlePlayed(rule=3) if len(before.hand) == 1:
                    yield "O-6 the last card by rule 3"
                case OlePlayed(rule=1 | 2) if before.phase == "series":
                    yield "O-4 a series closed by a card"
                case Chipped() if before.phase == "series":
                    yield "O-4 a series closed by a chip"
        if action == "chip":
            laps = [*laps, (before.phase, bool(cards))]
            series = []
            if cards:
                yield "O-5 a chip though a card was legal"
            if before.chips_in_a_row == before.seats - 1:
                yield "5(ii) a lap of chips ends the deal"
                if any(phase == "series" for phase, _ in laps):
                    yield "O-7 such a lap with a chip of a series"
                if any(free for _, free in laps):
                    yield "O-14 such a lap with free chips"
                laps = []
        elif before.phase != "top":
            last = next(play.seat for play in reversed(before.plays) if play.action != "chip")
            if last == seat and before.phase == "turn":
                yield "O-8 a seat tops its own card"
            laps = []
            series = [*series, 1] if before.phase == "series" else [1]
            if before.phase in ("turn", "series") and len(series) == 4:
                yield "O-3 four cards in one turn"
        for event in step.events:
            if isinstance(event, OleScored):
                if sum(event.chips) > 18:
                    yield "O-9 more than 18 chips"
                worst = [s for s, points in enumerate(event.points) if points == max(event.points)]
                totals = [event.totals[s] for s in worst]
                if len(worst) > 1:
                    yield "O-10 tied losers"
                    if totals.count(max(totals)) > 1:
                        yield "O-10 tied losers, tied in total"
    yield from ("O-16 opened" for event in record.events if isinstance(event, Opened))


SIGHTINGS: dict[str, Callable[[Trajectory], Sightings]] = {
    "sticheln": sticheln,
    "sticheln-1993": sticheln,
    "david-and-goliath": david_and_goliath,
    "ole": ole,
}


def report(matches: int) -> dict[str, Counter[str]]:
    """Per game the sightings in `matches` matches at every seat count and option."""
    found: dict[str, Counter[str]] = {game: Counter() for game in SIGHTINGS}
    for variant in REGISTERED:
        seen = found[variant.game.id]
        for no in range(matches):
            deals = variant.game.deals(variant.seats)
            record = random_match.__wrapped__(variant, f"rulings/{no}", deals)
            seen["deals"] += record.states[-1].deal_no
            seen["steps"] += len(record.moments)
            seen.update(SIGHTINGS[variant.game.id](record))
            seen.update(finals(record))
    return found


def test_random_play_meets_the_common_rulings() -> None:
    """What the report of one match each must show, so that a sighting that has gone blind is noticed."""
    found = report(1)
    for game in ("sticheln", "sticheln-1993"):
        assert found[game]["T-1 a zero of another colour is played"] > 10
        assert found[game]["S-2 a zero is led"] > 5
    assert found["david-and-goliath"]["D-3 a card of another colour is high"] > 10
    for label in (
        "O-4 a series closed by a card",
        "O-4 a series closed by a chip",
        "O-8 a seat tops its own card",
    ):
        assert found["ole"][label] > 2


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for game, seen in report(matches).items():
        print(f"\n{game}: {matches} matches at every seat count and option")
        for label, times in sorted(seen.items()):
            print(f"  {times:>9,}  {label}")


if __name__ == "__main__":
    main()
