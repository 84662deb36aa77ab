"""The intake: takes a received program, stage by stage, to the current version of a bot. Each stage is an
entry. A version that fails a stage is refused with the reason and how to fix it, and the previous version
stays current.

Knows programs and checks, not what is played.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from arena.checking.alone import Task
from arena.checking.cures import BLAMELESS
from arena.checking.findings import Checked, NotChecked, Verdict
from arena.checking.several import check_all
from arena.league.carried import RECEIVED, Version
from arena.league.entries import Board, Current, Passed, Refused
from arena.league.hand import Add, require_welcome
from arena.league.ids import Stage, VersionId
from arena.league.inbox import (
    ANSWERS,
    REST_SECONDS,
    InboxItem,
    LeagueInbox,
    bot_name,
    can_be_told,
    folder_of,
    opened,
    sender,
    shown,
    strangers,
    tell,
)
from arena.league.office import Office, clock
from arena.league.room import clear, lacking, leftovers
from arena.league.store import KeptProgram, UnfitProgram, copied, entrant, kept, unfit, without_place
from arena.system.errors import MachineError, UserError

TRIES: Final = 3
"""Attempts at a build or a check that the machine or an error of the arena spoils."""
AGAIN_SECONDS: Final = 1.0
"""The delay before a build is tried again."""
SEND_AGAIN: Final = "send it again, and inform the organiser"
TURN_SECONDS: Final = 1.0
"""How long programs are taken from the inbox before the next one is checked."""
TAKEN: Final = "it was examined and cannot be deleted; it is left there until it changes"
LEFT: Final = (
    "this is left of a program that was deleted: more than could be deleted in time, which is deleted bit by "
    "bit while the league runs, or other users' files, which its author moved there; give those back"
)
CLEARING_SECONDS: Final = 0.05
"""For each look at the inbox, the limit for deleting what is left of programs."""
UNTOLD: Final = "it is not a file, so answers cannot be written; its author gets no answers"
MOST_REMARKS: Final = 100
"""Remarks on one folder by one process."""
SEE_FOR_YOURSELF: Final = (
    "run `arena check` on it, which shows what it wrote to standard error, and how to send it the same "
    "lines again"
)
"""The advice after a crash."""
CHECK_SECONDS: Final = 10.0
"""After this time a check skips its remaining slow steps. A good bot takes one or two seconds in all."""


async def take_in(office: Office, version: VersionId) -> None:
    """Take a received version through the remaining stages of the intake. If the disk is full, it stays
    received."""
    received = office.state.versions[version]
    if received.status != RECEIVED:
        return
    begun = time.monotonic()
    stage: Stage = "built"
    try:
        if (boards := await _built(office, received)) is None:
            return
        office.write(Passed(version, "built", round(time.monotonic() - begun, 3)))
        stage = "checked"
        for game in dict.fromkeys(board.game for board in boards):
            await _check(office, received, next(board for board in boards if board.game == game))
        office.write(
            Passed(version, "checked", round(time.monotonic() - begun, 3)),
            Current(version, tuple(board.id for board in boards)),
        )
    except UnfitProgram as unfit:
        reason, cure = (without_place(text, office.folder) for text in (unfit.reason, unfit.cure))
        office.write(Refused(version, stage, reason, cure))


class Collector:
    """Takes programs from the inbox one by one. The next author is the one whose programs have taken the
    least time so far, so that nobody waits for all the slow archives of another author. `say` reports, once
    each, what the organiser has to see to, and what was refused."""

    def __init__(self, office: Office, say: Callable[[str], None], rest: float = REST_SECONDS) -> None:
        self._office = office
        self._say = say
        self._inbox = LeagueInbox(office.folder, rest)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._remarked: defaultdict[Path, set[str]] = defaultdict(set)
        """By folder: each author can cause any number of remarks, and may use up none of the others'."""

    async def collect(self) -> None:
        """Take programs for TURN_SECONDS, or a single one that takes longer. Raises MachineError."""
        until = time.monotonic() + TURN_SECONDS
        await trio.to_thread.run_sync(self._look_around)
        while (sent := await trio.to_thread.run_sync(self._next)) is not None:
            begun = time.monotonic()
            taken = await self._take(sent)
            if taken and not await trio.to_thread.run_sync(self._inbox.remove, sent):
                self._remark(folder_of(self._office.folder, sent.author) / sent.name, TAKEN)
            self._seconds[sent.author] += time.monotonic() - begun
            if time.monotonic() > until:
                break

    def _next(self) -> InboxItem | None:
        for author in sorted(self._office.state.authors, key=lambda author: self._seconds.get(author, 0.0)):
            try:
                if sent := self._inbox.arrived(author):
                    return sent
            except OSError as error:
                folder = folder_of(self._office.folder, author)
                self._remark(folder, f"nothing can be taken from here: {error.strerror}")
        return None

    async def _take(self, sent: InboxItem) -> bool:
        """Add a program to the store and the journal, or write the refusal to its author. Returns False if
        the program changed meanwhile; its turn then comes again."""
        office, name = self._office, shown(sent.name)
        try:
            bot = bot_name(sent.name)
            require_welcome(office.state, sent.author, bot, clock())
            program = await trio.to_thread.run_sync(self._kept, sent)
            if program is None:
                return False
            if not office.asked(Add(sent.author, bot, program.digest, program.file)):
                tell(office.folder, sent.author, f"{name}: it is already the current version")
        except MachineError:
            raise  # The author is not to blame, so the program stays in the inbox.
        except UnfitProgram as unfit:
            self._refuse(sent, f"{unfit.reason}; {unfit.cure}")
        except (UserError, ValueError) as error:
            self._refuse(sent, str(error))
        if not can_be_told(office.folder, sent.author):
            self._remark(folder_of(office.folder, sent.author) / ANSWERS, UNTOLD)
        return True

    def _refuse(self, sent: InboxItem, why: str) -> None:
        """Tell both the author and the organiser why a program did not become a version."""
        folder, why = self._office.folder, without_place(why, self._office.folder)
        tell(folder, sent.author, f"{shown(sent.name)}: {why}")
        self._remark(folder_of(folder, sent.author) / sent.name, f"refused: {shown(why)}")

    def _kept(self, sent: InboxItem) -> KeptProgram | None:
        """Copy a program into the store; None if it changed meanwhile. Raises UnfitProgram, UserError."""
        if sent.wrong is not None:
            raise unfit(sent.wrong, sent.name)
        league = self._office.folder
        try:
            with (
                opened(league, sent.author) as inside,
                copied(league, sent.name, inside, linked=False, owner=sender(sent.name, inside)) as copy,
            ):
                if self._inbox.is_as_found(sent, inside):
                    return kept(league, copy, self._office.state.file_of)
        except OSError:
            pass  # The author has removed the folder; `_next` reports that.
        return None

    def _look_around(self) -> None:
        for path in strangers(self._office.folder, self._office.state.authors):
            self._remark(path, "it belongs to no author; to register one: `arena league author`")
        clear(self._office.folder, CLEARING_SECONDS)
        for path in leftovers(self._office.folder):
            self._remark(path, LEFT)

    def _remark(self, path: Path, what: str) -> None:
        """Report `what` about a path, once."""
        remark, known = f"{shown(path)}: {what}", self._remarked[path.parent]
        if remark not in known and len(known) <= MOST_REMARKS:
            known.add(remark)
            full = "; further remarks about this folder are not shown" * (len(known) > MOST_REMARKS)
            self._say(remark + full)


async def _built(office: Office, version: Version) -> list[Board] | None:
    """Build a version; return the boards on which it can play. None if the disk is full: it is to be built
    again once there is room. Raises UnfitProgram if there is no board, also if the machine fails each time
    but has room afterwards: the program may be what fills the disk."""
    for _ in range(TRIES):
        try:
            return await trio.to_thread.run_sync(_playable, office, version)
        except MachineError as error:
            why: str | None = str(error)
        except UnfitProgram:
            if (why := lacking(office.folder)) is None:
                raise
        if lacking(office.folder):
            return None
        await trio.sleep(AGAIN_SECONDS)
    raise UnfitProgram(f"it could not be built here: {why}", SEND_AGAIN)


def _playable(office: Office, version: Version) -> list[Board]:
    """Build a version; return the boards on which it can play. Raises UnfitProgram if there is none;
    MachineError."""
    boards, first = [], None
    for board in office.state.boards.values():
        try:
            entrant(office.folder, version.id, _program(version), board.game, board.sandbox)
        except UnfitProgram as unfit:
            first = first or unfit
        else:
            boards.append(board)
    if not boards:
        assert first is not None
        raise first
    return boards


async def _check(office: Office, version: Version, board: Board) -> None:
    """Check a version as `arena check` does, under the limits of a board. Raises UnfitProgram, also if the
    check itself fails repeatedly: no program of a stranger may stop the league."""
    bot = entrant(office.folder, version.id, _program(version), board.game, board.sandbox)
    results: list[Checked | NotChecked] = []
    task = Task(bot, version.id, (board.game,), board.limits, board.sandbox, CHECK_SECONDS)
    for _ in range(TRIES):
        await check_all([task], 1, (), lambda number, step: None, lambda number, one: results.append(one))
        if not spoilt(results[-1]):
            break
    result = results[-1]
    if not isinstance(result, Checked):
        raise UnfitProgram(f"it could not be checked here: {result.why}", SEND_AGAIN)
    for failed in result.of(Verdict.FAILED):
        # If the same lines cause the mistake again, the author needs to see the bot's output to them.
        raise UnfitProgram(failed.happened, SEE_FOR_YOURSELF if failed.again else failed.mend)


def spoilt(result: Checked | NotChecked) -> bool:
    """Whether a check says nothing about the bot: the check itself failed, or the machine was too busy."""
    if isinstance(result, NotChecked):
        return True
    return any(failed.diagnosis in BLAMELESS for failed in result.of(Verdict.FAILED))


def _program(version: Version) -> KeptProgram:
    return KeptProgram(version.digest, version.file)
