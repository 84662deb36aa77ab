"""Which file systems are a network's, by made-up tables of mounts; a journal is not written there."""

from pathlib import Path

import pytest

from arena.director.journal import Journal
from arena.journal import writers
from arena.system.errors import UserError
from arena.system.mounts import network_type
from tests.support.journals import CREATED, filled

TABLE = r"""
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home rw shared:1 - nfs4 server:/home rw,vers=4.2
31 30 254:1 / /home/me/local\040disk rw - xfs /dev/vdb rw
32 22 0:41 / /mnt/twice rw - ext4 /dev/vdc rw
33 22 0:42 / /mnt/twice rw - fuse.sshfs me@server: rw
34 22 0:43 / /homely rw - tmpfs tmpfs rw
""".strip()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/run", None),
        ("/home", "nfs4"),
        ("/home/me/run", "nfs4"),
        ("/home/me/local disk/run", None),
        ("/mnt/twice/run", "fuse.sshfs"),
        ("/homely/run", None),
    ],
)
def test_the_deepest_and_latest_mount_counts(path: str, expected: str | None, tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(TABLE + "\n")
    assert network_type(Path(path), mounts) == expected


def test_without_a_table_nothing_is_known(tmp_path: Path) -> None:
    assert network_type(tmp_path, tmp_path / "mountinfo") is None


@pytest.mark.needs("linux")
def test_the_table_of_this_machine_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert network_type(Path("/proc/self")) is None
    monkeypatch.setattr("arena.system.mounts.NETWORK", frozenset({"proc"}))
    assert network_type(Path("/proc/self")) == "proc"


def test_no_journal_is_begun_or_gone_on_with_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path / "moved")
    monkeypatch.setattr(writers, "network_type", lambda path: "nfs4")
    for refused in (
        lambda: Journal.create(tmp_path / "new", CREATED),
        lambda: Journal(tmp_path / "moved", write=True),
    ):
        with pytest.raises(UserError, match=r"a network file system \(nfs4\)"):
            refused()
    assert not (tmp_path / "new").exists()
    with Journal(tmp_path / "moved") as reader:
        assert len(reader.entries) == 22
