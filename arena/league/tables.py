"""The tables of a league, as rows: its boards, the versions of a bot, the reason for a draw."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from arena.director.wording import named
from arena.league.carried import CURRENT, Version
from arena.league.drawing import open_on
from arena.league.entries import DrawPlayed, DrawScheduled, PanelSet
from arena.league.entries.bots import MOST_MEMBERS
from arena.league.groups import ahead, by_first_rule, in_order, with_places
from arena.league.hand import twins
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.numbers import lead_of
from arena.league.state import LeagueState
from arena.system.errors import UserError, did_you_mean
from arena.system.wording import counted, date, duration, flag, gain_text, interval, moment
from tournaments import questions
from tournaments.agenda import Turn, Wish, longest_wait
from tournaments.questions import VAST
from tournaments.strength import PairSums

CERTAIN: Final = "●"
"""Marks what is certain."""


class BoardRow(msgspec.Struct, frozen=True):
    """A version on a board."""

    place: int | None
    """From 1; None for an anchor, and before its strength has an interval."""
    version: VersionId
    title: str
    """The title of its author, or the author's name."""
    strength: float | None
    """Its gain per deal above that of the zero; None while it is unknown."""
    low: float | None
    high: float | None
    """`low` to `high`: the 95 % interval of the strength, by the model."""
    pods: int
    ahead_of: int
    """How many of the others on the board it is said to be ahead of."""
    certain: int
    """How many of these for certain."""
    group: int | None
    """From 1. A version that is said to be ahead of the next one ends its group. None without an interval."""
    better: bool | None
    """Whether it is ahead of its predecessor; None without one."""
    status: str
    against: str
    """The same in words: `better`, `worse`, `open` or `not compared`; "" without a predecessor."""


def board_rows(state: LeagueState, board: BoardId) -> list[BoardRow]:
    """The rows of a board, the strongest first, those without a number last."""
    numbers = state.numbers[board]
    rows, group, place, before = [], 1, 0, None
    order = in_order(state, board)
    sure = with_places(order, state.panels[board].zero)
    for version, strength in order.items():
        if before is not None and ahead(state, board, before, version):
            group += 1
        before = version
        has_place = version in sure and author_of(version) != HOUSE
        place += has_place
        predecessor = state.predecessor(board, version)
        ahead_of = [other for other in order if ahead(state, board, version, other)]
        rows.append(
            BoardRow(
                place=place if has_place else None,
                version=version,
                title=title_of(state, version),
                strength=strength.strength if strength else None,
                low=strength.low if strength else None,
                high=strength.high if strength else None,
                pods=numbers.pods.get(version, 0),
                ahead_of=len(ahead_of),
                certain=sum((version, other) in numbers.statements.certain for other in ahead_of),
                group=group if version in sure else None,
                better=ahead(state, board, version, predecessor) if predecessor else None,
                status=state.versions[version].status,
                against=against(state, board, version),
            )
        )
    return rows


def title_of(state: LeagueState, version: VersionId) -> str:
    """The title of a version's author, or the author's name; `anchor` for an anchor."""
    name = author_of(version)
    if name == HOUSE:
        return "anchor"
    author = state.authors.get(name)
    return author.title or name if author else name


def board_cells(row: BoardRow, nothing: str = "") -> dict[str, str]:
    """A row of a board as a text for each heading; `nothing` stands for what it lacks."""
    return {
        "rank": nothing if row.place is None else str(row.place),
        "version": row.version,
        "author": row.title,
        "strength": gain_text(row.strength),
        "95 % interval": interval(row.low, row.high),
        "ahead of": ahead_of(row, nothing),
        "pods": str(row.pods),
        "against its predecessor": row.against or nothing,
    }


def ahead_of(row: BoardRow, nothing: str = "") -> str:
    """How many versions a version is said to be ahead of, and how many of them for certain."""
    if row.low is None:
        return nothing
    return f"{row.ahead_of} ({row.certain} {CERTAIN})" if row.certain else str(row.ahead_of)


def against(state: LeagueState, board: BoardId, version: VersionId) -> str:
    """The verdict on a version and its predecessor in a word or two; "" if it has none."""
    before = state.predecessor(board, version)
    if before is None:
        return ""
    if ahead(state, board, version, before):
        return "better"
    if ahead(state, board, before, version):
        return "worse"
    return "open" if compared(state, board, version) else "not compared"


def compared(state: LeagueState, board: BoardId, version: VersionId) -> tuple[PairSums, int] | None:
    """The comparisons of a version with its predecessor, and the sign that makes a positive difference a gain
    of the version. None without a predecessor or comparison."""
    before, pairs = state.predecessor(board, version), state.numbers[board].pairs
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
    placed_in: float
    """The estimated seconds until no placement is open."""
    asleep_in: float | None
    """The estimated seconds until nothing is open, at least; None before the board's variances are known and
    half of its versions are placed, which most questions wait for."""
    asleep_by: float | None
    """The same at most."""
    newcomer_waits: float | None
    """A bound on the seconds until the first pod of a newcomer begins, as long as no others arrive; None
    before anything was played."""


def forecast(state: LeagueState, board: BoardId) -> BoardForecast:
    """Estimate how much play is left on a board. Costs as much time as selecting a draw."""
    open_ = open_on(state, board)
    jobs = state.started.jobs if state.started else 1
    costs = {version: state.cost(version) for version in state.versions}
    newcomer = Wish("newcomer", None, 0.0, max(costs.values(), default=1), turn=Turn.WITHOUT_PODS)
    authors = {version: author_of(version) for version in state.versions} | {"newcomer": ""}
    placements = sum(wish.kind == "placement" for wish in open_)
    begins = any(wish.size == VAST for wish in open_) or 2 * placements > len(state.ranked(board))
    seconds = questions.forecast(open_, jobs)
    return BoardForecast(
        placements=placements,
        questions=len(open_) - placements,
        placed_in=seconds.placed_in,
        asleep_in=None if begins else seconds.asleep_in,
        asleep_by=None if begins else seconds.asleep_by,
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
    placed = f"{counted(found.placements, 'version')} to be placed"
    answers = f"{counted(found.questions, 'question')} open"
    open_ = " and ".join(
        part for part, number in ((placed, found.placements), (answers, found.questions)) if number
    )
    if state.closed:
        then = "the final" if state.closed.finals else "it is sealed"
        return f"closed: {open_ or 'everybody is placed'}; then {then}"
    closes = f"; versions are accepted until {moment(state.closes.closes)}" if state.closes else ""
    if not open_:
        return f"asleep: no order above the margin is open{closes}"
    if state.frozen or found.newcomer_waits is None:
        return f"{open_}{closes}"  # The estimates of that time may be out of date.
    left = "it is too early to say how much play is left"
    if found.asleep_in is not None and found.asleep_by is not None:
        placed = f"placements take about {duration(found.placed_in)} of play"
        ends = found.asleep_in - found.placed_in, found.asleep_by - found.placed_in
        answers = f"questions {'another' if found.placements else 'take about'} {_between(*ends)}"
        left = ", ".join(
            part for part, number in ((placed, found.placements), (answers, found.questions)) if number
        )
    first = f"a version sent in now plays its first pod within {duration(found.newcomer_waits)} of play"
    return f"{open_}; {left}; {first}{closes}"


def _between(least: float, most: float) -> str:
    """A range of durations."""
    low, high = duration(least), duration(most)
    return low if low == high else f"{low} to {high}"


def who_is_ahead(state: LeagueState, board: BoardId) -> str:
    """Who is ahead on a board, as a sentence that claims no more than is shown."""
    # The first pods of a newcomer vary widely, so it can lead only once it has an interval.
    rows = [row for row in board_rows(state, board) if row.low is not None]
    best = next((row for row in rows if row.place), None)
    if best is None:
        return f"Nothing can be compared{'' if state.sealed else ' yet'}: too little has been played."
    others = [row.version for row in rows if row is not best]
    open_ = [other for other in others if not ahead(state, board, best.version, other)]
    first = f"{best.version} ({best.title}) is first" if state.sealed else f"{best.version} leads"
    parts = [first if rows[0] is best else f"{first}, as anchors have no rank"]
    if len(open_) < len(others):
        said = f"{len(others) - len(open_)} of" if open_ else "all"
        parts.append(f"it is ahead of {said} {counted(len(others), 'other')}")
    elif others:
        parts.append("that rests on its strength alone")
    if open_:
        parts.append(f"it cannot be told {'' if state.sealed else 'yet '}from {named(open_)}")
    return f"{'; '.join(parts)}."


def what_statements_mean(state: LeagueState) -> str:
    """How sure the statements of a league are, as sentences for its boards."""
    share = f"{100 * state.founded.alpha:g} %"
    return (
        f"Of all that a board says at a moment, at most {share} is expected to be wrong, however often you "
        f"look; such a statement may be taken back. One with {CERTAIN} never is: the chance that a board "
        f"ever marks anything that is wrong is at most {share}."
    )


def said_earlier(state: LeagueState, board: BoardId) -> str | None:
    """What a board has said by the first rule of statements and does not say now, as a sentence; None if
    there is nothing."""
    pairs = [pair for pair in by_first_rule(state, board) if not ahead(state, board, *pair)]
    if not pairs:
        return None
    said = named(f"{above} ahead of {below}" for above, below in pairs)
    return f"An earlier arena also said, by another rule: {said}."


def standings(state: LeagueState) -> dict[str, Any]:
    """All boards, for --json."""
    return {
        "boards": {board: msgspec.to_builtins(board_rows(state, board)) for board in state.boards},
        "forecast": {board: msgspec.to_builtins(forecast(state, board)) for board in state.boards},
        "statements": {
            board: msgspec.to_builtins(numbers.statements.carried) for board, numbers in state.numbers.items()
        },
        "panels": {board: panel.members for board, panel in state.panels.items()},
        "waiting": [version.id for version in state.waiting()],
        "draws": state.last_draw - len(state.in_flight),
        "closed": state.closed is not None,
        "closes": state.closes.closes if state.closes else None,
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
    against: str
    """The verdict on it and its predecessor there: `better`, `worse`, `open` or `not compared`; "" without a
    predecessor or a board."""
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
                    against=against(state, board, version.id) if board else "",
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


class AuthorRow(msgspec.Struct, frozen=True):
    """An author of a league."""

    author: str
    title: str
    """What people read; "" for the name itself."""
    versions: int
    """How many the author has sent."""
    current: tuple[VersionId, ...]


def author_rows(state: LeagueState) -> list[AuthorRow]:
    """The authors by name."""
    sent = Counter(author_of(version) for version in state.versions)
    return [
        AuthorRow(
            author=name,
            title=author.title,
            versions=sent[name],
            current=tuple(
                one
                for one in state.current.values()
                if author_of(one) == name and state.versions[one].status == CURRENT
            ),
        )
        for name, author in sorted(state.authors.items())
    ]


def turn(state: LeagueState, version: VersionId) -> str:
    """When a version that waits is checked, as a phrase."""
    before = [one.id for one in state.waiting()].index(version)
    place = f"{counted(before, 'version')} before it to be checked" if before else "it is checked next"
    if not state.check_seconds:
        return place
    each = sum(state.check_seconds) / len(state.check_seconds)
    seconds = (before // state.checks_at_a_time + 1) * each
    return f"{place}; that takes about {duration(seconds)}"


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
    return [
        row
        for no, played in state.played.items()
        if no not in state.over  # Others do not count.
        for row in forfeits_in(state.draws[no], played)
        if wanted is None or row.version in wanted
    ]


def forfeits_in(drawn: DrawScheduled, played: DrawPlayed) -> Iterator[ForfeitRow]:
    """The forfeits of a draw, in its order."""
    for number, (version, matches) in enumerate(zip(drawn.versions, played.matches, strict=True), 1):
        for seating_no, match in enumerate(matches, 1):
            for forfeit in match.forfeits:
                at_fault = (version, *drawn.companions)[forfeit.seat]
                name = f"{drawn.no}-{number}-{seating_no}"
                yield ForfeitRow(name, at_fault, str(forfeit.kind), forfeit.deal_no)


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
