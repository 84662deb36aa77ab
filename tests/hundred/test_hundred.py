"""A hundred bots as beginners write them: broken and right by the referee's word, mended by that of `arena
check`.
"""

import json
from pathlib import Path

import pytest

from tests.hundred.generator import CURES, RIGHT, Bot, Source, hundred
from tests.hundred.reading import READ_AS
from tests.hundred.survey import arena, limits, survey, treat
from tests.support.needs import require

BOTS = {bot.name: bot for bot in hundred()}
SEED = 2
"""With it every mistake shows: in Olé! a bot is asked for the colour on top only where it has lost a deal."""
GOAL = 95
"""How many of the hundred are to get the cure that mends them."""


def fault_in_a_match(bot: Bot, source: Source, folder: Path) -> str:
    """What the referee finds amiss in this program; empty where nothing is."""
    opponents = ["bots/greedy.py", *["bots/random.py"] * (bot.seats - 2)]
    played = arena("match", bot.write(folder, source), *opponents, *limits(bot), "--seed", SEED, "--json")
    if played.returncode == 2:
        return played.stderr
    assert played.returncode in (0, 1), played.stderr
    return next((fault["kind"] for fault in json.loads(played.stdout)["faults"] if fault["seat"] == 0), "")


def test_there_are_a_hundred_always_the_same() -> None:
    assert len(BOTS) == len(hundred()) == 100
    assert hundred() == hundred()
    assert [bot.source for bot in hundred()] == [bot.source for bot in hundred()]


def test_every_mistake_has_its_cure_and_no_other() -> None:
    for bot in hundred():
        right = Source((RIGHT / bot.language.right).read_text(), bot.language.executable)
        assert bot.after(bot.right_cures) == right, bot.name
        mended = {cure for cure, source in bot.cures.items() if source != bot.source}
        assert mended == {cure for mistake in bot.mistakes for cure in mistake.cures}, bot.name
        assert mended <= CURES.keys()
        if len(bot.mistakes) > 1:
            assert right not in bot.cures.values(), bot.name


@pytest.mark.thorough  # 2 s of processor each.
@pytest.mark.parametrize("name", BOTS)
def test_the_referee_faults_a_bot_until_it_is_cured(name: str, tmp_path: Path) -> None:
    bot = BOTS[name]
    require(*bot.language.needs)
    for cures in (bot.right_cures[:count] for count in range(len(bot.mistakes))):
        assert fault_in_a_match(bot, bot.after(cures), tmp_path), f"{bot.words}, and plays"
    assert fault_in_a_match(bot, bot.after(bot.right_cures), tmp_path) == ""


@pytest.mark.thorough
def test_only_the_right_cure_counts_as_one() -> None:
    bot = BOTS["illegal-python-memory"]
    unread = treat(bot, {})
    assert not unread.cured
    diagnosis = unread.told[0].diagnosis
    assert treat(bot, {diagnosis: ("legal",)}).cured
    assert not treat(bot, {diagnosis: ("flush",)}).cured


@pytest.mark.thorough
def test_check_tells_the_cure_that_mends() -> None:
    if not READ_AS:
        pytest.skip("nobody has read yet which cure a diagnosis asks for: tests/hundred/reading.py")
    assert {cure for cures in READ_AS.values() for cure in cures} <= CURES.keys()
    bots = [bot for bot in hundred() if not bot.language.missing]
    treated = list(survey(bots))
    table = "\n".join(one.row() for one in treated)
    # On a busy machine nobody can tell a bot that is too slow for its limit.
    unjudged = [one for one in treated if one.unjudged]
    assert all("faster" in one.bot.right_cures for one in unjudged), table
    cured, judged = sum(one.cured for one in treated), len(treated) - len(unjudged)
    print(f"\n{table}\n{cured} of {judged} cured, {len(unjudged)} not judged")
    assert cured * 100 >= GOAL * judged, table
