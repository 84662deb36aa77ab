"""The laws of arena/laws/, over every registered game, seat count and option, and over a throw-away fifth
game: whoever adds a game gets them by its line in the registry.
"""

from typing import Any

import pytest

from arena.games import GAMES
from arena.games.api import API
from arena.games.door import obstacle
from arena.games.game import MOST_SEATS
from arena.laws.judge import LAWS, Law, judge, name_of, promise_of
from arena.laws.rules import climbed_lead
from arena.laws.trial import Trial, Variant, variants
from tests.games.fifth import Fifth
from tests.games.playing import each

LAWFUL = variants(*GAMES.values(), Fifth())

every_variant = each(LAWFUL)


@every_variant
def test_every_law_is_kept(variant: Variant) -> None:
    trial = Trial(variant)
    judged = [judge(law, [[trial]]) for law in LAWS]
    assert [one for one in judged if one.broken or one.untried] == []


@pytest.mark.thorough
@every_variant
def test_no_seat_leads_by_more_where_all_do_what_they_can_to_let_one_lead(variant: Variant) -> None:
    """It comes near enough to show that the bound is no idle one; but not where an option leaves hardly a
    choice."""
    largest, best = variant.game.largest_lead(variant.seats), climbed_lead(Trial(variant), 1500)
    print(f"{variant}: {best} of {largest}")
    assert best <= largest
    assert largest / 8 < best or variant.options != variant.game.options()


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_a_law_promises_one_sentence(law: Law) -> None:
    promise = promise_of(law)
    assert promise[0].isupper()
    assert promise.endswith(".")
    assert ". " not in promise


def test_the_registry_lists_the_games_in_their_order() -> None:
    assert list(GAMES) == ["sticheln", "sticheln-1993", "david-and-goliath", "ole"]
    assert all(max(game.seats) <= MOST_SEATS for game in GAMES.values())


class AsPackaged:
    """One of the arena's own games as a package would bring it."""

    api = API

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


@pytest.mark.parametrize("game", [*GAMES.values(), Fifth()], ids=lambda game: game.id)
def test_our_own_games_would_pass_the_door_and_deal_out_their_decks(game: Any) -> None:
    assert obstacle(AsPackaged(game), game.id) is None
    for seats in game.seats:
        assert len(game.deck(seats)) % seats == 0
        assert game.deals(seats) == seats
