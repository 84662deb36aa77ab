"""Sticheln, both editions.

rules.py            what the referee plays by
advice.py           what people who know the game would do
batch.py            the rules for many deals in step, as arrays
advice_in_step.py   the advice for these
likelihood.py       how others decide, by which hidden cards are imagined
"""

from typing import Final

from arena.games.extras import Extras, Luck
from arena.games.sticheln.advice import advise
from arena.games.sticheln.rules import AMIGO, NSV, Sticheln

EDITIONS: Final = (
    (Sticheln(NSV), Extras(advise=advise, luck=Luck(4.4, 9.2))),
    (Sticheln(AMIGO), Extras(advise=advise, luck=Luck(3.8, 9.8))),
)
