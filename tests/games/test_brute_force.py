"""The rules against the second telling in brute_force.py: step by step, by counting, and by mean points."""

import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.games import GAMES
from arena.games.game import Action, State, Step
from arena.laws.second import Telling
from arena.laws.second import as_text as text
from protocol.cards import Seat
from protocol.streams import DealSource
from tests.games import brute_force
from tests.games.playing import REGISTERED, Packs, Variant, each

PLAIN = [variant for variant in REGISTERED if variant.options == variant.game.options()]

every_game_and_seats = each(PLAIN)
with_options = each(REGISTERED)


class Pair(NamedTuple):
    """One match, told twice from the same packs and lot."""

    rules: Callable[[], Step]
    brute: Callable[[], Any]


def pair(variant: Variant, packs: Sequence[Sequence[Any]], lot: int) -> Pair:
    game, seats = variant.game.id, variant.seats
    options = msgspec.structs.asdict(variant.options)
    source = Packs([[text(card) for card in pack] for pack in packs], lot)
    return Pair(
        lambda: variant.start(source, len(packs)),
        lambda: brute_force.MATCH[game](seats, packs, lot, **options),
    )


def shuffled_pair(variant: Variant, seed: int, deals: int) -> Pair:
    rnd = random.Random(f"{variant}/{seed}")
    cards = brute_force.CARDS[variant.game.id](variant.seats)
    return pair(variant, [rnd.sample(cards, len(cards)) for _ in range(deals)], rnd.randrange(variant.seats))


def asked_one_by_one(state: State) -> list[Seat]:
    """The second telling asks for a secret choice player by player."""
    return sorted(state.pending)


def public(event: Any) -> tuple[Any, ...] | None:
    """What the second telling tells, of an event; None if it does not tell of such."""
    match type(event).__name__:
        case "Taken":
            return "trick", event.seat
        case "Split":
            return "trick", event.high_to, event.rest_to
        case "Opened":
            return "opened", event.seat, event.card
        case "Scored" | "OleScored":
            return "points", event.points
    return None


def compare(two: Pair, choose: Callable[[list[str]], str]) -> int:
    """Plays both side by side; every option, and all that is told, must agree. Returns the steps."""
    telling = Telling(two.brute())
    state, events = two.rules()
    found: list[tuple[Any, ...]] = []
    steps = 0
    while True:
        found += [told for event in events if (told := public(event)) is not None]
        assert found == [(*said[:2], text(said[2])) if said[0] == "opened" else said for said in telling.told]
        if not state.pending:
            assert telling.is_over
            return steps
        actions: dict[Seat, Action] = {}
        for seat in asked_one_by_one(state):
            legal = state.legal(seat)
            assert telling.seat == seat
            assert sorted(legal) == sorted(telling.options)
            actions[seat] = choose(sorted(legal))
            telling.choose(actions[seat])
        state, events = state.apply(actions)
        steps += 1


POLICIES: dict[str, Callable[[list[str]], str]] = {
    "first": lambda legal: legal[0],
    "last": lambda legal: legal[-1],
    "middle": lambda legal: legal[len(legal) // 2],
    "low": lambda legal: min(legal, key=lambda a: (int(a[1:]) if a[1:].isdigit() else 0, a)),
    "high": lambda legal: max(legal, key=lambda a: (int(a[1:]) if a[1:].isdigit() else 0, a)),
}


@with_options
@pytest.mark.parametrize("policy", POLICIES)
def test_whole_matches_by_fixed_policies_from_the_ordered_deck(variant: Variant, policy: str) -> None:
    cards = brute_force.CARDS[variant.game.id](variant.seats)
    packs = [cards, cards[::-1], cards[::2] + cards[1::2]][: variant.seats]
    assert compare(pair(variant, packs, 1), POLICIES[policy]) > 0


@with_options
def test_random_matches_step_by_step(variant: Variant) -> None:
    rnd, steps, seed = random.Random(str(variant)), 0, 0
    while steps < 2_000:
        steps += compare(shuffled_pair(variant, seed, variant.seats), rnd.choice)
        seed += 1


@pytest.mark.thorough
@with_options
def test_many_random_matches_step_by_step(variant: Variant) -> None:
    rnd, steps, seed = random.Random(f"thorough/{variant}"), 0, 0
    while steps < 100_000:
        steps += compare(shuffled_pair(variant, 10_000 + seed, variant.seats), rnd.choice)
        seed += 1


def test_the_decks_are_those_of_the_leaflets() -> None:
    for variant in PLAIN:
        expected = [text(card) for card in brute_force.CARDS[variant.game.id](variant.seats)]
        assert list(variant.game.deck(variant.seats)) == expected


def count_lines(state: State, depth: int) -> tuple[int, int]:
    """The number of lines of `depth` choices, and the points weighted by seat summed over them, as
    brute_force.count_lines has them. Secret choices are counted seat by seat."""
    if depth == 0:
        rows = state.tally().points
        return 1, sum((seat + 1) * points for row in rows for seat, points in enumerate(row))
    lines = worth = 0
    for actions in choices(state, asked_one_by_one(state), depth):
        left = depth - len(actions)
        if len(actions) < len(state.pending):
            more, value = 1, count_lines(state, 0)[1]
        else:
            more, value = count_lines(state.apply(actions).state, left)
        lines += more
        worth += value
    return lines, worth


def choices(state: State, seats: list[Seat], depth: int) -> list[dict[Seat, Action]]:
    found: list[dict[Seat, Action]] = [{}] if seats else []
    for seat in seats[:depth]:
        found = [{**some, seat: action} for some in found for action in state.legal(seat)]
    return found


def after(two: Pair, seed: int, enough: Callable[[State, int], bool]) -> tuple[State, list[Any]]:
    """The state after random choices, made until `enough` of state and their number, and these choices as the
    second telling takes them."""
    rnd = random.Random(seed)
    state, _ = two.rules()
    opening: list[Any] = []
    while not enough(state, len(opening)):
        actions = {seat: rnd.choice(state.legal(seat)) for seat in asked_one_by_one(state)}
        for action in actions.values():
            opening.append((action[0], int(action[1:])) if action[1:].isdigit() else action)
        state, _ = state.apply(actions)
    return state, opening


@with_options
def test_counting_from_the_first_choice(variant: Variant) -> None:
    depth = 3 if variant.game.id == "ole" else 2
    two = shuffled_pair(variant, 1, 1)
    assert count_lines(two.rules().state, depth) == brute_force.count_lines(two.brute, depth)


def has_tricks(variant: Variant) -> bool:
    return variant.start(DealSource("tricks")).state.view(0).finished_tricks is not None


@pytest.mark.parametrize("variant", list(filter(has_tricks, PLAIN)), ids=str)
def test_counting_the_last_two_tricks_to_the_points(variant: Variant) -> None:
    two = shuffled_pair(variant, 2, 1)
    depth = 2 * variant.seats
    if variant.seats > 4:
        depth -= variant.seats // 2  # the number of lines is two to the power of the seats
    state, opening = after(two, 3, lambda state, _: sum(map(len, state.hands)) == depth)
    counted = count_lines(state, depth)
    assert counted[0] > 1
    assert counted == brute_force.count_lines(two.brute, depth, opening)


@pytest.mark.parametrize("variant", [v for v in REGISTERED if v.game.id == "ole"], ids=str)
def test_counting_in_the_middle_of_ole(variant: Variant) -> None:
    two = shuffled_pair(variant, 4, 2)
    state, opening = after(two, 5, lambda _, made: made >= 3 * variant.seats)
    assert count_lines(state, 4) == brute_force.count_lines(two.brute, 4, opening)


@pytest.mark.thorough
@with_options
def test_counting_deeper(variant: Variant) -> None:
    two = shuffled_pair(variant, 6, 2)
    start = two.rules().state
    assert count_lines(start, 4) == brute_force.count_lines(two.brute, 4)
    state, opening = after(two, 7, lambda _, made: made >= 20)
    assert count_lines(state, 4) == brute_force.count_lines(two.brute, 4, opening)


# Two samples of equal means differ by more than this many standard errors once in 16,000 cases.
SIGMAS = 4


def sample_of_the_rules(variant: Variant, deals: int) -> list[int]:
    """Points of seat 0 in single deals, the lot at random."""
    rnd = random.Random(f"rules/{variant}")
    found = []
    for no in range(deals):
        state, _ = variant.start(DealSource(f"mean/{no}"), 1)
        while state.pending:
            state, _ = state.apply({seat: rnd.choice(state.legal(seat)) for seat in state.pending})
        found.append(state.tally().points[0][0])
    return found


def sample_of_the_leaflet(variant: Variant, deals: int) -> list[int]:
    rnd = random.Random(f"leaflet/{variant}")
    cards = brute_force.CARDS[variant.game.id](variant.seats)
    found = []
    for _ in range(deals):
        pack = rnd.sample(cards, len(cards))
        match = brute_force.MATCH[variant.game.id](variant.seats, [pack], rnd.randrange(variant.seats))
        told = brute_force.run(match, lambda _, options: rnd.choice(sorted(options, key=text)))
        found.append(told[-1][1][0])
    return found


def compare_means(variant: Variant, deals: int) -> None:
    """Mean points per deal at random play, from independent decks and choices."""
    rules, leaflet = sample_of_the_rules(variant, deals), sample_of_the_leaflet(variant, deals)
    error = ((statistics.variance(rules) + statistics.variance(leaflet)) / deals) ** 0.5
    one, two = statistics.mean(rules), statistics.mean(leaflet)
    print(
        f"\n{variant.game.id} {variant.seats} seats, n = {deals}: {one:.2f} rules, {two:.2f} leaflet", end=""
    )
    print(f", {SIGMAS} σ of the difference {SIGMAS * error:.2f}")
    assert abs(one - two) < SIGMAS * error


@every_game_and_seats
def test_mean_points_at_random_play(variant: Variant) -> None:
    compare_means(variant, 500)


@pytest.mark.exhaustive  # The gate has five hundred deals of each.
@every_game_and_seats
def test_mean_points_of_many_deals_at_random_play(variant: Variant) -> None:
    compare_means(variant, 20_000)


def test_every_game_is_told_twice() -> None:
    assert set(GAMES) == set(brute_force.MATCH) == set(brute_force.CARDS)
