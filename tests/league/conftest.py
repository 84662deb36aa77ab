"""One league that was played, for all tests that only look at it or forge copies of it."""

import shutil
from pathlib import Path

import pytest

from tests.league.leagues import LAST, NEW, bot, done, founded
from tests.support.shared import shared


def play(folder: Path) -> None:
    league = founded(folder)
    done("add", league, bot(folder / "bots", "mybot", LAST), "--author", "red")
    done("run", league, "--draws", 4, "--jobs", 2)
    done("annul", league, 4, "--reason", "to see it")


def play_in_segments(folder: Path) -> None:
    league = folder / "league"
    done("new", league, *NEW, "--segment", 1)
    done("author", league, "red", "--title", "Team Red")
    done("run", league, "--draws", 3, "--jobs", 1)


@pytest.fixture(scope="session")
def in_segments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One draw in a file of the journal, and three in all."""
    played = shared(tmp_path_factory, "in-segments", play_in_segments)
    return Path(shutil.copytree(played / "league", tmp_path_factory.mktemp("segments") / "league"))


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot came in, four draws were played, and one of them was annulled."""
    played = shared(tmp_path_factory, "league", play)
    return Path(shutil.copytree(played / "league", tmp_path_factory.mktemp("league") / "league"))
