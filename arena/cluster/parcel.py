"""A bot on its way to another machine: its files with their permission bits, as bytes named by their digest.

What travels is what the bot sees in the sandbox. How it is started, and its build, is found out anew where
it arrives, since interpreters are elsewhere there. Knows files; no network, no match.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from arena.entrants.build import made_once
from arena.entrants.digest import SIZE_LIMIT, digest
from arena.entrants.entrant import Entrant
from arena.entrants.find import find
from arena.process.launch import Launch, obstacle
from arena.process.sandbox import Sandbox, settled, shown
from arena.system.errors import UserError
from arena.system.machine import MIB

ITEM_LIMIT: Final = 20_000


class Item(msgspec.Struct, frozen=True, tag_field="type"):
    """`name` is a path below the parcel's folder, with slashes."""

    name: str


class Folder(Item, frozen=True, tag="folder"):
    mode: int


class File(Item, frozen=True, tag="file"):
    mode: int
    content: bytes


class Link(Item, frozen=True, tag="link"):
    """A symbolic link that stays inside."""

    target: str


class Label(msgspec.Struct, frozen=True):
    """`digest` is the SHA-256 of the parcel. `program` is the name of the file or folder that is the bot, or
    the words of its command line, in which the files that it names are those of the parcel."""

    digest: str
    program: str | tuple[str, ...]


class ParcelError(Exception):
    """A parcel that is not what was sent, or a bot that cannot be started where it has arrived."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Folder | File | Link, ...])


def pack(entrant: Entrant) -> tuple[Label, bytes]:
    """The files of an entrant. Raises UserError for one that cannot travel."""
    path = Path(entrant.source)
    program: str | tuple[str, ...] = path.name
    try:
        if entrant.source and path.exists():
            items = list(_items(path, path.name))
            if digest([path]) != entrant.digest:
                raise ParcelError(f"{path} has changed since it entered")
        else:
            program, items = _of_command(entrant.launch)
    except (OSError, ParcelError) as error:
        raise UserError(f"{entrant.name} cannot be sent elsewhere: {error}") from None
    parcel = _encoder.encode(items)
    return Label(hashlib.sha256(parcel).hexdigest(), program), parcel


def is_there(label: Label, cache: Path) -> bool:
    return _place(label, cache).is_dir()


def unpack(parcel: bytes, label: Label, cache: Path) -> None:
    """Keep the files of a parcel in the folder `cache`. Raises ParcelError, and then nothing is there."""
    if hashlib.sha256(parcel).hexdigest() != label.digest:
        raise ParcelError(f"parcel {label.digest} is not what was sent")
    try:
        items = _decoder.decode(parcel)
        made_once(_place(label, cache), lambda unfinished: _write(items, unfinished))
    except (OSError, ValueError) as error:
        raise ParcelError(f"parcel {label.digest}: {error}") from None


def launch(entrant: Entrant, label: Label, cache: Path, game: str, sandbox: Sandbox) -> Launch:
    """How to start an entrant on this machine, whose parcel was unpacked; it is built if need be. Raises
    ParcelError."""
    folder = _place(label, cache)
    if not isinstance(label.program, str):
        launch = Launch(label.program, str(folder))
        found = obstacle(launch) or settled(launch, sandbox)
        if isinstance(found, str):
            raise ParcelError(f"{entrant.name} cannot be started: {found}")
        return found
    arrived = find([str(folder / label.program)], game, sandbox, cache / "builds")
    for left_out in arrived.left_out:
        raise ParcelError(f"{entrant.name} cannot be started: {left_out.reason}")
    if [one.digest for one in arrived.entrants] != [entrant.digest]:
        raise ParcelError(f"{entrant.name}: {folder} no longer holds what entered")
    return arrived.entrants[0].launch


def _place(label: Label, cache: Path) -> Path:
    return cache / "bots" / label.digest


def _of_command(launch: Launch) -> tuple[tuple[str, ...], list[Folder | File | Link]]:
    """The files and folders that a command line names, but for the system's; each below the number of its
    word, whatever they have in common. Raises ParcelError."""
    if launch.needs:
        raise ParcelError("it needs the packages of this machine")
    words = list(launch.argv)
    items: list[Folder | File | Link] = []
    travelling = shown(launch)
    for number, word in enumerate(words):
        path = os.path.normpath(os.path.join(launch.folder, word))
        if word and path in travelling:
            words[number] = f"{number}/{os.path.basename(path)}"
            items += [Folder(str(number), 0o755), *_items(Path(path), words[number])]
    return tuple(words), items


def _items(path: Path, name: str) -> Iterator[Folder | File | Link]:
    """A file, or a folder and all below it, sorted. Raises ParcelError."""
    size, paths = 0, [path, *sorted(path.rglob("*"))]
    if len(paths) > ITEM_LIMIT:
        raise ParcelError(f"{path} holds more than {ITEM_LIMIT} files")
    for below in paths:
        here = str(PurePosixPath(name, below.relative_to(path)))
        if below.is_symlink() and below != path:
            if not _stays_inside(below, path):
                raise ParcelError(f"the link {below} leads out of its folder")
            yield Link(here, os.readlink(below))
        elif below.is_dir():
            yield Folder(here, _mode(below))
        elif below.is_file():
            size += below.stat().st_size
            if size > SIZE_LIMIT:
                raise ParcelError(f"{path} is larger than {SIZE_LIMIT // MIB} MB")
            yield File(here, _mode(below), below.read_bytes())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o777


def _write(items: Sequence[Folder | File | Link], folder: Path) -> None:
    """Links come last, so that nothing is written through one; modes of folders too, which may forbid it.
    Raises ValueError for what would lead out of `folder`."""
    for item in items:
        parts = PurePosixPath(item.name).parts
        if not parts or item.name.startswith("/") or ".." in parts:
            raise ValueError(f"the path {item.name!r} leads out of its folder")
    for made in (item for item in items if isinstance(item, Folder)):
        (folder / made.name).mkdir()
    for file in (item for item in items if isinstance(item, File)):
        with (folder / file.name).open("xb") as written:
            written.write(file.content)
        (folder / file.name).chmod(file.mode & 0o777)
    links = [item for item in items if isinstance(item, Link)]
    for link in links:
        (folder / link.name).symlink_to(link.target)
    for link in links:
        if not _stays_inside(folder / link.name, folder):
            raise ValueError(f"the link {link.name!r} leads out of its folder")
    for made in reversed([item for item in items if isinstance(item, Folder)]):
        (folder / made.name).chmod(made.mode & 0o777)


def _stays_inside(link: Path, folder: Path) -> bool:
    return Path(os.path.realpath(link)).is_relative_to(os.path.realpath(folder))
