"""Folders that do harm when they are read, handed in by strangers: the others still play. And places that
nobody can reach.
"""

import os
from pathlib import Path

import pytest

from arena.system.trees import remove_folder
from tests.cli.calls import BOTS, arena
from tests.cli.hostile_folders import HOSTILE


def test_hostile_folders_are_left_out_and_the_others_play(tmp_path: Path) -> None:
    handed_in = [one for one in HOSTILE if not (one.as_stranger and os.geteuid() == 0)]
    for one in handed_in:
        one.make(tmp_path / one.name)
    words = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--quiet", "--json")
    paths = [tmp_path / one.name for one in handed_in]
    call = arena("tournament", *BOTS[:3], *paths, *words, "--out", tmp_path / "run")
    assert call.status == 0, call.err
    table = call.json
    assert sorted(row["name"] for row in table["entrants"]) == sorted(Path(bot).stem for bot in BOTS[:3])
    reasons = {out["name"]: out["reason"] for out in table["left_out"]}
    assert reasons.keys() == {Path(one.name).stem for one in handed_in}
    for one in handed_in:
        assert one.why in reasons[Path(one.name).stem]


@pytest.mark.parametrize(
    "line",
    [
        *(f"{command} PLACE" for command in ("standings", "verify", "report", "replay", "review", "faults")),
        *(f"{command} PLACE" for command in ("export", "check", "resume", "pairings", "new python")),
        *(f"league {command} PLACE" for command in ("new", "run", "verify", "board")),
        *(f"{command} PLACE --seat 0 heuristic" for command in ("rematch", "rerun")),
        *(
            f"tournament heuristic {flag} PLACE"
            for flag in ("--config", "--out", "--seed-file", "--plan 1 --like")
        ),
        *(f"{command} PLACE x --reason y" for command in ("annul", "withdraw")),
        "admit PLACE heuristic",
        "bots --copy PLACE",
        "check heuristic --html PLACE",
        "match heuristic --log PLACE",
        "match heuristic PLACE",
        "tournament PLACE heuristic",
        "tournament PLACE.csv heuristic",
    ],
)
def test_a_place_out_of_reach_is_its_callers_mistake(line: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    places = [tmp_path / ("y" * 300)]
    if os.geteuid() != 0:  # Root enters every folder.
        places += [closed, closed / "run"]
    for place in places:
        call = arena(*line.replace("PLACE", str(place)).split())
        assert call.status in (1, 2), call.err
        assert "Traceback" not in call.err


def test_a_row_of_a_class_that_cannot_be_entered_or_is_too_deep_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    deep = tmp_path / "deep"
    for _ in range(1200):
        deep.mkdir()
        deep /= "d"
    rows = [f"good-{number},{bot}" for number, bot in enumerate(BOTS[:3])]
    (tmp_path / "class.csv").write_text("\n".join(("name,bot", "closed,closed", "deep,deep", *rows)))
    words = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--quiet", "--json")
    call = arena("tournament", tmp_path / "class.csv", *words, "--out", tmp_path / "run")
    remove_folder(tmp_path / "deep")  # pytest itself cannot.
    assert call.status in (0, 1), call.err
    assert {out["name"] for out in call.json["left_out"]} == {"closed", "deep"}
    assert len(call.json["entrants"]) == 3
