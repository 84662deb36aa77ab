"""The inbox: a folder for each author, in which programs can be put while the league is played, and in which
its author finds what became of them.

Whatever is put there is a stranger's. Knows files and names; no journal.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from arena.entrants.clutter import is_clutter
from arena.entrants.names import plain
from arena.entrants.unpack import is_archive, stem_of
from arena.league.journal import BUILT, INBOX
from arena.league.store import COPIED
from arena.system import foreign
from arena.system.files import UNFINISHED
from arena.system.foreign import NO_WAITING
from arena.system.text import caption, in_utf8
from arena.system.trees import NotCopiedError, NotCopiedReason, remove_folder, walk

ANSWERS: Final = "answers.txt"
MOST_LOOKED_AT: Final = 10_000
"""Files of an author, those in folders too, that are looked at in a turn."""
LINE_LIMIT: Final = 2000
"""Characters of a line that an author is told."""
REST_SECONDS: Final = 2.0
"""A program is taken once nothing of it has changed for so long: it may still be on its way."""
DELETING_SECONDS: Final = 10.0
"""What is not deleted of a program by then is left until the league is run again: its author may be adding to
it."""
WORD: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")
"""What an author or a bot can be called."""


_NOBODY: Final = -1


class InboxItem(NamedTuple):
    """Something that an author has put into the inbox: its name there, a number for how it was found, which
    is another one once anything of it has changed, and when that was, by the clock of the file system.
    `wrong`: why it cannot be taken, as far as that was seen."""

    author: str
    name: str
    state: int
    changed: float
    wrong: NotCopiedError | None = None


def bot_name(file: str) -> str:
    """What the bot in a file, a folder or an archive is called. Raises ValueError where nothing of its name
    is left."""
    path = Path(file)
    stem = stem_of(path) if is_archive(path) else path.stem
    name = re.sub("[^a-z0-9]+", "-", plain(stem).lower())[:16].strip("-")
    if not WORD.fullmatch(name):
        raise ValueError(f"{caption(path.name)}: no name can be made of that; call it by letters and digits")
    return name


def folder_of(league: Path, author: str) -> Path:
    """Where an author's programs are put."""
    return league / INBOX / author


@contextlib.contextmanager
def opened(league: Path, author: str) -> Iterator[int]:
    """The descriptor of an author's folder. Raises OSError, also where a link is in its place."""
    with foreign.folder(folder_of(league, author), league / INBOX) as inside:
        yield inside


def sender(name: str, inside: int) -> int | None:
    """The user to whom all of a program has to belong that lies at a name in an author's folder; None where
    nobody but the league's user can put anything there. Who may move files can move those that they may
    neither read nor delete: nothing of the league's user is taken from a folder that others can write to."""
    folder, ours = os.fstat(inside), os.geteuid()
    if folder.st_uid != ours:
        return folder.st_uid
    if not folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return None
    try:
        found = os.stat(name, dir_fd=inside, follow_symlinks=False).st_uid
    except OSError:
        return _NOBODY  # It is gone, as whoever looks at it finds out.
    return found if found != ours else _NOBODY


class LeagueInbox:
    """The inbox as one process has seen it so far. A program is taken once nothing of it has changed for
    `rest` seconds: what an author says of that, by the times of files, does not count."""

    def __init__(self, league: Path, rest: float = REST_SECONDS) -> None:
        self._league, self._rest = league, rest
        self._since: dict[tuple[str, str], tuple[int, float]] = {}
        """How each program was found last, and since when it is like that."""
        self._left: dict[tuple[str, str], int] = {}
        """What was taken and could not be deleted."""

    def arrived(self, author: str) -> InboxItem | None:
        """The program of an author that has lain there the longest and is whole; None where there is none.
        Raises OSError where the folder cannot be read."""
        found = []
        before = {key: seen for key, seen in self._since.items() if key[0] == author}
        for key in before:
            del self._since[key]
        with opened(self._league, author) as inside:
            for sent in _sent(author, inside):
                key, now = (author, sent.name), time.monotonic()
                state, since = before.get(key, (None, now))
                since = since if state == sent.state else now
                self._since[key] = sent.state, since
                # Nobody can set that clock back but who sets that of the machine.
                rested = now - since >= self._rest or time.time() - sent.changed > self._rest
                if rested and self._left.get(key) != sent.state:
                    found.append(sent)
        return min(found, key=lambda sent: (sent.changed, sent.name), default=None)

    def is_as_found(self, sent: InboxItem, inside: int) -> bool:
        """Whether a program is still what it was when it was found."""
        return _look(sent.author, sent.name, inside)[0].state == sent.state

    def remove(self, sent: InboxItem) -> bool:
        """Deletes a program that was taken, or that nobody can take; whether it is gone. What was put in its
        place meanwhile stays there. A folder is moved away first, so that it is gone at once or not at
        all."""
        try:
            with opened(self._league, sent.author) as inside:
                if sent.wrong is not None and sent.wrong.why is NotCopiedReason.OWNER:
                    self._left[sent.author, sent.name] = sent.state
                    return False
                gone = not self.is_as_found(sent, inside) or _removed(self._league, sent.name, inside)
        except OSError:
            gone = True  # The author has taken the folder away.
        if not gone:
            self._left[sent.author, sent.name] = sent.state
        return gone


def strangers(league: Path, authors: Container[str]) -> list[Path]:
    """What lies in the inbox and belongs to no author; of very many the first ones. None where it cannot be
    read."""
    try:
        with os.scandir(league / INBOX) as entries:
            first = islice(entries, MOST_LOOKED_AT)
            found = [one.path for one in first if one.name not in authors and one.name[0] != "."]
    except OSError:
        return []
    return [Path(path) for path in sorted(found)]


def shown(path: Path | str) -> str:
    """A path as a line that can be printed and written, whatever bytes it is of."""
    return caption(in_utf8(str(path)))


def can_be_told(league: Path, author: str) -> bool:
    """Whether there is a file for the answers to an author, or can be one."""
    try:
        with opened(league, author) as inside:
            try:
                return stat.S_ISREG(os.stat(ANSWERS, dir_fd=inside, follow_symlinks=False).st_mode)
            except FileNotFoundError:
                return True
    except OSError:
        return False


def tell(league: Path, author: str, line: str) -> None:
    """Adds a line to what an author can read; does nothing without a folder of the author."""
    with contextlib.suppress(OSError):  # An author who makes the file unwritable is told nothing.
        with opened(league, author) as inside:
            answers = _answers(inside)
        with open(answers, "a", encoding="utf-8") as file:
            file.write(f"{caption(in_utf8(line), LINE_LIMIT)}\n")


def _answers(inside: int) -> int:
    """The file for the answers in an author's folder, opened to add to it. One that has another name too is
    replaced: it may be a file that its author cannot write. Raises OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_WAITING
    answers = os.open(ANSWERS, flags, 0o644, dir_fd=inside)
    found = os.fstat(answers)
    if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
        return answers
    os.close(answers)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "no file", ANSWERS)
    os.unlink(ANSWERS, dir_fd=inside)
    return os.open(ANSWERS, flags | os.O_EXCL, 0o644, dir_fd=inside)


def _removed(league: Path, name: str, inside: int) -> bool:
    """Deletes what lies at a name in an author's folder; whether it is gone."""
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=inside)
        return True
    aside = f"{UNFINISHED}{secrets.token_hex(8)}"
    owner = sender(name, inside)
    with contextlib.suppress(OSError), foreign.folder(league / BUILT) as builds:
        os.rename(name, aside, src_dir_fd=inside, dst_dir_fd=builds)
        remove_folder(aside, builds, DELETING_SECONDS, owner)
        return True
    return remove_folder(name, inside, DELETING_SECONDS, owner)


def _sent(author: str, inside: int) -> Iterator[InboxItem]:
    """What lies in an author's folder, as far as so many files are looked at; the others are looked at when
    these are gone. Raises OSError."""
    looked_at = 0
    with os.scandir(inside) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == ANSWERS or is_clutter(entry.name):
                continue
            if looked_at >= MOST_LOOKED_AT:
                return
            sent, files = _look(author, entry.name, inside)
            looked_at += files
            yield sent


def _look(author: str, name: str, inside: int) -> tuple[InboxItem, int]:
    """What lies at a name in an author's folder, and how many files were looked at: of a folder that is too
    large or too deep to be taken only a part is. Raises OSError."""
    state, changed, files, wrong = 0, 0.0, 0, None
    try:
        for found in walk(name, COPIED, inside, is_clutter, sender(name, inside)):
            one = found.status
            files, changed = files + 1, max(changed, one.st_ctime)
            times = one.st_mtime_ns, one.st_ctime_ns
            state = hash((state, found.path, one.st_dev, one.st_ino, one.st_mode, one.st_size, times))
    except NotCopiedError as error:
        wrong = error
        if error.why is NotCopiedReason.CHANGED:
            state, changed = secrets.randbits(60), time.time()
    return InboxItem(author, name, state, changed, wrong), files
