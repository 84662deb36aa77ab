"""`arena config` and `--config`: what the one writes the other reads, whatever the bots are called."""

import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.commands.config import as_toml
from tests.cli.calls import BOTS, arena

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = TEXTS | st.integers(-(1 << 62), 1 << 62) | st.booleans() | st.lists(TEXTS)


@pytest.mark.thorough  # 3 s of processor.
@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z-]+", fullmatch=True), VALUES), st.dictionaries(TEXTS, VALUES))
def test_all_texts_survive(flat: dict[str, object], table: dict[str, object]) -> None:
    values = {**flat, **({"table": table} if table else {})}
    assert tomllib.loads(as_toml(values)) == values


@pytest.mark.thorough  # 2 s of processor.
def test_the_settings_of_a_run_are_those_of_the_next(tmp_path: Path) -> None:
    here, decoy = tmp_path / "bots 🂡 [1]", tmp_path / "bots 🂡 1"
    for folder in (here, decoy):  # as a pattern, the path of the one is that of the other
        folder.mkdir()
        for name in ("my.bot", "other"):
            shutil.copy(BOTS[0], folder / f"{name}.py")
    author = 'Ada 🂡 “\\” "Lovelace" = #1'
    words = ("--author", f"my.bot={author}", "--time", "1s", "--rounds", 1, "--deals", 1, "--seats", 3)
    first = arena(
        *("tournament", here / "my.bot.py", f"renamed={here}/other.py", *words),
        *("--no-duplicates", "--quiet", "--out", "first"),
        folder=tmp_path,
    )
    assert first.status == 0, first.err
    written = arena("config", "first", folder=tmp_path, env={"PYTHONIOENCODING": "latin-1"}).out
    assert tomllib.loads(written)["author"] == {"my.bot": author}
    (tmp_path / "first.toml").write_text(written, encoding="utf-8")
    again = arena("tournament", "--config", "first.toml", "--out", "again", "--quiet", folder=tmp_path)
    assert again.status == 0, again.err
    assert arena("config", "again", folder=tmp_path).out == written


def test_a_number_with_a_fraction_is_taken_where_the_option_takes_one(tmp_path: Path) -> None:
    for text, status, why in (
        ("plan = 0.25", 0, ""),
        ("rounds = 2.5", 2, "c.toml: rounds: --rounds does not accept 2.5"),
        ("seed = 2.5", 2, "c.toml: seed: --seed does not accept 2.5"),
    ):
        (tmp_path / "c.toml").write_text(text)
        call = arena("tournament", *BOTS[:4], "--config", "c.toml", "--out", "run", folder=tmp_path)
        assert (call.status, why in call.err) == (status, True), call.err
        assert not (tmp_path / "run").exists()
