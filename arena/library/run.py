"""Reads a run directory: `arena.open("spring")`. Knows tables; starts programs only by calls.

A run is a snapshot of the journal at the time when it was opened. Logs are read on demand.
"""

import contextlib
import copy
import dataclasses
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from arena.commands import config
from arena.commands.faults import FaultReport, faults_of
from arena.commands.organiser import Admit, Annul, Replace, Withdraw
from arena.commands.resume import Resume
from arena.commands.tournament import TournamentResult
from arena.commands.verify import VerifyResult
from arena.commands.verify import verify as verified
from arena.director import pairings, standings
from arena.director.caveats import caveats
from arena.director.entries import Admitted, Created, Replaced
from arena.director.export import ROWS, DealRow, DecisionRow, MatchRow, deal_rows, decision_rows, match_rows
from arena.director.figures import Figures, figures
from arena.director.journal import Journal
from arena.director.row_lines import csv_lines, json_lines
from arena.director.state import Record
from arena.director.wording import (
    WORDS,
    came_to_texts,
    cells,
    headline,
    meeting_cells,
    pod_cells,
    superiority_cells,
)
from arena.library.derived import takes_of
from arena.library.display import LOGGER, carried_out
from arena.library.replay import Replay, replay_of
from arena.library.rows import Rows, Wording
from arena.log.code import difference_of_code
from arena.log.entries import LogError
from arena.log.fault_report import ExcessRow, FaultRow
from arena.log.house_bugs import HouseBugRow
from arena.log.settings import MatchSettings
from arena.playing.spellings import path_of
from arena.system.errors import MachineError, UserError, did_you_mean
from arena.system.files import written_whole
from arena.system.text import shell_word
from tournaments.explain import ExplainedPod
from tournaments.meetings import Meeting
from tournaments.seat_gains import SeatGain
from tournaments.standings import Standing, Standings
from tournaments.superiority import Superiority


class Settings(MatchSettings, frozen=True):
    """The settings of a run, fixed before its first match."""

    arena: str
    """The version of the arena that began the run."""
    rules: int
    """The version of the game's rules."""
    format: str
    rounds: int
    seats: int
    """The number of entrants in a pod."""
    duplicates: bool
    """Whether a pod plays the same deals in several seatings."""
    challengers: tuple[str, ...]
    """The entrants that a gauntlet measures."""
    authors: dict[str, str]
    """By entrant, as given by the organiser."""
    groups: dict[str, str]
    """By entrant."""
    keep_bots: bool
    """Whether a process may play several matches."""
    seed_sha256: str
    """The SHA-256 of the seed, printed before the first match."""


class EntrantRow(msgspec.Struct, frozen=True):
    """An entrant, possibly withdrawn."""

    name: str
    title: str
    """What people read instead of the name; "" for the name itself."""
    author: str
    source: str
    """Where its program was found."""
    digest: str
    """The SHA-256 of its program."""


class PodRow(ExplainedPod, frozen=True):
    """A pod of a round, and why it was drawn."""

    round: int


def _folder_of(run: "Run") -> str:
    return str(run.folder)


class Run(msgspec.Struct, frozen=True, dict=True, eq=False):
    """A tournament, finished or not, as its journal was when it was opened; open it again to see later
    entries. Logs are read on demand."""

    folder: Path
    _journal: Journal
    _record: Record

    @property
    def settings(self) -> Settings:
        """Game, options, deals, limits, format and the like. The seed is in `seed`."""
        created = copy.deepcopy(self._created)
        return Settings(
            **msgspec.structs.asdict(created.settings),
            arena=created.arena,
            rules=created.rules,
            format=created.format,
            rounds=self._record.rounds,
            seats=created.pod_size,
            duplicates=created.duplicates,
            challengers=created.challengers,
            authors=created.authors,
            groups=created.groups,
            keep_bots=created.keep_bots,
            seed_sha256=created.seed_sha256,
        )

    @property
    def config(self) -> str:
        """The settings as TOML for `arena tournament --config`, with the seed once the run is over."""
        return config.as_toml(config.settings(self._record, with_seed=self.over))

    @property
    def entrants(self) -> Rows[EntrantRow]:
        """The entrants, in the order in which they entered."""
        rows = (
            EntrantRow(entrant.name, entrant.title, entrant.author, entrant.source, entrant.digest)
            for entrant in self._record.entrants.values()
        )
        return Rows(f"Entrants of {self._name}", EntrantRow, tuple(rows))

    @property
    def over(self) -> bool:
        """Whether the last match was played."""
        return self._record.over

    @property
    def seed(self) -> str | None:
        """The seed of all deals; None until the last match is played, since it reveals all hands."""
        return self._created.seed if self.over else None

    @property
    def bugs(self) -> Rows[HouseBugRow]:
        """Failures of the arena's own bots in matches that count. `log` is relative to `folder`."""
        return Rows("Bugs of the arena's own bots", HouseBugRow, self._record.bugs)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The ids of matches that were not played because of errors of the arena."""
        return tuple(self._record.skipped)

    @property
    def stranger(self) -> str | None:
        """Why somebody else may have made this run and chosen its programs; None if you made it here."""
        return None if self._journal.made_here else self._journal.stranger

    @property
    def code(self) -> str | None:
        """A warning if the game was played with code other than that installed here; otherwise None."""
        return difference_of_code(self._created)

    @property
    def digest(self) -> str:
        """The digest of the journal's last entry, which covers all entries before it."""
        return self._journal.digest

    @property
    def standings(self) -> Rows[Standing]:
        """The table: entrants by rank, then house bots. Its notes are the caveats. The first access takes
        seconds for a large run, since intervals are computed from resampled draws."""
        table = self._standings
        return dataclasses.replace(table, values=copy.deepcopy(table.values))  # Rows hold dictionaries.

    @cached_property
    def _standings(self) -> Rows[Standing]:
        record, table = self._record, self._table
        came_to = came_to_texts(record.course)
        return Rows(
            f"{self._name}: {headline(record)}",
            Standing,
            (*table.entrants, *table.house),
            tuple(caveats(table, record.entrants.values(), record.called)),
            Wording(lambda row: cells(row, record, came_to), WORDS),
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on entrants without a rank or an interval, with the reason, and on identical programs."""
        return self.standings.notes

    def standings_data(self, *, full: bool = False, margin: float | None = None) -> dict[str, Any]:
        """The standings, as `arena standings --json` prints them; with `full` or `margin`, figures too."""
        data = standings.as_data(self._record)
        if full or margin is not None:
            data |= standings.figures_as_data(self._record, margin)
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
        return plain

    @cached_property
    def figures(self) -> Figures:
        """The figures behind the table: which bot is better than which, what each seat is worth, how much
        duplicate deals reduced luck, how much gains vary. Takes seconds."""
        return figures(self._record)

    @property
    def superiority(self) -> Rows[Superiority]:
        """Which bot is better than which, by how much per deal, and how certain that is."""
        called = self._record.called
        return Rows(
            f"{self._name}: who gains more than whom, per deal",
            Superiority,
            self.figures.superiority,
            wording=Wording(lambda row: superiority_cells(row, called), WORDS),
        )

    @property
    def meetings(self) -> Rows[Meeting]:
        """Which bots met, in how many pods, and the difference of their gains there."""
        called = self._record.called
        return Rows(
            f"{self._name}: who met whom, per deal in these pods",
            Meeting,
            self.figures.meetings,
            wording=Wording(lambda row: meeting_cells(row, called), WORDS),
        )

    @property
    def seat_gains(self) -> Rows[SeatGain]:
        """The gain of each seat per deal, for all entrants together."""
        return Rows(f"{self._name}: gain by seat, per deal", SeatGain, self.figures.seats)

    def rounds_for(self, margin: float) -> int | None:
        """How many rounds like these give an interval of ±`margin` per deal; None if no number does, or if it
        is unknown how much gains vary (`figures.deviation`)."""
        if not margin > 0:
            raise UserError(f"margin {margin}: it must be more than 0")
        return standings.rounds_for_margin(self._record, self.figures, margin)

    def pairings(self, round: int | None = None) -> Rows[PodRow]:
        """The pods of each round or of one (from 1), with previous meetings, the difference of scores, and
        the cost of the cheapest exchange."""
        drawn = len(self._record.drawn)
        if round is not None and not 1 <= round <= drawn:
            raise UserError(f"round {round}: {self.folder} has drawn {drawn} rounds so far")
        rows = (
            PodRow(**msgspec.structs.asdict(pod), round=number)
            for number, pods in pairings.pairings(self._record, round)
            for pod in pods
        )
        wording = Wording(lambda row: {"round": str(row.round)} | pod_cells(row, self._record.called), WORDS)
        return Rows(f"Pairings of {self._name}", PodRow, tuple(rows), wording=wording)

    @cached_property
    def matches(self) -> Rows[MatchRow]:
        """One row for each match and seat."""
        return Rows(f"Matches of {self._name}", MatchRow, tuple(match_rows(self._journal)))

    @cached_property
    def deals(self) -> Rows[DealRow]:
        """One row for each deal and seat."""
        return Rows(f"Deals of {self._name}", DealRow, tuple(deal_rows(self._journal)))

    @property
    def decisions(self) -> Rows[DecisionRow]:
        """One row for each decision, with the view and the legal actions that the seat received. Slow and
        large: each access replays every log, and keeps all views in memory. `log(match).decisions` has those
        of one match, and `export` writes all without keeping them."""
        with self._true():
            return Rows(f"Decisions of {self._name}", DecisionRow, tuple(decision_rows(self._journal)))

    @property
    def faults(self) -> Rows[FaultRow]:
        """Every fault, also forgiven ones, in the order of match ids. The first access reads all logs."""
        return Rows(f"Faults of {self._name}", FaultRow, self._faults.faults)

    @property
    def excess(self) -> Rows[ExcessRow]:
        """The bots that computed while they were frozen. The first access reads all logs."""
        return Rows(f"Excess of {self._name}", ExcessRow, self._faults.excess)

    def log(self, match: str) -> Replay:
        """The replay of a match, by its id, such as r01-p002-s03."""
        played = self._record.played.get(match)
        if played is None:
            near = did_you_mean(match, sorted(self._record.played))
            raise UserError(f"{self.folder}: no match {match!r} was played{near}")
        return replay_of(self._journal.read_written_log(played), self._journal.log_path(match))

    def verify(self, digest: str | None = None, commitment: str | None = None) -> VerifyResult:
        """Verify the current journal and every log in the folder: draw each round, deal each deal and judge
        each match again. Only a `digest` that was kept elsewhere reveals a journal that was rewritten as a
        whole. `commitment`: the SHA-256 of the secret seed, from the invitation."""
        return verified(self.folder, digest, commitment)

    def report(
        self,
        *,
        title: str = "",
        subtitle: str = "",
        date: str = "",
        organiser: str = "",
        address: str = "",
        with_stderr: bool = False,
        replays: bool = True,
    ) -> Path:
        """Write report.html into the folder, for the current state of the run, and a page for every match if
        `replays`. The heading shows `title` (by default the name of the folder), `subtitle`, `date` and
        `organiser`. `address`: where the report will be published; links to it then show a picture,
        preview.png, which requires Pillow. `with_stderr`: include the bots' standard error. Beyond 2,500
        matches the pages load files next to them, and need a web server. Returns the path of the report.
        Raises UserError if a log or replay fails, but only after writing the report without it."""
        # Imported here since templates load slowly.
        from arena.report.files import write_report  # noqa: PLC0415
        from arena.report.tournament import Heading  # noqa: PLC0415

        heading = Heading(title, subtitle, date, organiser, address)
        with Journal(self.folder) as journal:
            written = write_report(journal, heading, with_stderr=with_stderr, replays=replays)
        if written.complaint:
            raise UserError(written.complaint)
        return written.report

    def export(self, file: str | Path, rows: str = "deals", *, as_json: bool = False) -> Path:
        """Write `matches`, `deals` or `decisions` to a file as `arena export` does, one row at a time: as
        CSV, in which a text that begins like a formula is prefixed with ', or as JSON lines."""
        if rows not in ROWS:
            raise UserError(f"rows {rows!r}: there are no rows of this kind{did_you_mean(rows, ROWS)}")
        lines = (json_lines if as_json else csv_lines)(ROWS[rows](self._journal))
        place = Path(path_of(file))
        try:
            with self._true(), written_whole(place) as written:
                written.writelines(lines)
        except OSError as error:
            raise UserError(f"{place}: {error.strerror}") from None
        return place

    @takes_of(_folder_of, Resume)
    def resume(self, call: Resume) -> "Run":
        """Resume after any interruption; matches that had not ended are played again. Refused if a bot is no
        longer the program that entered. A run that was not made here names programs that somebody else chose:
        they are started only with `trust`, and in a sandbox below the best level here only if `sandbox`
        confirms it."""
        return ended_run(carried_out(call, TournamentResult))

    @takes_of(_folder_of, Withdraw)
    def withdraw(self, call: Withdraw) -> "Run":
        """Withdraw an entrant from the next round on; its matches so far count. Returns the new run."""
        call.carry_out(LOGGER.info)
        return open_run(self.folder)

    @takes_of(_folder_of, Admit)
    def admit(self, call: Admit) -> "Run":
        """Admit a late bot from the next round on. One that plays fewer than half of the rounds is never
        first unless it `may_win`. `trust`, `sandbox`: as in `resume`. Returns the new run."""
        carried_out(call, Admitted)
        return open_run(self.folder)

    @takes_of(_folder_of, Replace)
    def replace(self, call: Replace) -> "Run":
        """Give an entrant a new version from the next round on; `bot` must have its name, as in
        "ada=./ada-2". `trust`, `sandbox`: as in `resume`. Returns the new run."""
        carried_out(call, Replaced)
        return open_run(self.folder)

    @takes_of(_folder_of, Annul)
    def annul(self, call: Annul) -> "Run":
        """Annul a match: it no longer counts, and is played again by `resume`. Returns the new run."""
        call.carry_out(LOGGER.info)
        return open_run(self.folder)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and unpickling read the folder again."""
        return open_run, (self.folder,)

    def __repr__(self) -> str:
        state = "finished" if self.over else "not finished"
        return f"<Run {self._name}: {headline(self._record)}, {state}>"

    def _repr_html_(self) -> str:
        """The standings, for a notebook."""
        return self.standings._repr_html_()

    @property
    def _created(self) -> Created:
        return self._record.created

    @property
    def _name(self) -> str:
        return self.folder.absolute().name

    @cached_property
    def _table(self) -> Standings:
        return self._record.standings()

    @cached_property
    def _faults(self) -> FaultReport:
        return faults_of(self._journal, self._record)

    @contextlib.contextmanager
    def _true(self) -> Iterator[None]:
        try:
            yield
        except LogError as error:
            raise UserError(
                f"{self.folder}: {error}; arena verify {shell_word(self.folder)} shows more"
            ) from None


def ended_run(ran: TournamentResult) -> Run:
    """The run of a tournament that was played. Raises MachineError if a signal from outside interrupted it,
    and logs matches that were not played because of errors of the arena."""
    if ran.interrupted:
        raise MachineError(
            f"{ran.folder}: interrupted by a signal from outside; to continue: "
            f"arena.open({ran.folder!r}).resume()"
        )
    run = open_run(ran.folder)
    if run.skipped:
        LOGGER.warning("not played because of arena errors: %s; please report them", ", ".join(run.skipped))
    for bug in run.bugs:
        LOGGER.warning("%s; please report it", bug.sentence)
    return run


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open the tournament in a run directory, finished or not. Raises UserError if there is none, it is
    damaged, or its game is not known here."""
    place = Path(path_of(folder))
    with Journal(place) as journal:
        # Closed immediately: later only its entries and logs are read, not the database.
        return Run(place.absolute(), journal, Record(journal.entries))
