"""A league on this machine: `arena league new`, `author`, `add`, `run`, and the organiser's requests."""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import msgspec
import trio

from arena import __version__
from arena.checking.probe import Probe, Setup
from arena.commands.bots import samples
from arena.commands.plan import typical
from arena.commands.workers import playing
from arena.director.director import until_stopped
from arena.entrants.entrant import Entrant
from arena.entrants.find import BUILTIN_BOTS
from arena.entrants.pinned import pin
from arena.games import registry
from arena.journal.chained import DamageError, require_new
from arena.journal.writers import LockedError
from arena.league.carried import CURRENT, RECEIVED, Version
from arena.league.daemon import Daemon
from arena.league.entries import Board, Current, Entry, Founded, PanelSet, Passed, Received, Registered
from arena.league.hand import Add, require_welcome, twins
from arena.league.ids import HOUSE, VersionId, author_of, version_parts
from arena.league.inbox import WORD, bot_name, folder_of, shown
from arena.league.intake import take_in
from arena.league.journal import KIND, VERSIONS, LeagueJournal
from arena.league.office import Office, clock
from arena.league.orders import is_played, request
from arena.league.rules import require_same_rules
from arena.league.shown import last_shown, segment, segments, shown_state, state_of
from arena.league.state import LeagueState
from arena.league.store import KeptProgram, UnfitProgram, entrant, keep
from arena.league.verify import findings
from arena.log.settings import Number
from arena.playing.arguments import Argument
from arena.playing.spellings import Names, PathText, TimeText
from arena.playing.terms import Clocks, MatchesAtATime, Say, Terms, Thousand, require_seats
from arena.process.interruptible import run_tasks
from arena.process.lag import too_late
from arena.process.sandbox import choose
from arena.system.errors import UserError
from arena.system.places import PlaceKind
from arena.system.temporary import temporary_folder
from arena.system.text import TITLE_COLUMNS, caption, columns, shell_word, title
from arena.system.wording import duration, flag

if TYPE_CHECKING:
    from arena.report.league_site import LeagueSite

BOARD: Final = re.compile(r"([a-z0-9-]{1,40}):([1-9][0-9]{0,3})")
MARGIN: Final = 1.0
CAP: Final = 3.0
"""By how many standard deviations of a bot's gain in a deal a comparison counts at most."""
WAIT_SECONDS: Final = 120.0
"""How long `add` waits for the intake of a process that plays the league."""
CLOCK_SECONDS: Final = 60
"""Warn if the clock jumped back by more."""
ZERO: Final = "random"
"""The anchor that is the zero of every board, where this machine can play it."""


LeagueFolder: TypeAlias = Annotated[
    PathText, Argument(metavar="DIR", positional=True, kind=(PlaceKind.LEAGUE,))
]


class NewLeague(Clocks, frozen=True, kw_only=True):
    """A league is founded in a folder, which must be missing or empty. The sample bots that this machine can
    play are its anchors; or, after an earlier league, those of that, with its boards unless others are named.
    `alpha`: how probable it is at most that a board ever calls a wrong order."""

    folder: Annotated[PathText, Argument(metavar="DIR", positional=True, kind="path")]
    boards: Annotated[
        Names, Argument("Add a board, such as sticheln:4; may be repeated.", metavar="GAME:SEATS")
    ] = ()
    after: Annotated[
        PathText | None,
        Argument("Take over the boards and anchors of this league.", kind=(PlaceKind.LEAGUE,)),
    ] = None
    with_authors: Annotated[
        bool,
        Argument("With {flag.after}: also take over its authors, with their tokens and current versions."),
    ] = False
    anchors: Annotated[
        Names,
        Argument(
            "Add a builtin bot, heuristic or search, to the anchors: a copy that no upgrade changes.",
            metavar="NAME",
        ),
    ] = ()
    deals: Annotated[Thousand | None, Argument("Deals in a match.", otherwise="the game's")] = None
    time: Annotated[
        TimeText,
        Argument(
            "Time for each decision, plus a bank for the whole match, from which slower decisions draw.",
            kind="clock",
        ),
    ] = "50ms+1s"
    """Short, because a league plays many matches: with seconds for each decision a pod would take hours."""
    margin: Annotated[
        float,
        msgspec.Meta(gt=0),
        Argument("Treat strengths that differ by less, in gain per deal, as equal.", after="startup"),
    ] = MARGIN
    segment: Annotated[
        Number, Argument("Draws in each file of the journal; only the last file is read to continue.")
    ] = 10_000
    alpha: Annotated[float, Argument(flag="")] = 0.05

    def carry_out(self, say: Say) -> Founded:
        """Founds it. Raises UserError."""
        folder = Path(self.folder)
        require_new(folder, KIND)
        earlier = None if self.after is None else (read(Path(self.after), hidden=True), Path(self.after))
        if self.with_authors and earlier is None:
            raise UserError(f"{flag.with_authors} needs {flag.after} DIR")
        boards = self._boards(earlier[0] if earlier else None)
        programs = _anchors_of(*earlier) if earlier else {path.stem: path for path in samples()}
        founded = Founded(arena=__version__, boards=boards, alpha=self.alpha, segment=self.segment)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with temporary_folder() as pins:
            programs |= self._pinned(Path(pins), programs)
            entries = list(_anchors(folder, boards, programs, say))
        if self.with_authors and earlier:
            entries += _authors(folder, boards, *earlier)
        LeagueJournal.create(folder, founded, *entries).close()
        Office(folder).journal.close()
        return founded

    def _boards(self, earlier: LeagueState | None) -> tuple[Board, ...]:
        """The boards that are named, or those of an earlier league. Raises UserError."""
        boards = tuple(map(self._board, self.boards))
        if earlier is not None:
            boards = boards or earlier.founded.boards
            require_same_rules(boards)
        if not boards:
            raise UserError(f"name at least one board: {flag.boards} GAME:SEATS, such as sticheln:4")
        if len({board.id for board in boards}) < len(boards):
            raise UserError(f"{flag.boards}: a board may be named only once")
        return boards

    def _pinned(self, folder: Path, others: Container[str]) -> dict[str, Path]:
        """Copies of the bots of the house that are to be anchors, by name. Raises UserError."""
        for name in self.anchors:
            if name not in BUILTIN_BOTS:
                raise UserError(
                    f"{flag.anchors} {name}: not a builtin bot; they are {', '.join(BUILTIN_BOTS)}"
                )
            if name in others:
                raise UserError(f"{flag.anchors} {name}: {self.after} already has an anchor with this name")
        return {name: pin(name, folder) for name in dict.fromkeys(self.anchors)}

    def _board(self, word: str) -> Board:
        found = BOARD.fullmatch(word)
        if found is None:
            raise UserError(f"{flag.boards} {word}: a board is GAME:SEATS, such as sticheln:4")
        game, seats = registry.game(found[1]), int(found[2])
        require_seats(game, seats)
        terms = Terms(
            game=game.id,
            deals=self.deals,
            time=self.time,
            startup=self.startup,
            sandbox=self.sandbox,
            memory=self.memory,
            allow=self.allow,
        )
        spread = typical(game, duplicates=True)
        return Board(
            id=word,
            seats=seats,
            rules=game.rules,
            margin=self.margin,
            cap=CAP * spread.deviation if spread else float(game.largest_lead(seats)),
            **msgspec.structs.asdict(terms.settled().settings(seats)),
        )


def _anchors(
    folder: Path, boards: Sequence[Board], programs: Mapping[str, Path], say: Say
) -> Iterator[Entry]:
    """The entries by which programs become the anchors, and the panel of every board. Raises UserError where
    too few of them can play."""
    members: dict[str, list[VersionId]] = {board.id: [] for board in boards}
    for name, path in programs.items():
        version = f"{HOUSE}/{name}@1"
        try:
            program = keep(folder, path)
            bots = [entrant(folder, version, program, board.game, board.sandbox) for board in boards]
            run_tasks(_require_start, bots[0], boards[0])
        except UnfitProgram as unfit:
            say(f"{name} cannot be an anchor here: {unfit.reason}")
            continue
        yield Received(version, program.digest, program.file, clock())
        yield Current(version, tuple(members))
        for panel in members.values():
            panel.append(version)
    for board in boards:
        panel = members[board.id]
        if len(panel) <= board.seats:
            raise UserError(
                f"{board.id}: only {len(panel)} anchors can play here, but it needs {board.seats + 1}; "
                "choose fewer seats, or install what `arena bots` says they need"
            )
        zero = f"{HOUSE}/{ZERO}@1"
        yield PanelSet(board.id, tuple(panel), zero if zero in panel else panel[0])


def _authors(folder: Path, boards: Sequence[Board], before: LeagueState, source: Path) -> Iterator[Entry]:
    """The entries by which the authors of an earlier league join, each with its current versions, which were
    checked there. Raises UserError."""
    for author in before.authors.values():
        yield author
        folder_of(folder, author.author).mkdir(mode=0o700, parents=True, exist_ok=True)
    for bot, version in before.current.items():
        found = before.versions[version]
        common = tuple(board.id for board in boards if board.id in found.boards)
        if author_of(version) == HOUSE or found.status != CURRENT or not common:
            continue
        try:
            program = keep(folder, KeptProgram(found.digest, found.file).path(source))
        except UnfitProgram as unfit:
            raise UserError(f"{version}: {unfit.reason}; {unfit.cure}") from None
        yield Received(f"{bot}@1", program.digest, program.file, clock())
        yield Passed(f"{bot}@1", "checked", 0.0)
        yield Current(f"{bot}@1", common)


async def _require_start(bot: Entrant, board: Board) -> None:
    """Raises UnfitProgram for a program that does not answer `hello`, such as one for a Perl without its core
    modules: no draw counts in which an anchor fails."""
    setup = Setup(registry.game(board.game), board.seats, 0, board.deals, board.limits)
    with Probe(bot, setup, board.sandbox) as probe:
        if await probe.begin() is not None:
            raise UnfitProgram("it does not start on this machine", "`arena check` says why")


def _anchors_of(before: LeagueState, folder: Path) -> dict[str, Path]:
    """The anchors of an earlier league, from its folder, by name. Raises UserError."""
    if not os.path.isdir(folder / VERSIONS):
        raise UserError(
            f"{folder}: this is an export without programs; name the league itself, or a backup of it"
        )
    anchors = (version for version in before.versions.values() if author_of(version.id) == HOUSE)
    return {
        version_parts(version.id)[1]: KeptProgram(version.digest, version.file).path(folder)
        for version in anchors
    }


class NewAuthor(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An author is registered, or gets a new token. A title of "" stays what it was."""

    folder: LeagueFolder
    author: Annotated[str, Argument(positional=True)]
    title: Annotated[str, Argument("The name that people read, in any script; at most 32 columns wide.")] = ""

    def carry_out(self, say: Say) -> str:
        """The token, which is kept nowhere. Raises UserError."""
        if not WORD.fullmatch(self.author):
            raise UserError(
                f"{self.author!r} cannot be an author's name (1 to 16 of a–z 0–9 -); a title may be anything"
            )
        if (wide := columns(caption(self.title))) > TITLE_COLUMNS:
            raise UserError(
                f"{flag.title} {self.title}: {wide} columns wide; a title has at most {TITLE_COLUMNS}"
            )
        token = secrets.token_urlsafe(24)
        digest = hashlib.sha256(token.encode()).hexdigest()
        before = read(Path(self.folder), hidden=True).authors.get(self.author)
        if before is not None:
            say(f"the earlier token of {self.author} is no longer valid")
        called = title(self.title) or (before.title if before else "")
        request(Path(self.folder), Registered(self.author, called, digest), say)
        folder_of(Path(self.folder), self.author).mkdir(mode=0o700, exist_ok=True)
        return token


class AddBot(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A bot, a file, a folder or an archive of one, is sent to the league as the next version."""

    folder: LeagueFolder
    bot: Annotated[PathText, Argument(positional=True, kind="path")]
    author: Annotated[str, Argument("The author who sends it.")]
    name: Annotated[str | None, Argument("The name of the bot.", otherwise="its file's")] = None

    def carry_out(self, say: Say) -> Version:
        """What became of it: current or refused, or received where a daemon goes on with it. Raises
        UserError."""
        folder, path = Path(self.folder), Path(self.bot)
        try:
            name = self.name or bot_name(path.name)
        except ValueError as error:
            raise UserError(f"{shown(path.name)}: {error}, or add {flag.name} NAME") from None
        if not WORD.fullmatch(name):
            raise UserError(f"{flag.name} {name!r}: a bot's name is 1 to 16 of a–z 0–9 -")
        state = read(folder, hidden=True)
        require_same_rules(state.boards.values())
        require_welcome(state, self.author, name, clock())
        try:
            program = keep(folder, path, state.file_of)
        except UnfitProgram as unfit:
            raise UserError(f"{path}: {unfit.reason}; {unfit.cure}") from None
        add = Add(self.author, name, program.digest, program.file)
        request(folder, add, say)
        state = _taken_in(folder, add, say)
        version = _version_of(state, add)
        for twin in twins(state, version):
            say(f"{version} is the same program as {twin}")
        return state.versions[version]


def _taken_in(folder: Path, add: Add, say: Say) -> LeagueState:
    """The state once the intake of a version is over, be it here or by the process that plays the league;
    after WAIT_SECONDS in any case. Raises UserError."""
    begun, waits = time.monotonic(), False
    while True:
        state = read(folder, hidden=True)
        version = _version_of(state, add)
        if state.versions[version].status != RECEIVED or time.monotonic() - begun > WAIT_SECONDS:
            return state
        try:
            with Office(folder) as office:
                run_tasks(take_in, office, version)
        except LockedError:
            if not waits:
                say(f"{version}: waiting for the process that plays the league to take it in")
                waits = True
            time.sleep(0.5)


def _version_of(state: LeagueState, add: Add) -> VersionId:
    """The version that a request has made, or has found."""
    bot = f"{add.author}/{add.bot}"
    return [one for one in state.with_digest(add.digest) if state.versions[one].bot == bot][-1]


class RunLeague(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The league is played until it is interrupted, and its pages are kept up to date."""

    folder: LeagueFolder
    jobs: MatchesAtATime = None
    until_asleep: Annotated[bool, Argument("Stop when no ranking question is open.")] = False
    draws: Annotated[Annotated[int, msgspec.Meta(ge=0)] | None, Argument("Stop after this many draws.")] = (
        None
    )
    pages: Annotated[
        PathText | None, Argument("Write its pages here.", otherwise="DIR/site", kind="new folder")
    ] = None
    title: Annotated[str, Argument("Title of its pages.", otherwise="the name of DIR")] = ""
    address: Annotated[
        str,
        Argument(
            "The address where they will be published, so that links to them show a picture.", metavar="URL"
        ),
    ] = ""

    def carry_out(self, say: Say, on_entry: Callable[[LeagueState, Entry], None]) -> bool:
        """Whether it was interrupted. Raises UserError."""
        # Imported here because Jinja is slow to load.
        from arena.report.league_pages import LeagueSnapshot
        from arena.report.league_site import SITE, LeagueSite

        folder = Path(self.folder)
        with _office(folder, say) as office, playing(None, self.jobs, say) as how:
            _require_playable(office)
            if office.state.sealed:
                say(f"the league is sealed: nothing more is played; digest {office.journal.digest}")
                return False
            if (behind := office.state.at - clock()) > CLOCK_SECONDS:
                say(
                    f"{folder}: its last entry is {duration(behind)} ahead of this machine's clock, which "
                    "may be wrong; until the clock has caught up, the league stays on that entry's day"
                )
            daemon = Daemon(
                office, how.workers, how.cores, say, until_asleep=self.until_asleep, draws=self.draws
            )
            office.on_entry = lambda entry: on_entry(office.state, entry)
            site = LeagueSite(
                folder,
                Path(self.pages) if self.pages else folder / SITE,
                self.title,
                lambda: LeagueSnapshot(office.journal.entries, office.state, office.journal.digest),
                self.address,
            )
            site.write()
            for line in _conditions(office, how.workers):
                say(line)
            say(f"its pages: {site.index}")
            try:
                run_tasks(_play, daemon, site, say)
            finally:
                # Whoever has pressed Ctrl-C waits for no replays: the next run makes them.
                site.end(say, replays=not daemon.stopping.asked)
            if office.state.sealed:
                onward = f"arena league export {shell_word(folder)} TARGET"
                say(f"sealed; digest {office.journal.digest}; next: {onward}")
            return daemon.stopping.asked


def _conditions(office: Office, workers: int) -> Iterator[str]:
    """The sandbox of the boards, and a warning if this machine is too slow for their limits."""
    boards = office.state.boards.values()
    for level, memory in dict.fromkeys((board.sandbox.level, board.sandbox.memory_mb) for board in boards):
        yield f"sandbox: {level}, {memory} MB a bot; {choose(level, memory)[1]}"
    if late := too_late(min(board.limits.decision_ms for board in boards), workers):
        yield late


def _require_playable(office: Office) -> None:
    """Raises UserError where the programs of the league cannot or must not be started."""
    require_same_rules(office.state.boards.values())
    for board in office.state.boards.values():
        choose(board.sandbox.level, board.sandbox.memory_mb)
    if office.journal.stranger:
        raise UserError(f"{office.folder}: {office.journal.stranger}; its programs are not started")


def _office(folder: Path, say: Say) -> Office:
    """The league to be written by this process, as soon as no command does so. Raises UserError, also where
    another process plays it."""
    waits = False
    while True:
        try:
            return Office(folder)
        except LockedError:
            if is_played(folder, say):
                raise
        if not waits:
            say("waiting for another command, such as `arena league add`, to finish writing the league")
        waits = True
        time.sleep(0.5)


async def _play(daemon: Daemon, site: "LeagueSite", say: Say) -> None:
    """Plays a league, and keeps its pages up to date meanwhile."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(site.keep, say)
        await until_stopped(daemon.run, daemon.stopping)
        nursery.cancel_scope.cancel()


class Unchecked(msgspec.Struct, frozen=True):
    """Something that could not be checked."""

    place: str
    """The entry of the journal."""
    what: str


class VerifiedLeague(msgspec.Struct, frozen=True):
    """The result of verifying a league."""

    draws: int
    """The number of draws whose logs were checked."""
    wrong: tuple[str, ...]
    """What is wrong, in sentences."""
    unchecked: tuple[Unchecked, ...] = ()
    digest: str = ""
    """The digest of the journal's last entry; "" for a journal that cannot be read."""
    held_back: bool = False
    """Whether the league is frozen, and what came after that was left out."""
    held: bool = False
    """Whether the journal once had the given digest."""

    def as_data(self) -> dict[str, Any]:
        """The result as printed with `--json`."""
        unchecked = [f"{one.place}: {one.what}" for one in self.unchecked]
        values = msgspec.structs.asdict(self) | {"unchecked": unchecked}
        return {key: value for key, value in values.items() if key != "held"}


def verify(folder: Path, held: str | None = None, *, hidden: bool = False) -> VerifiedLeague:
    """Derives all of a league again that follows from its journal and its public logs; while it is frozen, as
    much as there was at the freeze, or all with `hidden`. `held`: a digest that the journal had once. Raises
    UserError where there is none, or one of a game that is not known here."""
    try:
        parts = segments(folder, hidden=hidden)
        found = list(findings(folder, parts))
    except DamageError as error:
        return VerifiedLeague(0, (str(error),))
    wrong = [f"{one.place}: {one.wrong}" for one in found if one.wrong]
    was_held = any(held in part.digests for part in parts)
    if held is not None and not was_held:
        wrong.append(
            f"no entry has the digest {held}: this is a different journal, or it was frozen before that entry"
        )
    return VerifiedLeague(
        draws=sum(one.counts and not one.unchecked for one in found),
        wrong=tuple(wrong),
        unchecked=tuple(Unchecked(one.place, one.unchecked) for one in found if one.unchecked),
        digest=parts[-1].digests[-1],
        held_back=not parts[-1].whole,
        held=was_held,
    )


def read(folder: Path, draw: int | None = None, *, hidden: bool = False) -> LeagueState:
    """The state of a league, whether it is played or not; as of the segment of the journal that holds a draw,
    if one is named. While it is frozen, the state at the freeze, or the true one with `hidden`. Raises
    UserError."""
    last = last_shown(folder, hidden=hidden)
    number, state = last.number, shown_state(folder, last)
    revealed = state.revealed
    while draw is not None and draw < state.first_draw and number > 1:
        number -= 1
        state = state_of(folder, segment(folder, number).entries)
    state.revealed = revealed  # Also what was revealed after the segment.
    return state
