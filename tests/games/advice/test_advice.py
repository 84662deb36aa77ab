"""Advice: legal, and blind to what its seat cannot see."""

from arena.games import EXTRAS, GAMES
from protocol.streams import DealSource, Stream
from tests.games.playing import REGISTERED, Variant, cards, each, random_match


@each([one for one in REGISTERED if one.game.id in EXTRAS])
def test_advice_is_legal_and_the_same_whatever_the_others_hold(variant: Variant) -> None:
    advise, stream = EXTRAS[variant.game.id].advise, Stream("advice")
    for moment in random_match(variant).moments:
        for seat in moment.state.pending:
            legal = moment.state.legal(seat)
            imagined = variant.game.imagine(moment.state.view(seat), stream)

            advised = advise(moment.state, seat, legal)

            assert advised in legal
            assert advise(imagined, seat, legal) == advised


def test_in_sticheln_the_pain_card_is_the_lowest_of_the_longest_colour() -> None:
    game = GAMES["sticheln"]
    state = game.start(4, game.options(), 1, DealSource("longest")).state
    hand = cards("R1 R2 R11 Y0 Y5 Y6 Y7 Y8 G3 G4 B2 B3 P1 P2 P3")
    assert EXTRAS["sticheln"].advise(state, 0, hand) == "Y0"
