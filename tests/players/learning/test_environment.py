"""The games as PettingZoo environments: its own tests, what an agent can and cannot see, what it is paid."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from arena.games import GAMES
from arena.games.game import IllegalAction, State
from arena.games.observation import Observation
from arena.laws.known import cards_of_events
from arena.laws.trial import Transition
from arena.players.learning.environment import Environment
from protocol.cards import Card, Seat, ordered
from protocol.streams import Stream
from tests.games.playing import REGISTERED, Variant, each, random_match

# Of numbers of seats those between the fewest and the most tell little more.
ALL = [
    pytest.param(id, seats, marks=[pytest.mark.thorough] * (min(game.seats) < seats < max(game.seats)))
    for id, game in GAMES.items()
    for seats in game.seats
]

every_table = pytest.mark.parametrize(("game", "seats"), ALL)


# It remarks on what PettingZoo's own card games do too: a mask beside the observation, no action at the end.
@every_table
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@pytest.mark.filterwarnings("ignore:reset.options=")
def test_pettingzoos_own_test_of_environments_passes(game: str, seats: int) -> None:
    api_test(Environment(game, seats), num_cycles=200)


@every_table
def test_pettingzoos_own_test_of_seeds_passes(game: str, seats: int) -> None:
    seed_test(lambda: Environment(game, seats), num_cycles=200)


def finished(environment: Environment, seed: int) -> dict[str, float]:
    """What every agent is paid when all play at random."""
    environment.reset(seed=seed)
    stream, paid = Stream("random"), dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, over, _, _ = environment.last()
        paid[agent] += reward
        assert observation is not None
        action = None if over else int(stream.choice(np.flatnonzero(observation["action_mask"])))
        environment.step(action)
    return paid


@every_table
def test_agents_are_paid_what_the_game_says_they_gain(game: str, seats: int) -> None:
    environment = Environment(game, seats)
    paid = finished(environment, 7)
    gains = environment._state.tally().gains
    assert len(gains) == seats
    assert tuple(paid.values()) == tuple(map(sum, zip(*gains, strict=True)))
    assert environment.agents == []


def test_a_seed_gives_a_row_of_matches() -> None:
    one, other = Environment(), Environment()
    keys = []
    for environment in (one, other):
        environment.reset(seed=7)
        first = environment.view("seat_0")
        environment.reset()
        keys.append((first, environment.view("seat_0")))
    assert keys[0] == keys[1]
    assert keys[0][0] != keys[0][1]


def redealt(moment: Transition, seat: Seat, deck: Sequence[Card], stream: Stream) -> State:
    """The state with the cards that `seat` cannot place moved among the other hands: as long as their sizes,
    the cards that the step shows and the legality of the actions taken are kept."""
    state: Any = moment.state
    shown = cards_of_events([event for event in moment.step.events if event.audience is None], seat, deck)
    others = [other for other in range(len(state.hands)) if other != seat]
    for _ in range(2 * len(deck)):
        one, two = stream.choice(others), stream.choice(others)
        give = [card for card in state.hands[one] if card not in shown]
        take = [card for card in state.hands[two] if card not in shown]
        if one == two or not give or not take:
            continue
        a, b = stream.choice(give), stream.choice(take)
        hands = list(state.hands)
        hands[one] = ordered({*hands[one], b} - {a}, deck)
        hands[two] = ordered({*hands[two], a} - {b}, deck)
        moved = msgspec.structs.replace(state, hands=tuple(hands))
        if all(action in moved.legal(other) for other, action in moment.actions.items()):
            state = moved
    found: State = state
    return found


@pytest.mark.thorough  # 2 s of processor.
@each(REGISTERED)
def test_hidden_cards_leave_the_observation_as_it_is(variant: Variant) -> None:
    """And what the view tells apart the observation tells apart."""
    observed, stream = Observation(variant.game, variant.seats), Stream("redeal")
    deck, rows = variant.game.deck(variant.seats), {}
    for at, moment in enumerate(random_match(variant).moments):
        seat = at % variant.seats
        row = observed.of(moment.state.view(seat)).tobytes()
        assert observed.of(redealt(moment, seat, deck, stream).view(seat)).tobytes() == row
        rows[row] = rows.get(row, moment.state.view(seat))
        assert rows[row] == moment.state.view(seat)


def test_who_chooses_in_secret_shows_it_to_nobody() -> None:
    environment = Environment("sticheln", 3)
    environment.reset(seed=7)
    before = {agent: environment.observe(agent)["observation"] for agent in environment.agents[1:]}
    for agent in environment.agents[:2]:
        assert environment.agent_selection == agent
        for other in environment.agents[1:]:
            np.testing.assert_array_equal(environment.observe(other)["observation"], before[other])
        environment.step(int(np.flatnonzero(environment.observe(agent)["action_mask"])[0]))
    assert environment.agent_selection == "seat_2"


def test_the_layout_says_where_everything_stands() -> None:
    environment = Environment("sticheln", 4)
    environment.reset(seed=7)
    view: Any = environment.view("seat_0")
    row, layout = environment.observe("seat_0")["observation"], environment.layout
    cards = environment.actions
    assert [cards[at] for at in np.flatnonzero(row[layout["hand"]])] == list(view.hand)
    assert row[layout["seats"]] == [4]
    assert list(layout) == list(type(view).__struct_fields__)
    for _ in range(8):
        environment.step(
            int(np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])[0])
        )
    view = environment.view("seat_0")
    (trick,) = view.tricks
    row = environment.observe("seat_0")["observation"]
    number, leader, place, taker = row[layout["tricks"]].reshape(4, -1)
    for position, card in enumerate(trick.cards, 1):
        at = cards.index(card)
        assert (number[at], leader[at], place[at], taker[at]) == (
            1,
            1 + trick.leader,
            position,
            1 + trick.taker,
        )
    assert np.count_nonzero(number) == 4


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    environment = Environment()
    environment.reset(seed=7)
    mask = environment.observe("seat_0")["action_mask"]
    for action in (int(np.flatnonzero(mask == 0)[0]), None):
        with pytest.raises(IllegalAction, match="seat_0 may not choose"):
            environment.step(action)
    assert environment.agent_selection == "seat_0"
    np.testing.assert_array_equal(environment.observe("seat_0")["action_mask"], mask)


@pytest.mark.parametrize("action", [-1, 10000, np.int64(-1), 3.0, "R1"])
def test_a_number_beyond_the_action_space_is_refused_and_never_counts_from_the_end(action: Any) -> None:
    """In Olé! the last action, a chip, may be legal."""
    environment = Environment("ole", 3)
    environment.reset(seed=7)
    while not environment.observe(environment.agent_selection)["action_mask"][-1]:
        legal = np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])
        environment.step(int(legal[0]))
    agent, last = environment.agent_selection, len(environment.actions) - 1
    with pytest.raises(
        IllegalAction, match=f"{agent} may not choose .*: an action is a number from 0 to {last}$"
    ):
        environment.step(action)
    assert environment.agent_selection == agent


def test_rendered_it_is_what_has_happened_since() -> None:
    environment = Environment("ole", 3)
    environment.reset(seed=7)
    assert "seat_0 is dealt" in (environment.render() or "")
    assert environment.render() == ""
    assert Environment("ole", 3, render_mode=None).render() is None


def test_an_unknown_table_is_refused_with_what_is_known() -> None:
    with pytest.raises(ValueError, match="unknown game 'bridge'; choose from sticheln"):
        Environment("bridge")
    with pytest.raises(ValueError, match="sticheln is played by 3 to 6 seats, not 9"):
        Environment("sticheln", 9)
