"""What SPEC.md says of how a bot is started, against the code."""

import tomllib
from pathlib import Path

import msgspec

from arena.entrants.build import COMPILED_FROM
from arena.entrants.clutter import CLUTTER
from arena.entrants.find import find
from arena.entrants.manifest import Manifest
from arena.games import GAMES
from arena.process import launch
from arena.process.sandbox import Sandbox
from tests.spec.text import blocks, fields, first_cells, rows, section


def test_how_bots_are_started() -> None:
    started = section("## How a bot is started")
    assert first_cells(started) == [*launch.SUFFIXES, *fields(Manifest)]
    table = {row[0].strip("`"): row[1] for row in rows(started)}
    for suffix, command in launch.SUFFIXES.items():
        assert f"`{' '.join(command)}`" in table[suffix]
    for name in launch.bot_environment():
        assert f"`{name}`" in started


def test_what_is_no_part_of_a_bot() -> None:
    table = {row[0]: row[1] for row in rows(section("### What is no part of a bot"))}
    assert table == {who: ", ".join(f"`{name}`" for name in names) for who, names in CLUTTER}
    told = " ".join(section("### What is no part of a bot").split())
    assert f"{COMPILED_FROM // 1024} KiB of Python modules" in told


def test_the_example_of_a_manifest_is_a_bot(tmp_path: Path) -> None:
    *shorter, text = blocks("toml")
    assert len(shorter) == 2
    assert all(msgspec.convert(tomllib.loads(short), Manifest).build for short in shorter)
    assert list(tomllib.loads(text)) == fields(Manifest), "every key, in the order of the table"
    manifest = msgspec.convert(tomllib.loads(text), Manifest)
    assert set(manifest.games or ()) < set(GAMES)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(text.replace("make deep", "true"))
    (folder / "deep").write_text("#!/bin/sh\n")
    (folder / "deep").chmod(0o755)
    (found,) = find([str(folder)], "sticheln", Sandbox()).entrants
    assert (found.name, found.launch.argv) == ("deep", ("./deep", "--depth", "3"))
    (left_out,) = find([str(folder)], "ole", Sandbox()).left_out
    assert "does not play ole" in left_out.reason
