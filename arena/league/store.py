"""The programs of a league: each version is copied into its folder by digest, and plays from there, so that
it stays what it was whatever its author does to the original.

Knows files and how a program is started; no journal.
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
from arena.system.text import caption
from arena.system.trees import CopyLimits, NotCopiedError, NotCopiedReason, copy, remove_folder

MOST_BYTES: Final = 64 * MIB
"""Of the files of one version."""
MOST_FILES: Final = 5000
"""Files and folders of one version."""
BOUNDS: Final = ArchiveLimits(packed=MOST_BYTES, size=MOST_BYTES, files=MOST_FILES, seconds=5, links=False)
"""What an archive may take; the archives in it are counted with it, but for their time."""
COPIED: Final = CopyLimits(MOST_BYTES, MOST_FILES, BOUNDS.depth, seconds=60)
"""What is copied of a version. A busy disk is slow."""
CURES: Final = {
    NotCopiedReason.SIZE: (
        f"a version has at most {MOST_BYTES // MIB} MB of files, and no pipes, devices or sockets"
    ),
    NotCopiedReason.FILES: "leave out what it does not need to play",
    NotCopiedReason.DEPTH: "pack it flatter",
    NotCopiedReason.SECONDS: "send it again",
    NotCopiedReason.KIND: "send files and folders only",
    NotCopiedReason.LINKED: "send a copy",
    NotCopiedReason.OWNER: "send a copy of your own; the organiser's way is `arena league add`",
    NotCopiedReason.UNREADABLE: "let the league read it",
    NotCopiedReason.CHANGED: "send it again",
}
"""How to fix what was not copied."""
ONE_BOT: Final = (
    f"send a .zip or .tar.gz of at most {MOST_BYTES // MIB} MB with one bot in it, a file or a folder"
)


class UnfitProgram(Exception):
    """A program cannot enter: `reason` and how to fix it."""

    def __init__(self, reason: str, cure: str) -> None:
        super().__init__(reason)
        self.reason, self.cure = reason, cure


class KeptProgram(msgspec.Struct, frozen=True):
    """A program that is kept: its digest, and what its file or folder is called."""

    digest: str
    file: str

    def path(self, league: Path) -> Path:
        """Where it is kept."""
        return league.absolute() / VERSIONS / self.digest / self.file


def keep(league: Path, source: Path, known: Callable[[str], str | None] = lambda digest: None) -> KeptProgram:
    """Copies a program, or the one in an archive, into the league, if it is not there already; a copy that
    was damaged is replaced. `known` says what a program of some digest is called in the journal, None where
    it is new. Raises Unfit; UserError where there is nothing, or the league cannot be written."""
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
    """A copy of a program as it came in, for its name, that only we can reach: its author may change what was
    sent while it is looked at. `source` is seen from the folder with the descriptor `inside`, None for the
    current one; `linked`: whether its files may have other names; `owner`: the user to whom all has to
    belong. Raises Unfit, UserError."""
    name = Path(source).name
    if not name or name.startswith(".") or not (is_pasteable(name) or is_archive(Path(name))):
        raise UnfitProgram(f"a file called {caption(ascii(name))} cannot be kept", "give it a plain name")
    with _folder_of_ours(league) as place:
        try:
            copy(
                source,
                place / name,
                COPIED,
                inside=inside,
                linked=linked,
                left_out=is_clutter,
                owner=owner,
            )
        except NotCopiedError as error:
            raise unfit(error, name) from None
        except OSError as error:
            raise _unwritten(league, error) from None
        yield place / name


@contextlib.contextmanager
def _folder_of_ours(league: Path) -> Iterator[Path]:
    """A folder for what is being kept, deleted in the end. Raises UserError."""
    try:
        # Beside the versions, so that a copy becomes one by its new name.
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
    """As `keep`, of a copy that only we can reach, and which is gone after that. Raises Unfit, UserError."""
    if copy.is_dir() or not is_archive(copy):
        return _kept(league, copy, copy.name, known)
    with _folder_of_ours(league) as unpacked:
        try:
            bot = Roster(BOUNDS, unpacked).only(copy)
            # A folder that the archive did not name is called after the archive.
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
    """A copy of an unpacked file or folder, in a new folder below `place`, without what is no program. Raises
    OSError."""
    target = Path(tempfile.mkdtemp(dir=place), bot.name)
    copy(bot, target, COPIED, left_out=is_clutter)
    return target


def _kept(league: Path, source: Path, name: str, known: Callable[[str], str | None]) -> KeptProgram:
    """Moves a copy into the league, under this name if it is new. Raises Unfit, UserError."""
    if not is_pasteable(name) or name.startswith("."):
        raise UnfitProgram(f"a file called {caption(ascii(name))} cannot be kept", "give it a plain name")
    try:
        if source.is_dir():
            _require_bot(source)
        made = digest([source], limit=MOST_BYTES)
        # The digest of a folder does not depend on its name, by which the journal finds it.
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
    """What the program is called that is kept in a folder; None where it is not there, or is damaged."""
    try:
        (there,) = place.iterdir()
        return there.name if rule_of(made, there, MOST_BYTES) else None
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


def unfit(error: NotCopiedError, name: str) -> UnfitProgram:
    """Why what was sent under this name could not be copied."""
    what = caption(error.path) or caption(name)
    reason = {
        NotCopiedReason.SIZE: f"its files are larger than {MOST_BYTES // MIB} MB",
        NotCopiedReason.FILES: f"it has more than {MOST_FILES} files",
        NotCopiedReason.DEPTH: f"its folders are nested deeper than {BOUNDS.depth}",
        NotCopiedReason.SECONDS: f"it took more than {error.detail} s to copy",
        NotCopiedReason.KIND: f"{what} is {error.detail}",
        NotCopiedReason.LINKED: "it is a hard link to a file that has another name too",
        NotCopiedReason.OWNER: f"{what} belongs to somebody else than its author",
        NotCopiedReason.UNREADABLE: f"{what} cannot be read: {error.detail}",
        NotCopiedReason.CHANGED: "its files were changed while they were copied",
    }[error.why]
    return UnfitProgram(reason, CURES[error.why])


def _unwritten(league: Path, error: OSError) -> UserError:
    """Why a program could not be copied; whether this machine is to blame for it."""
    text = f"{error.filename or league}: {error.strerror}"
    return MachineError(lacking(league) or text) if error.errno in EXHAUSTED else UserError(text)


def _require_bot(folder: Path) -> None:
    """Raises Unfit for a folder that is no bot; OSError."""
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
    """The program as a bot that can be started, built if it says so; a build is kept. Raises Unfit where it
    cannot play, and where it is no longer the program that was kept."""
    path = program.path(league)
    if author_of(version) == HOUSE and is_pinned(path):
        anchor = _house_bot(path, game)
        if anchor.digest != program.digest:
            raise _damaged()
        return _named(anchor, version)
    builds = league.absolute() / BUILT
    try:
        bot, found = find_again(str(path), program.digest, game, sandbox, builds)
    except (UserError, BuildError) as error:
        raise UnfitProgram(str(error), "`arena check` says more") from None
    if bot is not None:
        return _named(msgspec.structs.replace(bot, ours=author_of(version) == HOUSE), version)
    for left_out in found.left_out:
        raise UnfitProgram(left_out.reason, "`arena check` on your machine shows the same")
    for _, reason in found.passed_over:
        raise UnfitProgram(f"not a bot: {reason}", "send an executable file, or a folder with a bot.toml")
    raise _damaged(changes(path, program.digest, builds))


def put_back(league: Path, version: VersionId, program: KeptProgram) -> bool:
    """Puts an anchor's program back where its copy was damaged, if the arena has the same still; whether it
    did so."""
    path, name = program.path(league), version_parts(version)[1]
    with contextlib.suppress(OSError, ValueError):
        if digest([path], rule=Rule.ALL) == program.digest:
            return False  # It cannot be played for another reason.
    with contextlib.suppress(OSError, ValueError, UnfitProgram), tempfile.TemporaryDirectory() as pins:
        ours = [one for one in shipped("bots").iterdir() if one.name == program.file]
        if name in BUILTIN_BOTS:
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
        raise UnfitProgram(f"its copy cannot be read: {error}", "restore the backup") from None


def _named(bot: Entrant, version: str) -> Entrant:
    return msgspec.structs.replace(bot, name=version, source="", title="")


def _damaged(changes: str = "") -> UnfitProgram:
    named = f": {changes}" if changes else ""
    return UnfitProgram(f"its files in the league are not those that came in{named}", "send it again")
