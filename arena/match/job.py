"""What a worker is asked to do and what it answers, as lines of JSON: one match a job.

Knows neither how a match is played nor why; a job holds everything needed to play it again anywhere.
"""

import traceback
from typing import Any

import msgspec

from arena import __version__
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.log.entries import FORMAT, LoggedEntrant, Opened
from arena.process.sandbox import Sandbox
from arena.system.errors import MachineError, leaves, machine_trouble
from protocol.messages import PROTOCOL, Limits
from protocol.outcome import Forfeit, Outcome


class Job(msgspec.Struct, frozen=True):
    """One match. `entrants` by seat. `faults` is the number of faults that forfeit. What the bots write to
    their standard error goes to files in the folder `stderr`, or nowhere if that is empty. `ponder`: bots may
    think on the others' time. `keep_bots`: a process may have played other matches, and may play further
    ones; `keep` names the bots that may in any case. `watched`: every line of the log is told as it is
    written. `own_core`: its worker has a core on which no other match is played; set by whoever has the
    worker."""

    match_id: str
    game: str
    options: dict[str, Any]
    deals: int
    pod_key: str
    seating_no: int
    entrants: tuple[Entrant, ...]
    limits: Limits
    faults: int = 1
    sandbox: Sandbox = Sandbox()
    stderr: str = ""
    ponder: bool = False
    keep_bots: bool = False
    keep: tuple[str, ...] = ()
    watched: bool = False
    own_core: bool = False

    def limits_of(self, entrant: Entrant) -> Limits:
        return entrant.limits or self.limits

    def keeps(self, entrant: Entrant) -> bool:
        return self.keep_bots or entrant.name in self.keep


def opening(job: Job) -> Opened:
    """The first line of the log of this match, as it has to be."""
    game = GAMES[job.game]
    return Opened(
        format=FORMAT,
        arena=__version__,
        protocol=PROTOCOL,
        match_id=job.match_id,
        game=job.game,
        rules=game.rules,
        options=msgspec.to_builtins(msgspec.convert(job.options, game.options)),
        deals=job.deals,
        pod_key=job.pod_key,
        seating_no=job.seating_no,
        entrants=tuple(
            LoggedEntrant(entrant.name, entrant.digest, entrant.limits, entrant.title)
            for entrant in job.entrants
        ),
        limits=job.limits,
        faults=job.faults,
        # Logs are published, and what is allowed names folders of this machine.
        sandbox=msgspec.structs.replace(job.sandbox, allowed=()),
        ponder=job.ponder,
    )


class Finished(msgspec.Struct, frozen=True, tag_field="type", tag="finished"):
    """A match as it ended. `log` is the whole match log; the placings honour the forfeits."""

    match_id: str
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str


class Void(msgspec.Struct, frozen=True, tag_field="type", tag="void"):
    """A match spoilt by an error of ours, never by a bot. `reason` is for our bug reports; where it is no
    `bug`, a line on what is wrong with the machine."""

    match_id: str
    reason: str
    bug: bool = True

    @property
    def error(self) -> Exception:
        """For whoever can do nothing but give up."""
        return RuntimeError(self.reason) if self.bug else MachineError(self.reason)


def void_by(match_id: str, error: BaseException) -> Void:
    """What an error, or a group of errors, makes of a match."""
    if trouble := machine_trouble(error):
        return Void(match_id, trouble, bug=False)
    return Void(match_id, "".join(traceback.format_exception(next(leaves(error)))))


class Wrote(msgspec.Struct, frozen=True, tag_field="type", tag="wrote"):
    """A line of the log of the match that is being played."""

    line: str


Report = Finished | Void
