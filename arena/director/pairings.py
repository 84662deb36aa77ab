"""Data of `arena pairings`: who met whom in each round, and why."""

from typing import TYPE_CHECKING, Any

import msgspec

from arena.director.state import Record
from arena.director.titles import titles_of

if TYPE_CHECKING:
    from tournaments.explain import ExplainedPod


def pairings(record: Record, round_no: int | None = None) -> "list[tuple[int, tuple[ExplainedPod, ...]]]":
    """The drawn rounds, or only `round_no`, each by number and with its pods explained."""
    # numpy and scipy are slow to load.
    from tournaments.explain import before_each_round, explain  # noqa: PLC0415

    fields = before_each_round(record.field())
    return [
        (number, tuple(explain(field, pods)))
        for number, (field, pods) in enumerate(zip(fields, record.drawn, strict=True), 1)
        if round_no in (None, number)
    ]


def as_data(record: Record, round_no: int | None = None) -> list[dict[str, Any]]:
    """The rounds for --json."""
    titles = titles_of(record.entrants.values())
    return [
        {"round": number, "pods": msgspec.to_builtins(pods)} | titles
        for number, pods in pairings(record, round_no)
    ]
