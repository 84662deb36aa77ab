"""A tournament that goes on after an interruption, after an entry of the organiser, or after its end with
further rounds: `arena resume`.
"""

import contextlib
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.commands.tournament import MOST_ROUNDS, Report, Shown, TournamentResult, no_display, run
from arena.commands.trust import RunFolder, Trust, TrustedLevel, refuse_functions, require_trusted
from arena.commands.workers import Address, playing
from arena.director.deadline import Countdown
from arena.director.ends import EndTime, ForMinutes, Until, clock_text, when
from arena.director.entries import Deadline, Extended
from arena.director.forecast import measured
from arena.director.journal import Journal
from arena.director.orders import enter
from arena.director.state import Record
from arena.entrants.digest import Rule, digest
from arena.entrants.entrant import Entrant
from arena.entrants.find import find_again, house_bot
from arena.entrants.kept import how_changed
from arena.log.code import say_of_code
from arena.playing.arguments import Argument, Command
from arena.playing.pool import PlayAll
from arena.playing.spellings import TextOrNumber
from arena.playing.terms import MatchesAtATime, Say
from arena.process.launch import Launch
from arena.process.sandbox import choose
from arena.report import LIVE
from arena.system.errors import UserError
from arena.system.text import shell_word
from arena.system.wording import counted, flag

ROUNDS: Final = r"\+?[1-9][0-9]{0,3}"
Rounds: TypeAlias = Annotated[TextOrNumber, msgspec.Meta(pattern=rf"^{ROUNDS}\Z")]
"""All rounds of a tournament, as in 8, or as in +2 those beyond the ones that are over."""


class ResumeOptions(Command, frozen=True, kw_only=True):
    """What is said of a run that goes on."""

    rounds: Annotated[
        Rounds | None,
        Argument("Play N rounds in all, or +N more after the end.", metavar="N|+N"),
    ] = None
    until: Until = None
    minutes: ForMinutes = None
    jobs: MatchesAtATime = None
    report: Report = False
    trust: Trust = False
    sandbox: TrustedLevel = None
    dask: Address = None


class Resume(ResumeOptions, frozen=True):
    """Matches of a run that had not ended are played again, and as many rounds as fit where an end is said.
    The programs of a run that was not made here are started with `trust` only; its sandbox level has to be
    said where it is below the best level here."""

    folder: RunFolder

    def carry_out(
        self, say: Say, shown: Shown = no_display, here_by: PlayAll | None = None, *, quiet: bool = False
    ) -> TournamentResult:
        """Runs it to its end, unless it is interrupted; if it is `quiet`, says nothing while it goes well.
        Raises UserError, also if a bot is no longer the program that entered, or was a function of the
        program that called."""
        folder, ends = Path(self.folder), when(self.until, self.minutes)
        with Journal(folder, write=True) as journal:
            record = Record(journal.entries)
            if ends is None and self.rounds is None:
                _require_time(record, folder)
            if self.minutes == 0 and record.over:
                raise UserError(
                    f"{folder}: the tournament is over; to continue it, use a larger {flag.minutes}"
                )
            sandbox, startable = record.created.sandbox, _startable(record)
            refuse_functions(folder, (entrant.name for entrant in startable if entrant.is_function))
            require_trusted(journal, sandbox, startable, say, trust=self.trust, level=self.sandbox)
            journal.trust()
            # Raises UserError if this machine does not have the run's sandbox level.
            _, meaning = choose(sandbox.level, sandbox.memory_mb)
            say_of_code(record.created, say)
            launches = _as_entered(record, folder) if self.minutes != 0 else {}
            if self.rounds is not None or ends is not None:
                self._prolong(ends, journal, record, say)
            if not quiet:
                say(f"sandbox: {sandbox.level}, {sandbox.memory_mb} MB a bot; {meaning}")
                say(f"{counted(len(record.played), 'match')} played")
            with playing(self.dask, self.jobs, say, quiet=quiet, here_by=here_by) as how:
                return run(
                    journal,
                    how,
                    say,
                    shown,
                    # Whoever watches the pages of before goes on to see what is played.
                    report=self.report or (folder / LIVE).exists(),
                    before=measured(journal, how.workers),
                    launches=launches,
                )

    def _prolong(self, ends: EndTime | None, journal: Journal, record: Record, say: Say) -> None:
        """Adds the entry by which it goes on beyond what was planned. Raises UserError."""
        folder, over = journal.folder, record.over
        rounds = None if self.rounds is None else str(self.rounds)
        length: Extended | Deadline
        if ends is not None:
            length = _deadline(ends, rounds, record, folder)
        else:
            assert rounds is not None
            length = Extended(_rounds(rounds, record, folder))
        _, done = enter(length, record, folder, journal.add)
        say(done.text)
        if over:
            say(
                "the seed may be known by now, so a bot that was admitted or replaced since then may know "
                "the hands"
            )


def _require_time(record: Record, folder: Path) -> None:
    """Raises UserError where the deadline has passed and something is left to play: whoever comes late after
    a power cut may want it played."""
    deadline = record.deadline
    if deadline is not None and not record.over and Countdown(deadline).seconds_left <= 0:
        left = f"{len(record.due())} matches of round {len(record.drawn)} have not been played"
        raise UserError(
            f"{folder}: the deadline was {clock_text(deadline)}, and {left}; set a new one (`arena resume "
            f"{shell_word(folder)} --minutes 10`), or end the tournament now, without the unfinished pods: "
            f"{flag.minutes} 0"
        )


def _deadline(ends: EndTime, rounds: str | None, record: Record, folder: Path) -> Deadline:
    """The entry by which as many rounds are played as fit: at most those that are planned, if there are any
    left. Raises UserError."""
    if rounds is not None:
        return ends.deadline(_rounds(rounds, record, folder))
    return ends.deadline(MOST_ROUNDS if record.over else record.rounds)


def _rounds(rounds: str, record: Record, folder: Path) -> int:
    """The number of rounds in all. Raises UserError."""
    number, planned = int(rounds), record.rounds
    total = planned + number if rounds.startswith("+") else number
    if total > MOST_ROUNDS:
        raise UserError(f"{flag.rounds} {rounds}: {total} rounds in all; there are at most {MOST_ROUNDS}")
    if rounds.startswith("+") and not record.over:
        # Whoever is interrupted and calls again would else add the rounds twice.
        raise UserError(
            f"{flag.rounds} {rounds}: the {planned} planned rounds are not over; `arena resume "
            f"{shell_word(folder)}` plays the rest of them, and {flag.rounds} {total} plays the rest and "
            f"{number} more"
        )
    return total


def _startable(record: Record) -> set[Entrant]:
    """The programs that the journal names, without our own house bots."""
    named = {*record.entrants.values(), *(entrant for job in record.due() for entrant in job.entrants)}
    return {entrant for entrant in named if entrant != house_bot(entrant.name)}


def _as_entered(record: Record, folder: Path) -> dict[Entrant, Launch]:
    """How each bot of a due match or of a further round is started now, from a copy of the program that
    entered. Raises UserError if one is no longer that program. Matches of a round that was drawn before
    `arena replace` belong to the old version."""
    due = {entrant: job.match_id for job in reversed(record.due()) for entrant in job.entrants}
    further = {entrant for name, entrant in record.entrants.items() if name not in record.withdrawn}
    changed, way_out = [], f"restore the old version, or: arena replace {shell_word(folder)} BOT --reason …"
    launches: dict[Entrant, Launch] = {}
    for entrant in sorted({*due, *further}, key=lambda entrant: (entrant.name, entrant not in due)):
        newest = record.entrants.get(entrant.name)
        if newest is None or not entrant.source:
            continue  # This includes house bots, which have no source.
        now = _now(entrant, record)
        if isinstance(now, Launch):
            launches[entrant] = now
            continue
        if entrant != newest:
            now += f", and {due[entrant]} must still be played by the version before `arena replace`"
            now += f" (digest {entrant.digest[:16]}…)"
            elsewhere = f"arena replace {shell_word(folder)} {entrant.name}=NEW --reason …"
            way_out = (
                "restore that version until its round is over, and put the new one in a different place: "
                f"{elsewhere}; or end the tournament without the unfinished pods: arena resume "
                f"{shell_word(folder)} --minutes 0"
            )
        changed.append(now)
    if changed:
        raise UserError(f"{'; '.join(changed)}; {way_out}")
    return launches


def _now(entrant: Entrant, record: Record) -> Launch | str:
    """How an entrant is started now, or why it is not what it was."""
    try:
        same, found = find_again(entrant.source, entrant.digest, record.created.game, record.created.sandbox)
    except UserError as error:
        return f"{entrant.name}: {error}"
    if same is None:
        for left_out in found.left_out:
            return f"{entrant.name}: {left_out.reason}"
        return f"{entrant.name}: {entrant.source} {_how_changed(entrant)}"
    if same.launch.prefixes != entrant.launch.prefixes:
        return (
            f"{entrant.name}: its interpreter is not the one with which it entered, or an older arena ran "
            "this"
        )
    return same.launch


def _how_changed(entrant: Entrant) -> str:
    """Older arenas left links and empty folders out of the digest, so theirs may differ without a change."""
    path = Path(entrant.source.removeprefix(f"{entrant.name}="))
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir() and digest([path], rule=Rule.FILES) == entrant.digest:
            return "entered in an older arena, which ignored its links and empty folders"
    return how_changed(path, entrant.digest)
