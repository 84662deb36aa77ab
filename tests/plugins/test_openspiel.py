"""Our Hearts and Oh Hell have the same legal actions, trick winners and points as OpenSpiel's (the extra
`oracles`), over 10,000 deals each. Set aside are variants that only one of them has:

    OpenSpiel's hearts                  set aside because
    can_lead_any_club                   H-3: the two of clubs is led, as in all current rules
    jd_bonus                            Omnibus Hearts, another game: the jack of diamonds counts -10
    avoid_all_tricks_bonus              a house rule: -5 for no trick
    must_break_hearts = false           H-6: hearts are broken before they are led
    can_lead_hearts_instead_of_qs       H-6 lets only who holds nothing but hearts lead them
    pass_cards = false                  one of its directions is to hold, which every fourth deal of ours is
    a random direction of passing       ours goes by the number of the deal, and is what chance is told

    OpenSpiel's oh_hell                 set aside because
    off_bid_penalty, points_per_trick   O-7: one point a trick whatever was bid, their defaults
    num_suits, num_cards_per_suit       ours has the whole deck, their defaults
    hands of more than ten cards        O-1 begins with ten, eight or seven

    ours                                set aside because
    oh-hell: hook = false               OpenSpiel's dealer is always hooked
    the lead of the two of clubs        no decision here, since there is no choice; one with a single legal
                                        action in OpenSpiel, which is compared with what ours does
    the winner of a deal's last trick   in OpenSpiel it shows in the points only, which are compared
"""

import pytest

DEALS = 10_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "rare"),
    [
        ("hearts", {"moons", "first tricks without another card", "unbroken hearts led"}),
        ("oh_hell", {"exact bids"}),
    ],
)
def test_openspiel_agrees(game: str, rare: set[str]) -> None:
    from tests.plugins import openspiel  # noqa: PLC0415 -- it skips without OpenSpiel.

    agreement = getattr(openspiel, game)(DEALS)
    print(f"\n{game}: {agreement}")
    assert not agreement.disagreements
    assert agreement.compared["deals"] >= DEALS
    assert {thing for thing, number in agreement.met.items() if number > 50} == rare
