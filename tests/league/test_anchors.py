"""Anchors stay what they were when the arena, or the season, is another one."""

import shutil
from pathlib import Path

import pytest

from arena.calls.league import NewLeague, read
from arena.calls.walls import Walls
from arena.entrants import pinned
from arena.process.sandbox import Level
from arena.system.errors import UserError
from tests.league.leagues import NEW, done

QUIET = Walls(level=Level.NONE)


def test_a_pinned_anchor_survives_an_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = tmp_path / "older"
    for room in pinned.ROOMS:
        shutil.copytree(pinned.ROOT / room, older / room)
    with (older / "arena" / "advice" / "sticheln.py").open("a") as file:
        file.write("# as it was\n")
    autumn, winter, summer = (str(tmp_path / name) for name in ("autumn", "winter", "summer"))
    with monkeypatch.context() as before:
        before.setattr(pinned, "ROOT", older)
        NewLeague(folder=autumn, boards=("sticheln:4",), anchors=("heuristic",), walls=QUIET).carry_out(print)
    NewLeague(folder=winter, after=autumn).carry_out(print)
    NewLeague(folder=summer, boards=("sticheln:4",), anchors=("heuristic",), walls=QUIET).carry_out(print)
    first, second, third = (read(Path(league)).versions for league in (autumn, winter, summer))
    assert {name: one.digest for name, one in second.items()} == {
        name: one.digest for name, one in first.items()
    }
    assert third["house/heuristic@1"].digest != first["house/heuristic@1"].digest
    with pytest.raises(UserError, match=r"it is an anchor of .* already"):
        NewLeague(folder=f"{winter}2", after=autumn, anchors=("heuristic",)).carry_out(print)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "time"),
    [("heuristic", "60s"), ("search", "20ms+1s"), ("search", "100ms+2s"), ("search", "200ms+3s")],
)
def test_a_pinned_anchor_plays(name: str, time: str, tmp_path: Path) -> None:
    league, anchor = tmp_path / "league", f"house/{name}@1"
    done("new", league, *NEW, "--time", time, "--anchor", name)
    done("run", league, "--draws", 8, "--jobs", 2)
    state = read(league)
    assert any(anchor in (*draw.versions, *draw.companions) for draw in state.draws.values())
    assert not state.versions[anchor].faults
    assert done("verify", league, "--json").json["wrong"] == []  # type: ignore[index]
