"""The tables of a tournament as texts: a text for each column of a row, for terminals and notebooks.

Knows standings and what follows from them, neither widths nor colours.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from arena.director.entries import TimeUp
from arena.director.state import Record, StatisticsInput
from arena.games import registry
from arena.playing.spent import Spent
from arena.system.text import caption
from arena.system.wording import gain_text, interval, probability
from tournaments.versions import BEGINS

if TYPE_CHECKING:
    from arena.director.season import SeasonRecord
    from tournaments.explain import ExplainedPod
    from tournaments.knockout import KnockoutResult
    from tournaments.meetings import Meeting
    from tournaments.seat_gains import SeatGain
    from tournaments.standings import Standing
    from tournaments.superiority import Superiority

CAME_TO: Final = "came to"
"""The heading of a column that only a knockout has."""
WORDS: Final = (
    *("bot", CAME_TO, "from", "to", "program", ""),
    *("better", "than", "met", "entrants and their scores", "had met", "cheapest exchange"),
)
"""The headings of the columns that hold no numbers."""
NAMED: Final = 4
"""A sentence gives this many names, and counts the others."""
DIGEST_SHOWN: Final = 8
"""Characters of a digest that suffice to distinguish programs."""


class TableWording(Protocol):
    """The tournament or season that a table is about."""

    @property
    def withdrawn(self) -> tuple[str, ...]: ...

    @property
    def fielded(self) -> StatisticsInput: ...

    def called(self, name: str) -> str: ...


def headline(record: Record) -> str:
    """The game, the format, and the progress of a tournament."""
    created = record.created
    title = registry.game(created.game).title
    played = f"{record.progress}, {len(record.results)} matches"
    return f"{title} · {created.format} · {played}"


def spent_text(spent: Spent) -> str:
    """What matches have cost: all of it, and what it went to."""
    seconds = {name: f"{ms / 1000:.1f} s" for name, ms in msgspec.structs.asdict(spent).items()}
    return (
        f"{sum(msgspec.structs.astuple(spent)) / 1000:.1f} s: bots thinking {seconds['thinking']}, starting "
        f"{seconds['starting']}, their sandboxes {seconds['sandboxes']}, ending {seconds['ending']}; "
        f"referee and logs {seconds['referee']}"
    )


def time_up_text(entry: TimeUp) -> str:
    """The effect of a deadline, as a sentence without full stop."""
    text = f"the time was up after round {entry.rounds}" if entry.rounds else "the time was up before round 1"
    by_round: dict[int, list[str]] = {}
    for round_no, pod_no in entry.unfinished:
        by_round.setdefault(round_no, []).append(str(pod_no))
    for round_no, pods in by_round.items():
        which = f"pod {pods[0]}" if len(pods) == 1 else f"pods {named(pods)}"
        text += f"; {which} of round {round_no} did not end in time, so none of their matches counts"
    return text


def cells(row: "Standing", record: TableWording, came_to: Mapping[str, str]) -> dict[str, str]:
    """The text for each heading of a row, in the order of the columns. The remarks have an empty heading and
    come last; the column of `came_to` is left out if that is empty."""
    remarks = [f"{count} × {kind}" for kind, count in row.forfeits.items()]
    if row.rank is None:
        remarks.insert(0, why_unranked(row, record))
    if row.joined is not None:
        remarks.insert(0, f"since round {row.joined}")
    return {
        "rank": "–" if row.rank is None else str(row.rank),
        "bot": record.called(row.name),
        **({CAME_TO: came_to.get(row.name, "")} if came_to else {}),
        "gain/deal": gain_text(row.gain),
        "95 % interval": interval(row.low, row.high),
        "could be": possible_ranks(row),
        "score": f"{row.score:g}/{row.max_score:g}" if row.max_score else "–",
        "Buchholz": "–" if row.buchholz is None else f"{row.buchholz:.2f}",
        "matches": str(row.matches),
        "": ", ".join(remarks),
    }


def season_headline(season: "SeasonRecord") -> str:
    """The game, the tournaments with those marked that are not over, and the number of matches."""
    title = registry.game(season.records[0].created.game).title
    matches = sum(len(record.results) for record in season.records)
    events = ", ".join(
        event.label if event.record.over else f"{event.label} (not over)" for event in season.events
    )
    return f"{title} · {events} · {matches} matches"


def season_cells(row: "Standing", season: "SeasonRecord") -> dict[str, str]:
    """A row of a season's table. It lacks the columns that only matter for pairing, and adds the program's
    first and last tournament, its digest and its other names."""
    shown = cells(msgspec.structs.replace(row, joined=None), season, {})
    del shown["Buchholz"]
    remarks = shown.pop("")
    program = season.programs.get(row.name)
    now = row.name.partition(BEGINS)[0]
    also = [season.called(name) for name in (program.names if program else ()) if name != now]
    return shown | {
        "from": program.events[0] if program else "",
        "to": program.events[-1] if program else "",
        "program": caption(program.digest)[:DIGEST_SHOWN] if program else "",
        "": ", ".join(filter(None, (f"also {', '.join(also)}" if also else "", remarks))),
    }


def superiority_cells(row: "Superiority", called: Callable[[str], str]) -> dict[str, str]:
    """A row of the comparisons. `called` turns a name into the one shown to people."""
    return {
        "better": called(row.better),
        "than": called(row.worse),
        "by": gain_text(row.difference),
        "± error": f"{row.error:.2f}",
        "p": probability(row.p),
        "Holm's p": probability(row.holm),
    }


def meeting_cells(row: "Meeting", called: Callable[[str], str]) -> dict[str, str]:
    """A row of the meetings."""
    return {
        "bot": called(row.one),
        "met": called(row.other),
        "pods": str(row.pods),
        "gained more": gain_text(row.difference),
        "95 % interval": interval(row.low, row.high),
    }


def seat_cells(row: "SeatGain") -> dict[str, str]:
    """A row of the gains by seat."""
    error = "–" if row.error is None else f"{row.error:.2f}"
    return {"seat": str(row.seat), "gain": gain_text(row.gain), "± error": error, "p": probability(row.p)}


def pod_cells(row: "ExplainedPod", called: Callable[[str], str]) -> dict[str, str]:
    """A pod and the reasons for it, as a row."""
    pod = row.with_names(called)
    scores = (name if score is None else f"{name} {score:g}" for name, score in pod.scores.items())
    return {
        "pod": str(pod.pod_no),
        "entrants and their scores": ", ".join(scores),
        "had met": pod.had_met,
        "gap": f"{pod.widest_gap:g}",
        "cheapest exchange": pod.way_out(),
    }


def came_to_texts(course: "KnockoutResult | None") -> Mapping[str, str]:
    """How far each entrant of a knockout came, as text by name; {} for None."""
    if course is None:
        return {}
    rounds = {name: f"round {round_no}" for name, round_no in course.came_to.items()}
    final = {name: "final" for name, round_no in course.came_to.items() if round_no == course.final}
    return rounds | final | ({course.winner: "winner"} if course.winner else {})


def why_unranked(row: "Standing", record: TableWording, *, house: str = "unranked") -> str:
    """Why a bot has no rank; `house` is the text for house bots."""
    if row.name in record.withdrawn:
        return "withdrawn"
    if row.name in record.fielded.gone:
        return "replaced"
    return house if row.rank_low is None else without_order(row)


def without_order(row: "Standing") -> str:
    """Why an entrant that was not withdrawn has no rank."""
    return "not comparable" if row.matches else "no match yet"


def possible_ranks(row: "Standing") -> str:
    """The ranks that the intervals allow, such as 1–4, or a dash."""
    if row.rank_low is None:
        return "–"
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def named(names: Iterable[str]) -> str:
    """A list of names for a sentence. Of many names it gives the first ones and a count, which is never 1."""
    known: Sequence[str] = list(names)
    if len(known) > NAMED + 1:
        return f"{', '.join(known[:NAMED])} and {len(known) - NAMED} more"
    return " and ".join(filter(None, (", ".join(known[:-1]), known[-1])))
