"""The programs of a league: each version is copied into its folder by digest, and plays from there, so that
it stays what it was whatever its author does to the original.

Knows files and how a program is started; no journal.
"""

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.build import BuildError, made_once, remove_folder
from arena.entrants.digest import digest, version_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import LENT, find
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
from arena.system.foreign import KINDS
from arena.system.machine import MIB
from arena.system.shipped import shipped
from arena.system.text import caption

MOST_BYTES: Final = 64 * MIB
"""Of the files of one version."""
MOST_FILES: Final = 5000
"""Files and folders of one version."""
BOUNDS: Final = Bounds(packed=MOST_BYTES, size=MOST_BYTES, files=MOST_FILES)
"""What an archive may take; the archives in it are counted with it."""
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


def keep(league: Path, source: Path) -> Program:
    """Copies a program, or the one in an archive, into the league, if it is not there already. Raises Unfit;
    UserError where there is nothing, or the league cannot be written."""
    source = source.absolute()
    if not os.path.lexists(source):
        raise UserError(f"{source}: there is no such file or folder")
    _require_plain(source)
    if source.is_dir() or not is_archive(source):
        return _kept(league, source, source.name)
    try:
        # What a kill leaves of it is in the folder of builds, which may be deleted at any time.
        builds = league.absolute() / BUILT
        builds.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{UNFINISHED}unpacked-", dir=builds) as below:
            bot = Roster(BOUNDS, Path(below)).only(source)
            # A folder that the archive did not name is called after the archive.
            return _kept(league, bot, stem_of(source) if bot.parent == Path(below) else bot.name)
    except UnpackError as error:
        reason, _, cure = str(error).partition("; ")
        raise Unfit(reason, cure or ONE_BOT) from None
    except OSError as error:
        raise _unwritten(error) from None


def _kept(league: Path, source: Path, name: str) -> Program:
    """Copies a file or folder into the league under this name. Raises Unfit, UserError."""
    if not is_pasteable(name) or name.startswith("."):
        raise Unfit(f"a file called {caption(ascii(name))} cannot be kept", "give it a plain name")
    try:
        made = digest([source], limit=MOST_BYTES)
        program = Program(made, name)

        def copy(unfinished: Path) -> None:
            target = unfinished / name
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, copy_function=_copied)
            else:
                _copied(str(source), str(target))
            if version_of([target]) != made:
                raise Unfit("its files were changed while they were copied", "send it again")

        made_once(program.path(league).parent, copy)
        if not program.path(league).exists():
            # The same files came before under another name; a folder's digest does not depend on that.
            (there,) = program.path(league).parent.iterdir()
            return Program(made, there.name)
        return program
    except ValueError as error:
        raise Unfit(str(error), f"a version has at most {MOST_BYTES // MIB} MB of files") from None
    except shutil.Error as error:
        if lack := lacking(league):
            raise MachineError(lack) from None
        raise Unfit(f"it cannot be copied: {caption(str(error.args[0][0][2]))}", "send plain files") from None
    except OSError as error:
        raise _unwritten(error) from None


def _unwritten(error: OSError) -> UserError:
    """Why a program could not be copied; whether this machine is to blame for it."""
    blame = MachineError if error.errno in EXHAUSTED else UserError
    return blame(f"{error.filename}: {error.strerror}")


def _require_plain(source: Path) -> None:
    """Raises Unfit for what is neither a file nor a folder, and for a folder of too many files. A link would
    let its author read what it leads to."""
    kind = stat.S_IFMT(source.lstat().st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise Unfit(f"{caption(source.name)} is {KINDS.get(kind, 'no file')}", "send the file itself")
    files = 0
    for _, folders, names in os.walk(source):
        files += len(folders) + len(names)
        if files > MOST_FILES:
            raise Unfit(f"it has more than {MOST_FILES} files", "leave out what it does not need to play")


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
                if path.parent.exists():
                    damaged = path.parent.with_name(f"{UNFINISHED}damaged-{secrets.token_hex(8)}")
                    path.parent.rename(damaged)
                    remove_folder(damaged)
                return keep(league, source) == program
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


def _copied(source: str, target: str) -> str:
    """As shutil.copy2, for regular files only, and without the bits by which a program runs as its owner."""
    if not stat.S_ISREG(Path(source).lstat().st_mode):
        raise shutil.SpecialFileError(f"{caption(source)} is neither a file nor a folder nor a link")
    shutil.copy(source, target)
    mode = Path(target).stat().st_mode
    Path(target).chmod(0o755 if mode & 0o100 else 0o644)
    return target
