"""Bots that attack what holds them: the first process inside, its parent, the referee, the machine. Each ends
as a forfeit of that bot, or the match goes on; never as a match that counts for nobody. The attacks are in
attacks.c.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

from arena.playing.referee import play_match
from arena.process.botprocess import BotProcess
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn
from arena.process.tree import children
from arena.system.errors import MachineError
from protocol.faults import FaultKind
from protocol.messages import Limits
from tests.support.boxed import pass_as_an_ordinary_user
from tests.support.jobs import ECHOES, check, job, with_settings
from tests.support.needs import require
from tests.support.programs import Program, entrant

SOURCE = Path(__file__).with_name("attacks.c")
ENDINGS = {FaultKind.EXITED, FaultKind.TIMEOUT, FaultKind.MEMORY, FaultKind.EXCESS}
INSIDE = "!"
"""Behind the name of an attack that would hit outside of a sandbox whoever runs the tests."""


@pytest.fixture(scope="module")
def attacks() -> Iterator[Path]:
    """The program, where an ordinary user can read it too."""
    require("cc")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        program = Path(folder, "attacks")
        subprocess.run(["cc", "-w", "-pthread", "-o", program, SOURCE], check=True)
        yield program


@pytest.mark.thorough  # Every attack at two levels and as two users: three minutes.
@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_no_attack_makes_a_match_void(attacks: Path, level: Level, tmp_path: Path) -> None:
    require(level)
    listed = subprocess.run([attacks], capture_output=True, text=True, check=True).stdout.split()
    chosen = [name.rstrip(INSIDE) for name in listed if level is Level.BWRAP or not name.endswith(INSIDE)]
    assert len(chosen) > 20
    for name in chosen:
        trio.run(survives, attacks, name, level, tmp_path)


async def survives(program: Path, name: str, level: Level, folder: Path) -> None:
    """Plays a match against an attack. A void match raises."""
    played = job(folder, *ECHOES)
    attacker = msgspec.structs.replace(
        played.entrants[2], launch=Launch((str(program), name), str(program.parent))
    )
    limits = Limits(start_ms=10_000, decision_ms=5000, bank_ms=0)
    match = msgspec.structs.replace(
        with_settings(played, limits=limits, sandbox=Sandbox(level, 256)),
        entrants=(*played.entrants[:2], attacker),
    )
    for fault in check(await play_match(match), folder):
        assert (fault.seat, fault.kind) in {(2, kind) for kind in ENDINGS}, (name, fault)


@pytest.mark.needs("root")
@pytest.mark.thorough  # As above.
def test_no_attack_of_an_ordinary_users_bot_does() -> None:
    pass_as_an_ordinary_user(__file__, "makes_a_match_void", marked="thorough")


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("whose", ["the bot's", "bwrap's"])
async def test_the_first_process_inside_is_the_bots_and_bwrap_is_not(whose: str, tmp_path: Path) -> None:
    """A bot sees the one, and is blamed for whatever ends it; the other it does not see."""
    tmp_path.chmod(0o755)
    program = Program(before="say('begun')")
    process = spawn(entrant(tmp_path, "bot", program).launch, None, Sandbox(Level.BWRAP))
    assert isinstance(process, BotProcess)
    try:
        assert await process.read(trio.current_time() + 20) == b"begun\n"
        (first,) = children(process.pid)
        os.kill(first if whose == "the bot's" else process.pid, signal.SIGKILL)
        assert await process.read(trio.current_time() + 20) == b""
        if whose == "the bot's":
            assert await process.exited_by(trio.current_time() + 20)
            assert process.status() == -signal.SIGKILL
        else:
            with pytest.raises(MachineError, match="was killed from outside"):
                await process.exited_by(trio.current_time() + 20)
    finally:
        process.kill()
