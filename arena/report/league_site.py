"""Writes the pages of a league as files for any web server, once or continuously while it is played.

A page is written atomically, and only if its content has changed. While the league is played, all this takes
at most a hundredth of a core, so that no bot is delayed. If a file cannot be written, the league continues
without pages.
"""

import hashlib
import math
import re
import time
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
import trio

from arena.journal.chained import DamageError
from arena.journal.writers import is_written
from arena.league import logs
from arena.league.entries import DrawPlayed, DrawScheduled
from arena.league.journal import LeagueJournal
from arena.league.shown import last_shown, state_of
from arena.league.tables import standings
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.playing.terms import Say
from arena.report.league import (
    BOTS,
    DATA,
    INDEX,
    LIVE_FILE,
    REPLAYS,
    LeagueBotPage,
    LeagueShown,
    LeagueStatus,
    bot_file,
    bot_page,
    league_page,
    league_preview,
)
from arena.report.league_pages import LeagueSnapshot, MatchOfDraw, bots_shown, league_shown, live, shown_games
from arena.report.preview import PREVIEW, address_of
from arena.report.replay import replay_page
from arena.report.updates import EVERY_SECONDS
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import abandoned, write_whole
from arena.system.share import CpuShare
from arena.system.text import caption

T = TypeVar("T")

SITE: Final = "site"
"""The default folder for the pages, in the league's folder."""
SHARE: Final = 0.005
"""The largest share of a core for LIVE_FILE, and the same for all pages."""
HEARTBEAT_SECONDS: Final = 30.0
"""LIVE_FILE is written this often even without news, so that a page knows that play goes on."""
_OURS: Final = {BOTS: re.compile(r"[a-z0-9-]+\.[a-z0-9-]+\.html"), REPLAYS: re.compile(r"\d+-\d-\d+\.html")}
"""The names of files that we may remove from these folders."""


class LeagueSite:
    """The pages of a league, in the folder `out`."""

    def __init__(
        self, league: Path, out: Path, title: str, seen: Callable[[], LeagueSnapshot], address: str = ""
    ) -> None:
        """Make the folders. `seen` returns the current state of the league. `address`: where the first page
        will be published, "" if unknown. Raises UserError."""
        self._league = league
        self._out = out
        self._title = caption(title) or caption(league.absolute().name)
        self._seen = seen
        self._address = address_of(address)
        self._known: dict[Path, str] = {}
        """The digest of the data of each page."""
        self._stamp = ""
        """The digest of the journal from which the current pages were made."""
        self._linked: Set[str] = frozenset()
        """The matches that they link to."""
        self._due: list[tuple[MatchOfDraw, DrawScheduled, DrawPlayed]] = []
        """The matches that still need a page."""
        self._gone: set[str] = set()
        """The matches that can have no page, since their logs were pruned."""
        self._failed = False
        self._curtain: LeagueSnapshot | None = None
        """The league at its last freeze."""
        inside = out.resolve().is_relative_to(league.resolve())
        if inside and out.resolve() != (league / SITE).resolve():
            raise UserError(f"{out}: it is inside the league; choose {league / SITE}, or a folder elsewhere")
        try:
            _make_folders(out)
            self._there = {path.stem for path in (out / REPLAYS).iterdir()}
            """The matches that have a page."""
        except OSError as error:
            raise UserError(f"{error.filename or out}: {error.strerror}; choose a different folder") from None

    @property
    def index(self) -> Path:
        """The first page."""
        return self._out / INDEX

    def write(self, *, stopped: bool = True, replays: bool = False) -> None:
        """Write all pages, with `replays` also those of matches. `stopped`: no process plays. Raises
        UserError."""
        try:
            if replays:
                self._look()
                for due in self._due:
                    self._write_replay(*due)
            self._write_pages(self._shown(stopped=stopped))
            self._write_live(self._live(stopped=stopped))
        except OSError as error:
            raise UserError(f"{error.filename or self._out}: {error.strerror}") from None

    async def keep(self, say: Say) -> None:
        """Keep the pages up to date until cancelled. Their data is computed in this thread, where the state
        changes; pages are rendered and written in another one."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow)
                nursery.start_soon(self._renew)
        except* (OSError, UserError) as errors:
            self._give_up(say, errors.exceptions[0])

    def end(self, say: Say, *, replays: bool) -> None:
        """Write all pages once play has ended, with `replays` also all missing pages of matches."""
        if not self._failed:
            try:
                self.write(replays=replays)
            except UserError as error:
                self._give_up(say, error)

    def _give_up(self, say: Say, error: BaseException) -> None:
        """Stop writing pages. An error in them must not end the league."""
        self._failed = True
        say(f"{self._out}: the pages cannot be kept up to date ({error})")

    async def _follow(self) -> None:
        share, written, written_at = CpuShare(SHARE), "", -math.inf
        while True:
            news, now = f"{self._public().digest} {self._stamp}", trio.current_time()
            if news != written or now > written_at + HEARTBEAT_SECONDS:
                written, written_at = news, now
                await _turn(share, lambda: self._live(stopped=False), self._write_live)
            await trio.sleep(EVERY_SECONDS)

    async def _renew(self) -> None:
        share = CpuShare(SHARE)
        while True:
            if self._public().digest != self._stamp or (not self._due and self._there != self._linked):
                await _turn(share, lambda: self._shown(stopped=False), self._write_pages)
            if self._due:
                await _turn(share, lambda: self._due.pop(0), lambda due: self._write_replay(*due))
            else:
                await trio.sleep(EVERY_SECONDS)

    def _public(self) -> LeagueSnapshot:
        """The only data that pages show: the current league or, while it is frozen, that at the freeze."""
        now = self._seen()
        frozen = now.state.frozen
        if frozen is None:
            return now
        if self._curtain is None or self._curtain.state.frozen != frozen:
            part = last_shown(self._league)
            self._curtain = LeagueSnapshot(
                part.entries, state_of(self._league, part.entries), part.digests[-1]
            )
        shown = self._curtain.state
        if (shown.closes, shown.closed) != (now.state.closes, now.state.closed):
            # A freeze hides no deadline (`shown_state`).
            shown.closes, shown.closed = now.state.closes, now.state.closed
            self._stamp = ""
        return self._curtain

    def _look(self) -> Mapping[str, MatchOfDraw]:
        """Determine which matches still need a page. Returns those that have one, by id."""
        state = self._public().state
        games = shown_games(state)
        self._due = [
            (game, state.draws[game.no], state.played[game.no])
            for game in games
            if game.id not in self._there | self._gone
        ]
        return {game.id: game for game in games if game.id in self._there}

    def _shown(self, *, stopped: bool) -> "_Shown":
        seen, games, at = self._public(), self._look(), time.time()
        return _Shown(
            digest=seen.digest,
            games=games,
            league=league_shown(seen, self._title, at, games),
            bots=tuple(bots_shown(seen, self._title, games)),
            live=live(seen, seen.digest, at, stopped=stopped),
            data=msgspec.json.encode(standings(seen.state)),
        )

    def _live(self, *, stopped: bool) -> LeagueStatus:
        return live(self._public(), self._stamp, time.time(), stopped=stopped)

    def _write_live(self, data: LeagueStatus) -> None:
        self._write(self._out / LIVE_FILE, msgspec.json.encode(data))

    def _write_pages(self, shown: "_Shown") -> None:
        """Write the pages that have changed, and remove those that nothing links to."""
        for bot in shown.bots:
            path = self._out / BOTS / bot_file(bot.bot)
            made_of = hashlib.sha256(msgspec.json.encode(bot)).hexdigest()
            if self._known.get(path) != made_of:
                self._write(path, bot_page(bot).encode())
                self._known[path] = made_of
        self._write(self._out / DATA, shown.data)
        if self._address:
            self._write(self._out / PREVIEW, league_preview(shown.league))
        self._write(self.index, league_page(shown.league, shown.live, self._address).encode())
        self._stamp = shown.digest
        self._keep_only(BOTS, {bot_file(bot.bot) for bot in shown.bots})
        self._keep_only(REPLAYS, {f"{name}.html" for name in shown.games})
        self._there &= shown.games.keys()
        self._linked = shown.games.keys()

    def _write_replay(self, game: MatchOfDraw, drawn: DrawScheduled, played: DrawPlayed) -> None:
        try:
            part = logs.read(self._league, drawn.day, drawn.no)
            if part is None or hashlib.sha256(part).hexdigest() != played.public:
                raise LogError("pruned, or not what was played")
            matches = list(logs.matches(part))
            place = (game.number - 1) * len(played.matches[0]) + game.seating_no - 1
            html = replay_page(of_entries(parse(matches[place])), home=f"../{INDEX}")
        except (LogError, DamageError, IndexError):
            self._gone.add(game.id)
            return
        self._write(self._out / REPLAYS / f"{game.id}.html", html.encode())
        self._there.add(game.id)

    def _write(self, path: Path, data: bytes) -> None:
        """Write a file without syncing it to disk, since it can be made again after a power cut."""
        write_whole(path, data, self._out, lasting=False)

    def _keep_only(self, name: str, wanted: Set[str]) -> None:
        for path in (self._out / name).iterdir():
            if _OURS[name].fullmatch(path.name) and path.name not in wanted:
                path.unlink(missing_ok=True)
                self._known.pop(path, None)


def _make_folders(out: Path) -> None:
    """Make the folders of the pages, and remove what a killed process has left in them. Raises UserError if
    something else is there; OSError."""
    if strange := _strange(out):
        raise UserError(f"{out}: it contains {strange}, which is no page of a league; choose a new folder")
    out.mkdir(exist_ok=True)
    for name in _OURS:
        foreign.require_files(out / name, out)
    for folder in (out, *(out / name for name in _OURS)):
        for left in list(abandoned(folder)):
            left.unlink(missing_ok=True)


def _strange(out: Path) -> str | None:
    """The name of something in a folder in which no pages of a league have been written yet; None if there
    are some, or nothing. Raises OSError."""
    names = {path.name for path in out.iterdir()} if out.exists() else set[str]()
    names -= {path.name for path in abandoned(out)}
    others = sorted(names - {BOTS, REPLAYS, DATA, LIVE_FILE, PREVIEW})
    return caption(others[0]) if others and not names >= {INDEX, BOTS, REPLAYS} else None


class _Shown(NamedTuple):
    """The data of all pages after the journal's entry with this `digest`."""

    digest: str
    games: Mapping[str, MatchOfDraw]
    league: LeagueShown
    bots: tuple[LeagueBotPage, ...]
    live: LeagueStatus
    data: bytes


async def _turn(share: CpuShare, prepare: Callable[[], T], write: Callable[[T], None]) -> None:
    """Run `prepare` in this thread and `write` in another one, and wait until their CPU time is paid back."""
    with share.spending():
        prepared = prepare()

    def paid() -> None:
        with share.spending():
            write(prepared)

    await trio.to_thread.run_sync(paid)
    await trio.sleep(max(EVERY_SECONDS, share.wait))


def write_site(league: Path, out: Path | None, title: str, address: str = "") -> Path:
    """Write the pages of a league, played or not; return the path of the first. Raises UserError."""
    with LeagueJournal(league) as journal:
        state = state_of(league, journal.entries)
        seen = LeagueSnapshot(journal.entries, state, journal.digest)
        site = LeagueSite(league, out or league / SITE, title, lambda: seen, address)
        site.write(stopped=not is_written(league), replays=True)
    return site.index
