"""Folders and files of strangers that no bot comes of, each made on the spot, and why it is left out."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

BUILT: Final = 'command = "./run"\nbuild = "true"\n'


class Hostile(NamedTuple):
    """`make` fills the new folder `name`, or writes the file of that name. `as_stranger`: it does no harm to
    root, who may read all."""

    name: str
    make: Callable[[Path], object]
    why: str
    as_stranger: bool = False


def manifest(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "bot.toml").write_text(text)
    return folder


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(40 << 30)


def listening(path: Path) -> None:
    """A socket by a relative name, since the absolute one may be too long for one."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def nested(folder: Path, depth: int) -> None:
    """Too deep for a path to name it, so made from within."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.fchdir(here)
        os.close(here)


def closed(path: Path) -> None:
    path.write_text("pass")
    path.chmod(0)


def elsewhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


HOSTILE: Final = (
    Hostile(
        "null",
        lambda path: manifest(path, 'command = "python3 bot.py a\\u0000b"'),
        "bot.toml: the command contains a NUL character",
    ),
    Hostile(
        "null-build",
        lambda path: manifest(path, 'command = "./run"\nbuild = ["true", "a\\u0000b"]'),
        "bot.toml: the command contains a NUL character",
    ),
    Hostile(
        "pipe", lambda path: os.mkfifo(manifest(path, BUILT) / "odd"), "odd is neither a file nor a folder"
    ),
    Hostile(
        "socket", lambda path: listening(manifest(path, BUILT) / "odd"), "odd is neither a file nor a folder"
    ),
    Hostile(
        "pipe-program",
        lambda path: os.mkfifo(manifest(path, 'command = "./odd"') / "odd", 0o755),
        "odd is neither a file nor a folder",
    ),
    Hostile(
        "pipe-unbuilt",
        lambda path: os.mkfifo(manifest(path, 'command = "./run"') / "odd"),
        "odd is neither a file nor a folder nor a link: remove it",
    ),
    Hostile(
        "manifest-elsewhere",
        lambda path: elsewhere(manifest(path, "") / "bot.toml"),
        "bot.toml: a link that points outside its folder",
    ),
    Hostile(
        "sparse",
        lambda path: sparse(manifest(path, 'command = "./run"') / "weights"),
        "its files are larger than 256 MB",
    ),
    Hostile("sparse-file.py", sparse, "its files are larger than 256 MB"),
    Hostile(
        "sparse-manifest",
        lambda path: sparse(manifest(path, "") / "bot.toml"),
        "bot.toml: longer than 4096 bytes",
    ),
    Hostile(
        "nested",
        lambda path: manifest(path, f"command = {'[' * 3000}"),
        "bot.toml: nested too deeply",
    ),
    Hostile(
        "nested-folders",
        lambda path: nested(manifest(path, BUILT), 700),
        "its folders are nested too deeply",
    ),
    Hostile("closed.py", closed, "closed.py cannot be read: Permission denied", as_stranger=True),
    Hostile(
        "closed-inside",
        lambda path: closed(manifest(path, 'command = "./run"') / "data"),
        "data cannot be read: Permission denied",
        as_stranger=True,
    ),
)
