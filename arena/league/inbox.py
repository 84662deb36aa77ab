"""The inbox: a folder for each author. Authors put programs there while the league is played, and read in it
what became of them.

Everything in it comes from strangers. Knows files and names, no journal.
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
from arena.league.room import PROGRAM, TAKEN
from arena.league.store import COPIED
from arena.system import foreign
from arena.system.foreign import NO_WAITING
from arena.system.text import caption, in_utf8
from arena.system.trees import NotCopiedError, NotCopiedReason, remove_folder, walk
from arena.system.wording import moment

ANSWERS: Final = "answers.txt"
EARLIER: Final = "answers-earlier-"
"""The prefix of what had the name for answers and was not created by this version of the arena."""
MOST_LOOKED_AT: Final = 10_000
"""Files of one author that are looked at in one pass, those in folders included."""
LINE_LIMIT: Final = 2000
"""Characters of a line in the answers."""
REST_SECONDS: Final = 2.0
"""A program is taken once it has been unchanged this long, since its upload may not be complete."""
DELETING_SECONDS: Final = 10.0
"""Limit for deleting a program, to which its author may keep adding files. The rest stays until the next
run."""
WORD: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")
"""Valid names of authors and bots."""

_NOBODY: Final = -1


class InboxItem(NamedTuple):
    """Something that an author has put into the inbox."""

    author: str
    name: str
    state: int
    """A hash of its files' metadata. It differs once anything has changed."""
    changed: float
    """The time of the last change, by the clock of the file system."""
    wrong: NotCopiedError | None = None
    """Why it cannot be taken, as far as this pass has seen."""


def bot_name(file: str) -> str:
    """The name for the bot in a file, folder or archive. Raises ValueError if no character of it is valid."""
    path = Path(file)
    stem = stem_of(path) if is_archive(path) else path.stem
    name = re.sub("[^a-z0-9]+", "-", plain(stem).lower())[:16].strip("-")
    if not WORD.fullmatch(name):
        raise ValueError("this cannot become a name; use letters and digits")
    return name


def folder_of(league: Path, author: str) -> Path:
    return league / INBOX / author


@contextlib.contextmanager
def opened(league: Path, author: str) -> Iterator[int]:
    """The descriptor of an author's folder. Raises OSError, also if the folder is a link."""
    with foreign.folder(folder_of(league, author), league / INBOX) as inside:
        yield inside


def sender(name: str, inside: int) -> int | None:
    """The user who must own every file of the program `name`; None if only the league's user can write to the
    folder.

    Anyone who can move files into the folder can move files there that they can neither read nor delete. So
    nothing that belongs to the league's user is taken from a folder that others can write to.
    """
    folder, ours = os.fstat(inside), os.geteuid()
    if folder.st_uid != ours:
        return folder.st_uid
    if not folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return None
    try:
        owner = os.stat(name, dir_fd=inside, follow_symlinks=False).st_uid
    except OSError:
        return _NOBODY  # It is gone; the caller finds that out when it opens it.
    return owner if owner != ours else _NOBODY


class LeagueInbox:
    """The inbox as one process has observed it. A program is taken once it has been unchanged for `rest`
    seconds. The modification times of its files do not count, since its author can set them."""

    def __init__(self, league: Path, rest: float = REST_SECONDS) -> None:
        self._league, self._rest = league, rest
        self._since: dict[tuple[str, str], tuple[int, float]] = {}
        """The last observed state of each program, and since when it has had that state."""
        self._left: dict[tuple[str, str], int] = {}
        """The states of programs that were taken and could not be deleted."""

    def arrived(self, author: str) -> InboxItem | None:
        """The author's program that has been complete the longest; None if there is none. Raises OSError if
        the folder cannot be read."""
        rested = []
        before = {key: seen for key, seen in self._since.items() if key[0] == author}
        for key in before:
            del self._since[key]
        with opened(self._league, author) as inside:
            for sent in _sent(author, inside):
                key, now = (author, sent.name), time.monotonic()
                state, since = before.get(key, (None, now))
                since = since if state == sent.state else now
                self._since[key] = sent.state, since
                # The change time comes from the machine's clock, which an author cannot set back.
                is_at_rest = now - since >= self._rest or time.time() - sent.changed > self._rest
                if is_at_rest and self._left.get(key) != sent.state:
                    rested.append(sent)
        return min(rested, key=lambda sent: (sent.changed, sent.name), default=None)

    def is_as_found(self, sent: InboxItem, inside: int) -> bool:
        """Whether a program is unchanged since it was observed."""
        return _look(sent.author, sent.name, inside)[0].state == sent.state

    def remove(self, sent: InboxItem) -> bool:
        """Delete a program that was taken or cannot be taken; return whether it is gone. If the author has
        replaced it meanwhile, the new one stays. A folder is moved away first, so that it disappears as a
        whole or not at all."""
        try:
            with opened(self._league, sent.author) as inside:
                if sent.wrong is not None and sent.wrong.why is NotCopiedReason.OWNER:
                    self._left[sent.author, sent.name] = sent.state
                    return False
                owner = sender(sent.name, inside)
                gone = not self.is_as_found(sent, inside) or removed(self._league, sent.name, inside, owner)
        except OSError:
            gone = True  # The author has removed the folder.
        if not gone:
            self._left[sent.author, sent.name] = sent.state
        return gone


def strangers(league: Path, authors: Container[str]) -> list[Path]:
    """The first paths in the inbox that belong to no author; [] if it cannot be read."""
    try:
        with os.scandir(league / INBOX) as entries:
            first = islice(entries, MOST_LOOKED_AT)
            paths = [entry.path for entry in first if entry.name not in authors and entry.name[0] != "."]
    except OSError:
        return []
    return [Path(path) for path in sorted(paths)]


def shown(path: Path | str) -> str:
    """A path as one line that is safe to print, whatever bytes it consists of."""
    return caption(in_utf8(str(path)))


def can_be_told(league: Path, author: str) -> bool:
    """Whether the file for answers exists or can be created."""
    try:
        with opened(league, author) as inside:
            try:
                return stat.S_ISREG(os.stat(ANSWERS, dir_fd=inside, follow_symlinks=False).st_mode)
            except FileNotFoundError:
                return True
    except OSError:
        return False


def tell(league: Path, author: str, line: str) -> None:
    """Append a line, with the time, to the author's answers; do nothing if the author has no folder."""
    with contextlib.suppress(OSError):  # An author who makes the file unwritable gets no answers.
        with opened(league, author) as inside:
            answers = _answers(author, inside)
        with open(answers, "a", encoding="utf-8") as file:
            file.write(f"{moment(time.time())}: {caption(in_utf8(line), LINE_LIMIT)}\n")


def _answers(author: str, inside: int) -> int:
    """Open an author's file for answers for appending. Raises OSError.

    It may be a link to a file that the author cannot write, and no count of its links shows that reliably
    while they change. Only a file that the league created begins with our line.
    """
    begin = f"The league's answers to {author}:\n".encode()
    flags = os.O_RDWR | os.O_APPEND | NO_WAITING
    with contextlib.suppress(FileNotFoundError):
        answers = os.open(ANSWERS, flags, dir_fd=inside)
        is_file = stat.S_ISREG(os.fstat(answers).st_mode)
        if is_file and os.pread(answers, len(begin), 0) == begin:
            return answers
        os.close(answers)
        if not is_file:
            raise OSError(errno.EINVAL, "no file", ANSWERS)
        earlier = f"{EARLIER}{secrets.token_hex(4)}.txt"
        os.rename(ANSWERS, earlier, src_dir_fd=inside, dst_dir_fd=inside)
    answers = os.open(ANSWERS, flags | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=inside)
    try:
        os.write(answers, begin)
    except OSError:  # The disk is full.
        os.close(answers)
        os.unlink(ANSWERS, dir_fd=inside)
        raise
    return answers


def removed(
    league: Path, name: str, inside: int, owner: int | None, seconds: float = DELETING_SECONDS
) -> bool:
    """Delete a program that belongs to `owner`; return whether it is gone.

    Others can exchange it until it is in a folder of the league's own. There its owner is checked, and what
    arrived in its place is moved back, under a new name, since the old one may be taken. What cannot be
    deleted in time stays in that folder.
    """
    if owner == _NOBODY:
        return False
    if owner is None:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=inside)
            return True
    taken = f"{TAKEN}{'' if owner is None else owner}-{secrets.token_hex(8)}"
    with contextlib.suppress(OSError), foreign.folder(league / BUILT) as builds:
        os.mkdir(taken, 0o700, dir_fd=builds)
        try:
            with foreign.folder(league / BUILT / taken, league / BUILT) as here:
                os.rename(name, PROGRAM, src_dir_fd=inside, dst_dir_fd=here)
                if owner in (None, os.stat(PROGRAM, dir_fd=here, follow_symlinks=False).st_uid):
                    remove_folder(PROGRAM, here, seconds, owner)
                    return True
                os.rename(PROGRAM, f"not-sent-{secrets.token_hex(8)}", src_dir_fd=here, dst_dir_fd=inside)
                return False
        finally:
            with contextlib.suppress(OSError):
                os.rmdir(taken, dir_fd=builds)
    return remove_folder(name, inside, seconds, owner)


def _sent(author: str, inside: int) -> Iterator[InboxItem]:
    """The programs in an author's folder, until MOST_LOOKED_AT files were looked at. The others are looked at
    once these are gone. Raises OSError."""
    looked_at = 0
    with os.scandir(inside) as entries:
        for entry in entries:
            if entry.name.startswith((".", EARLIER)) or entry.name == ANSWERS or is_clutter(entry.name):
                continue
            if looked_at >= MOST_LOOKED_AT:
                return
            sent, files = _look(author, entry.name, inside)
            looked_at += files
            yield sent


def _look(author: str, name: str, inside: int) -> tuple[InboxItem, int]:
    """A program in an author's folder, and how many of its files were looked at: only a part if it is too
    large or too deep to be taken. Raises OSError."""
    state, changed, files, wrong = 0, 0.0, 0, None
    try:
        for file in walk(name, COPIED, inside, is_clutter, sender(name, inside)):
            now = file.status
            files, changed = files + 1, max(changed, now.st_ctime)
            times = now.st_mtime_ns, now.st_ctime_ns
            state = hash((state, file.path, now.st_dev, now.st_ino, now.st_mode, now.st_size, times))
    except NotCopiedError as error:
        wrong = error
        if error.why is NotCopiedReason.CHANGED:
            state, changed = secrets.randbits(60), time.time()
    return InboxItem(author, name, state, changed, wrong), files
