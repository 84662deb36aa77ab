"""Sticheln, both editions.

rules.py            the rules by which the referee plays
rules*.md           the same for people and authors of bots: parts of SPEC.md
advice.py           what people who know the game would do
batch.py            the rules in step: many deals as arrays
advice_in_step.py   the advice in step
likelihood.py       how other seats decide, which says how likely hidden cards are
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
