"""Turns words that stand for several bots, a table or an archive, into words that stand for one bot each.

    class.csv, class.toml    a table of bots (table.py)
    class.zip, class.tar.gz  an archive (unpack.py): of one bot, which is named after the archive; or of a
                             class, with a file, a folder or an archive for each bot, named after that

Any other word stays unchanged. Knows files and what can be a bot; no games.
"""

import itertools
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.archive import UnpackError
from arena.entrants.find import FoundBots, NoEntrant, cannot_be_a_bot, checked_name, find, unlike
from arena.entrants.manifest import MANIFEST
from arena.entrants.names import handed_in, name_of
from arena.entrants.reading import reading
from arena.entrants.table import CSV, TOML, NoTableError, TableEntry, called, place, read_table
from arena.entrants.unpack import ArchiveBudget, ArchiveLimits, Unpacked, is_archive, stem_of, unpacked
from arena.process.reader import Reader
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError
from arena.system.text import caption, title
from tournaments.results import HOUSE_PREFIX

NO_BOT: Final = (
    "it contains nothing that can be a bot: an executable file, a file whose suffix says how to run it, or "
    f"a folder with {MANIFEST}"
)

MOST_NESTED: Final = 200
"""Folders of a path, counted from the root, in which a bot is looked for: each is a call on the stack."""


class Entry(msgspec.Struct, frozen=True):
    """A word that stands for one bot, and what a table says about it. A field is "" if it does not apply."""

    word: str
    place: str = ""
    """Where it was found, for people."""
    name: str = ""
    """Empty if the word came from the command line."""
    title: str = ""
    """Overrides the bot's own title, which overrides `made`."""
    made: str = ""
    author: str = ""
    group: str = ""
    number: str = ""
    """The number of the submission on a learning platform."""
    left_out: str = ""
    """Why the bot cannot play."""
    passed_over: str = ""
    """Why the word does not stand for a bot."""


class RosterResult(msgspec.Struct, frozen=True):
    """The bots of a list of words. `authors` and `groups`: by name, for bots whose table gives them."""

    found: FoundBots
    authors: dict[str, str]
    groups: dict[str, str]


class Roster:
    """Expands the words of one call into entries. `remarks`: messages for the caller."""

    def __init__(
        self,
        bounds: ArchiveLimits = ArchiveLimits(),  # noqa: B008 (a value that cannot change)
        below: Path | None = None,
        reader: Reader | None = None,
    ) -> None:
        """Unpack archives below `below` (None: the user's cache), read by `reader` (None: a new one)."""
        self._spent = ArchiveBudget(bounds)
        self._unpacked_below = below
        self._reader = reader or reading()
        self._names: set[str] = set()
        self.remarks: list[str] = []

    def of(self, word: str) -> list[Entry]:
        """The entries for a word of the command line. Raises UserError for a table that cannot be read."""
        path = Path(word)
        if os.path.isfile(word):
            if path.suffix.lower() in (CSV, TOML):
                return self._of_table(path, word)
            if is_archive(path):
                return self._of_archive(path, stem_of(path), word, _Origin())
            return [Entry(word)]
        name, equals, rest = word.partition("=")
        if equals and is_archive(Path(rest)) and os.path.isfile(rest):
            return self._of_archive(Path(rest), checked_name(name, word), word, _Origin(one=True))
        return [Entry(word)]

    def only(self, archive: Path) -> Path:
        """Unpack an archive with one bot; the bot's file or folder. Raises UnpackError."""
        (entry,) = self._of_archive(archive, "bot", archive.name, _Origin(one=True))
        if entry.left_out:
            raise UnpackError(entry.left_out)
        return Path(entry.word.removeprefix(f"{entry.name}="))

    def _of_table(self, path: Path, word: str) -> list[Entry]:
        try:
            table = read_table(path, self._reader)
        except NoTableError as error:
            return [Entry(word, passed_over=str(error))]
        self.remarks += table.remarks
        entries: list[Entry] = []
        lines: dict[str, TableEntry] = {}
        times = Counter(row.author for row in table.rows)
        for row, written in zip(table.rows, called(table.rows), strict=True):
            if wrong := row.wrong or self._misnamed(path, row, written, lines):
                found = [self._left_out(written, place(path, row), wrong)]
            else:
                found = self._of_path(path.parent / row.bot, written, place(path, row))
            by, number = handed_in(Path(row.bot).parts)
            author = row.author or by
            entries += [
                msgspec.structs.replace(
                    entry,
                    title=title(row.title),
                    # An author of several bots is the title of none.
                    made=title(row.author) * (times[row.author] == 1) or entry.made,
                    author=author,
                    group=row.group,
                    number=number,
                )
                for entry in found
            ]
        return entries

    def _misnamed(self, path: Path, row: TableEntry, written: str, lines: dict[str, TableEntry]) -> str:
        """Why a bot of a table cannot have its name; "" if it can. `lines`: the earlier rows by name, to
        which this one is added."""
        name, column = name_of(written), "name" if row.name else "bot"
        try:
            checked_name(name, place(path, row, column), "choose a different name in the column `name`")
        except UserError as error:
            return str(error)
        if (other := lines.setdefault(name, row)) is row:
            return ""
        return (
            f"{place(path, row, column)}: {name!r} is also the bot in line {other.line}; give one of them a "
            "different name in a column `name`"
        )

    def _of_path(self, path: Path, written: str, where: str) -> list[Entry]:
        if os.path.isdir(path):
            return self._below(path, written, where, _Origin(one=True))
        if not os.path.isfile(path):
            why = f"{where}, column bot: there is no file {caption(str(path))}"
            return [self._left_out(written, where, why)]
        if is_archive(path):
            return self._of_archive(path, written, where, _Origin(one=True))
        return [self._bot(written, path, where)]

    def _of_archive(self, path: Path, written: str, where: str, origin: "_Origin") -> list[Entry]:
        try:
            found = unpacked(path, self._spent, self._reader, self._unpacked_below)
        except UnpackError as error:
            return [self._left_out(written, where, f"{caption(path.name)} {error}")]
        origin = origin._replace(wrong=_Incomplete(found, caption(path.name)))
        return self._below(found.folder, written, where, origin)

    def _below(self, folder: Path, written: str, where: str, origin: "_Origin") -> list[Entry]:
        """The bots in a folder that was submitted or unpacked."""
        one, nested, wrong = origin
        if len(folder.parts) > MOST_NESTED:
            return [self._left_out(written, where, "its folders are nested too deeply")]
        is_bot = os.path.isfile(folder / MANIFEST)
        if wrong and (why := wrong.below(folder) if one or is_bot else wrong.itself(folder)):
            return [self._left_out(written, where, why)]
        if is_bot:
            return [self._bot(written, folder, where)]
        try:
            contents = _Contents.of(folder, nested=nested)
        except OSError as error:
            return [self._left_out(written, where, f"{caption(folder.name)}: {error.strerror}")]
        if only := contents.only(one=one):
            return self._in(contents, only, written, where, origin)
        if one or not any(contents):
            return [self._left_out(written, where, contents.why_not_one)]
        found: list[Entry] = []
        for path in itertools.chain.from_iterable(contents):
            by, number = handed_in((path.name,))
            at, of_one = f"{where}: {caption(path.name)}", origin._replace(one=True)
            handed = self._in(contents, path, by or contents.stem(path), at, of_one)
            found += [msgspec.structs.replace(entry, author=by, number=number) for entry in handed]
        return found

    def _in(
        self, contents: "_Contents", path: Path, written: str, where: str, origin: "_Origin"
    ) -> list[Entry]:
        """The bots at one path of a folder."""
        if path in contents.files:
            return [self._bot(written, path, where)]
        if path in contents.folders:
            return self._below(path, written, where, origin)
        return self._of_archive(path, written, where, origin._replace(nested=True))

    def _bot(self, written: str, path: Path, where: str) -> Entry:
        name, made = self._name(written)
        if name.startswith(HOUSE_PREFIX):
            return Entry(
                where, where, name, made=made, left_out=f"names with {HOUSE_PREFIX} belong to house bots"
            )
        if why := cannot_be_a_bot(path, path.name):
            # Left out and not passed over, since its submitter must learn why.
            return Entry(where, where, name, made=made, left_out=f"{caption(path.name)} is not a bot: {why}")
        return Entry(f"{name}={path.absolute()}", where, name, made=made)

    def _left_out(self, written: str, where: str, why: str) -> Entry:
        name, made = self._name(written)
        return Entry(where, where, name, made=made, left_out=why)

    def _name(self, written: str) -> tuple[str, str]:
        """A name that no entry has, and the title, both derived from what was written."""
        name = name_of(written)
        if name in self._names:
            name = unlike(name, self._names, (f"-{number}" for number in itertools.count(2)))
        self._names.add(name)
        return name, "" if name == written else title(written)


class _Origin(NamedTuple):
    """Where a folder comes from. `one`: from a single author, so it contains at most one bot. `nested`: from
    an archive in an archive; an archive in it stays packed. `wrong`: the incomplete folders of the archive;
    their authors have no bot."""

    one: bool = False
    nested: bool = False
    wrong: "_Incomplete | None" = None


class _Contents(NamedTuple):
    """What a folder contains that can be a bot, or can hold bots."""

    files: list[Path]
    folders: list[Path]
    archives: list[Path]

    @classmethod
    def of(cls, folder: Path, *, nested: bool) -> "_Contents":
        """The contents of a folder. Raises OSError."""
        seen = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "__")))
        folders = [path for path in seen if os.path.isdir(path)]
        archives = [path for path in seen if path not in folders and is_archive(path) and not nested]
        files = [path for path in seen if path not in (*folders, *archives) and not cannot_be_a_bot(path)]
        return cls(files, folders, archives)

    @property
    def bots(self) -> list[Path]:
        """Those that are certainly bots."""
        return [*self.files, *(path for path in self.folders if os.path.isfile(path / MANIFEST))]

    def only(self, *, one: bool) -> Path | None:
        """Where the only bot must be; None if there is none, or several. `one`: of an author who submits only
        one, so that other folders are not bots."""
        files, folders, archives = self
        if not files and len(folders) + len(archives) == 1:
            return (folders or archives)[0]
        if len(self.bots) == 1 and (one or not (folders or archives)):
            return self.bots[0]
        return None

    def stem(self, path: Path) -> str:
        """The name that one of the paths gives to its bot."""
        if path in self.folders:
            return path.name
        return path.stem if path in self.files else stem_of(path)

    @property
    def why_not_one(self) -> str:
        """Why there is no single bot."""
        if not self.bots:
            return NO_BOT
        names = caption(", ".join(path.name + "/" * (path in self.folders) for path in self.bots))
        if len(self.files) == len(self.bots):
            return f"several files can be the bot: {names}; add a {MANIFEST} next to them that says which"
        return f"several can be the bot: {names}; leave only one of them"


class _Incomplete:
    """The incomplete folders of an unpacked archive, with the reason."""

    def __init__(self, found: Unpacked, archive: str) -> None:
        self._itself: dict[Path, str] = {}
        self._below: dict[Path, str] = {}
        for name, why in found.incomplete.items():
            folder = found.folder / name
            self._itself[folder] = f"{archive} {why}"
            for above in (folder, *folder.parents[: name.count("/") + 1]):
                self._below.setdefault(above, f"{archive} {why}")

    def itself(self, folder: Path) -> str:
        """Why a folder itself is incomplete; "" if it is not, whatever is missing deeper."""
        return self._itself.get(folder, "")

    def below(self, folder: Path) -> str:
        """Why a folder is incomplete, itself or deeper; "" if it is complete."""
        return self._below.get(folder, "")


def find_entries(entries: Iterable[Entry], game: str, sandbox: Sandbox) -> RosterResult:
    """The bots for the entries, with titles from tables. Raises UserError as `find` does."""
    entries = list(entries)
    listed = {entry.name: entry for entry in entries if entry.name and not entry.left_out}
    words = [entry.word for entry in entries if not entry.left_out and not entry.passed_over]
    found = find(words, game, sandbox)
    entrants = tuple(
        msgspec.structs.replace(entrant, title=_title(listed[entrant.name], entrant.title))
        if entrant.name in listed
        else entrant
        for entrant in found.entrants
    )
    left_out = tuple(
        NoEntrant(entry.made or entry.name, entry.left_out) for entry in entries if entry.left_out
    )
    passed_over = tuple((entry.word, entry.passed_over) for entry in entries if entry.passed_over)
    playing = {entrant.name for entrant in entrants} & listed.keys()
    return RosterResult(
        FoundBots(entrants, (*found.left_out, *left_out), (*passed_over, *found.passed_over)),
        {name: listed[name].author for name in sorted(playing) if listed[name].author},
        {name: listed[name].group for name in sorted(playing) if listed[name].group},
    )


def _title(entry: Entry, own: str) -> str:
    found = entry.title or own or entry.made
    return "" if found == entry.name else found
