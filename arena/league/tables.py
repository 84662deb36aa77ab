"""The tables of a league, as rows: its boards, the versions of a bot, the reason for a draw."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from arena.director.wording import named
from arena.league.carried import Version
from arena.league.drawing import open_on
from arena.league.entries import PanelSet
from arena.league.entries.bots import MOST_MEMBERS
from arena.league.groups import ahead, in_order, with_places
from arena.league.hand import twins
from arena.league.ids import BoardId, VersionId, author_of
from arena.league.numbers import lead_of
from arena.league.state import LeagueState
from arena.system.errors import UserError, did_you_mean
from arena.system.wording import counted, date, duration, flag, gain_text, interval
from tournaments.agenda import Wish, longest_wait
from tournaments.questions import VAST, seconds_until_asleep
from tournaments.strength import PairSums

NAMED: Final = 4
"""A sentence names this many versions, and counts the others."""
FEW: Final = 3
"""A sentence names this many versions if it says the same about all of them."""


class BoardRow(msgspec.Struct, frozen=True):
    """A version on a board."""

    place: int | None
    """From 1; None before its strength has an interval."""
    version: VersionId
    title: str
    """The title of its author."""
    strength: float | None
    """Its gain per deal above that of the zero; None while it is unknown."""
    low: float | None
    high: float | None
    """`low` to `high`: the 95 % interval of the strength, by the model."""
    pods: int
    group: int | None
    """From 1. A version that is ahead of the next one ends its group. None without a place."""
    better: bool | None
    """Whether it is ahead of its predecessor; None without one."""
    status: str
    against: str
    """The same in words: `better`, `worse`, `open` or `not compared`; "" without a predecessor."""


def board_rows(state: LeagueState, board: BoardId) -> list[BoardRow]:
    """The rows of a board, the strongest first, those without a number last."""
    numbers = state.numbers[board]
    rows, group, before = [], 1, None
    order = in_order(state, board)
    sure = with_places(order, state.panels[board].zero)
    for place, (version, strength) in enumerate(order.items(), 1):
        if before is not None and ahead(state, board, before, version):
            group += 1
        before = version
        predecessor = state.predecessor(version)
        author = state.authors.get(author_of(version))
        rows.append(
            BoardRow(
                place=place if version in sure else None,
                version=version,
                title=author.title if author else "",
                strength=strength.strength if strength else None,
                low=strength.low if strength else None,
                high=strength.high if strength else None,
                pods=numbers.pods.get(version, 0),
                group=group if version in sure else None,
                better=ahead(state, board, version, predecessor) if predecessor else None,
                status=state.versions[version].status,
                against=against(state, board, version),
            )
        )
    return rows


def board_cells(row: BoardRow, nothing: str = "") -> dict[str, str]:
    """A row of a board as a text for each heading; `nothing` stands for what it lacks."""
    return {
        "rank": nothing if row.place is None else str(row.place),
        "version": row.version,
        "author": row.title,
        "strength": gain_text(row.strength),
        "95 % interval": interval(row.low, row.high),
        "group": nothing if row.group is None else str(row.group),
        "pods": str(row.pods),
        "against its predecessor": row.against or nothing,
    }


def against(state: LeagueState, board: BoardId, version: VersionId) -> str:
    """The verdict on a version and its predecessor in a word or two; "" if it has none."""
    before = state.predecessor(version)
    if before is None:
        return ""
    if compared(state, board, version) is None:
        return "not compared"
    if ahead(state, board, version, before):
        return "better"
    return "worse" if ahead(state, board, before, version) else "open"


def compared(state: LeagueState, board: BoardId, version: VersionId) -> tuple[PairSums, int] | None:
    """The comparisons of a version with its predecessor, and the sign that makes a positive difference a gain
    of the version. None without a predecessor or comparison."""
    before, pairs = state.predecessor(version), state.numbers[board].pairs
    if before is None:
        return None
    if (sums := pairs.get((before, version))) is not None:
        return sums, -1
    return None if (sums := pairs.get((version, before))) is None else (sums, 1)


class BoardForecast(msgspec.Struct, frozen=True):
    """How much play is left on a board, on as many cores as last played it."""

    placements: int
    """The number of open placements."""
    questions: int
    """The number of open questions."""
    asleep_in: float | None
    """The estimated seconds until none is open; None before the board's variances are known."""
    newcomer_waits: float | None
    """A bound on the seconds until the first pod of a newcomer begins, as long as no others arrive; None
    before anything was played."""


def forecast(state: LeagueState, board: BoardId) -> BoardForecast:
    """Estimate how much play is left on a board. Costs as much time as selecting a draw."""
    open_ = open_on(state, board)
    begins = any(wish.size == VAST for wish in open_)
    jobs = state.started.jobs if state.started else 1
    costs = {version: state.cost(version) for version in state.versions}
    newcomer = Wish("newcomer", None, 0.0, max(costs.values(), default=1))
    authors = {version: author_of(version) for version in state.versions} | {"newcomer": ""}
    placements = sum(wish.kind == "placement" for wish in open_)
    return BoardForecast(
        placements=placements,
        questions=len(open_) - placements,
        asleep_in=None if begins else seconds_until_asleep(open_, costs, jobs),
        newcomer_waits=longest_wait([*open_, newcomer], authors, jobs)["newcomer"] / 1000
        if state.played
        else None,
    )


def expected(state: LeagueState, board: BoardId, found: BoardForecast) -> str:
    """The forecast of a board as a sentence."""
    if state.sealed:
        return "sealed: everything has been played"
    if zero := state.waits_for(board):
        return (
            f"waits: its zero, {zero}, {state.versions[zero].why}; restore the program as it was, and then: "
            f"arena league restore DIR {zero} --reason TEXT"
        )
    if state.finals and state.closed:
        return f"final: {state.finals_drawn[board]} of {counted(state.closed.finals, 'comparison')} drawn"
    parts = ((found.placements, "placement"), (found.questions, "question"))
    if not (open_ := " and ".join(counted(number, noun) for number, noun in parts if number)):
        return "asleep: no order above the margin is open"
    if state.frozen:
        return f"{open_} open"  # The estimates of that time may be out of date.
    if found.newcomer_waits is None:
        return f"{open_} open"
    left = "; it is too early to say how much play is left"
    if found.asleep_in is not None:
        left = f", about {duration(found.asleep_in)} of play left"
    if state.closed:
        return f"{open_} open{left}{'; then the final' if state.closed.finals else ''}"
    first = f"the first pod of a newcomer begins within {duration(found.newcomer_waits)} of play"
    return f"{open_} open{left}; {first}"


def who_is_ahead(state: LeagueState, board: BoardId) -> str:
    """Who is ahead on a board, as a sentence that claims no more than is shown."""
    rows = [row for row in board_rows(state, board) if row.place is not None]
    # The first pods of a newcomer vary widely, so it can lead only once it has an interval.
    if not rows:
        return f"Nothing can be compared{'' if state.sealed else ' yet'}: too little has been played."
    best, *others = [row.version for row in rows]
    open_ = [other for other in others if not ahead(state, board, best, other)]
    if not open_:
        return f"{best} is ahead of all others."
    first = f"{best} {'is first' if state.sealed else 'leads so far'}"
    if len(open_) == len(others):
        than = named(others) if len(others) <= FEW else f"any of the {len(others)} others"
        return f"{first}, but may be no better than {than}."
    names = [*open_[:NAMED], f"{len(open_) - NAMED} more"] if len(open_) > NAMED + 1 else open_
    return (
        f"{first}, and is ahead of {len(others) - len(open_)} of {len(others)} others; that is not certain "
        f"for {named(names)}."
    )


def standings(state: LeagueState) -> dict[str, Any]:
    """All boards, for --json."""
    return {
        "boards": {board: msgspec.to_builtins(board_rows(state, board)) for board in state.boards},
        "forecast": {board: msgspec.to_builtins(forecast(state, board)) for board in state.boards},
        "panels": {board: panel.members for board, panel in state.panels.items()},
        "waiting": [version.id for version in state.waiting()],
        "draws": state.last_draw - len(state.in_flight),
        "closed": state.closed is not None,
        "finals": msgspec.to_builtins(state.finals.finalists) if state.finals else None,
        "sealed": state.sealed is not None,
        "frozen": {"reason": state.frozen.reason, "at": state.frozen.at} if state.frozen else None,
    }


class VersionRow(msgspec.Struct, frozen=True):
    """A version of a bot on one board."""

    version: VersionId
    status: str
    why: str
    """Why it was refused, paused or retired."""
    digest: str
    at: int
    """When it arrived, in seconds since 1970."""
    board: BoardId | None
    """None if it plays on none."""
    strength: float | None
    """Its gain per deal above that of the zero; None while it is unknown, or without a board."""
    low: float | None
    high: float | None
    """`low` to `high`: the 95 % interval of the strength, by the model."""
    pods: int
    faults: int
    """The forfeits that count towards its pause."""
    same_as: tuple[VersionId, ...]
    """The versions of other authors with the same program."""
    cure: str
    """How to fix what it was refused for."""


def version_rows(state: LeagueState, bot: str) -> list[VersionRow]:
    """The versions of a bot or author, or a single version, on every board, in the order of their arrival.
    Raises UserError if there is none."""
    rows = []
    for version in _versions_of(state, bot):
        for board in version.boards or (None,):
            numbers = state.numbers[board] if board else None
            strength = numbers.strengths([version.id]).get(version.id) if numbers else None
            rows.append(
                VersionRow(
                    version=version.id,
                    status=version.status,
                    why=version.why,
                    digest=version.digest,
                    at=version.at,
                    board=board,
                    strength=strength.strength if strength else None,
                    low=strength.low if strength else None,
                    high=strength.high if strength else None,
                    pods=numbers.pods.get(version.id, 0) if numbers else 0,
                    faults=version.faults,
                    same_as=tuple(twins(state, version.id)),
                    cure=version.cure,
                )
            )
    return rows


def _versions_of(state: LeagueState, bot: str) -> list[Version]:
    """The versions of a bot or author, or the version with this id. Raises UserError if there is none."""
    all_ = state.versions.values()
    versions = [version for version in all_ if bot in (version.bot, author_of(version.id), version.id)]
    if not versions:
        known = {version.bot for version in all_} | {*state.authors}
        raise UserError(f"no bot or author is called {bot!r}{did_you_mean(bot, sorted(known))}")
    return versions


class ForfeitRow(msgspec.Struct, frozen=True):
    """A match that a version forfeited."""

    match: str
    """The numbers of the draw, of the version in its question, and of the seating, as in 12-1-3."""
    version: VersionId
    kind: str
    """The kind of fault."""
    deal_no: int
    """From 1; 0 before the first deal."""


def fault_rows(state: LeagueState, bot: str | None = None) -> list[ForfeitRow]:
    """The forfeits of all versions, or of one bot, author or version, in this segment of the journal, by
    draw. Raises UserError."""
    wanted = None if bot is None else {version.id for version in _versions_of(state, bot)}
    rows = []
    for no, played in state.played.items():
        if no in state.over:
            continue  # It does not count.
        drawn = state.draws[no]
        for number, (version, matches) in enumerate(zip(drawn.versions, played.matches, strict=True), 1):
            for seating_no, match in enumerate(matches, 1):
                for forfeit in match.forfeits:
                    at_fault = (version, *drawn.companions)[forfeit.seat]
                    if wanted is None or at_fault in wanted:
                        name = f"{no}-{number}-{seating_no}"
                        rows.append(ForfeitRow(name, at_fault, str(forfeit.kind), forfeit.deal_no))
    return rows


def why(state: LeagueState, no: int) -> list[str]:
    """The reason for a draw, and its result, as sentences. Raises UserError."""
    drawn = state.draws.get(no)
    if drawn is None:
        last = f"; the last one is {state.last_draw}" if state.draws else "; none was drawn yet"
        raise UserError(f"there is no draw {no}{last}")
    asked, others = " and ".join(drawn.versions), ", ".join(drawn.companions)
    lines = [
        f"draw {no} on {drawn.board}: "
        + {
            "placement": f"the interval of {asked} was not yet as narrow as its neighbours', so it was "
            "placed",
            "question": f"the order of {asked} was the largest open question whose turn it was",
            "final": f"{asked} were in the leading group when the league ended, and it was their turn",
        }[drawn.why],
        f"companions drawn by lot from the panel: {others}",
    ]
    if state.panel_at[no] != state.panels[drawn.board].members:
        lines.append(f"the panel at that time: {', '.join(state.panel_at[no])}")
    seed = state.revealed.get(drawn.day, "which is not revealed yet")
    lines.append(f"its lots and deals are derived from the seed of {date(drawn.day)}, {seed}")
    if no in state.played:
        played = state.played[no]
        leads = map(lead_of, played.matches)
        lines += [
            f"{version} gained {_than(round(lead, 2))} its companions"
            for version, lead in zip(drawn.versions, leads, strict=True)
        ]
        lines.append(f"it took {played.seconds:.1f} s of a core; the log is logs/{drawn.day}/{no}.jsonl.gz")
    if by := state.started:
        lines.append(
            f"this segment of the journal is played by arena {by.arena}, Python {by.python}, {by.machine}"
        )
    if no in state.over:
        lines.append(f"it counts for nobody: {state.over[no].reason}")
    elif no not in state.played:
        lines.append("it is being played, or is waiting for `arena league run`")
    return lines


def _than(lead: float) -> str:
    if not lead:
        return "as much a deal as"
    return f"{abs(lead):.2f} a deal {'more' if lead > 0 else 'less'} than"


def renewed(state: LeagueState, board: BoardId | None, members: Sequence[VersionId]) -> PanelSet:
    """The entry that changes a board's panel; `board` may be None if there is only one. Raises UserError."""
    if board is None:
        if len(state.boards) > 1:
            raise UserError(f"which board? {flag.board} {' or '.join(state.boards)}")
        (board,) = state.boards
    if board not in state.boards:
        raise UserError(f"there is no board {board!r}{did_you_mean(board, state.boards)}")
    if len(members) > MOST_MEMBERS:
        raise UserError(f"a panel has at most {MOST_MEMBERS} versions")
    return PanelSet(board, tuple(members), state.panels[board].zero)
