"""The intake: from a program that came in to the current version of a bot, stage by stage. Every stage is an
entry; a version that fails at one is refused with the reason and the cure, and the one before it stays.

Knows programs and checks; not what is played.
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
from arena.league.store import KeptProgram, UnfitProgram, copied, entrant, kept, unfit, without_place
from arena.system.errors import MachineError, UserError

TRIES: Final = 3
"""Attempts at a check that the machine, or an error of the arena, spoils."""
TURN_SECONDS: Final = 1.0
"""How long programs are taken out of the inbox before the next one is checked."""
TAKEN: Final = "it was looked at and cannot be deleted; it is left there until it is changed"
UNTOLD: Final = "something else is there than a file for answers; its author is told nothing"
MOST_REMARKS: Final = 100
"""On the inbox, by one process: strangers may make as many occasions as they like."""
SEE_FOR_YOURSELF: Final = (
    "run `arena check` on it: that shows what it wrote to standard error, and how to send it the same lines "
    "again"
)
"""The cure for a crash."""
CHECK_SECONDS: Final = 10.0
"""What a check may take before it leaves out what only costs time; a good bot takes one or two."""


async def take_in(office: Office, version: VersionId) -> None:
    """Takes a version through the stages of the intake."""
    found = office.state.versions[version]
    if found.status != RECEIVED:
        return
    begun = time.monotonic()
    stage: Stage = "built"
    try:
        boards = await trio.to_thread.run_sync(_playable, office, found)
        office.write(Passed(version, "built", round(time.monotonic() - begun, 3)))
        stage = "checked"
        for game in dict.fromkeys(board.game for board in boards):
            await _check(office, found, next(board for board in boards if board.game == game))
        office.write(
            Passed(version, "checked", round(time.monotonic() - begun, 3)),
            Current(version, tuple(board.id for board in boards)),
        )
    except UnfitProgram as unfit:
        reason, cure = (without_place(text, office.folder) for text in (unfit.reason, unfit.cure))
        office.write(Refused(version, stage, reason, cure))


class Collector:
    """Takes programs out of the inbox, one after the other: next comes the author for whom this has taken the
    least time so far, so that nobody waits for all the slow archives of another one. `say` is told, once
    each, what the organiser has to see to."""

    def __init__(self, office: Office, say: Callable[[str], None], rest: float = REST_SECONDS) -> None:
        self._office = office
        self._say = say
        self._inbox = LeagueInbox(office.folder, rest)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._remarked: set[Path] = set()

    async def collect(self) -> None:
        """Takes what has come in, for TURN_SECONDS, or one program that takes longer. Raises MachineError
        where it cannot be written."""
        until = time.monotonic() + TURN_SECONDS
        await trio.to_thread.run_sync(self._look_for_strangers)
        while (sent := await trio.to_thread.run_sync(self._next)) is not None:
            begun = time.monotonic()
            taken = await self._take(sent)
            if taken and not await trio.to_thread.run_sync(self._inbox.remove, sent):
                self._remark(folder_of(self._office.folder, sent.author) / sent.name, TAKEN)
            self._seconds[sent.author] += time.monotonic() - begun
            if time.monotonic() > until:
                break

    def _next(self) -> InboxItem | None:
        """What is taken next; None where nothing is there."""
        for author in sorted(self._office.state.authors, key=lambda author: self._seconds.get(author, 0.0)):
            try:
                if sent := self._inbox.arrived(author):
                    return sent
            except OSError as error:
                folder = folder_of(self._office.folder, author)
                self._remark(folder, f"nothing can be taken from there: {error.strerror}")
        return None

    async def _take(self, sent: InboxItem) -> bool:
        """Takes a program into the store and into the journal, or tells its author why not. Whether it was at
        rest all the time; if not, its turn comes again."""
        office, name = self._office, shown(sent.name)
        try:
            bot = bot_name(sent.name)
            require_welcome(office.state, sent.author, bot, clock())
            program = await trio.to_thread.run_sync(self._kept, sent)
            if program is None:
                return False
            if not office.asked(Add(sent.author, bot, program.digest, program.file)):
                tell(office.folder, sent.author, f"{name}: is the current version already")
        except UnfitProgram as unfit:
            reason, cure = (without_place(text, office.folder) for text in (unfit.reason, unfit.cure))
            tell(office.folder, sent.author, f"{name}: {reason}; {cure}")
        except MachineError:
            raise  # No fault of its author's: it stays there.
        except UserError as error:
            tell(office.folder, sent.author, f"{name}: {without_place(str(error), office.folder)}")
        except ValueError as error:
            tell(office.folder, sent.author, str(error))
        if not can_be_told(office.folder, sent.author):
            self._remark(folder_of(office.folder, sent.author) / ANSWERS, UNTOLD)
        return True

    def _kept(self, sent: InboxItem) -> KeptProgram | None:
        """A program in the store; None where it was changed while it was copied, so that it is not yet at
        rest. Raises Unfit, UserError."""
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
            pass  # The author has taken the folder away, which is said when it is looked at.
        return None

    def _look_for_strangers(self) -> None:
        """Says what lies in the inbox and belongs to nobody."""
        for path in strangers(self._office.folder, self._office.state.authors):
            self._remark(path, "it is no author's; `arena league author` registers one")

    def _remark(self, path: Path, what: str) -> None:
        """Says it unless it was said before."""
        if path not in self._remarked and len(self._remarked) <= MOST_REMARKS:
            self._remarked.add(path)
            full = "; no more such remarks follow" * (len(self._remarked) > MOST_REMARKS)
            self._say(f"{shown(path)}: {what}{full}")


def _playable(office: Office, version: Version) -> list[Board]:
    """The boards on which a version can play; it is built for that. Raises Unfit where there is none."""
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
    """Checks a version as `arena check` does, under the limits of a board. Raises Unfit, also where the check
    itself fails again and again: no program of a stranger may stop the league."""
    bot = entrant(office.folder, version.id, _program(version), board.game, board.sandbox)
    results: list[Checked | NotChecked] = []
    task = Task(bot, version.id, (board.game,), board.limits, board.sandbox, CHECK_SECONDS)
    for _ in range(TRIES):
        await check_all([task], 1, (), lambda number, step: None, lambda number, one: results.append(one))
        if not spoilt(results[-1]):
            break
    result = results[-1]
    if not isinstance(result, Checked):
        raise UnfitProgram(f"it could not be checked here: {result.why}", "send it again; tell the organiser")
    for failed in result.of(Verdict.FAILED):
        # Where the same lines show the mistake again, the author has to see what it wrote at them.
        raise UnfitProgram(failed.happened, SEE_FOR_YOURSELF if failed.again else failed.mend)


def spoilt(result: Checked | NotChecked) -> bool:
    """Whether a check says nothing about the bot: it failed itself, or the machine was too busy."""
    if isinstance(result, NotChecked):
        return True
    return any(failed.diagnosis in BLAMELESS for failed in result.of(Verdict.FAILED))


def _program(version: Version) -> KeptProgram:
    return KeptProgram(version.digest, version.file)
