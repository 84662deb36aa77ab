"""What became of a law, in lines. Knows neither terminals nor pytest, which both print them."""

from collections.abc import Iterator, Sequence
from typing import Final

from arena.laws.judge import Judged

LABEL_WIDTH: Final = 12
"""Columns that the labels take."""


def lines(judged: Judged) -> Iterator[str]:
    """One line for a law that is kept; for one that is broken its promise, and what was found where."""
    if not judged.broken:
        yield f"  untried {judged.law}: {judged.untried}" if judged.untried else f"  kept    {judged.law}"
        return
    first, *others = judged.broken
    yield f"  BROKEN  {judged.law}: {judged.promise}"
    parts: Sequence[tuple[str, Sequence[str]]] = (
        ("where", [", ".join(filter(None, (first.variant, first.where)))]),
        ("found", [first.found]),
        ("code", first.trace),
        ("mend", [first.mend]),
    )
    for label, texts in parts:
        for at, text in enumerate(texts):
            yield f"{'':4}{label if at == 0 else '':{LABEL_WIDTH - 4}}{text}"
    if others:
        yield f"    … broken too in {', '.join(broken.variant for broken in others)}"
