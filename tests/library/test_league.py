"""A league that is read from Python says what the commands say."""

import copy
import pickle
from pathlib import Path

import msgspec
import pytest

import arena
from tests.cli.calls import arena as command
from tests.league.conftest import league
from tests.league.leagues import copied, done

__all__ = ["league"]  # A fixture, which is found by its name.


@pytest.mark.needs("perl")
def test_it_says_what_the_commands_say(league: Path) -> None:
    read = arena.open_league(league)
    assert read.boards == ("sticheln:4",)
    assert read.standings_data() == command("league", "standings", league, "--json").json
    rows = read.standings("sticheln:4")
    assert rows.to_dicts() == read.standings_data()["boards"]["sticheln:4"]
    assert "red/mybot@1" in rows._repr_html_()
    versions = msgspec.json.decode(msgspec.json.encode(tuple(read.versions("red"))))
    assert versions == command("league", "versions", league, "red", "--json").json
    assert list(read.why(1)) == command("league", "why", league, 1, "--json").json
    assert read.faults().to_dicts() == []
    assert len(read.panel()) == 6
    assert read.forecast().placements >= 0
    assert (read.verify().wrong, read.frozen, read.over) == ((), "", False)
    assert pickle.loads(pickle.dumps(read)).standings_data() == copy.copy(read).standings_data()
    assert repr(read) == "<League league: sticheln:4, 4 draws>"


def test_what_is_frozen_is_hidden_here_too(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    done("freeze", league, "--reason", "the end")
    done("retire", league, "red/mybot@1", "--reason", "x")
    read = arena.open_league(league)
    assert read.frozen == "the end"
    assert "frozen since" in read.standings().title
    assert "red/mybot@1" in [row.version for row in read.standings()]
    hidden = arena.open_league(league, hidden=True)
    assert "red/mybot@1" not in [row.version for row in hidden.standings()]


def test_what_is_not_there(league: Path, tmp_path: Path) -> None:
    with pytest.raises(arena.UserError, match="there is no league"):
        arena.open_league(tmp_path)
    with pytest.raises(arena.UserError, match="there is no board 'sticheln:5'; did you mean"):
        arena.open_league(league).standings("sticheln:5")
    with pytest.raises(arena.UserError, match="no bot or author is called 'rad'"):
        arena.open_league(league).versions("rad")
