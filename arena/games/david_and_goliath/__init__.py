"""David & Goliath.

rules.py            the rules by which the referee plays
rules.md            the same for people and authors of bots: a part of SPEC.md
advice.py           what people who know the game would do; takes forty times as long as a random card
batch.py            the rules in step: many deals as arrays
advice_in_step.py   the advice in step
"""

from typing import Final

from arena.games.david_and_goliath.advice import advise
from arena.games.david_and_goliath.rules import DavidAndGoliath
from arena.games.extras import Extras, Luck, text_of

_EXTRAS: Final = Extras(
    rules=text_of(__name__, "rules.md"), advise=advise, quick_advice=False, luck=Luck(5.6, 13.0)
)

EDITIONS: Final = ((DavidAndGoliath(), _EXTRAS),)
