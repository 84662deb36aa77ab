"""A bot.toml: what of it is not even parsed, and what is not read in its place."""

import contextlib
import os
from pathlib import Path

import pytest

from arena.entrants.manifest import DOTS_LIMIT, MANIFEST_LIMIT, read_manifest
from tests.support.swapping import needs_exchange, owned, stranger

KEY = "a." * (DOTS_LIMIT + 1) + "a"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{KEY} = 1", f"a key with more than {DOTS_LIMIT} dots"),
        (f"[{KEY}]", f"a key with more than {DOTS_LIMIT} dots"),
        (f"x = [{{{KEY} = 1}}]", f"a key with more than {DOTS_LIMIT} dots"),
        (KEY.replace(".", " . ").replace("a", "'a'", 5) + " = 1", f"a key with more than {DOTS_LIMIT} dots"),
        (f'x = ["""a"""", {{{KEY} = 1}}]', f"a key with more than {DOTS_LIMIT} dots"),
        (f"x = ['''a''''', {{{KEY} = 1}}]", f"a key with more than {DOTS_LIMIT} dots"),
        (f'x = ["\\"", {{{KEY} = 1}}]', f"a key with more than {DOTS_LIMIT} dots"),
        ("#" * (MANIFEST_LIMIT + 1), f"longer than {MANIFEST_LIMIT} bytes"),
        ("x = " + "[" * 3000, "nested too deeply"),
        ("x = " + "{a=" * 1000, "nested too deeply"),
        ('"' * MANIFEST_LIMIT, ""),
    ],
)
def test_what_would_take_long_is_not_parsed(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(ValueError, match=r"bot\.toml: ") as raised:
        read_manifest(tmp_path / "bot.toml")
    assert why in str(raised.value)


def test_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "./run"', "utf-16")
    with pytest.raises(ValueError, match=r"bot\.toml: it is not UTF-8: save it as UTF-8"):
        read_manifest(tmp_path / "bot.toml")


def test_texts_and_remarks_may_have_many_dots(tmp_path: Path) -> None:
    dots = "." * (DOTS_LIMIT + 1)
    (tmp_path / "bot.toml").write_text(
        f'command = "./run {dots}"  # {dots}\nbuild = """\n{dots}"""\ntitle = \'{dots}\'\n'
    )
    assert read_manifest(tmp_path / "bot.toml").command == f"./run {dots}"


@pytest.mark.needs("root")
def test_a_file_that_its_author_has_moved_there_and_cannot_read_is_not_shown(tmp_path: Path) -> None:
    manifest = tmp_path / "bot.toml"
    manifest.write_text("a-secret = 1")
    manifest.chmod(0o600)
    os.chown(tmp_path, 64001, 64001)
    with pytest.raises(ValueError, match="owner") as raised:
        read_manifest(manifest)
    assert "a-secret" not in str(raised.value)


@needs_exchange
def test_no_other_file_is_read_by_a_link_that_takes_its_place(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('canary = "x"')
    folders = tmp_path / "bot", tmp_path / "links"
    for folder in folders:
        folder.mkdir()
    (folders[0] / "bot.toml").write_text('command = "./run"')
    (folders[1] / "bot.toml").symlink_to(secret)
    for folder in folders:
        owned(folder)
    said = []
    with stranger() as other:
        other.swaps(*folders, "bot.toml")
        for _ in range(2000):
            with contextlib.suppress(FileNotFoundError):
                try:
                    assert read_manifest(folders[0] / "bot.toml").command == "./run"
                except ValueError as error:
                    said.append(str(error))
    assert said
    assert not [line for line in said if "canary" in line]
