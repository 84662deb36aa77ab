"""The pages of a league: one for its boards, which follows the league while it is played, and one for each
bot.

Turns the data of arena/report/league_pages.py into HTML. Knows no journal, and of files only the names by
which pages link to each other.
"""

from typing import Final, Literal

import msgspec

from arena.report.axes import Axis
from arena.report.pages import embedded, page
from arena.report.preview import PreviewRow, preview, preview_of
from arena.system.wording import moment

STYLES: Final = ("base.css", "report.css", "bots.css", "live.css", "league.css")
TABLES: Final = ("times.js", "tables.js", "csv.js")
"""The scripts on every page: times in the reader's zone, and tables that can be sorted."""
LIVE: Final = ("elements.js", "numbers.js", "live.js", "league.js")

INDEX: Final = "index.html"
BOTS: Final = "bots"
REPLAYS: Final = "replays"
DATA: Final = "standings.json"
LIVE_FILE: Final = "live.json"


def bot_file(bot: str) -> str:
    """The file name of a bot's page in the folder BOTS; `bot` is `author/bot`. No two bots share one, since
    names contain no dots."""
    return f"{bot.replace('/', '.')}.html"


class BoardPageRow(msgspec.Struct, frozen=True, array_like=True):
    """A version on a board. The open page updates the row."""

    version: str
    place: int | None
    strength: float | None
    low: float | None
    high: float | None
    pods: int
    group: int | None
    ahead_of: str
    """How many others it is said to be ahead of, and how many for certain."""
    better: str
    """The verdict on it and its predecessor, in a word or two."""
    waits: float | None
    """A bound on the seconds until its next pod; None if no question about it is open."""
    wait: str
    """The same as text."""
    remark: str
    """Such as `anchor` or `paused`."""

    @property
    def bot(self) -> str:
        """The bot that it is a version of."""
        return self.version.partition("@")[0]


class FinalPair(msgspec.Struct, frozen=True):
    """Two versions that met in the final of a board."""

    one: str
    other: str
    comparisons: int
    """Their comparisons in the final."""
    all: int
    """All their comparisons, those in the final included."""
    more: float
    """How much more `one` gained per deal, by the mean of all comparisons."""


class BoardShown(msgspec.Struct, frozen=True):
    """A board on the page of the boards."""

    id: str
    title: str
    ahead: str
    """The sentence on who is ahead."""
    expected: str
    """The forecast as a sentence."""
    earlier: str | None
    """What the board said by an earlier rule, as a sentence."""
    final: tuple[FinalPair, ...]
    rows: tuple[BoardPageRow, ...]
    authors: tuple[str, ...]
    """The shown name of each row's author."""
    axis: Axis
    settings: tuple[tuple[str, str], ...]


class VersionInDraw(msgspec.Struct, frozen=True):
    """A version for which a draw was played."""

    version: str
    bot: str
    lead: float | None
    """How much more it gained per deal than its companions."""
    game: str
    """The match in which it gained least; "" if that has no page."""


class DrawShown(msgspec.Struct, frozen=True):
    """A draw that is over. `board`: "" if there is only one; `remark`: why it does not count, or ""."""

    no: int
    at: int
    """When it was drawn, in seconds since 1970, as in the next classes."""
    board: str
    why: str
    asked: tuple[VersionInDraw, ...]
    companions: tuple[str, ...]
    remark: str


class LeagueDecision(msgspec.Struct, frozen=True):
    """A decision by the organiser or by the rules."""

    what: str
    """The kind of entry, such as `paused`."""
    of: str
    """The version, draw or league that it concerns."""
    bot: str
    """The bot of that version; "" if it concerns none."""
    why: str


class VersionShown(msgspec.Struct, frozen=True):
    """The status of a version. `why` and `cure` are for versions that were refused, paused or retired."""

    version: str
    bot: str
    status: str
    at: int
    digest: str
    why: str
    cure: str


class LeagueShown(msgspec.Struct, frozen=True):
    """The data of the page of the boards."""

    title: str
    written: float
    """When it was written."""
    closed: str
    """Why the league takes no further versions; "" if it does."""
    closes: int
    """Its deadline, in seconds since 1970; 0 for none."""
    sealed: bool
    frozen: str
    """Why the league was frozen; "" if it is not."""
    frozen_at: int
    """Since when; 0 if it is not."""
    statements: str
    """How sure what a board says is."""
    authors: str
    """Their number, without the house."""
    versions: str
    """Their number, without the anchors."""
    draws: int
    boards: tuple[BoardShown, ...]
    last: tuple[DrawShown, ...]
    off: tuple[VersionShown, ...]
    """Current or latest versions that are refused, paused or retired."""
    waiting: tuple[VersionShown, ...]
    """Versions that wait for the intake."""
    decisions: tuple[LeagueDecision, ...]
    settings: tuple[tuple[str, str], ...]


class OnBoard(msgspec.Struct, frozen=True):
    """A version of a bot on a board. `compared`: the comparison with its predecessor, in words."""

    version: str
    strength: float | None
    low: float | None
    high: float | None
    pods: int
    compared: str


class Line(msgspec.Struct, frozen=True):
    """A version's strength over time: points of a number of draws and the strength after them."""

    version: str
    points: tuple[tuple[int, float], ...]


class BotOnBoard(msgspec.Struct, frozen=True):
    """A bot on a board."""

    id: str
    title: str
    place: int | None
    """The rank of its current version; None without one."""
    ranked: int
    """The number of ranked versions on the board."""
    current: OnBoard | None
    versions: tuple[OnBoard, ...]
    """The latest first."""
    axis: Axis
    history: tuple[Line, ...]
    """Drawn on the axes `draws` and `strengths`."""
    draws: Axis
    strengths: Axis


class FaultPlace(msgspec.Struct, frozen=True):
    """A match that a version forfeited."""

    match: str
    deal_no: int
    """From 1; 0 before the first deal."""
    has_replay: bool


class VersionFaults(msgspec.Struct, frozen=True):
    """The matches that a version forfeited by the same kind of fault. `places` names the last of them."""

    version: str
    kind: str
    meaning: str
    cure: str
    times: int
    places: tuple[FaultPlace, ...]


class LeagueBotPage(msgspec.Struct, frozen=True):
    """A bot's page. `off`: its current and latest versions if refused, paused or retired."""

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
    """A draw that is being played, `since` this time in seconds since 1970."""

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
    """The data that the open page of the boards polls."""

    state: Literal["running", "stopped", "over"]
    stamp: str
    """The digest of the journal from which the current pages were made."""
    written: float | None
    draws: int
    asleep: bool
    """Whether nothing is left to be played."""
    frozen: bool
    """Whether it shows the state at the freeze."""
    running: int
    playing: tuple[DrawInProgress, ...]
    boards: tuple[LiveBoard, ...]


def league_page(league: LeagueShown, live: LeagueStatus, address: str = "") -> str:
    """The HTML of the page of the boards. `address`: where it will be published, "" if unknown."""
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
    """The picture shown next to a link to that page, as PNG."""
    board = league.boards[0]
    places = [
        PreviewRow(row.place, row.version, row.version, row.low, row.strength, row.high) for row in board.rows
    ]
    said = f"League · {board.title} · {moment(league.written)}"
    return preview(league.title, said, board.ahead, places, board.axis, "strength")


def bot_page(bot: LeagueBotPage) -> str:
    """The HTML of a bot's page."""
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
