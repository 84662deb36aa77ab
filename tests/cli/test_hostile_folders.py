"""A tournament to which strangers hand in folders that do harm when they are read: the others still play."""

import os
from pathlib import Path

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
