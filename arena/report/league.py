"""The pages of a league: one for its boards, which follows it while it is played, and one for each bot.

What is shown is worked out in arena/report/league_pages.py; here it becomes HTML. Knows no journal and no
file but the names by which pages lead to each other.
"""

from typing import Final, Literal

import msgspec

from arena.report.axes import Axis
from arena.report.pages import embedded, page
from arena.report.preview import PreviewRow, preview, preview_of

STYLES: Final = ("base.css", "report.css", "bots.css", "live.css", "league.css")
TABLES: Final = ("tables.js", "csv.js")
"""What makes tables sortable, on every page."""
LIVE: Final = ("elements.js", "numbers.js", "live.js", "league.js")

INDEX: Final = "index.html"
BOTS: Final = "bots"
REPLAYS: Final = "replays"
DATA: Final = "standings.json"
LIVE_FILE: Final = "live.json"


def bot_file(bot: str) -> str:
    """The file of the page of `author/bot`, in BOTS. No two bots share one, since names have no dots."""
    return f"{bot.replace('/', '.')}.html"


class BoardPageRow(msgspec.Struct, frozen=True, array_like=True):
    """A version on a board, as the page shows it and as it may change while that is looked at. `better`: what
    the comparison with the version before it says, in a word or two. `waits`: seconds at most until its next
    pod, None where it has no open question; in words it is `wait`. `remark`: what else it is."""

    version: str
    place: int | None
    strength: float | None
    low: float | None
    high: float | None
    pods: int
    group: int | None
    better: str
    waits: float | None
    wait: str
    remark: str

    @property
    def bot(self) -> str:
        """The bot of which it is a version."""
        return self.version.partition("@")[0]


class FinalPair(msgspec.Struct, frozen=True):
    """Two versions that met in the final of a board. By the mean of `all` their comparisons, of which some
    were those of the final, `one` gained `more` a deal."""

    one: str
    other: str
    comparisons: int
    all: int
    more: float


class BoardShown(msgspec.Struct, frozen=True):
    """A board. `ahead` says who is ahead, by what may be said; `expected` what is to be expected; `final` who
    met in its final; `authors` are those of the rows, as people read them."""

    id: str
    title: str
    ahead: str
    expected: str
    final: tuple[FinalPair, ...]
    rows: tuple[BoardPageRow, ...]
    authors: tuple[str, ...]
    axis: Axis
    settings: tuple[tuple[str, str], ...]


class VersionInDraw(msgspec.Struct, frozen=True):
    """A version for which a draw was played: how much more it gained a deal than its companions, and the game
    in which that was least, "" where that has no page."""

    version: str
    bot: str
    lead: float | None
    game: str


class DrawShown(msgspec.Struct, frozen=True):
    """A draw that is over. `board`: "" where the league has one only. `remark` says why it does not count, ""
    if it does."""

    no: int
    at: str
    board: str
    why: str
    asked: tuple[VersionInDraw, ...]
    companions: tuple[str, ...]
    remark: str


class LeagueDecision(msgspec.Struct, frozen=True):
    """What was decided, by the organiser or by the rules: of what, which is a version of `bot` unless that is
    "", and why."""

    what: str
    of: str
    bot: str
    why: str


class VersionShown(msgspec.Struct, frozen=True):
    """What became of a version. `why` and `cure` are for one that was refused, paused or retired."""

    version: str
    bot: str
    status: str
    at: str
    digest: str
    why: str
    cure: str


class LeagueShown(msgspec.Struct, frozen=True):
    """The page of the boards. `written`: when. `closed` says why the league takes no version
    any more, and `frozen` since when and why all is shown as it was then; both are "" while that is not so.
    `alpha`: how probable a wrong statement is at most. `authors` and `versions`: how many there are, without
    the house and its own. `off`: current or latest versions that are on no
    board. `waiting` are versions that are not taken in yet."""

    title: str
    written: str
    closed: str
    sealed: bool
    frozen: str
    alpha: str
    authors: str
    versions: str
    draws: int
    boards: tuple[BoardShown, ...]
    last: tuple[DrawShown, ...]
    off: tuple[VersionShown, ...]
    waiting: tuple[VersionShown, ...]
    decisions: tuple[LeagueDecision, ...]
    settings: tuple[tuple[str, str], ...]


class OnBoard(msgspec.Struct, frozen=True):
    """A version of a bot on a board. `compared`: what its comparison with the one before it says."""

    version: str
    strength: float | None
    low: float | None
    high: float | None
    pods: int
    compared: str


class Line(msgspec.Struct, frozen=True):
    """The strength of a version over time: after how many draws of the league, and how much."""

    version: str
    points: tuple[tuple[int, float], ...]


class BotOnBoard(msgspec.Struct, frozen=True):
    """A bot on a board: the place of its current version among `ranked`, None without one; all its versions,
    the latest first; and their history, drawn on `draws` and `strengths`."""

    id: str
    title: str
    place: int | None
    ranked: int
    current: OnBoard | None
    versions: tuple[OnBoard, ...]
    axis: Axis
    history: tuple[Line, ...]
    draws: Axis
    strengths: Axis


class VersionFaults(msgspec.Struct, frozen=True):
    """The matches that a version forfeited for one reason; `places` names the last of them."""

    version: str
    kind: str
    meaning: str
    cure: str
    times: int
    places: tuple[str, ...]


class LeagueBotPage(msgspec.Struct, frozen=True):
    """The page of a bot. `off`: its current and its latest version, where they are on no board."""

    bot: str
    author: str
    league: str
    current: str
    status: str
    off: tuple[VersionShown, ...]
    boards: tuple[BotOnBoard, ...]
    versions: tuple[VersionShown, ...]
    faults: tuple[VersionFaults, ...]
    draws: tuple[DrawShown, ...]


class DrawInProgress(msgspec.Struct, frozen=True):
    """A draw that is being played `since` so many seconds after 1970."""

    no: int
    board: str
    why: str
    versions: tuple[str, ...]
    since: int


class LiveBoard(msgspec.Struct, frozen=True):
    """A board with its first rows."""

    id: str
    ahead: str
    expected: str
    rows: tuple[BoardPageRow, ...]


class LeagueStatus(msgspec.Struct, frozen=True):
    """What the page of the boards asks for. `stamp` is that of the pages as they are now. `asleep`: nothing
    is left to be played. `frozen`: all is told as it was at the freeze."""

    state: Literal["running", "stopped", "over"]
    stamp: str
    written: float | None
    draws: int
    asleep: bool
    frozen: bool
    running: int
    playing: tuple[DrawInProgress, ...]
    boards: tuple[LiveBoard, ...]


def league_page(league: LeagueShown, live: LeagueStatus, address: str = "") -> str:
    """The HTML of the page of the boards, which will be at this address, "" where that is not known."""
    return page(
        "league.html",
        styles=STYLES,
        scripts=(*TABLES, *LIVE),
        served=True,
        league=league,
        data=DATA,
        bots=BOTS,
        replays=REPLAYS,
        bot_file=bot_file,
        live=embedded(live),
        address=address,
        preview=address and preview_of(address),
    )


def league_preview(league: LeagueShown) -> bytes:
    """The picture by which a link to that page is shown."""
    board = league.boards[0]
    places = [
        PreviewRow(row.place, row.version, row.version, row.low, row.strength, row.high) for row in board.rows
    ]
    said = f"League · {board.title} · {league.written}"
    return preview(league.title, said, board.ahead, places, board.axis, "strength")


def bot_page(bot: LeagueBotPage) -> str:
    """The HTML of the page of a bot."""
    return page(
        "league_bot.html",
        styles=STYLES,
        scripts=TABLES,
        bot=bot,
        home=f"../{INDEX}",
        bots=".",
        replays=f"../{REPLAYS}",
        bot_file=bot_file,
    )
