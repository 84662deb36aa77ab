"""Cores claimed by locks, which other processes respect and which go with their holder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.commands.workers import playing
from arena.playing.pool import Worker
from arena.process.cores import claimed
from arena.system.processors import allowed
from tests.cli.calls import ROOT

pytestmark = pytest.mark.needs("linux")


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks of our own, whatever else runs on this machine."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_a_core_is_claimed_once() -> None:
    with claimed(1) as first:
        assert first == allowed()[:1]
        with claimed(1000) as others:
            assert others == allowed()[1:]
    with claimed(1000) as all_of_them:
        assert all_of_them == allowed()


def test_who_shares_a_core_is_told_in_the_right_number() -> None:
    said: list[str] = []
    with claimed(1000), playing(None, 1, said.append):
        assert said == ["1 of 1 worker shares its core: none could be claimed for it"]


def test_a_claim_ends_with_its_holder() -> None:
    script = "import os, signal; from arena.process.cores import claimed\n"
    script += "with claimed(1000) as cores: print(len(cores)); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-u", "-c", script], cwd=ROOT, check=False)
    with claimed(1000) as cores:
        assert cores == allowed()


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena").chmod(0o777)
    with claimed(1) as cores:
        assert cores == []


async def test_a_worker_has_its_core() -> None:
    core = allowed()[-1]
    worker = Worker(core)
    try:
        assert os.sched_getaffinity(worker.pid) == {core}
    finally:
        await worker.stop()
