"""Checks as values: what is asked, what comes back, and what is told on the way."""

from pathlib import Path

import msgspec
import pytest

from arena.checking.findings import Checked, NotChecked
from arena.commands.check import CheckBots, CheckResult
from arena.commands.laws import CheckGame, CheckGameResult
from arena.laws.judge import LAWS, LawResult
from arena.system.errors import UserError

DIES = "raise SystemExit(3)"


def test_several_bots(tmp_path: Path) -> None:
    """One of them cannot be found; the others are checked all the same."""
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(DIES)
    gone, *there = (str(tmp_path / name) for name in ("gone.py", "one.py", "two.py"))
    call = CheckBots(bots=(gone, *there), game="sticheln", html=str(tmp_path / "pages"))
    assert msgspec.json.decode(msgspec.json.encode(call), type=CheckBots) == call
    said: list[str] = []
    names: list[tuple[str, ...]] = []
    steps: list[tuple[int, str]] = []
    done: dict[int, Checked | NotChecked] = {}
    found = call.carry_out(
        said.append, lambda number, step: steps.append((number, step)), done.__setitem__, names.append
    )
    assert names == [("one", "two")]
    assert {number for number, _ in steps} == {0, 1}
    assert found.results == (done[0], done[1])
    assert [checked.bot for checked in found.checked] == ["one", "two"]
    assert [missing.word for missing in found.not_found] == [gone]
    assert f"arena: {found.not_found[0].why}" in said
    assert not found.complete
    assert not found.passed
    assert found.page == str(tmp_path / "pages" / "index.html")
    assert Path(found.page).exists()
    assert msgspec.json.decode(msgspec.json.encode(found), type=CheckResult) == found


def test_a_bot_that_was_not_checked_is_not_complete() -> None:
    found = CheckResult(
        words=("one.py",), games=((),), results=(NotChecked("one", "no memory"),), not_found=()
    )
    assert not found.complete
    assert msgspec.json.decode(msgspec.json.encode(found), type=CheckResult) == found


def test_the_only_bot_and_its_dialogue(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(DIES)
    dialogue = tmp_path / "dialogue.txt"
    call = CheckBots(bots=(str(tmp_path / "one.py"),), game="sticheln", transcript=str(dialogue))
    found = call.carry_out(lambda line: None)
    assert tuple(dialogue.read_text().splitlines()) == found.checked[0].transcript


def test_a_place_for_the_dialogue_that_is_not_there(tmp_path: Path) -> None:
    call = CheckBots(bots=("one.py",), transcript=str(tmp_path / "no" / "where"))
    with pytest.raises(UserError, match="there is no folder"):
        call.carry_out(lambda line: None)


def test_a_game() -> None:
    call = CheckGame(game="sticheln", seats=3, options={}, matches=1)
    assert msgspec.json.decode(msgspec.json.encode(call), type=CheckGame) == call
    judged: list[LawResult] = []
    laws: set[int] = set()
    found = call.carry_out(lambda line: None, lambda begun, number: laws.add(number), judged.append)
    assert laws == {len(LAWS)}
    assert found.laws == tuple(judged)
    assert (found.variants, found.matches, found.broken) == (1, 1, ())
    assert msgspec.json.decode(msgspec.json.encode(found), type=CheckGameResult) == found
