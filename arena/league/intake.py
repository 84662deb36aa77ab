"""The intake: from a program that came in to the current version of a bot, stage by stage. Every stage is an
entry; a version that fails at one is refused with the reason and the cure, and the one before it stays.

Knows programs and checks; not what is played.
"""

import time
from typing import Final

import trio

from arena.checking.alone import Task
from arena.checking.cures import NO_MISTAKE
from arena.checking.findings import Checked, NotChecked, Verdict
from arena.checking.several import check_all
from arena.league.apart import apart
from arena.league.carried import RECEIVED, Version
from arena.league.entries import Board, Current, Passed, Refused
from arena.league.hand import Add
from arena.league.ids import Stage, VersionId
from arena.league.inbox import arrived, bot_name, remove, tell
from arena.league.office import Office
from arena.league.store import Program, Unfit, entrant, keep, without_place
from arena.system.errors import MachineError, UserError

TRIES: Final = 3
"""Attempts at a check that the machine, or an error of the arena, spoils."""
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
    except Unfit as unfit:
        reason, cure = (without_place(text, office.folder) for text in (unfit.reason, unfit.cure))
        office.write(Refused(version, stage, reason, cure))


async def collect(office: Office) -> None:
    """Takes what lies in the inbox into the store and into the journal. Raises MachineError where that cannot
    be written."""
    for sent in list(arrived(office.folder, office.state.authors)):
        try:
            name = bot_name(sent.path)
            program = await trio.to_thread.run_sync(keep, office.folder, sent.path)
            entries = office.asked(Add(sent.author, name, program.digest, program.file))
            if not entries:
                tell(office.folder, sent.author, f"{sent.path.name}: is the current version already")
        except Unfit as unfit:
            tell(office.folder, sent.author, f"{sent.path.name}: {unfit.reason}; {unfit.cure}")
        except MachineError:
            raise  # No fault of its author's: it stays there.
        except (UserError, ValueError) as error:
            tell(office.folder, sent.author, str(error))
        await trio.to_thread.run_sync(remove, sent)


def _playable(office: Office, version: Version) -> list[Board]:
    """The boards on which a version can play; it is built for that. Raises Unfit where there is none."""
    boards, first = [], None
    for board in office.state.boards.values():
        try:
            entrant(office.folder, version.id, _program(version), board.game, board.sandbox)
        except Unfit as unfit:
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
    with apart(office.folder, {version.id: bot}, board.sandbox) as bots:
        task = Task(bots[version.id], version.id, (board.game,), board.limits, board.sandbox, CHECK_SECONDS)
        for _ in range(TRIES):
            await check_all([task], 1, (), lambda number, step: None, lambda number, one: results.append(one))
            if not spoilt(results[-1]):
                break
    result = results[-1]
    if not isinstance(result, Checked):
        raise Unfit(f"it could not be checked here: {result.why}", "send it again; tell the organiser")
    for failed in result.of(Verdict.FAILED):
        what = failed.diagnosis or failed.fault or failed.remark
        raise Unfit(f"{failed.step}: {what}", failed.mend or "`arena check` on your machine says more")


def spoilt(result: Checked | NotChecked) -> bool:
    """Whether a check says nothing about the bot: it failed itself, or the machine was too busy."""
    if isinstance(result, NotChecked):
        return True
    return any(failed.diagnosis in NO_MISTAKE for failed in result.of(Verdict.FAILED))


def _program(version: Version) -> Program:
    return Program(version.digest, version.file)
