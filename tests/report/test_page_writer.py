"""The process that writes pages while matches are played, as its parent sees it."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.director.journal import Journal
from arena.director.state import Record
from arena.report.files import REPORT, over
from arena.report.page_writer import PageOrder, PageWriter
from arena.system.errors import UserError
from tests.cli.calls import ROOT
from tests.support.reports import copied


@pytest.fixture
def run(twelve: Path, tmp_path: Path) -> Path:
    return copied(twelve, tmp_path / "run", 60)


async def test_it_writes_what_it_is_told(run: Path) -> None:
    with Journal(run) as journal:
        match_id = over(Record(journal.entries))[0]
    async with PageWriter() as writer:
        for order in (PageOrder(str(run), match_id), PageOrder(str(run))):
            done = await writer.write(order)
            assert done.error == ""
            assert done.seconds > 0
    assert [path.stem for path in (run / "replays").iterdir()] == [match_id]
    assert f"replays/{match_id}.html" in (run / REPORT).read_text()


async def test_what_cannot_be_written_is_named_and_it_goes_on(run: Path) -> None:
    log = next((run / "matches").iterdir())
    whole = log.read_bytes()
    log.write_bytes(whole[:100])
    async with PageWriter() as writer:
        assert log.stem in (await writer.write(PageOrder(str(run), log.stem))).error
        # The report does without.
        assert (await writer.write(PageOrder(str(run)))).error == ""
        assert f"the log of {log.stem} is missing or damaged" in (run / REPORT).read_text()
        (run / REPORT).unlink()
        (run / REPORT).mkdir()
        assert str(run / REPORT) in (await writer.write(PageOrder(str(run)))).error
        (run / REPORT).rmdir()
        log.write_bytes(whole)
        assert (await writer.write(PageOrder(str(run)))).error == ""
    assert "missing or damaged" not in (run / REPORT).read_text()


@pytest.mark.needs("linux")
async def test_everybody_else_has_the_cores_first(run: Path) -> None:
    async with PageWriter() as writer:
        await writer.write(PageOrder(str(run)))
        assert os.sched_getscheduler(writer.pid) == os.SCHED_IDLE
        autogroup = Path(f"/proc/{writer.pid}/autogroup")
        assert not autogroup.exists() or autogroup.read_text().endswith(" nice 19\n")


@pytest.mark.needs("linux")
async def test_a_death_is_told_in_one_line(run: Path) -> None:
    async with PageWriter() as writer:
        resource.prlimit(writer.pid, resource.RLIMIT_NOFILE, (3, 3))
        with pytest.raises(UserError) as told:
            await writer.write(PageOrder(str(run)))
    assert "\n" not in str(told.value)
    assert "Traceback" not in str(told.value)


PARENT = """
import trio
from arena.report.page_writer import PageWriter
async def main():
    async with PageWriter() as writer:
        print(writer.pid, flush=True)
        await trio.sleep_forever()
trio.run(main)
"""


@pytest.mark.needs("linux")
@pytest.mark.parametrize("stopped", [False, True])
def test_it_ends_when_its_parent_is_killed(stopped: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = Path("/proc") / parent.stdout.readline().decode().strip()
        assert child.exists()
        while os.sched_getscheduler(int(child.name)) != os.SCHED_IDLE:
            time.sleep(0.05)
        if stopped:
            os.kill(int(child.name), signal.SIGSTOP)
        parent.kill()
    until = time.monotonic() + 60
    while child.exists() and (child / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.05)
