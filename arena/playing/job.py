"""Jobs for workers, and their reports, as lines of JSON. A job is one match.

Knows neither how a match is played nor why; a job contains everything needed to play it again anywhere.
"""

import traceback

import msgspec

from arena import __version__
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.log.entries import FORMAT, LoggedEntrant, MatchOpened
from arena.log.house_bugs import HouseBug, HouseBugRow, bug_row, together
from arena.log.settings import MatchSettings
from arena.playing.spent import Spent
from arena.system.errors import MachineError, leaves, machine_trouble
from protocol.messages import PROTOCOL, Limits
from protocol.outcome import Forfeit, Outcome


class Job(msgspec.Struct, frozen=True):
    """A match to be played."""

    match_id: str
    pod_key: str
    seating_no: int
    entrants: tuple[Entrant, ...]
    """By seat."""
    settings: MatchSettings
    stderr: str = ""
    """The folder for files with the bots' standard error; "" to discard it."""
    keep_bots: bool = False
    """Whether bot processes may have played earlier matches, and may play later ones."""
    keep: tuple[str, ...] = ()
    """The names of bots for which that holds in any case."""
    watched: bool = False
    """Whether the worker reports every line of the log as it is written."""
    own_core: bool = False
    """Whether no other match runs on the worker's core. Set when the job is handed to a worker."""

    def limits_of(self, entrant: Entrant) -> Limits:
        """The entrant's own limits, or those of the match if it has none."""
        return entrant.limits or self.settings.limits

    def keeps(self, entrant: Entrant) -> bool:
        """Whether a process of the entrant may play several matches."""
        return not entrant.is_function and (self.keep_bots or entrant.name in self.keep)


def opening(job: Job) -> MatchOpened:
    """The first line of the match's log, with all options of the game, including defaults."""
    game = registry.game(job.settings.game)
    published = msgspec.structs.replace(
        job.settings,
        options=msgspec.to_builtins(msgspec.convert(job.settings.options, game.options)),
        # `allowed` names folders of this machine.
        sandbox=msgspec.structs.replace(job.settings.sandbox, allowed=()),
    )
    return MatchOpened(
        format=FORMAT,
        arena=__version__,
        protocol=PROTOCOL,
        match_id=job.match_id,
        rules=game.rules,
        pod_key=job.pod_key,
        seating_no=job.seating_no,
        entrants=tuple(
            LoggedEntrant(entrant.name, entrant.digest, entrant.limits, entrant.title)
            for entrant in job.entrants
        ),
        **msgspec.structs.asdict(published),
    )


class Finished(msgspec.Struct, frozen=True, tag_field="type", tag="finished"):
    """The report of a match that was played."""

    match_id: str
    outcome: Outcome
    """Its placings take account of forfeits."""
    forfeits: tuple[Forfeit, ...]
    log: str
    """The whole match log."""
    bugs: tuple[HouseBug, ...] = ()
    """Failures in the arena's own bots."""
    spent: Spent | None = None
    """What it cost; None if nobody has measured it."""


class Void(msgspec.Struct, frozen=True, tag_field="type", tag="void"):
    """The report of a match spoilt by the arena or the machine, never by a bot. `reason`: the text of a bug
    report, or without `bug` a line on what is wrong with the machine."""

    match_id: str
    reason: str
    bug: bool = True

    @property
    def error(self) -> Exception:
        """The exception for a caller that does not replay the match."""
        return RuntimeError(self.reason) if self.bug else MachineError(self.reason)


def void_by(job: Job, error: BaseException) -> Void:
    """The report of a match spoilt by an exception or exception group, blaming the machine, the game, or
    us."""
    match_id = job.match_id
    if trouble := registry.blame(error) or machine_trouble(error) or registry.blame(error, job.settings.game):
        return Void(match_id, trouble, bug=False)
    return Void(match_id, "".join(traceback.format_exception(next(leaves(error)))))


def spoilt_by_house(job: Job, finished: Finished) -> Void | None:
    """A void report if one of the arena's own bots failed in the match, otherwise None. For comparisons and
    boards, which use such bots as a yardstick."""
    rows = bug_rows(job, finished)
    return Void(finished.match_id, rows[0].sentence) if rows else None


def bug_rows(job: Job, finished: Finished, log: str = "") -> tuple[HouseBugRow, ...]:
    """The failures of the arena's own bots. `log`: the path of the match's log."""
    return together(
        bug_row(finished.match_id, entrant.name, entrant.program, bug, log)
        for bug in finished.bugs
        for entrant in [job.entrants[bug.seat]]
    )


class LogLine(msgspec.Struct, frozen=True, tag_field="type", tag="wrote"):
    """A line of the log of the running match."""

    line: str


Report = Finished | Void
