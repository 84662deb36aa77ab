"""Archives of strangers: what is unpacked is what was packed, and no archive takes more than it may, or puts
anything where it should not.
"""

import bz2
import gzip
import os
import socket
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from arena.entrants.archive import UnpackError
from arena.entrants.reading import reading
from arena.entrants.unpack import ArchiveBudget, ArchiveLimits, Unpacked, is_archive, stem_of
from arena.entrants.unpack import unpacked as unpacked_by
from arena.system.errors import UserError
from arena.system.machine import MIB
from tests.support.archives import tarred, zipped

SMALL = ArchiveLimits(packed=4 * MIB, size=8 * MIB, files=200, depth=5)
READER = reading()


def unpacked(archive: Path, spent: ArchiveBudget, below: Path) -> Unpacked:
    return unpacked_by(archive, spent, READER, below)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(archive: Path, bounds: ArchiveLimits = SMALL) -> str:
    """Why, with a proof that nothing is left."""
    below = archive.parent / "unpacked"
    with pytest.raises(UnpackError) as raised:
        unpacked(archive, ArchiveBudget(bounds), below)
    assert list(below.iterdir()) == []
    return str(raised.value)


@pytest.mark.parametrize("name", ["class.zip", "class.tar", "class.tar.gz", "CLASS.TAR.GZ"])
def test_what_was_packed_is_unpacked(tmp_path: Path, name: str) -> None:
    files = {"ada/bot.py": b"pass\n", "größer.py": b"x" * 200_000, "./deep/a/b/c": b""}
    pack = zipped if name.endswith("zip") else tarred
    folder, incomplete = unpacked(pack(tmp_path / name, files), ArchiveBudget(SMALL), tmp_path / "cache")
    assert incomplete == {}
    assert tree(folder) == {name.removeprefix("./"): data for name, data in files.items()}
    assert is_archive(Path(name))
    assert stem_of(Path(name)).lower() == "class"


def test_the_same_archive_is_unpacked_once(tmp_path: Path) -> None:
    one = zipped(tmp_path / "a.zip", {"bot.py": b"pass\n"})
    other = tmp_path / "b.zip"
    other.write_bytes(one.read_bytes())
    first = unpacked(one, ArchiveBudget(SMALL), tmp_path / "cache")
    again = ArchiveBudget(ArchiveLimits(files=0))
    assert unpacked(other, again, tmp_path / "cache") == first


def test_the_bit_that_makes_it_executable_is_kept_and_no_other(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "a.zip", {"run": b"#!/bin/sh\n"}, stat.S_IFREG | 0o6777)
    (tmp_path / "suid").write_text("#!/bin/sh\n")
    (tmp_path / "suid").chmod(0o6755)
    subprocess.run(["tar", "-cf", "b.tar", "suid"], cwd=tmp_path, check=True)
    for archive in (packed, tmp_path / "b.tar"):
        (file,) = unpacked(archive, ArchiveBudget(SMALL), tmp_path / "cache").folder.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o755


def _symlink(folder: Path) -> None:
    (folder / "bot.py").symlink_to("/etc/passwd")


def _link_to_folder(folder: Path) -> None:
    (folder / "out").symlink_to("/tmp")


def _hard_link(folder: Path) -> None:
    (folder / "bot.py").write_text("pass\n")
    os.link(folder / "bot.py", folder / "other.py")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "bot.py")


def _device(folder: Path) -> None:
    os.mknod(folder / "bot.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_symlink, "a symbolic link"),
        (_link_to_folder, "a symbolic link"),
        (_hard_link, "a hard link"),
        (_pipe, "a pipe"),
        pytest.param(_device, "a device", marks=pytest.mark.needs("root")),
    ],
)
def test_only_files_and_folders(tmp_path: Path, make: Callable[[Path], None], why: str) -> None:
    (tmp_path / "in").mkdir()
    make(tmp_path / "in")
    subprocess.run(["tar", "-czf", "../class.tar.gz", "."], cwd=tmp_path / "in", check=True)
    assert f"contains {why}" in refused(tmp_path / "class.tar.gz")


@pytest.mark.parametrize(
    ("kind", "why"),
    [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFIFO, "a pipe"), (stat.S_IFCHR, "a device")],
)
def test_only_files_and_folders_in_a_zip(tmp_path: Path, kind: int, why: str) -> None:
    archive = zipped(tmp_path / "a.zip", {"bot.py": b"/etc/passwd"}, kind | 0o777)
    assert f"contains {why}, bot.py" in refused(archive)


OUTSIDE = ["/etc/cron.d/x", "../x", "a/../../x", "C:/x", "..\\x", "a\nb", "a\u202eb", "n" * 300]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_lead_out_or_are_none(
    tmp_path: Path, name: str, pack: Callable[[Path, Mapping[str, bytes]], Path]
) -> None:
    archive = pack(tmp_path / "a.zip", {name: b"x"})
    if pack is tarred and "\\" in name:
        # In a tar that is a character like any other.
        assert tree(unpacked(archive, ArchiveBudget(SMALL), tmp_path / "cache").folder) == {name: b"x"}
    else:
        assert refused(archive).startswith("contains '")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("Bot.py", "bot.py"), "which are the same file on some machines"),
        (("ada/x", "Ada/y"), "which are the same file on some machines"),
        (("\u00fc.py", "u\u0308.py"), "which are the same file on some machines"),
        (("stra\u00dfe", "STRASSE"), "which are the same file on some machines"),
        (("a", "a/b"), "twice"),
        (("a/b", "a"), "twice"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_are_one(
    tmp_path: Path,
    names: tuple[str, str],
    why: str,
    pack: Callable[[Path, Mapping[str, bytes]], Path],
) -> None:
    assert why in refused(pack(tmp_path / "a.zip", dict.fromkeys(names, b"x")))


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_folder_in_which_something_cannot_be_is_incomplete_and_no_other(
    tmp_path: Path, pack: Callable[[Path, Mapping[str, bytes]], Path]
) -> None:
    names = {
        "ada/in/Bot.py": "'ada/in/Bot.py' and 'ada/in/bot.py', which are the same file on some machines",
        "eve/x/y": "'eve/x' twice",
        "fay/a\u202eb": "a name that cannot be copied and pasted",
        "gus/" + "n" * 300: "whose name is too long",
        "ian/1/2/3/4/5": "nests folders deeper than 5",
    }
    files = dict.fromkeys(("ada/in/Bot.py", "ada/in/bot.py", "bob/bot.py", "eve/x", *names), b"x")
    archive = pack(tmp_path / "a.zip", files)
    folder, incomplete = unpacked(archive, ArchiveBudget(SMALL), tmp_path / "cache")
    assert list(incomplete) == ["ada/in", "eve", "fay", "gus", "ian/1/2/3/4"]
    assert all(why in found for why, found in zip(names.values(), incomplete.values(), strict=True))
    assert set(tree(folder)) == {"ada/in/Bot.py", "bob/bot.py", "eve/x"}
    assert unpacked(archive, ArchiveBudget(SMALL), tmp_path / "cache") == (folder, incomplete)


def test_a_link_in_a_folder_makes_that_incomplete(tmp_path: Path) -> None:
    for author in ("ada", "bob"):
        (tmp_path / "in" / author).mkdir(parents=True)
        (tmp_path / "in" / author / "bot.py").write_text("pass\n")
    (tmp_path / "in" / "bob" / "python").symlink_to("/usr/bin/python3")
    subprocess.run(["tar", "-cf", "../a.tar", "ada", "bob"], cwd=tmp_path / "in", check=True)
    folder, incomplete = unpacked(tmp_path / "a.tar", ArchiveBudget(SMALL), tmp_path / "cache")
    assert list(incomplete) == ["bob"]
    assert "contains a symbolic link, bob/python" in incomplete["bob"]
    assert set(tree(folder)) == {"ada/bot.py", "bob/bot.py"}


def test_the_same_file_twice(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("bot.py"))
    assert "'bot.py' twice" in refused(tmp_path / "a.tar")


def test_a_bomb_of_zeros(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", {"x": bytes(64 * MIB)})
    assert bomb.stat().st_size < MIB
    assert refused(bomb) == "unpacks to more than 8 MB"
    assert "more than 8 MB" in refused(tarred(tmp_path / "a.tar.gz", {"x": bytes(64 * MIB)}))


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    """Both headers say one byte, and there are many."""
    bomb = zipped(tmp_path / "a.zip", {"x": bytes(64 * MIB)})
    said = (64 * MIB).to_bytes(4, "little")
    bomb.write_bytes(bomb.read_bytes().replace(said, (1).to_bytes(4, "little")))
    assert "is damaged" in refused(bomb)


def test_a_bomb_whose_files_share_their_bytes(tmp_path: Path) -> None:
    """David Fifield's overlapping files: each entry of the table of contents names the same ones."""
    one = zipped(tmp_path / "one.zip", {"x": bytes(MIB)}).read_bytes()
    start = one.index(b"PK\x01\x02")
    end = one.index(b"PK\x05\x06")
    entries = b"".join(
        one[start : end - 1] + chr(0x41 + number).encode() for number in range(26)
    )  # The name is the last byte of an entry.
    tail = bytearray(one[end:])
    tail[8:12] = (26).to_bytes(2, "little") * 2
    tail[12:16] = len(entries).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(one[:start] + entries + bytes(tail))
    assert refused(tmp_path / "a.zip") == "unpacks to more than 8 MB"
    assert "is damaged" in refused(tmp_path / "a.zip", ArchiveLimits())


def test_a_stranger_s_archive_is_no_link_to_another(tmp_path: Path) -> None:
    zipped(tmp_path / "other.zip", {"bot.py": b"pass"})
    (tmp_path / "a.zip").symlink_to("other.zip")
    assert refused(tmp_path / "a.zip", ArchiveLimits(links=False)) == "is not a file but a symbolic link"
    assert (
        unpacked(tmp_path / "a.zip", ArchiveBudget(ArchiveLimits()), tmp_path / "unpacked").incomplete == {}
    )


def test_a_header_as_large_as_a_disk(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 7 << 30
    with gzip.open(tmp_path / "a.tar.gz", "wb") as file:
        file.write(header.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(32):
            file.write(bytes(MIB))
    assert "more than 8 MB" in refused(tmp_path / "a.tar.gz")


def test_headers_of_headers_without_end(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1
    block = header.tobuf(tarfile.GNU_FORMAT) + b"x".ljust(512, b"\0")
    (tmp_path / "a.tar").write_bytes(block * 3000)
    assert "is damaged" in refused(tmp_path / "a.tar")


def test_a_sparse_file(tmp_path: Path) -> None:
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 40)
    subprocess.run(["tar", "-cSf", "a.tar", "holes"], cwd=tmp_path, check=True)
    assert "a sparse file" in refused(tmp_path / "a.tar")


@pytest.mark.parametrize("suffix", ["zip", "tar"])
def test_thousands_of_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    names = (f"{number // 100}/{number}" for number in range(3000))
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"")
    else:
        with tarfile.open(path, "w") as tar:
            for name in names:
                tar.addfile(tarfile.TarInfo(name))
    assert refused(path, ArchiveLimits(files=500)) == "contains more than 500 files and folders"


def test_folders_count_however_they_come(tmp_path: Path) -> None:
    deep = {f"{number}/a/b/c/d": b"" for number in range(50)}
    assert "more than 200 files" in refused(zipped(tmp_path / "a.zip", deep))
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        folder = tarfile.TarInfo("a")
        folder.type = tarfile.DIRTYPE
        for _ in range(300):
            archive.addfile(folder)
    assert "more than 200 files" in refused(tmp_path / "a.tar")


def test_depth(tmp_path: Path) -> None:
    found = unpacked(
        zipped(tmp_path / "a.zip", {"a/b/c/d/e/f": b""}), ArchiveBudget(SMALL), tmp_path / "cache"
    )
    assert found.incomplete == {"a/b/c/d/e": "nests folders deeper than 5"}
    assert tree(found.folder) == {}


def test_archives_share_what_they_may_take(tmp_path: Path) -> None:
    spent = ArchiveBudget(SMALL)
    for number in range(2):
        unpacked(zipped(tmp_path / f"{number}.zip", {f"{number}": bytes(3 * MIB)}), spent, tmp_path / "cache")
    with pytest.raises(UnpackError, match="more than 8 MB, together with the archives before it"):
        unpacked(zipped(tmp_path / "a.zip", {"x": bytes(3 * MIB)}), spent, tmp_path / "cache")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_bomb_keeps_nobody_out(tmp_path: Path, pack: Callable[[Path, Mapping[str, bytes]], Path]) -> None:
    spent = ArchiveBudget(SMALL)
    bombs = ({"x": bytes(MIB), "y": bytes(20 * MIB)}, {str(number): b"" for number in range(300)})
    for number, files in enumerate(bombs):
        with pytest.raises(UnpackError, match="more than"):
            unpacked(pack(tmp_path / f"{number}.tar.gz", files), spent, tmp_path / "cache")
    last = pack(tmp_path / "a.zip", {"x": bytes(3 * MIB)})
    assert tree(unpacked(last, spent, tmp_path / "cache").folder)


def test_the_time_is_kept_where_python_reads_on_and_on(tmp_path: Path) -> None:
    """A hundred thousand packed pieces of nothing are one read."""
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(b"") * 100_000)
    assert refused(tmp_path / "a.tar.gz", ArchiveLimits(seconds=0.1)) == "cannot be read within 0.1 s"


def pax_bomb(path: Path, digits: int = 400_000) -> Path:
    """CVE-2024-6232: Python's tarfile looks for a word behind every one of these digits, up to their end."""
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, digits
    data = header.tobuf(tarfile.USTAR_FORMAT) + b"1" * digits + bytes(-digits % 512 + 1024)
    path.write_bytes(gzip.compress(data, mtime=0))
    return path


def extra_bomb(path: Path, entries: int) -> Path:
    """For each of an entry's empty extra fields Python copies all that follow."""
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(entries):
            info = zipfile.ZipInfo(str(number))
            info.extra = b"\x99\x99\0\0" * 16_000
            archive.writestr(info, b"")
    return path


def test_a_header_that_takes_hours(tmp_path: Path) -> None:
    archive = pax_bomb(tmp_path / "a.tar.gz")
    assert archive.stat().st_size < 1000
    why = refused(archive, ArchiveLimits(seconds=0.2))
    assert why.startswith(("cannot be read within 0.2 s", "is damaged"))  # Newer Pythons are not caught.


def test_extra_fields_without_end(tmp_path: Path) -> None:
    archive = extra_bomb(tmp_path / "a.zip", 200)
    assert refused(archive, ArchiveLimits(seconds=0.05)) == "cannot be read within 0.05 s"


def test_an_encrypted_one(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "a.zip", {"bot.py": b"pass"}).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    assert refused(tmp_path / "a.zip") == "is encrypted (bot.py); pack it again without a password"


@pytest.mark.parametrize("cut", [0, 3, 100, 300, 520])
@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_damaged_ones(tmp_path: Path, name: str, cut: int) -> None:
    pack = zipped if name.endswith("zip") else tarred
    whole = pack(tmp_path / name, {"a.py": os.urandom(700), "b.py": os.urandom(700)}).read_bytes()
    (tmp_path / name).write_bytes(whole[:cut])
    assert "is damaged" in refused(tmp_path / name)


def test_a_damaged_header_behind_the_first(tmp_path: Path) -> None:
    data = bytearray(tarred(tmp_path / "a.tar", {"a.py": b"x", "b.py": b"y"}).read_bytes())
    data[1024:1034] = b"\xff" * 10
    (tmp_path / "a.tar").write_bytes(data)
    assert "no header at byte 1024" in refused(tmp_path / "a.tar")


def test_kinds_that_are_known_and_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(bz2.compress(b"x" * 2000))
    assert refused(path) == "is a bzip2 archive; pack it again as .zip or .tar.gz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x", b"x" * 2000)
    assert "packed with method 14" in refused(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")
    assert refused(tmp_path / "a.zip") == "is not a file but a pipe"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "b.zip"))
        assert refused(tmp_path / "b.zip") == "is not a file but a socket"
    (tmp_path / "c.zip").write_bytes(os.urandom(5 * MIB))
    assert refused(tmp_path / "c.zip") == "is larger than 4 MB"


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(UserError, match="File exists; set XDG_CACHE_HOME to a different place"):
        unpacked(zipped(tmp_path / "a.zip", {}), ArchiveBudget(SMALL), tmp_path / "cache")


def test_names_in_utf_8_that_is_not_said(tmp_path: Path) -> None:
    data = zipped(tmp_path / "a.zip", {"größer.py": b"x"}).read_bytes()
    for begins, flags in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        at = data.index(begins) + flags
        data = data[:at] + bytes([data[at] & ~8]) + data[at + 1 :]
    (tmp_path / "a.zip").write_bytes(data)
    assert tree(unpacked(tmp_path / "a.zip", ArchiveBudget(SMALL), tmp_path / "cache").folder) == {
        "größer.py": b"x"
    }
