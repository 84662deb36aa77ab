"""A run goes on whatever systems, editors and interpreters leave beside its programs, and whatever a bot
writes there; what has really changed is named."""

from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Created
from arena.director.journal import Journal
from arena.entrants.digest import Rule, digest
from arena.entrants.find import find
from arena.log.settings import MatchSettings
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from tests.cli.calls import arena
from tests.support.clutter import cluttered
from tests.support.programs import Program

TERMS = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--sandbox", "none", "--quiet")
NOTES = "sys.path.insert(0, os.getcwd())\nimport helper\nopen('log', 'a').write('x')"


def noting(folder: Path) -> Path:
    """A bot that imports a module of its own, and keeps a log beside itself."""
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text('command = "python3 bot.py"\n')
    (folder / "bot.py").write_text(Program(before=NOTES).source())
    (folder / "helper.py").write_text("HELP = 1\n")
    return folder


@pytest.fixture
def bots(tmp_path: Path) -> list[Path]:
    return [noting(tmp_path / name) for name in ("ada", "bob")]


@pytest.mark.thorough  # 2 s of processor.
def test_a_run_goes_on_with_what_is_left_beside_its_programs(bots: list[Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    first = arena("tournament", *bots, *TERMS, "--out", run)
    assert (first.status, "forfeit" in first.out) == (0, False), first.err
    assert not (bots[0] / "log").exists()
    for bot in bots:
        cluttered(bot)
    log = next((run / "matches").iterdir())
    again = arena("rematch", log, "--seat", 0, bots[0], *bots, "--sandbox", "none")
    assert again.status == 0, again.err
    more = arena("resume", run, "--rounds", "+1", "--quiet")
    assert more.status == 0, more.err

    (bots[1] / "helper.py").write_text("HELP = 2\n")
    (bots[1] / "log").write_text("by hand")
    changed = arena("resume", run, "--rounds", "+1", "--quiet")
    how = "has changed since it entered: helper.py has changed, log was added"
    assert (changed.status, how in changed.err) == (2, True), changed.err


def test_a_run_of_an_older_arena_goes_on(bots: list[Path], tmp_path: Path) -> None:
    """It had what was left in the digest, as with ada, and no copies; with bob that was left since."""
    cluttered(bots[0])
    entrants = tuple(
        msgspec.structs.replace(
            one, launch=msgspec.structs.replace(one.launch, kept=""), digest=digest([bot], rule=Rule.ALL)
        )
        for one, bot in zip(
            find([*map(str, bots)], "sticheln", Sandbox(Level.NONE)).entrants, bots, strict=True
        )
    )
    settings = MatchSettings(
        game="sticheln", options={}, deals=1, limits=Limits(), faults=1, sandbox=Sandbox(Level.NONE)
    )
    created = Created(
        **msgspec.structs.asdict(settings),
        arena="0",
        seed="7",
        rules=1,
        format="swiss",
        rounds=1,
        pod_size=3,
        duplicates=False,
        entrants=entrants,
        left_out=(),
    )
    Journal.create(tmp_path / "run", created).close()
    cluttered(bots[1])
    resumed = arena("resume", tmp_path / "run", "--quiet")
    assert (resumed.status, "forfeit" in resumed.out) == (0, False), resumed.err
