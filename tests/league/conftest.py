"""One league that was played, for all tests that only look at it or forge copies of it."""

import shutil
from pathlib import Path

import pytest

from tests.league.leagues import LAST, bot, done, founded
from tests.shared import shared


def play(folder: Path) -> None:
    league = founded(folder)
    done("add", league, bot(folder / "bots", "mybot", LAST), "--author", "red")
    done("run", league, "--draws", 4, "--jobs", 2)
    done("annul", league, 4, "--reason", "to see it")


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot came in, four draws were played, and one of them was annulled."""
    played = shared(tmp_path_factory, "league", play)
    return Path(shutil.copytree(played / "league", tmp_path_factory.mktemp("league") / "league"))
