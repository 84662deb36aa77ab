"""A bot to be sent to another machine: its files with their permission bits, as bytes named by their digest.

A bundle holds what the bot sees in the sandbox. On the other machine the bot is built, and its start
determined, anew, since interpreters lie elsewhere there. Knows files; no network, no match.
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
    """Something in a bundle. `name` is a path below the bundle's folder, with slashes."""

    name: str


class Folder(Item, frozen=True, tag="folder"):
    """`mode` holds the permission bits."""

    mode: int


class File(Item, frozen=True, tag="file"):
    """`mode` holds the permission bits."""

    mode: int
    content: bytes


class Link(Item, frozen=True, tag="link"):
    """A symbolic link to a path inside the bundle."""

    target: str


class Label(msgspec.Struct, frozen=True):
    """Identifies a bundle. `digest` is its SHA-256. `program` is the name of the file or folder that is the
    bot, or the words of its command line, in which the names of files are replaced by paths in the bundle."""

    digest: str
    program: str | tuple[str, ...]


class BundleError(Exception):
    """A bundle is damaged or cannot be made, or its bot cannot be started on this machine."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Folder | File | Link, ...])


def pack(entrant: Entrant) -> tuple[Label, bytes]:
    """The files of an entrant. Raises UserError for one that cannot be sent to another machine."""
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
    """Whether the bundle has been unpacked in the folder `cache`."""
    return _place(label, cache).is_dir()


def unpack(bundle: bytes, label: Label, cache: Path) -> None:
    """Writes the files of a bundle into the folder `cache`, all or none. Raises BundleError."""
    if hashlib.sha256(bundle).hexdigest() != label.digest:
        raise BundleError(f"bundle {label.digest} is not what was sent")
    try:
        items = _decoder.decode(bundle)
        made_once(_place(label, cache), lambda unfinished: _write(items, unfinished))
    except (OSError, ValueError) as error:
        raise BundleError(f"bundle {label.digest}: {error}") from None


def launch(entrant: Entrant, label: Label, cache: Path, game: str, sandbox: Sandbox) -> Launch:
    """How to start an entrant whose bundle was unpacked on this machine; it is built if it has to be. Raises
    BundleError."""
    folder = _place(label, cache)
    if not isinstance(label.program, str):
        launch = Launch(label.program, str(folder))
        found = obstacle(launch) or settled(launch, sandbox)
        if isinstance(found, Obstacle):
            raise BundleError(f"{entrant.name} cannot be started: {found}")
        return found
    same, arrived = find_again(str(folder / label.program), entrant.digest, game, sandbox, cache / "builds")
    for left_out in arrived.left_out:
        raise BundleError(f"{entrant.name} cannot be started: {left_out.reason}")
    if same is None:
        raise BundleError(f"{entrant.name}: {folder} no longer holds what entered")
    return same.launch


def _place(label: Label, cache: Path) -> Path:
    return cache / "bots" / label.digest


def _of_command(launch: Launch) -> tuple[tuple[str, ...], list[Folder | File | Link]]:
    """The words of a command line with the files and folders that they name, but for the system's. Each of
    these lies in a folder named by the number of its word, so that equal names do not collide. Raises
    BundleError."""
    if launch.needs:
        raise BundleError("it needs the packages of this machine")
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
    """A file, or a folder and all below it that is the program by the `rule`, sorted. Raises BundleError."""
    size, paths = 0, [path, *sorted(_below(path, rule))]
    if len(paths) > ITEM_LIMIT:
        raise BundleError(f"{path} holds more than {ITEM_LIMIT} files")
    for below in paths:
        here = str(PurePosixPath(name, below.relative_to(path)))
        if below.is_symlink() and below != path:
            if not _stays_inside(below, path):
                raise BundleError(f"the link {below} leads out of its folder")
            yield Link(here, os.readlink(below))
        elif below.is_dir():
            yield Folder(here, _mode(below))
        elif below.is_file():
            size += below.stat().st_size
            if size > SIZE_LIMIT:
                raise BundleError(f"{path} is larger than {SIZE_LIMIT // MIB} MB")
            yield File(here, _mode(below), below.read_bytes())


def _below(folder: Path, rule: Rule) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not rule.left_out(name)]
        yield from (Path(here, name) for name in (*folders, *files) if not rule.left_out(name))


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o777


def _write(items: Sequence[Folder | File | Link], folder: Path) -> None:
    """Writes items into `folder`. Raises ValueError for a path or link that leads out of it."""
    # Links come after files, so that nothing is written through a link; the modes of folders come last, since
    # they may forbid writing.
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
