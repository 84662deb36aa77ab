"""A tournament of twelve bots, one of them with nasty texts everywhere and one that dies, played once for all
who look at its pages."""

import shutil
from pathlib import Path

import msgspec
import pytest
import trio

from arena.director.director import run
from arena.director.entries import LeftOut
from arena.director.journal import Journal
from tests.support.directors import created, nothing
from tests.support.nasty import nasty
from tests.support.programs import ECHO, MISBEHAVING, Program, entrant
from tests.support.shared import shared

SCRIPT = "<script>alert(1)</script>"
NOTED = Program(asked='answer = answer[:-1] + \', "note": "the lowest"}\'')


@pytest.fixture(scope="session")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its run directory, a copy for each process, since pages are written there."""
    played = shared(tmp_path_factory, "twelve", play)
    return Path(shutil.copytree(played / "run", tmp_path_factory.mktemp("twelve") / "run"))


def play(folder: Path) -> None:
    programs = {f"bot-{number}": ECHO for number in range(1, 10)}
    programs |= {
        "noted": NOTED,
        "nasty": nasty(SCRIPT + "</script>[/nope]\x1b[2J"),
        "dies": MISBEHAVING["exits"],
    }
    entrants = [entrant(folder, name, program) for name, program in programs.items()]
    settings = msgspec.structs.replace(
        created(folder),
        entrants=tuple(entrants),
        left_out=(LeftOut(SCRIPT, SCRIPT),),
        authors={"nasty": SCRIPT},
        pod_size=4,
        deals=2,
    )
    with Journal.create(folder / "run", settings) as journal:
        trio.run(run, journal, 2, nothing)
