"""Reads a league: `arena.open_league("autumn")`. Knows tables; plays nothing.

Like a run it is a snapshot of the journal at the time when it was opened.
"""

from pathlib import Path
from typing import Any

import msgspec

from arena.commands import league as calls
from arena.commands import league_logs
from arena.commands.league import VerifiedLeague
from arena.league import tables
from arena.league.state import LeagueState
from arena.league.tables import BoardForecast, BoardRow, ForfeitRow, VersionRow
from arena.library.replay import Replay, replay_of
from arena.library.rows import Rows, Wording
from arena.playing.spellings import AnyPath, path_of
from arena.system.errors import UserError, did_you_mean
from arena.system.wording import moment


class League(msgspec.Struct, frozen=True, dict=True, eq=False):
    """A league, running or not, as its journal was when it was opened; open it again to see later entries."""

    folder: Path
    hidden: bool
    """Whether everything is shown during a freeze, for the organiser."""
    _state: LeagueState

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards, each as GAME:SEATS."""
        return tuple(self._state.boards)

    @property
    def authors(self) -> dict[str, str]:
        """The titles of the authors by name."""
        return {name: author.title for name, author in self._state.authors.items()}

    @property
    def frozen(self) -> str:
        """The reason for the freeze, during which only the state at the freeze is shown; "" if not frozen."""
        return self._state.frozen.reason if self._state.frozen else ""

    @property
    def over(self) -> bool:
        """Whether it is over: closed, with its finals played, and sealed."""
        return self._state.sealed is not None

    def standings(self, board: str | None = None) -> Rows[BoardRow]:
        """The standings of a board (None: the only one): the strongest version first, unrated ones last."""
        name = self._board(board)
        return Rows(self._title(name), BoardRow, tuple(tables.board_rows(self._state, name)), wording=_BOARD)

    def forecast(self, board: str | None = None) -> BoardForecast:
        """The forecast for a board: what is still to be played, and how long that takes."""
        return tables.forecast(self._state, self._board(board))

    def panel(self, board: str | None = None) -> tuple[str, ...]:
        """The versions against which a board measures others."""
        return self._state.panels[self._board(board)].members

    def versions(self, bot: str) -> Rows[VersionRow]:
        """All versions of a bot (`author/bot`) or of an author, on every board, in order of arrival."""
        return Rows(f"Versions of {bot}", VersionRow, tuple(tables.version_rows(self._state, bot)))

    def faults(self, bot: str | None = None) -> Rows[ForfeitRow]:
        """The forfeits in this segment of the journal, of all versions or of one bot, author or version."""
        return Rows("Forfeits", ForfeitRow, tuple(tables.fault_rows(self._state, bot)))

    def why(self, number: int) -> tuple[str, ...]:
        """Why a draw was played, and its effect, in sentences."""
        return tuple(tables.why(calls.read(self.folder, number, hidden=self.hidden), number))

    def log(self, match: str) -> Replay:
        """The log of a match, named DRAW-VERSION-SEATING, with its private part where that is kept."""
        log = league_logs.match_log(self.folder, match, lambda _: None, hidden=self.hidden)
        return replay_of(log.decode())

    def standings_data(self) -> dict[str, Any]:
        """All boards, as `arena league standings --json` prints them."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(tables.standings(self._state)))
        return plain

    def verify(self, digest: str | None = None) -> VerifiedLeague:
        """Derive every draw, result and checkpoint again, from the current journal and logs. `digest`: an
        earlier digest of the journal; `held` says whether the journal contains it."""
        return calls.verify(self.folder, digest, hidden=self.hidden)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and unpickling read the folder again."""
        return _opened, (self.folder, self.hidden)

    def __repr__(self) -> str:
        return f"<League {self.folder.name}: {', '.join(self.boards)}, {self._state.last_draw} draws>"

    def _board(self, board: str | None) -> str:
        boards = self._state.boards
        if board is None and len(boards) == 1:
            return next(iter(boards))
        if board is None:
            raise UserError(f"which board? this league has {', '.join(boards)}")
        if board not in boards:
            raise UserError(f"there is no board {board!r}{did_you_mean(board, boards)}")
        return board

    def _title(self, board: str) -> str:
        frozen = self._state.frozen
        return board + (f", frozen since {moment(frozen.at)}" if frozen and not self.hidden else "")


_BOARD = Wording(lambda row: tables.board_cells(row, "–"), ("version", "author", "against its predecessor"))


def open_league(folder: AnyPath, *, hidden: bool = False) -> League:
    """Open the league in a folder. While it is frozen, this shows the state at the freeze; with `hidden`,
    which is for the organiser, everything. Raises UserError if there is none."""
    return _opened(Path(path_of(folder)).absolute(), hidden)


def _opened(folder: Path, hidden: bool) -> League:
    return League(folder, hidden, calls.read(folder, hidden=hidden))
