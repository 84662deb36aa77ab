"""Packs a bot for another machine: its files with their permission bits, as bytes identified by their digest.

A bundle contains what the bot sees in the sandbox. The other machine builds the bot and determines its launch
anew, since interpreters may have other paths there. Knows files; no network, no match.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from arena.entrants.build import made_once
from arena.entrants.digest import SIZE_LIMIT, Rule, rule_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import find_again
from arena.entrants.kept import how_changed
from arena.process.launch import Launch, obstacle
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Sandbox, settled, shown
from arena.system.errors import UserError
from arena.system.machine import MIB

ITEM_LIMIT: Final = 20_000


class Item(msgspec.Struct, frozen=True, tag_field="type"):
    """An item of a bundle. `name`: its path relative to the bundle's folder, with slashes."""

    name: str


class Folder(Item, frozen=True, tag="folder"):
    """A folder. `mode`: its permission bits."""

    mode: int


class File(Item, frozen=True, tag="file"):
    """A file. `mode`: its permission bits."""

    mode: int
    content: bytes


class Link(Item, frozen=True, tag="link"):
    """A symbolic link to a path inside the bundle."""

    target: str


class Label(msgspec.Struct, frozen=True):
    """Identifies a bundle. `digest`: its SHA-256. `program`: the name of the bot's file or folder, or the
    words of its command line with file names replaced by paths in the bundle."""

    digest: str
    program: str | tuple[str, ...]


class BundleError(Exception):
    """A bundle is damaged or cannot be created, or its bot cannot be started on this machine."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Folder | File | Link, ...])


def pack(entrant: Entrant) -> tuple[Label, bytes]:
    """Pack the files of an entrant. Raises UserError if it cannot be sent to another machine."""
    path = Path(entrant.source)
    program: str | tuple[str, ...] = path.name
    try:
        if entrant.source and path.exists():
            rule = rule_of(entrant.digest, path, SIZE_LIMIT)
            if rule is None:
                raise BundleError(f"{path} {how_changed(path, entrant.digest)}")
            items = list(_items(path, path.name, rule))
        else:
            program, items = _of_command(entrant.launch)
    except (OSError, ValueError, BundleError) as error:
        raise UserError(f"{entrant.name} cannot be sent to another machine: {error}") from None
    bundle = _encoder.encode(items)
    return Label(hashlib.sha256(bundle).hexdigest(), program), bundle


def is_there(label: Label, cache: Path) -> bool:
    """Whether the bundle is unpacked in the folder `cache`."""
    return _place(label, cache).is_dir()


def unpack(bundle: bytes, label: Label, cache: Path) -> None:
    """Unpack a bundle into the folder `cache` atomically. Raises BundleError."""
    if hashlib.sha256(bundle).hexdigest() != label.digest:
        raise BundleError(f"bundle {label.digest} differs from what was sent")
    try:
        items = _decoder.decode(bundle)
        made_once(_place(label, cache), lambda unfinished: _write(items, unfinished))
    except (OSError, ValueError) as error:
        raise BundleError(f"bundle {label.digest}: {error}") from None


def launch(entrant: Entrant, label: Label, cache: Path, game: str, sandbox: Sandbox) -> Launch:
    """How to start an entrant whose bundle is unpacked on this machine. Builds it if necessary. Raises
    BundleError."""
    folder = _place(label, cache)
    if not isinstance(label.program, str):
        launch = Launch(label.program, str(folder))
        launched = obstacle(launch) or settled(launch, sandbox)
        if isinstance(launched, Obstacle):
            raise BundleError(f"{entrant.name} cannot be started: {launched}")
        return launched
    same, arrived = find_again(str(folder / label.program), entrant.digest, game, sandbox, cache / "builds")
    for left_out in arrived.left_out:
        raise BundleError(f"{entrant.name} cannot be started: {left_out.reason}")
    if same is None:
        raise BundleError(f"{entrant.name}: {folder} no longer contains the program that entered")
    return same.launch


def _place(label: Label, cache: Path) -> Path:
    return cache / "bots" / label.digest


def _of_command(launch: Launch) -> tuple[tuple[str, ...], list[Folder | File | Link]]:
    """The words of a command line, and the files and folders that they name, except the system's. Each is in
    a folder named by the index of its word, so that equal names do not collide. Raises BundleError."""
    if launch.needs:
        raise BundleError("it needs packages that are installed on this machine")
    words = list(launch.argv)
    items: list[Folder | File | Link] = []
    sent = shown(launch)
    for number, word in enumerate(words):
        path = os.path.normpath(os.path.join(launch.folder, word))
        if word and path in sent:
            words[number] = f"{number}/{os.path.basename(path)}"
            items += [Folder(str(number), 0o755), *_items(Path(path), words[number], Rule.ALL)]
    return tuple(words), items


def _items(path: Path, name: str, rule: Rule) -> Iterator[Folder | File | Link]:
    """A file, or a folder with what is part of the program by `rule`, sorted. Raises BundleError."""
    size, paths = 0, [path, *sorted(_below(path, rule))]
    if len(paths) > ITEM_LIMIT:
        raise BundleError(f"{path} contains more than {ITEM_LIMIT} files")
    for below in paths:
        item_name = str(PurePosixPath(name, below.relative_to(path)))
        if below.is_symlink() and below != path:
            if not _stays_inside(below, path):
                raise BundleError(f"the link {below} points outside its folder")
            yield Link(item_name, os.readlink(below))
        elif below.is_dir():
            yield Folder(item_name, _mode(below))
        elif below.is_file():
            size += below.stat().st_size
            if size > SIZE_LIMIT:
                raise BundleError(f"{path} is larger than {SIZE_LIMIT // MIB} MB")
            yield File(item_name, _mode(below), below.read_bytes())


def _below(folder: Path, rule: Rule) -> Iterator[Path]:
    for current, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not rule.left_out(name)]
        yield from (Path(current, name) for name in (*folders, *files) if not rule.left_out(name))


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o777


def _write(items: Sequence[Folder | File | Link], folder: Path) -> None:
    """Write items into `folder`. Raises ValueError for a path or link that leads out of it."""
    # Links are created after files, so that nothing is written through a link. The modes of folders are set
    # last, since they may forbid writing.
    for item in items:
        parts = PurePosixPath(item.name).parts
        if not parts or item.name.startswith("/") or ".." in parts:
            raise ValueError(f"the path {item.name!r} points outside its folder")
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
            raise ValueError(f"the link {link.name!r} points outside its folder")
    for made in reversed([item for item in items if isinstance(item, Folder)]):
        (folder / made.name).chmod(made.mode & 0o777)


def _stays_inside(link: Path, folder: Path) -> bool:
    return Path(os.path.realpath(link)).is_relative_to(os.path.realpath(folder))
