"""What a worker is asked to do and what it answers, as lines of JSON: one match a job.

Knows neither how a match is played nor why; a job holds everything needed to play it again anywhere.
"""

import traceback

import msgspec

from arena import __version__
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.log.entries import FORMAT, LoggedEntrant, MatchOpened
from arena.log.house_bugs import HouseBug, HouseBugRow, bug_row, together
from arena.log.settings import MatchSettings
from arena.system.errors import MachineError, leaves, machine_trouble
from protocol.messages import PROTOCOL, Limits
from protocol.outcome import Forfeit, Outcome


class Job(msgspec.Struct, frozen=True):
    """One match. `entrants` by seat. What the bots write to their standard error goes to files in the folder
    `stderr`, or nowhere if that is empty. `keep_bots`: a process may have played earlier matches, and may
    play later ones; `keep` names the bots of which that holds in any case. `watched`: the worker reports
    every line of the log as it is written. `own_core`: no other match is played on its worker's core; set
    when the job is handed to a worker."""

    match_id: str
    pod_key: str
    seating_no: int
    entrants: tuple[Entrant, ...]
    settings: MatchSettings
    stderr: str = ""
    keep_bots: bool = False
    keep: tuple[str, ...] = ()
    watched: bool = False
    own_core: bool = False

    def limits_of(self, entrant: Entrant) -> Limits:
        """The entrant's own limits, or else those of the match."""
        return entrant.limits or self.settings.limits

    def keeps(self, entrant: Entrant) -> bool:
        """Whether a process of the entrant may play several matches."""
        return not entrant.is_function and (self.keep_bots or entrant.name in self.keep)


def opening(job: Job) -> MatchOpened:
    """The first line of the log of this match, with all options of the game spelt out."""
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
    """A match as it ended. `log` is the whole match log; the placings honour the forfeits. `bugs`: what
    failed in bots of the arena's own."""

    match_id: str
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str
    bugs: tuple[HouseBug, ...] = ()


class Void(msgspec.Struct, frozen=True, tag_field="type", tag="void"):
    """A match spoilt by the arena or the machine, never by a bot. `reason` is the text of a bug report; where
    it is no `bug`, one line on what is wrong with the machine."""

    match_id: str
    reason: str
    bug: bool = True

    @property
    def error(self) -> Exception:
        """The exception for a caller that does not play the match again."""
        return RuntimeError(self.reason) if self.bug else MachineError(self.reason)


def void_by(job: Job, error: BaseException) -> Void:
    """The report of a match that was spoilt by an error, or by a group of errors: by the machine, by the
    package that brings the game, or by us."""
    match_id = job.match_id
    if trouble := registry.blame(error) or machine_trouble(error) or registry.blame(error, job.settings.game):
        return Void(match_id, trouble, bug=False)
    return Void(match_id, "".join(traceback.format_exception(next(leaves(error)))))


def spoilt_by_house(job: Job, finished: Finished) -> Void | None:
    """The match as void, where a bot of the arena's own failed in it; for comparisons and boards, of which
    such a bot is a measure."""
    rows = bug_rows(job, finished)
    return Void(finished.match_id, rows[0].sentence) if rows else None


def bug_rows(job: Job, finished: Finished, log: str = "") -> tuple[HouseBugRow, ...]:
    """What failed in bots of the arena's own. `log`: where the match is logged."""
    return together(
        bug_row(finished.match_id, entrant.name, entrant.program, bug, log)
        for bug in finished.bugs
        for entrant in [job.entrants[bug.seat]]
    )


class LogLine(msgspec.Struct, frozen=True, tag_field="type", tag="wrote"):
    """A line of the log of the match that is being played."""

    line: str


Report = Finished | Void
