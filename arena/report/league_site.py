"""The pages of a league as files for any web server, written once, or kept up to date while it is played.

A page is written when what it shows has changed, whole or not at all. While the league is played all this
takes at most a hundredth of the time, so that no bot waits for it; where a file cannot be written, the league
goes on without pages.
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

from arena.journal.chained import DamageError, is_written
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
"""The folder of the pages in that of the league, unless another one is named."""
SHARE: Final = 0.005
"""The most of a core that the small file may take, and as much all pages."""
HEARTBEAT_SECONDS: Final = 30.0
"""The small file is written as often even without news, so that a page knows that the league is played."""
_OURS: Final = {BOTS: re.compile(r"[a-z0-9-]+\.[a-z0-9-]+\.html"), REPLAYS: re.compile(r"\d+-\d-\d+\.html")}
"""What we may remove from these folders."""


class LeagueSite:
    """The pages of a league in the folder `out`."""

    def __init__(
        self, league: Path, out: Path, title: str, seen: Callable[[], LeagueSnapshot], address: str = ""
    ) -> None:
        """`seen` gives the league as it is now. `address`: where the first page will be, "" where that is not
        known. Makes the folders. Raises UserError."""
        self._league = league
        self._out = out
        self._title = caption(title) or caption(league.absolute().name)
        self._seen = seen
        self._address = address_of(address)
        self._known: dict[Path, str] = {}
        """The digest of what each page was made of."""
        self._stamp = ""
        """That of the pages as they are."""
        self._linked: Set[str] = frozenset()
        """The games to which these lead."""
        self._due: list[tuple[MatchOfDraw, DrawScheduled, DrawPlayed]] = []
        """Games that are to have a page."""
        self._gone: set[str] = set()
        """Those that can have none, since their logs were pruned."""
        self._failed = False
        self._curtain: LeagueSnapshot | None = None
        """The league at its last freeze."""
        inside = out.resolve().is_relative_to(league.resolve())
        if inside and out.resolve() != (league / SITE).resolve():
            raise UserError(f"{out}: it is in the league itself; choose {league / SITE}, or one elsewhere")
        if (out / INDEX).exists() and not (out / BOTS).is_dir():
            raise UserError(f"{out}: pages are there that are no league's; choose another folder")
        try:
            out.mkdir(exist_ok=True)
            for name in _OURS:
                foreign.require_files(out / name, out)
            for folder in (out, *(out / name for name in _OURS)):
                for left in list(abandoned(folder)):
                    left.unlink(missing_ok=True)
            self._there = {path.stem for path in (out / REPLAYS).iterdir()}
            """Games that have a page."""
        except OSError as error:
            raise UserError(f"{error.filename or out}: {error.strerror}; choose another folder") from None

    @property
    def index(self) -> Path:
        """The first page."""
        return self._out / INDEX

    def write(self, *, stopped: bool = True, replays: bool = False) -> None:
        """Writes all pages, those of games if `replays` say so. `stopped`: nobody plays the league. Raises
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
        """Keeps the pages up to date until it is cancelled. What is shown is computed in this thread, where
        the state changes; pages are made and written in another one."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow)
                nursery.start_soon(self._renew)
        except* (OSError, UserError) as errors:
            self._give_up(say, errors.exceptions[0])

    def end(self, say: Say, *, replays: bool) -> None:
        """Writes all pages when the league is played no more, and all games that have none if `replays` say
        so."""
        if not self._failed:
            try:
                self.write(replays=replays)
            except UserError as error:
                self._give_up(say, error)

    def _give_up(self, say: Say, error: BaseException) -> None:
        """Pages that cannot be written must not end the league."""
        self._failed = True
        say(f"{self._out}: the pages cannot be kept up to date ({error})")

    async def _follow(self) -> None:
        """Keeps the small file up to date."""
        share, told, told_at = CpuShare(SHARE), "", -math.inf
        while True:
            news, now = f"{self._public().digest} {self._stamp}", trio.current_time()
            if news != told or now > told_at + HEARTBEAT_SECONDS:
                told, told_at = news, now
                await _turn(share, lambda: self._live(stopped=False), self._write_live)
            else:
                await trio.sleep(EVERY_SECONDS)

    async def _renew(self) -> None:
        """Keeps the pages up to date, and makes a replay from time to time."""
        share = CpuShare(SHARE)
        while True:
            if self._public().digest != self._stamp or (not self._due and self._there != self._linked):
                await _turn(share, lambda: self._shown(stopped=False), self._write_pages)
            if self._due:
                await _turn(share, lambda: self._due.pop(0), lambda due: self._write_replay(*due))
            else:
                await trio.sleep(EVERY_SECONDS)

    def _public(self) -> LeagueSnapshot:
        """What pages may show of the league: all of it or, while it is frozen, what there was at the freeze.
        They show this and nothing else."""
        now = self._seen()
        frozen = now.state.frozen
        if frozen is None:
            return now
        if self._curtain is None or self._curtain.state.frozen != frozen:
            part = last_shown(self._league)
            self._curtain = LeagueSnapshot(
                part.entries, state_of(self._league, part.entries), part.digests[-1]
            )
        return self._curtain

    def _look(self) -> Mapping[str, MatchOfDraw]:
        """Finds out which games are to have a page; those that have one, by name."""
        state = self._public().state
        games = shown_games(state)
        self._due = [
            (game, state.draws[game.no], state.played[game.no])
            for game in games
            if game.id not in self._there | self._gone
        ]
        return {game.id: game for game in games if game.id in self._there}

    def _shown(self, *, stopped: bool) -> "_Shown":
        """What all pages show now."""
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
        """Writes the pages that have changed, and removes those that nothing leads to."""
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
        """Writes the page of a game, from the public part of its log."""
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
        """Not flushed to the disk: whatever a power cut takes away can be made again."""
        write_whole(path, data, self._out, lasting=False)

    def _keep_only(self, name: str, wanted: Set[str]) -> None:
        for path in (self._out / name).iterdir():
            if _OURS[name].fullmatch(path.name) and path.name not in wanted:
                path.unlink(missing_ok=True)
                self._known.pop(path, None)


class _Shown(NamedTuple):
    """What all pages show after the entry of the journal that has this `digest`."""

    digest: str
    games: Mapping[str, MatchOfDraw]
    league: LeagueShown
    bots: tuple[LeagueBotPage, ...]
    live: LeagueStatus
    data: bytes


async def _turn(share: CpuShare, prepare: Callable[[], T], write: Callable[[T], None]) -> None:
    """Prepares something in this thread and writes it in another one, and waits until the share is paid
    back."""
    with share.spending():
        prepared = prepare()

    def paid() -> None:
        with share.spending():
            write(prepared)

    await trio.to_thread.run_sync(paid)
    await trio.sleep(max(EVERY_SECONDS, share.wait))


def write_site(league: Path, out: Path | None, title: str, address: str = "") -> Path:
    """Writes the pages of a league, whether it is played or not; the path of the first one. Raises
    UserError."""
    with LeagueJournal(league) as journal:
        state = state_of(league, journal.entries)
        seen = LeagueSnapshot(journal.entries, state, journal.digest)
        site = LeagueSite(league, out or league / SITE, title, lambda: seen, address)
        site.write(stopped=not is_written(league), replays=True)
    return site.index
