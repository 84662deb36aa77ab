"""Olé!

rules.py            what the referee plays by
advice.py           what people who know the game would do
batch.py            the rules for many deals in step, as arrays
advice_in_step.py   the advice for these
likelihood.py       how others decide, by which hidden cards are imagined
"""

from typing import Final

from arena.games.extras import Extras, Luck
from arena.games.ole.advice import advise
from arena.games.ole.rules import Ole

EDITIONS: Final = ((Ole(), Extras(advise=advise, luck=Luck(4.6, 9.3))),)
