"""Olé!

rules.py            what the referee plays by
rules.md            the same for people, and for authors of bots: a part of SPEC.md
advice.py           what people who know the game would do
batch.py            the rules for many deals in step, as arrays
advice_in_step.py   the advice for these
likelihood.py       how others decide, by which hidden cards are imagined
"""

from typing import Final

from arena.games.extras import Extras, Luck, text_of
from arena.games.ole.advice import advise
from arena.games.ole.rules import Ole

_EXTRAS: Final = Extras(rules=text_of(__name__, "rules.md"), advise=advise, luck=Luck(4.6, 9.3))

EDITIONS: Final = ((Ole(), _EXTRAS),)
