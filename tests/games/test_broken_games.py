"""Every law finds the game that breaks it, and names the culprit."""

import re

import pytest

from arena.laws.judge import LAWS, judge
from arena.laws.trial import Variant, trials, variants
from tests.games.leaky import CASES, Case
from tests.games.sixth import Sixth, SixthOptions


@pytest.mark.parametrize("variant", variants(Sixth()), ids=str)
def test_the_game_that_they_twist_keeps_every_law(variant: Variant) -> None:
    matches = [list(trials(variant, 2))]
    judged = [judge(law, matches) for law in LAWS]
    assert [one for one in judged if one.broken or one.untried] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.game.__name__)
def test_a_broken_game_is_found_by_the_law_that_promises_otherwise(case: Case) -> None:
    matches = list(trials(Variant(case.game(), 3, SixthOptions(double=True)), 3))
    (broken,) = judge(case.law, [matches]).broken
    assert re.search(case.says, f"{broken.found} {' '.join(broken.trace)}")
    assert broken.mend


def test_every_law_can_be_broken() -> None:
    assert {case.law for case in CASES} == {*LAWS}
