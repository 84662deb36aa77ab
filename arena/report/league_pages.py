"""Computes what the pages of a league show from its state: boards, bots, draws.

Contains only public facts: no seed before its day is revealed, no hand and no result of a draw that is not
over, nothing from the private parts of logs. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from arena.checking.cures import BY_KIND
from arena.games import registry
from arena.league.carried import CURRENT, PAUSED, REFUSED, RETIRED
from arena.league.drawing import open_on, wishes
from arena.league.entries import (
    Board,
    ByOrganiser,
    Checkpoint,
    DrawAnnulled,
    DrawMatch,
    DrawScheduled,
    Entry,
    Paused,
    Restored,
    Retired,
)
from arena.league.ids import HOUSE, BoardId, VersionId, author_of, version_parts
from arena.league.numbers import LEAST_BETWEEN, lead_of
from arena.league.state import LeagueState
from arena.league.tables import (
    BoardForecast,
    ForfeitRow,
    against,
    ahead_of,
    board_rows,
    compared,
    expected,
    fault_rows,
    forecast,
    said_earlier,
    what_statements_mean,
    who_is_ahead,
)
from arena.process.sandbox import MEANING as SANDBOX_MEANING
from arena.report.axes import Axis, axis, span
from arena.report.league import (
    BoardPageRow,
    BoardShown,
    BotOnBoard,
    DrawInProgress,
    DrawShown,
    FaultPlace,
    FinalPair,
    LeagueBotPage,
    LeagueDecision,
    LeagueShown,
    LeagueStatus,
    Line,
    LiveBoard,
    OnBoard,
    VersionFaults,
    VersionInDraw,
    VersionShown,
)
from arena.system.text import called
from arena.system.wording import counted, date, duration, gain_text, minus
from protocol.faults import MEANING, FaultKind
from tournaments.agenda import longest_wait

LAST: Final = 12
"""Draws shown of a bot, and of the league."""
POINTS: Final = 60
"""The most checkpoints in a history."""
REPLAYED: Final = 3
"""The last draws of a bot that have a replay, and its last forfeits."""
PLACES: Final = 6
"""Matches named for a group of forfeits."""
LIVE_ROWS: Final = 100
LIVE_DRAWS: Final = 12
"""Limits of the live data: rows of a board, and draws that are being played."""


class MatchOfDraw(NamedTuple):
    """A match of a draw. `number`: the version in the question, from 1; `seating_no`: from 1."""

    no: int
    number: int
    seating_no: int

    @property
    def id(self) -> str:
        """Its id, as in its log."""
        return f"{self.no}-{self.number}-{self.seating_no}"


class LeagueSnapshot(NamedTuple):
    """A league at one moment: the entries of its journal, the state after them, and the last digest."""

    entries: Sequence[Entry]
    state: LeagueState
    digest: str


def shown_games(state: LeagueState) -> list[MatchOfDraw]:
    """The matches with a page: of each bot the last that it forfeited, and then, from each of its last draws,
    the one in which it gained least; of both the latest first."""
    forfeits = defaultdict[str, list[MatchOfDraw]](list)
    for row in fault_rows(state):
        forfeits[_bot(row.version)].append(MatchOfDraw(*map(int, row.match.split("-"))))
    forfeited = {game for games in forfeits.values() for game in games[-REPLAYED:]}
    worst = {game for draws in _draws_by_bot(state).values() for game in _games(state, draws[:REPLAYED])}
    return [*sorted(forfeited, reverse=True), *sorted(worst - forfeited, reverse=True)]


def _games(state: LeagueState, draws: Iterable[int]) -> Iterator[MatchOfDraw]:
    for no in draws:
        if no in state.played and no not in state.over:
            for number, matches in enumerate(state.played[no].matches, 1):
                yield MatchOfDraw(no, number, _worst(matches))


def _worst(matches: Sequence[DrawMatch]) -> int:
    """The seating, from 1, in which a version gained least."""
    return min(range(len(matches)), key=lambda at: lead_of(matches[at : at + 1])) + 1


def _draws_by_bot(state: LeagueState) -> dict[str, list[int]]:
    """The last draws of each bot that are over, the latest first."""
    by_bot = defaultdict[str, list[int]](list)
    for no in sorted({*state.played, *state.over}, reverse=True):
        for bot in {_bot(version) for version in state.draws[no].versions}:
            if len(by_bot[bot]) < LAST:
                by_bot[bot].append(no)
    return by_bot


def league_shown(
    seen: LeagueSnapshot, title: str, at: float, games: Mapping[str, MatchOfDraw]
) -> LeagueShown:
    """The data of the page of the boards at the time `at`. `games`: the matches with a page, by id."""
    state = seen.state
    last = sorted({*state.played, *state.over}, reverse=True)[:LAST]
    return LeagueShown(
        title=title,
        written=at,
        closed=state.closed.reason if state.closed else "",
        closes=state.closes.closes if state.closes else 0,
        sealed=state.sealed is not None,
        frozen=state.frozen.reason if state.frozen else "",
        frozen_at=state.frozen.at if state.frozen else 0,
        statements=what_statements_mean(state),
        authors=counted(len(state.authors), "author"),
        versions=counted(sum(author_of(name) != HOUSE for name in state.versions), "version"),
        draws=state.last_draw - len(state.in_flight),
        boards=tuple(board_shown(state, board) for board in state.boards),
        last=tuple(_draw(state, no, games) for no in last),
        off=tuple(
            _version(state, name) for of_bot in _versions(state).values() for name in _off(state, of_bot)
        ),
        waiting=tuple(_version(state, version.id) for version in state.waiting()),
        decisions=tuple(map(_decision, reversed(state.by_organiser))),
        settings=tuple(_settings(state, seen.digest)),
    )


def board_shown(state: LeagueState, board: BoardId) -> BoardShown:
    """The data of a board."""
    rows = _rows(state, board)
    return BoardShown(
        id=board,
        title=board_title(state.boards[board]),
        ahead=who_is_ahead(state, board),
        expected=expected(state, board, forecast(state, board)),
        earlier=said_earlier(state, board),
        final=tuple(_final(state, board)),
        rows=rows,
        authors=tuple(_author(state, author_of(row.version)) for row in rows),
        axis=_axis(rows),
        settings=tuple(_board_settings(state, board)),
    )


def _final(state: LeagueState, board: BoardId) -> Iterator[FinalPair]:
    for (of, (one, other)), times in state.finals_of.items():
        sums = state.numbers[board].pairs.get((one, other))
        if of == board and times and sums:
            more = sums.apart / sums.count
            first, second = (one, other) if more >= 0 else (other, one)
            yield FinalPair(first, second, times, sums.count, abs(more))


def _rows(state: LeagueState, board: BoardId) -> tuple[BoardPageRow, ...]:
    waits, panel = _waits(state, board), state.panels[board]
    unplaced = {wish.asker for wish in open_on(state, board) if wish.kind == "placement"}
    shown = []
    for row in board_rows(state, board):
        remarks = [
            "the zero" if row.version == panel.zero else "anchor" if author_of(row.version) == HOUSE else "",
            "" if row.status == CURRENT else row.status,
            "to be placed" if row.low is None and row.version in unplaced else "",
        ]
        wait = waits.get(row.version)
        shown.append(
            BoardPageRow(
                version=row.version,
                place=row.place,
                strength=row.strength,
                low=row.low,
                high=row.high,
                pods=row.pods,
                group=row.group,
                ahead_of=ahead_of(row, "–"),
                better=row.against,
                waits=wait,
                wait="–" if wait is None else duration(wait),
                remark=", ".join(filter(None, remarks)),
            )
        )
    return tuple(shown)


def _waits(state: LeagueState, board: BoardId) -> dict[VersionId, float]:
    """By version with an open question, a bound on the seconds until its next pod begins."""
    if state.sealed or state.frozen:
        return {}
    jobs = state.started.jobs if state.started else 1
    authors = {version: author_of(version) for version in state.versions}
    bounds = longest_wait(wishes(state, board), authors, jobs)
    return {version: bound / 1000 for version, bound in bounds.items()}


def _board_settings(state: LeagueState, id: BoardId) -> Iterator[tuple[str, str]]:
    board, panel = state.boards[id], state.panels[id]
    game = registry.game(board.game)
    yield "game", f"{game.title} ({board.game}, rules version {board.rules})"
    yield "options", ", ".join(_option(*option) for option in board.options.items()) or "none"
    yield "pods", f"{board.seats} seats, {counted(board.deals, 'deal')}, the same deals in several seatings"
    limits = board.limits
    yield "time", f"{limits.decision_ms} ms a decision, {limits.bank_ms} ms in the bank for a match"
    gains = "gain" if board.margin == 1 else "gains"
    yield "margin", f"{board.margin:g} {gains} a deal: versions that differ by less count as equal"
    yield "panel", ", ".join(panel.members)
    yield "zero", panel.zero
    yield "sandbox", f"{board.sandbox.level}: {SANDBOX_MEANING[board.sandbox.level]}"


def _option(key: str, value: object) -> str:
    word = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
    return f"{key.replace('_', ' ')}: {word}"


def _settings(state: LeagueState, digest: str) -> Iterator[tuple[str, str]]:
    yield "arena", f"version {state.started.arena if state.started else state.founded.arena}"
    for day, sha256 in sorted(state.committed.items())[-2:]:
        yield f"SHA-256 of the seed of {date(day)}", sha256
    for day, seed in sorted(state.revealed.items())[-1:]:
        yield f"seed of {date(day)}", seed
    yield "journal digest", digest


def _decision(entry: ByOrganiser) -> LeagueDecision:
    of, bot = "the league", ""
    match entry:
        case DrawAnnulled(no=no):
            of = f"draw {no}"
        case Paused(version=version) | Retired(version=version) | Restored(version=version):
            of, bot = version, _bot(version)
    return LeagueDecision(str(entry.__struct_config__.tag), of, bot, entry.reason)


def _versions(state: LeagueState) -> dict[str, list[VersionId]]:
    by_bot = defaultdict[str, list[VersionId]](list)
    for version in state.versions.values():
        by_bot[version.bot].insert(0, version.id)
    return by_bot


def _off(state: LeagueState, of_bot: Sequence[VersionId]) -> list[VersionId]:
    """Of a bot's latest and current versions, those that are refused, paused or retired."""
    latest = of_bot[0]
    both = dict.fromkeys((latest, state.current.get(_bot(latest), latest)))
    return [version for version in both if state.versions[version].status in (REFUSED, PAUSED, RETIRED)]


def bots_shown(
    seen: LeagueSnapshot, league: str, games: Mapping[str, MatchOfDraw]
) -> Iterator[LeagueBotPage]:
    """The data of every bot's page. `games`: the matches with a page, by id."""
    state = seen.state
    draws, faults = _draws_by_bot(state), _faults_by_bot(state, games)
    boards = [_OnBoard(state, board, seen.entries) for board in state.boards]
    for bot, of_bot in _versions(state).items():
        current = state.current.get(bot, of_bot[0])
        yield LeagueBotPage(
            bot=bot,
            author=_author(state, author_of(of_bot[0])),
            league=league,
            current=current,
            status=state.versions[current].status,
            off=tuple(_version(state, version) for version in _off(state, of_bot)),
            boards=tuple(filter(None, (board.of(current, of_bot) for board in boards))),
            versions=tuple(_version(state, version) for version in of_bot),
            faults=tuple(faults[bot]),
            draws=tuple(_draw(state, no, games) for no in draws.get(bot, ())),
        )


class _OnBoard:
    """Data of a board, computed once for the pages of all bots."""

    def __init__(self, state: LeagueState, board: BoardId, entries: Sequence[Entry]) -> None:
        self._state, self._board = state, board
        self._strengths = state.numbers[board].strengths(state.versions)
        self._places = {row.version: row.place for row in board_rows(state, board)}
        self._checkpoints = list(_checkpoints(entries, board))

    def of(self, current: VersionId, versions: Sequence[VersionId]) -> BotOnBoard | None:
        """A bot on the board; None if none of its versions ever entered it."""
        state, board = self._state, self._board
        rows = [self._row(name) for name in versions if board in state.versions[name].boards]
        if not rows:
            return None
        history = [line for row in rows if (line := self._history(row)).points]
        points = [point for line in history for point in line.points]
        played = [no for no, _ in points]
        if not played or max(played) - min(played) < LEAST_BETWEEN:
            history, points = [], []  # Too short to show a development.
        return BotOnBoard(
            id=board,
            title=board_title(state.boards[board]),
            place=self._places.get(current),
            ranked=sum(place is not None for place in self._places.values()),
            current=next((row for row in rows if row.version == current), None),
            versions=tuple(rows),
            axis=_axis(rows),
            history=tuple(history),
            draws=span(no for no, _ in points),
            strengths=axis(strength for _, strength in points),
        )

    def _row(self, version: VersionId) -> OnBoard:
        strength = self._strengths.get(version)
        return OnBoard(
            version=version,
            strength=_rounded(strength.strength) if strength else None,
            low=_rounded(strength.low) if strength else None,
            high=_rounded(strength.high) if strength else None,
            pods=self._state.numbers[self._board].pods.get(version, 0),
            compared=_comparison(self._state, self._board, version),
        )

    def _history(self, row: OnBoard) -> Line:
        """The strengths of a version at the checkpoints, at most POINTS of them, and now."""
        points = [
            (no, round(known[row.version], 2)) for no, known in self._checkpoints if row.version in known
        ]
        kept = (
            [points[at * len(points) // POINTS] for at in range(POINTS)] if len(points) > POINTS else points
        )
        if row.strength is not None and row.version in self._places:
            kept.append((self._state.last_draw, row.strength))
        return Line(row.version, tuple(kept))


def _comparison(state: LeagueState, board: BoardId, version: VersionId) -> str:
    """The comparison of a version with its predecessor in words; "" without a predecessor."""
    before = state.predecessor(board, version)
    if before is None:
        return ""
    words = {"open": "open whether better than", "not compared": "not compared with"}
    word = against(state, board, version)
    said = f"{words.get(word, f'{word} than')} {before}"
    if (comparison := compared(state, board, version)) is None:
        return said
    sums, sign = comparison
    more = sign * sums.apart / sums.count
    return f"{said}: {counted(sums.count, 'comparison')}, {minus(gain_text(more))} a deal"


def _checkpoints(entries: Iterable[Entry], board: BoardId) -> Iterator[tuple[int, Mapping[VersionId, float]]]:
    """The checkpoints of a board: the number of the last draw before, and the strengths."""
    no = 0
    for entry in entries:
        if isinstance(entry, DrawScheduled):
            no = entry.no
        elif isinstance(entry, Checkpoint) and entry.board == board:
            yield no, entry.strengths


def _version(state: LeagueState, version: VersionId) -> VersionShown:
    row, cure = state.versions[version], ""
    if row.status == PAUSED:
        cure = "it plays again when the organiser restores it"
        if not state.closed:
            cure += "; a changed version of the bot plays as soon as it passes the intake"
    return VersionShown(version, row.bot, row.status, row.at, row.digest, row.why, row.cure or cure)


def _draw(state: LeagueState, no: int, games: Mapping[str, MatchOfDraw]) -> DrawShown:
    drawn, played, over = state.draws[no], state.played.get(no), state.over.get(no)
    asked = []
    for number, version in enumerate(drawn.versions, 1):
        matches = played.matches[number - 1] if played else ()
        game = MatchOfDraw(no, number, _worst(matches)).id if matches else ""
        lead = lead_of(matches) if matches else None
        asked.append(VersionInDraw(version, _bot(version), lead, game if game in games else ""))
    return DrawShown(
        no=no,
        at=drawn.at,
        board=board_title(state.boards[drawn.board]) if len(state.boards) > 1 else "",
        why=drawn.why,
        asked=tuple(asked),
        companions=drawn.companions,
        remark=f"does not count: {over.reason}" if over else "",
    )


def _faults_by_bot(state: LeagueState, games: Mapping[str, MatchOfDraw]) -> dict[str, list[VersionFaults]]:
    """The forfeits of each bot, by version and kind, the latest version first."""
    groups = defaultdict[tuple[VersionId, str], list[ForfeitRow]](list)
    for row in fault_rows(state):
        groups[row.version, row.kind].append(row)
    by_bot = defaultdict[str, list[VersionFaults]](list)
    for (version, kind), rows in sorted(groups.items(), key=lambda group: -version_parts(group[0][0])[2]):
        by_bot[_bot(version)].append(
            VersionFaults(
                version=version,
                kind=kind,
                meaning=MEANING[FaultKind(kind)],
                cure=BY_KIND[FaultKind(kind)],
                times=len(rows),
                places=tuple(
                    FaultPlace(row.match, row.deal_no, row.match in games) for row in rows[-PLACES:]
                ),
            )
        )
    return by_bot


def live(seen: LeagueSnapshot, stamp: str, at: float, *, stopped: bool) -> LeagueStatus:
    """The live data of the page of the boards at the time `at`. `stamp`: that of the current pages."""
    state = seen.state
    waiting = next(state.waiting(), None) is not None
    begun = state.started.at if state.started else 0
    forecasts = {board: forecast(state, board) for board in state.boards}
    # The draws in flight at the freeze are over by now, and those in flight now are not shown.
    playing = () if stopped or state.frozen else tuple(state.in_flight.values())
    is_open = waiting or playing or any(each.placements + each.questions for each in forecasts.values())
    return LeagueStatus(
        state="over" if state.sealed else "stopped" if stopped else "running",
        stamp=stamp,
        written=round(at, 1),
        draws=state.last_draw - len(state.in_flight),
        asleep=not is_open,
        frozen=state.frozen is not None,
        running=len(playing),
        playing=tuple(
            DrawInProgress(
                draw.no, board_title(state.boards[draw.board]), draw.why, draw.versions, max(draw.at, begun)
            )
            for draw in playing[:LIVE_DRAWS]
        ),
        boards=tuple(_live_board(state, board, forecasts[board]) for board in state.boards),
    )


def _live_board(state: LeagueState, board: BoardId, found: BoardForecast) -> LiveBoard:
    return LiveBoard(
        id=board,
        ahead=who_is_ahead(state, board),
        expected=expected(state, board, found),
        rows=tuple(
            msgspec.structs.replace(
                row,
                strength=_rounded(row.strength),
                low=_rounded(row.low),
                high=_rounded(row.high),
                waits=None if row.waits is None else round(row.waits),
            )
            for row in _rows(state, board)[:LIVE_ROWS]
        ),
    )


def _axis(rows: Iterable[BoardPageRow | OnBoard]) -> Axis:
    return axis(end for row in rows for end in (row.low, row.strength, row.high) if end is not None)


def _rounded(value: float | None) -> float | None:
    """Rounded as on pages, so that an invisible change does not count as news."""
    return None if value is None else round(value, 2)


def board_title(board: Board) -> str:
    """The title of a board for people."""
    return f"{registry.game(board.game).title}, {board.seats} seats"


def _bot(version: VersionId) -> str:
    return version.partition("@")[0]


def _author(state: LeagueState, author: str) -> str:
    if author == HOUSE:
        return "the house"
    known = state.authors.get(author)
    return called(author, known.title if known else "")
