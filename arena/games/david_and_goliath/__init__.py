"""David & Goliath.

rules.py            what the referee plays by
rules.md            the same for people, and for authors of bots: a part of SPEC.md
advice.py           what people who know the game would do: forty times as slow as a card at random
batch.py            the rules for many deals in step, as arrays
advice_in_step.py   the advice for these
"""

from typing import Final

from arena.games.david_and_goliath.advice import advise
from arena.games.david_and_goliath.rules import DavidAndGoliath
from arena.games.extras import Extras, Luck, text_of

_EXTRAS: Final = Extras(
    rules=text_of(__name__, "rules.md"), advise=advise, quick_advice=False, luck=Luck(5.6, 13.0)
)

EDITIONS: Final = ((DavidAndGoliath(), _EXTRAS),)
