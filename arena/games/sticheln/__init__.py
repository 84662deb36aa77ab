"""Sticheln, both editions.

rules.py            what the referee plays by
rules*.md           the same for people, and for authors of bots: parts of SPEC.md
advice.py           what people who know the game would do
batch.py            the rules for many deals in step, as arrays
advice_in_step.py   the advice for these
likelihood.py       how others decide, by which hidden cards are imagined
"""

from typing import Final

from arena.games.extras import Extras, Luck, text_of
from arena.games.sticheln.advice import advise
from arena.games.sticheln.rules import AMIGO, NSV, Sticheln

EDITIONS: Final = (
    (
        Sticheln(NSV),
        Extras(rules=text_of(__name__, "rules.md"), advise=advise, luck=Luck(4.4, 9.2)),
    ),
    (
        Sticheln(AMIGO),
        Extras(rules=text_of(__name__, "rules_1993.md"), advise=advise, luck=Luck(3.8, 9.8)),
    ),
)
