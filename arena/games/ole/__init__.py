"""Olé!

rules.py            the rules by which the referee plays
rules.md            the same for people and authors of bots: a part of SPEC.md
advice.py           what people who know the game would do
batch.py            the rules in step: many deals as arrays
advice_in_step.py   the advice in step
likelihood.py       how other seats decide, which says how likely hidden cards are
"""

from typing import Final

from arena.games.extras import Extras, Luck, text_of
from arena.games.ole.advice import advise
from arena.games.ole.rules import Ole

_EXTRAS: Final = Extras(rules=text_of(__name__, "rules.md"), advise=advise, luck=Luck(4.6, 9.3))

EDITIONS: Final = ((Ole(), _EXTRAS),)
