"""A bot arrives on another machine as the program that it was, or not at all."""

import hashlib
import os
from pathlib import Path

import msgspec
import pytest

from arena.cluster.bundle import BundleError, File, Folder, Label, Link, is_there, launch, pack, unpack
from arena.entrants.entrant import Entrant
from arena.entrants.find import find
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import UserError
from tests.support.folder_bots import folder_bot
from tests.support.programs import ECHO

LEVEL = Sandbox(Level.NONE)


def entered(*words: str) -> Entrant:
    found = find(words, "sticheln", LEVEL)
    assert not found.left_out
    return found.entrants[0]


def sent(entrant: Entrant, cache: Path) -> Launch:
    """How it is started where it has arrived."""
    label, bundle = pack(entrant)
    unpack(bundle, label, cache)
    return launch(entrant, label, cache, "sticheln", LEVEL)


def shape(folder: Path) -> dict[str, tuple[int, object]]:
    """All that is below a folder, by path: its mode, and what it holds or leads to."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            os.readlink(path) if path.is_symlink() else path.is_dir() or path.read_bytes(),
        )
        for path in folder.rglob("*")
    }


def test_a_file_is_started_by_the_interpreter_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "ada.py"
    path.write_text(ECHO.source())
    there = sent(entered(str(path)), tmp_path / "cache")
    assert there.argv[-1] == f"{there.folder}/ada.py"
    assert Path(there.argv[-1]).read_text() == ECHO.source()
    assert there.folder.startswith(str(tmp_path / "cache"))


def test_a_folder_arrives_whole(tmp_path: Path) -> None:
    source = folder_bot(tmp_path / "ada")
    there = sent(entered(str(source)), tmp_path / "cache")
    assert shape(Path(there.folder)) == shape(source)
    assert Path(there.folder).name == "ada"


def test_a_build_is_done_again_where_it_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "ours"))
    source = folder_bot(tmp_path / "ada", build='build = "touch built"\n')
    there = sent(entered(str(source)), tmp_path / "cache")
    assert (Path(there.kept) / "built").exists()
    assert there.kept.startswith(str(tmp_path / "cache" / "builds"))


def test_of_a_command_line_travels_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "bot.py").write_text("1")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "bot.py").write_text("2")
    command = f"/bin/sh {tmp_path}/one/bot.py --fast {tmp_path}/two"
    there = sent(entered(f"ada={command}"), tmp_path / "cache")
    assert there.argv == ("/bin/sh", "1/bot.py", "--fast", "3/two")
    assert {str(path.relative_to(there.folder)) for path in Path(there.folder).rglob("*.py")} == {
        "1/bot.py",
        "3/two/bot.py",
    }


def test_a_missing_interpreter_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    interpreter = tmp_path / "lua5.9"
    interpreter.symlink_to("/bin/sh")
    path = tmp_path / "ada"
    path.write_text(f"#!{interpreter}\n")
    path.chmod(0o755)
    entrant = entered(str(path))
    interpreter.unlink()
    with pytest.raises(BundleError, match=r"ada cannot be started: its interpreter .*lua5\.9 is not there"):
        sent(entrant, tmp_path / "cache")


def test_a_bot_that_has_changed_is_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "ada.py"
    path.write_text("1")
    entrant = entered(str(path))
    path.write_text("2")
    with pytest.raises(UserError, match=r"ada cannot be sent to .*: .* has changed since it entered"):
        pack(entrant)


def test_a_bot_of_the_house_is_not_sent() -> None:
    with pytest.raises(UserError, match="search cannot be sent to another machine: it needs packages"):
        pack(entered("search"))


def test_a_link_that_leads_out_of_its_folder_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the organiser's")
    source = folder_bot(tmp_path / "ada")
    (source / "docs" / "data").symlink_to("../../secret")
    with pytest.raises(UserError, match=r"the link .*docs/data points outside its folder"):
        pack(entered(str(source)))


def test_a_bot_without_bound_is_not_sent(tmp_path: Path) -> None:
    source = folder_bot(tmp_path / "ada")
    entrant = entered(str(source))
    with (source / "weights").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UserError, match=r"larger than 256 MB"):
        pack(entrant)


def test_what_arrives_is_what_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "ada.py"
    path.write_text("1")
    label, bundle = pack(entered(str(path)))
    with pytest.raises(BundleError, match="differs from what was sent"):
        unpack(bundle[:-1] + b"2", label, tmp_path / "cache")
    assert not is_there(label, tmp_path / "cache")


def test_what_was_tampered_with_after_its_arrival_is_not_started(tmp_path: Path) -> None:
    path = tmp_path / "ada.py"
    path.write_text("1")
    entrant = entered(str(path))
    there = sent(entrant, tmp_path / "cache")
    Path(there.argv[-1]).write_text("2")
    with pytest.raises(BundleError, match="no longer contains the program that entered"):
        sent(entrant, tmp_path / "cache")


@pytest.mark.parametrize(
    "items",
    [
        [File("../evil", 0o644, b"")],
        [File("/tmp/evil", 0o644, b"")],
        [Folder("a", 0o755), File("a/../../evil", 0o644, b"")],
        [Link("a", "/etc/passwd")],
        [Link("a", "../../evil")],
        [Folder("b", 0o755), Link("b/c", "../b"), Link("a", "b/c/../..")],
        [Link("a", "/tmp"), File("a/evil", 0o644, b"")],
        [Folder("a", 0o755), Folder("a", 0o755)],
        [File("", 0o644, b"")],
        [File("a\0b", 0o644, b"")],
    ],
)
def test_a_bundle_that_would_write_elsewhere_is_refused(
    items: list[Folder | File | Link], tmp_path: Path
) -> None:
    bundle = msgspec.msgpack.encode(items)
    label = Label(hashlib.sha256(bundle).hexdigest(), "a")
    with pytest.raises(BundleError):
        unpack(bundle, label, tmp_path / "cache")
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []
    assert not Path("/tmp/evil").exists()
