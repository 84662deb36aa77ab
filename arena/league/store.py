"""The programs of a league. Each version is copied into a folder named by its digest and plays from there, so
that it stays the same whatever its author does to the original.

Knows files and how a program is started, no journal.
"""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.archive import UnpackError
from arena.entrants.build import BuildError, made_once
from arena.entrants.clutter import is_clutter
from arena.entrants.digest import Rule, digest, rule_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import BUILTIN_BOTS, find_again
from arena.entrants.kept import changes
from arena.entrants.manifest import MANIFEST
from arena.entrants.names import is_pasteable
from arena.entrants.pinned import is_pinned, pin, pinned
from arena.entrants.roster import Roster
from arena.entrants.unpack import ArchiveLimits, is_archive, stem_of
from arena.league.ids import HOUSE, VersionId, author_of, version_parts
from arena.league.journal import BUILT, VERSIONS
from arena.league.room import lacking
from arena.process.sandbox import Sandbox
from arena.system.errors import EXHAUSTED, MachineError, UserError
from arena.system.files import UNFINISHED
from arena.system.machine import MIB
from arena.system.shipped import shipped
from arena.system.temporary import temporary_folder
from arena.system.text import caption
from arena.system.trees import CopyLimits, NotCopiedError, NotCopiedReason, copy, remove_folder

MOST_BYTES: Final = 64 * MIB
"""Total size of one version's files."""
MOST_FILES: Final = 5000
BOUNDS: Final = ArchiveLimits(packed=MOST_BYTES, size=MOST_BYTES, files=MOST_FILES, seconds=5, links=False)
"""Limits of an archive, including nested archives, each of which has its own `seconds`."""
COPIED: Final = CopyLimits(MOST_BYTES, MOST_FILES, BOUNDS.depth, seconds=60)
"""Limits of copying a version. They allow for a busy disk."""
CURES: Final = {
    NotCopiedReason.SIZE: (
        f"a version has at most {MOST_BYTES // MIB} MB of files, and no pipes, devices or sockets"
    ),
    NotCopiedReason.FILES: "leave out what it does not need to play",
    NotCopiedReason.DEPTH: "use fewer levels of folders",
    NotCopiedReason.SECONDS: "send it again",
    NotCopiedReason.KIND: "send only files and folders",
    NotCopiedReason.LINKED: "send a copy",
    NotCopiedReason.OWNER: "send your own copy; organisers use `arena league add`",
    NotCopiedReason.UNREADABLE: "make it readable for the league",
    NotCopiedReason.CHANGED: "send it again",
}
"""How to fix each reason."""
ONE_BOT: Final = (
    f"send a .zip or .tar.gz of at most {MOST_BYTES // MIB} MB with one bot in it, a file or a folder"
)


class UnfitProgram(Exception):
    """A program cannot enter the league. `cure` says how to fix it."""

    def __init__(self, reason: str, cure: str) -> None:
        super().__init__(reason)
        self.reason, self.cure = reason, cure


class KeptProgram(msgspec.Struct, frozen=True):
    """A program in the store."""

    digest: str
    file: str
    """The name of its file or folder."""

    def path(self, league: Path) -> Path:
        return league.absolute() / VERSIONS / self.digest / self.file


def keep(league: Path, source: Path, known: Callable[[str], str | None] = lambda digest: None) -> KeptProgram:
    """Copy a program, or the one in an archive, into the league. Does nothing if it is there already, and
    replaces a damaged copy. `known` returns the name of a digest's program in the journal, None if it is new.
    Raises UnfitProgram; UserError if the source does not exist or the league cannot be written."""
    source = source.absolute()
    if not os.path.lexists(source):
        raise UserError(f"{source}: there is no such file or folder")
    with copied(league, source) as copy:
        return kept(league, copy, known)


@contextlib.contextmanager
def copied(
    league: Path,
    source: Path | str,
    inside: int | None = None,
    *,
    linked: bool = True,
    owner: int | None = None,
) -> Iterator[Path]:
    """Yield a private copy of a program as it was sent, with its name, since its author may change the
    original while it is examined.

    `source` is relative to the folder with the descriptor `inside`, or to the current one if that is None.
    `linked`: accept hard links. `owner`: the user who must own every file. Raises UnfitProgram, UserError.
    """
    name = Path(source).name
    if not name or name.startswith(".") or not (is_pasteable(name) or is_archive(Path(name))):
        raise UnfitProgram(f"a file called {caption(ascii(name))} cannot be stored", "give it a plain name")
    with _folder_of_ours(league) as place:
        try:
            copy(source, place / name, COPIED, inside=inside, linked=linked, left_out=is_clutter, owner=owner)
        except NotCopiedError as error:
            raise unfit(error, name) from None
        except OSError as error:
            raise _unwritten(league, error) from None
        yield place / name


@contextlib.contextmanager
def _folder_of_ours(league: Path) -> Iterator[Path]:
    """Yield a temporary private folder. Raises UserError."""
    try:
        # On the same file system as the versions, so that a rename makes a copy a version.
        versions = league.absolute() / VERSIONS
        versions.mkdir(exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=versions))
    except OSError as error:
        raise _unwritten(league, error) from None
    try:
        yield place
    finally:
        remove_folder(place)


def kept(league: Path, copy: Path, known: Callable[[str], str | None]) -> KeptProgram:
    """Like `keep`, but for a private copy, which is moved away. Raises UnfitProgram, UserError."""
    if copy.is_dir() or not is_archive(copy):
        return _kept(league, copy, copy.name, known)
    with _folder_of_ours(league) as unpacked:
        try:
            bot = Roster(BOUNDS, unpacked).only(copy)
            # If the archive holds a bot's files without a folder, the bot is named after the archive.
            name = stem_of(copy) if bot.parent == unpacked else bot.name
            bot = _tidied(bot, unpacked)
        except NotCopiedError as error:
            raise unfit(error, name) from None
        except UnpackError as error:
            raise UnfitProgram(str(error), ONE_BOT) from None
        except OSError as error:
            raise _unwritten(league, error) from None
        return _kept(league, bot, name, known)


def _tidied(bot: Path, place: Path) -> Path:
    """Copy an unpacked file or folder without clutter into a new folder below `place`. Raises OSError."""
    target = Path(tempfile.mkdtemp(dir=place), bot.name)
    copy(bot, target, COPIED, left_out=is_clutter)
    return target


def _kept(league: Path, source: Path, name: str, known: Callable[[str], str | None]) -> KeptProgram:
    """Move a private copy into the league, as `name` if it is new. Raises UnfitProgram, UserError."""
    if not is_pasteable(name) or name.startswith("."):
        raise UnfitProgram(f"a file called {caption(ascii(name))} cannot be stored", "give it a plain name")
    try:
        if source.is_dir():
            _require_bot(source)
        made = digest([source], limit=MOST_BYTES)
        # The journal finds a folder by its name, on which its digest does not depend.
        called = known(made)
        place = KeptProgram(made, name).path(league).parent
        there = _whole(place, made)
        if there is not None and called in (None, there):
            return KeptProgram(made, there)
        program = KeptProgram(made, called or name)
        with _set_aside(place):
            made_once(place, lambda unfinished: os.rename(source, unfinished / program.file))
        return program
    except ValueError as error:
        raise UnfitProgram(str(error), CURES[NotCopiedReason.SIZE]) from None
    except OSError as error:
        raise _unwritten(league, error) from None


def _whole(place: Path, made: str) -> str | None:
    """The name of the program kept in a folder; None if it is missing or damaged."""
    try:
        (there,) = place.iterdir()
        return there.name if rule_of(made, there, MOST_BYTES) else None
    except (OSError, ValueError):
        return None


@contextlib.contextmanager
def _set_aside(place: Path) -> Iterator[None]:
    """Move a damaged copy aside, and delete it at the end. Raises OSError."""
    aside = place.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        with contextlib.suppress(FileNotFoundError):
            place.rename(aside)
        yield
    finally:
        remove_folder(aside)


def unfit(error: NotCopiedError, name: str) -> UnfitProgram:
    """The reason why a submission could not be copied, as a sentence."""
    what = caption(error.path) or caption(name)
    reason = {
        NotCopiedReason.SIZE: f"its files are larger than {MOST_BYTES // MIB} MB",
        NotCopiedReason.FILES: f"it has more than {MOST_FILES} files",
        NotCopiedReason.DEPTH: f"its folders are nested deeper than {BOUNDS.depth}",
        NotCopiedReason.SECONDS: f"it took more than {error.detail} s to copy",
        NotCopiedReason.KIND: f"{what} is {error.detail}",
        NotCopiedReason.LINKED: "it is a hard link to a file that also has another name",
        NotCopiedReason.OWNER: f"{what} does not belong to its author",
        NotCopiedReason.UNREADABLE: f"{what} cannot be read: {error.detail}",
        NotCopiedReason.CHANGED: "its files changed while they were being copied",
    }[error.why]
    return UnfitProgram(reason, CURES[error.why])


def _unwritten(league: Path, error: OSError) -> UserError:
    """The error of a program that could not be stored: a MachineError if this machine is to blame."""
    text = f"{error.filename or league}: {error.strerror}"
    return MachineError(lacking(league) or text) if error.errno in EXHAUSTED else UserError(text)


def _require_bot(folder: Path) -> None:
    """Raises UnfitProgram if a folder is not a bot; OSError."""
    if (folder / MANIFEST).exists() or is_pinned(folder):
        return
    inner = [path.name for path in folder.iterdir() if not path.is_symlink() and (path / MANIFEST).exists()]
    if len(inner) == 1:
        raise UnfitProgram(
            f"it has no {MANIFEST}; the folder {caption(inner[0])} in it has one", "send that folder"
        )
    raise UnfitProgram(
        f"it is a folder without a {MANIFEST}", f"send one file, or a folder with a {MANIFEST}"
    )


def entrant(league: Path, version: str, program: KeptProgram, game: str, sandbox: Sandbox) -> Entrant:
    """A program as a bot that can be started, built if its manifest says so; the build is kept. Raises
    UnfitProgram if it cannot play, or is no longer the program that was stored; MachineError."""
    path = program.path(league)
    if author_of(version) == HOUSE and is_pinned(path):
        anchor = _house_bot(path, game)
        if anchor.digest != program.digest:
            raise _damaged()
        return _named(anchor, version)
    builds = league.absolute() / BUILT
    try:
        bot, found = find_again(str(path), program.digest, game, sandbox, builds)
    except MachineError:
        raise
    except (UserError, BuildError) as error:
        raise UnfitProgram(str(error), "`arena check` shows more") from None
    if bot is not None:
        return _named(msgspec.structs.replace(bot, ours=author_of(version) == HOUSE), version)
    for left_out in found.left_out:
        raise UnfitProgram(left_out.reason, "run `arena check` on your machine, which shows the same")
    for _, reason in found.passed_over:
        raise UnfitProgram(f"not a bot: {reason}", "send an executable file, or a folder with a bot.toml")
    raise _damaged(changes(path, program.digest, builds))


def put_back(league: Path, version: VersionId, program: KeptProgram) -> bool:
    """Restore an anchor's damaged program if the arena still ships the same; return whether it did so."""
    path, name = program.path(league), version_parts(version)[1]
    with contextlib.suppress(OSError, ValueError):
        if digest([path], rule=Rule.ALL) == program.digest:
            return False  # The copy is intact: something else is wrong.
    with contextlib.suppress(OSError, ValueError, UnfitProgram), temporary_folder() as pins:
        ours = [path for path in shipped("bots").iterdir() if path.name == program.file]
        if name in BUILTIN_BOTS:
            ours.append(pin(name, Path(pins)))
        for source in ours:
            if digest([source]) == program.digest:
                return keep(league, source, lambda made: program.file) == program
    return False


def without_place(text: str, league: Path) -> str:
    """Make paths in a public text relative to the league's folder."""
    return text.replace(f"{league.absolute()}{os.sep}", "")


def _house_bot(path: Path, game: str) -> Entrant:
    try:
        return pinned(path, game)
    except (OSError, ValueError) as error:
        raise UnfitProgram(f"its copy cannot be read: {error}", "restore the backup") from None


def _named(bot: Entrant, version: str) -> Entrant:
    return msgspec.structs.replace(bot, name=version, source="", title="")


def _damaged(changes: str = "") -> UnfitProgram:
    named = f": {changes}" if changes else ""
    return UnfitProgram(f"its files in the league are not those that were received{named}", "send it again")
