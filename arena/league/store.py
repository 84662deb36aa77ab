"""The programs of a league: each version is copied into its folder by digest, and plays from there, so that
it stays what it was whatever its author does to the original.

Knows files and how a program is started; no journal.
"""

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.build import BuildError, made_once
from arena.entrants.digest import digest, version_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import LENT, find
from arena.entrants.manifest import MANIFEST
from arena.entrants.names import is_pasteable
from arena.entrants.pinned import is_pinned, pin, pinned
from arena.entrants.roster import Roster
from arena.entrants.unpack import Bounds, UnpackError, is_archive, stem_of
from arena.league.entries import BUILT, VERSIONS
from arena.league.ids import HOUSE, VersionId, author_of, version_parts
from arena.league.room import lacking
from arena.process.sandbox import Sandbox
from arena.system.errors import EXHAUSTED, MachineError, UserError
from arena.system.files import UNFINISHED
from arena.system.foreign import KINDS, NO_WAITING, below
from arena.system.machine import MIB
from arena.system.shipped import shipped
from arena.system.text import caption
from arena.system.trees import remove_folder

MOST_BYTES: Final = 64 * MIB
"""Of the files of one version."""
MOST_FILES: Final = 5000
"""Files and folders of one version."""
BOUNDS: Final = Bounds(packed=MOST_BYTES, size=MOST_BYTES, files=MOST_FILES, seconds=10, links=False)
"""What an archive may take; the archives in it are counted with it, but for their time."""
ONE_BOT: Final = (
    f"send a .zip or .tar.gz of at most {MOST_BYTES // MIB} MB with one bot in it, a file or a folder"
)


class Unfit(Exception):
    """A program cannot enter: `reason` and how to mend it."""

    def __init__(self, reason: str, cure: str) -> None:
        super().__init__(reason)
        self.reason, self.cure = reason, cure


class Program(msgspec.Struct, frozen=True):
    """A program that is kept: its digest, and what its file or folder is called."""

    digest: str
    file: str

    def path(self, league: Path) -> Path:
        """Where it is kept."""
        return league.absolute() / VERSIONS / self.digest / self.file


def keep(league: Path, source: Path, known: Callable[[str], str | None] = lambda digest: None) -> Program:
    """Copies a program, or the one in an archive, into the league, if it is not there already; a copy that
    was damaged is replaced. `known` says what a program of some digest is called in the journal, None where
    it is new. Raises Unfit; UserError where there is nothing, or the league cannot be written."""
    source = source.absolute()
    if not os.path.lexists(source):
        raise UserError(f"{source}: there is no such file or folder")
    kind = stat.S_IFMT(source.lstat().st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        # A link would let its author read what it leads to.
        raise Unfit(f"{caption(source.name)} is {KINDS.get(kind, 'no file')}", "send the file itself")
    if kind == stat.S_IFDIR or not is_archive(source):
        return _kept(league, source, source.name, known)
    try:
        # What a kill leaves of it is in the folder of builds, which may be deleted at any time.
        builds = league.absolute() / BUILT
        builds.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{UNFINISHED}unpacked-", dir=builds) as unpacked:
            bot = Roster(BOUNDS, Path(unpacked)).only(source)
            # A folder that the archive did not name is called after the archive.
            return _kept(league, bot, stem_of(source) if bot.parent == Path(unpacked) else bot.name, known)
    except UnpackError as error:
        reason, _, cure = str(error).partition("; ")
        raise Unfit(reason, cure or ONE_BOT) from None
    except OSError as error:
        raise _unwritten(league, error) from None


def _kept(league: Path, source: Path, name: str, known: Callable[[str], str | None]) -> Program:
    """Copies a file or folder into the league, under this name if it is new. Raises Unfit, UserError."""
    if not is_pasteable(name) or name.startswith("."):
        raise Unfit(f"a file called {caption(ascii(name))} cannot be kept", "give it a plain name")
    try:
        if source.is_dir():
            _require_bot(source)
        made = digest([source], limit=MOST_BYTES)
        # The digest of a folder does not depend on its name, by which the journal finds it.
        called = known(made)
        place = Program(made, name).path(league).parent
        there = _whole(place, made)
        if there is not None and called in (None, there):
            return Program(made, there)
        program = Program(made, called or name)

        def copy(unfinished: Path) -> None:
            target = unfinished / program.file
            _copy(source, target)
            if version_of([target]) != made:
                raise _changed()

        with _set_aside(place):
            made_once(place, copy)
        return program
    except ValueError as error:
        cure = f"a version has at most {MOST_BYTES // MIB} MB of files, and no pipes, devices or sockets"
        raise Unfit(str(error), cure) from None
    except OSError as error:
        raise _unwritten(league, error) from None


def _whole(place: Path, made: str) -> str | None:
    """What the program is called that is kept in a folder; None where it is not there, or is damaged."""
    try:
        (there,) = place.iterdir()
        return there.name if digest([there], limit=MOST_BYTES) == made else None
    except (OSError, ValueError):
        return None


@contextlib.contextmanager
def _set_aside(place: Path) -> Iterator[None]:
    """While a damaged copy is replaced. Raises OSError."""
    aside = place.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        with contextlib.suppress(FileNotFoundError):
            place.rename(aside)
        yield
    finally:
        remove_folder(aside)


def _copy(source: Path, target: Path) -> None:
    """Copies a file or a folder, within the bounds of a version also where it grows meanwhile. Raises
    OSError, Unfit."""
    if not source.is_dir():
        _copy_file(source, target, MOST_BYTES)
        return
    left = MOST_BYTES
    _make_folder(target)
    for files, (depth, entry) in enumerate(below(source), 1):
        if files > MOST_FILES or depth > BOUNDS.depth:
            raise _changed()
        path = target / Path(entry.path).relative_to(source)
        if entry.is_symlink():
            path.symlink_to(os.readlink(entry.path))
        elif entry.is_dir(follow_symlinks=False):
            _make_folder(path)
        else:
            left -= _copy_file(Path(entry.path), path, left)


def _copy_file(source: Path, target: Path, most: int) -> int:
    """Copies a regular file of so many bytes at most, without the bits by which a program runs as its owner.
    How many bytes these were. Raises OSError, Unfit."""
    mode = 0o755 if os.access(source, os.X_OK) else 0o644
    size = 0
    with open(os.open(source, os.O_RDONLY | NO_WAITING), "rb") as file, target.open("xb") as made:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _changed()
        while chunk := file.read(MIB):
            size += len(chunk)
            if size > most:
                raise _changed()
            made.write(chunk)
        os.fchmod(made.fileno(), mode)
    return size


def _make_folder(path: Path) -> None:
    path.mkdir()
    path.chmod(0o755)


def _changed() -> Unfit:
    return Unfit("its files were changed while they were copied", "send it again")


def _unwritten(league: Path, error: OSError) -> UserError:
    """Why a program could not be copied; whether this machine is to blame for it."""
    text = f"{error.filename or league}: {error.strerror}"
    return MachineError(lacking(league) or text) if error.errno in EXHAUSTED else UserError(text)


def _require_bot(folder: Path) -> None:
    """Raises Unfit for a folder that is no bot, or is too large or too deep; OSError."""
    for files, (depth, _) in enumerate(below(folder), 1):
        if files > MOST_FILES:
            raise Unfit(f"it has more than {MOST_FILES} files", "leave out what it does not need to play")
        if depth > BOUNDS.depth:
            raise Unfit(f"its folders are nested deeper than {BOUNDS.depth}", "pack it flatter")
    if (folder / MANIFEST).exists() or is_pinned(folder):
        return
    inner = [path.name for path in folder.iterdir() if not path.is_symlink() and (path / MANIFEST).exists()]
    if len(inner) == 1:
        raise Unfit(f"it has no {MANIFEST}; the folder {caption(inner[0])} in it has one", "send that folder")
    raise Unfit(f"it is a folder without a {MANIFEST}", f"send one file, or a folder with a {MANIFEST}")


def entrant(league: Path, version: str, program: Program, game: str, sandbox: Sandbox) -> Entrant:
    """The program as a bot that can be started, built if it says so; a build is kept. Raises Unfit where it
    cannot play, and where it is no longer the program that was kept."""
    path = program.path(league)
    if author_of(version) == HOUSE and is_pinned(path):
        return _unchanged(_house_bot(path, game), version, program)
    try:
        found = find([str(path)], game, sandbox, league.absolute() / BUILT)
    except (UserError, BuildError) as error:
        raise Unfit(str(error), "`arena check` says more") from None
    for left_out in found.left_out:
        raise Unfit(left_out.reason, "`arena check` on your machine shows the same")
    for _, reason in found.passed_over:
        raise Unfit(f"not a bot: {reason}", "send an executable file, or a folder with a bot.toml")
    (bot,) = found.entrants
    bot = msgspec.structs.replace(bot, ours=author_of(version) == HOUSE)
    return _unchanged(bot, version, program)


def put_back(league: Path, version: VersionId, program: Program) -> bool:
    """Puts an anchor's program back where its copy was damaged, if the arena has the same still; whether it
    did so."""
    path, name = program.path(league), version_parts(version)[1]
    with contextlib.suppress(OSError, ValueError):
        if digest([path]) == program.digest:
            return False  # It cannot be played for another reason.
    with contextlib.suppress(OSError, ValueError, Unfit), tempfile.TemporaryDirectory() as pins:
        ours = [one for one in shipped("bots").iterdir() if one.name == program.file]
        if name in LENT:
            ours.append(pin(name, Path(pins)))
        for source in ours:
            if digest([source]) == program.digest:
                return keep(league, source, lambda made: program.file) == program
    return False


def without_place(text: str, league: Path) -> str:
    """A text that everybody may read, in which paths begin in the folder of the league."""
    return text.replace(f"{league.absolute()}{os.sep}", "")


def _house_bot(path: Path, game: str) -> Entrant:
    try:
        return pinned(path, game)
    except (OSError, ValueError) as error:
        raise Unfit(f"its copy cannot be read: {error}", "restore the backup") from None


def _unchanged(bot: Entrant, version: str, program: Program) -> Entrant:
    """The bot under the name of its version. Raises Unfit where its files are not those that were kept."""
    if bot.digest != program.digest:
        raise Unfit("its files in the league are not those that came in", "send it again")
    return msgspec.structs.replace(bot, name=version, source="", title="")
