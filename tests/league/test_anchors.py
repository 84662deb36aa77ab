"""Anchors stay what they were when the arena, or the season, is another one."""

import os
import shutil
from pathlib import Path

import pytest

from arena.commands.league import NewLeague, read, verify
from arena.entrants import pinned
from arena.league.carried import CURRENT
from arena.league.store import KeptProgram, keep
from arena.process.sandbox import Level
from arena.system.errors import UserError
from tests.cli.calls import arena
from tests.league.leagues import NEW, done, rewritten

QUIET = Level.NONE


def test_a_pinned_anchor_survives_an_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = tmp_path / "older"
    for room in pinned.ROOMS:
        shutil.copytree(pinned.ROOT / room, older / room)
    with (older / "arena" / "games" / "sticheln" / "advice.py").open("a") as file:
        file.write("# as it was\n")
    autumn, winter, summer = (str(tmp_path / name) for name in ("autumn", "winter", "summer"))
    with monkeypatch.context() as before:
        before.setattr(pinned, "ROOT", older)
        NewLeague(folder=autumn, boards=("sticheln:4",), anchors=("heuristic",), sandbox=QUIET).carry_out(
            print
        )
    NewLeague(folder=winter, after=autumn).carry_out(print)
    NewLeague(folder=summer, boards=("sticheln:4",), anchors=("heuristic",), sandbox=QUIET).carry_out(print)
    first, second, third = (read(Path(league)).versions for league in (autumn, winter, summer))
    assert {name: one.digest for name, one in second.items()} == {
        name: one.digest for name, one in first.items()
    }
    assert third["house/heuristic@1"].digest != first["house/heuristic@1"].digest
    with pytest.raises(UserError, match=r"heuristic: .* already has an anchor"):
        NewLeague(folder=f"{winter}2", after=autumn, anchors=("heuristic",)).carry_out(print)


def test_what_does_not_start_here_is_no_anchor(tmp_path: Path) -> None:
    """As where a Perl lacks its core modules: no draw would count in which it fails."""
    perl = tmp_path / "bin" / "perl"
    perl.parent.mkdir()
    perl.write_text("#!/bin/sh\nexit 2\n")
    perl.chmod(0o755)
    league = tmp_path / "league"
    path = f"{perl.parent}:{os.environ['PATH']}"
    call = arena("league", "new", league, "--board", "sticheln:3", "--sandbox", "none", env={"PATH": path})
    assert call.status == 0, call.err
    assert "dreamer cannot be an anchor here: it does not start on this machine" in call.err
    assert "house/dreamer@1" not in read(league).versions


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("heuristic", "60s"),
        ("search", "20ms+1s"),
        pytest.param("search", "100ms+2s", marks=pytest.mark.exhaustive),
        pytest.param("search", "200ms+3s", marks=pytest.mark.exhaustive),
    ],
)
def test_a_pinned_anchor_plays(name: str, time: str, tmp_path: Path) -> None:
    league, anchor = tmp_path / "league", f"house/{name}@1"
    done("new", league, *NEW, "--time", time, "--anchor", name)
    done("run", league, "--draws", 8, "--jobs", 2)
    state = read(league)
    assert any(anchor in (*draw.versions, *draw.companions) for draw in state.draws.values())
    assert not state.versions[anchor].faults
    assert done("verify", league, "--json").json["wrong"] == []  # type: ignore[index]


def stored(league: Path) -> Path:
    """The program of the zero."""
    zero = read(league).versions["house/random@1"]
    return KeptProgram(zero.digest, zero.file).path(league)


def test_a_damaged_zero_is_put_back(tmp_path: Path) -> None:
    league = tmp_path / "league"
    done("new", league, *NEW)
    program = stored(league)
    whole = program.read_bytes()
    program.write_bytes(b"")
    said = done("run", league, "--draws", 1, "--jobs", 1).err
    assert "house/random@1: its copy was damaged, and has been restored" in said
    assert program.read_bytes() == whole
    assert read(league).versions["house/random@1"].status == CURRENT
    assert verify(league).wrong == ()


@pytest.mark.thorough  # 3 s of processor.
def test_a_board_waits_for_its_zero(tmp_path: Path) -> None:
    """It was damaged, and the arena has another program of this name by now."""
    before, league = tmp_path / "before", tmp_path / "league"
    done("new", before, *NEW)
    was = stored(before)
    other = tmp_path / was.name
    other.write_bytes(was.read_bytes() + b"# as it was\n")
    other.chmod(0o755)
    now = keep(before, other)
    rewritten(
        before,
        lambda rows: [row.update(digest=now.digest) for row in rows if row.get("digest") == was.parent.name],
    )
    done("new", league, "--after", before)
    program = stored(league)
    program.write_bytes(b"")
    said = done("run", league, "--until-asleep", "--jobs", 1).err
    assert "sticheln:4: nothing is played there without its zero; restore the program" in said
    assert "waits: its zero, house/random@1, can no longer be started" in done("standings", league).out
    program.write_bytes(other.read_bytes())
    done("restore", league, "house/random@1", "--reason", "from the backup")
    done("run", league, "--draws", 1, "--jobs", 1)
    found = verify(league)
    assert (found.draws, found.wrong) == (1, ())
