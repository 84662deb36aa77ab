"""A league whose disk is full: it waits or stops with a sentence that names the place, loses nothing, and
goes on when there is room again.
"""

import errno
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.commands.league import read
from arena.league.carried import CURRENT, PAUSED, RECEIVED
from tests.cli.calls import arena
from tests.league.leagues import LAST, bot, copied, done
from tests.support.daemons import (
    PATIENCE_SECONDS,
    begun,
    has_version,
    more_than,
    nothing_is_wrong,
    played,
    says,
)
from tests.support.waiting import until

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.needs("root"),
]
SIZE_MB = 320


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(place)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


class Filler:
    """A file that takes what there is on a disk."""

    def __init__(self, disk: Path) -> None:
        self._disk = disk
        self._path = disk / "filler"

    def leave(self, size: int) -> None:
        """Lets so many bytes be free."""
        with self._path.open("ab") as file:
            while True:
                found = os.statvfs(self._disk)
                try:
                    return os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize - size)
                except OSError as error:
                    if error.errno != errno.ENOSPC:  # Somebody has written meanwhile.
                        raise

    def remove(self) -> None:
        self._path.unlink()


def test_it_waits_for_room(league: Path, disk: Path, tmp_path: Path) -> None:
    league, filler, said = copied(league, disk), Filler(disk), tmp_path / "said"
    filler.leave(5 << 20)
    before = played(league)
    with said.open("wb") as file:
        daemon = begun(league, file)
    try:
        until(says(said, "waiting: "), PATIENCE_SECONDS)
        dropped = bot(league / "inbox" / "blue", "dropped", LAST)
        assert done("pause", league, "red/mybot@1", "--reason", "to see it").out.endswith("to see it\n")
        left = r": \d MB are left on its disk, but it needs 256 MB; make room"
        assert re.search(re.escape(str(league)) + left, said.read_text())
        assert played(league) == before
        assert not read(league).in_flight
        assert dropped.exists()
        filler.remove()
        until(partial(more_than, league, len(before) + 1), PATIENCE_SECONDS)
        until(partial(has_version, league, "blue/dropped@1"), PATIENCE_SECONDS)
        assert "there is room on the disk again" in said.read_text()
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait(PATIENCE_SECONDS) == 130
    finally:
        daemon.kill()
        daemon.wait()
    nothing_is_wrong(league)


def test_a_disk_that_fills_up_while_it_is_played(league: Path, disk: Path, tmp_path: Path) -> None:
    league, filler, said = copied(league, disk), Filler(disk), tmp_path / "said"
    with said.open("wb") as file:
        daemon = begun(league, file)
    try:
        until(lambda: len(read(league).in_flight) == 2, PATIENCE_SECONDS)
        before = played(league)
        filler.leave(0)
        # What is being played ends for want of room, or is written into the last of it.
        until(lambda: daemon.poll() is not None or not read(league).in_flight, PATIENCE_SECONDS)
        if daemon.poll() is None:
            # It says so once: perhaps before, when what is played left less than it needs.
            until(lambda: "waiting: " in said.read_text().rpartition("there is room")[2], PATIENCE_SECONDS)
            daemon.send_signal(signal.SIGINT)
        status = daemon.wait(PATIENCE_SECONDS)
    finally:
        daemon.kill()
        daemon.wait()
    assert "Traceback" not in said.read_text()
    assert status in (2, 130)
    if status == 2:
        assert "No space left on device" in said.read_text() or "disk is full" in said.read_text()
        assert "what was played before is safe" in said.read_text()
    asked = arena("league", "pause", league, "red/mybot@1", "--reason", "to see it")
    # There may be room for an entry in what the journal's files have already.
    assert asked.status in (0, 2)
    assert asked.status == 0 or str(league) in asked.err
    assert "Traceback" not in asked.err
    assert (read(league).versions["red/mybot@1"].status == PAUSED) == (asked.status == 0)
    assert played(league)[: len(before)] == before
    filler.remove()
    in_flight = set(read(league).in_flight)
    done("run", league, "--draws", 1, "--jobs", 2)
    assert in_flight <= read(league).played.keys()
    nothing_is_wrong(league)


def test_a_disk_that_fills_up_during_a_build_is_not_the_fault_of_its_author(
    league: Path, disk: Path, tmp_path: Path
) -> None:
    league, filler, said = copied(league, disk), Filler(disk), tmp_path / "said"
    sent = league / "inbox" / "blue" / "sent"
    sent.mkdir(parents=True)
    (sent / "bot.py").write_text(LAST.source())
    (sent / "bot.toml").write_text("command = 'python3 bot.py'\nbuild = 'sleep 10'\n")
    with said.open("wb") as file:
        daemon = begun(league, file)
    try:
        until(partial(has_version, league, "blue/sent@1"), PATIENCE_SECONDS)
        filler.leave(0)
        # A draw that ends meanwhile may find no room in the journal.
        waits = says(said, "waiting: ")
        until(lambda: daemon.poll() is not None or waits(), PATIENCE_SECONDS)
        time.sleep(10)  # The build ends.
        filler.remove()
        if daemon.poll() is not None:
            daemon = begun(league)
        until(lambda: read(league).versions["blue/sent@1"].status != RECEIVED, PATIENCE_SECONDS)
        daemon.send_signal(signal.SIGINT)
        daemon.wait(PATIENCE_SECONDS)
    finally:
        daemon.kill()
        daemon.wait()
    version = read(league).versions["blue/sent@1"]
    assert (version.status, version.why) == (CURRENT, "")
    nothing_is_wrong(league)


def test_a_full_disk_is_not_called_damage(league: Path, disk: Path) -> None:
    league, filler = copied(league, disk), Filler(disk)
    filler.leave(0)
    for words in (("author", league, "green"), ("prune", league, "--to", 1), ("run", league, "--draws", 1)):
        call = arena("league", *words)
        assert call.status == 2
        assert str(league) in call.err
        assert "damaged" not in call.err
        assert "what was played before is safe" in call.err or "No space left" in call.err
    filler.remove()
    nothing_is_wrong(league)


def test_a_program_that_there_is_no_room_for(league: Path, disk: Path, tmp_path: Path) -> None:
    """It is refused for the machine's sake, and can be sent again as it is."""
    league, filler = copied(league, disk), Filler(disk)
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / "bot.toml").write_text("command = 'python3 bot.py'\n")
    (sent / "bot.py").write_text(LAST.source())
    (sent / "weights").write_bytes(bytes(8 << 20))
    filler.leave(4 << 20)
    refused = arena("league", "add", league, sent, "--author", "blue")
    assert refused.status == 2
    assert "Traceback" not in refused.err
    assert "blue/sent@1" not in read(league).versions
    assert not [*(league / "versions").glob("unfinished-*")]
    filler.remove()
    assert done("add", league, sent, "--author", "blue").out == "blue/sent@1: current\n"
