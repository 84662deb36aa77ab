"""One league that was played, for all tests that only look at it or forge copies of it."""

from pathlib import Path

import pytest

from tests.league.leagues import LAST, bot, done, founded


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot came in, four draws were played, and one of them was annulled."""
    folder = tmp_path_factory.mktemp("league")
    league = founded(folder)
    done("add", league, bot(folder / "bots", "mybot", LAST), "--author", "red")
    done("run", league, "--draws", 4, "--jobs", 2)
    done("annul", league, 4, "--reason", "to see it")
    return league
