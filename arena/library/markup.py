"""Markup for notebooks: a table, and a page in a frame. Escapes all text, and loads nothing.

Styles are inline, so that they do not affect the notebook; colours are the notebook's own, light or dark.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from markupsafe import Markup

Cells: TypeAlias = Sequence[tuple[str, bool]]
"""The texts of a row, each with whether it is a number, which is aligned to the right."""

SHOWN: Final = 60
"""A table with more rows than this shows only the first and last ones."""
FIRST: Final = 20
LAST: Final = 10
WRAPPED: Final = 40
"""A longer text is wrapped."""
LONGEST: Final = 120
"""The maximum number of characters shown of a cell."""

_LINE: Final = "1px solid rgba(128,128,128,0.3)"
_CELL: Final = f"padding:0.2em 0.8em;border:0;border-bottom:{_LINE};vertical-align:top;"
_NUMBER: Final = f"{_CELL}text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
_TEXT: Final = f"{_CELL}text-align:left;white-space:nowrap"
_LONG: Final = f"{_CELL}text-align:left;min-width:14em;max-width:40em;overflow-wrap:anywhere"
"""Without a minimum width a text that may break anywhere becomes a column of single letters."""


def table(
    title: str, headings: Sequence[str], rows: int, cells: Callable[[int], Cells], notes: Iterable[str] = ()
) -> str:
    """The HTML of a table. `rows`: the number of rows. `cells`: returns a row by its index, and is called
    only for rows that are shown."""
    long = rows > SHOWN
    first = [_row(cells(index)) for index in range(FIRST if long else rows)]
    last = [_row(cells(index)) for index in range(rows - LAST, rows)] if long else []
    left_out = Markup('<tr><td colspan="{}" style="{}">… {} rows left out …</td></tr>').format(
        len(headings), _TEXT, rows - FIRST - LAST
    )
    numbers = [number for _, number in cells(0)] if rows else [False] * len(headings)
    head = Markup("").join(
        Markup('<th scope="col" style="{}">{}</th>').format(_NUMBER if number else _TEXT, heading)
        for heading, number in zip(headings, numbers, strict=True)
    )
    whole = Markup(
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0.5em 0">'
        '<caption style="caption-side:top;text-align:left;font-weight:bold;padding:0.2em 0.8em">{}</caption>'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}</div>"
    ).format(
        title,
        head,
        Markup("").join([*first, *([left_out] if long else []), *last]),
        Markup("").join(
            Markup('<p style="margin:0.3em 0.8em;opacity:0.8">{}</p>').format(note) for note in notes
        ),
    )
    return str(whole)


def _row(cells: Cells) -> Markup:
    return Markup("<tr>{}</tr>").format(
        Markup("").join(
            Markup('<td style="{}">{}</td>').format(_style(text, number), _cut(text))
            for text, number in cells
        )
    )


def _style(text: str, number: bool) -> str:
    return _NUMBER if number else _LONG if len(text) > WRAPPED else _TEXT


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def frame(page: str, title: str, height: int) -> str:
    """The HTML of a sandboxed frame with a page. The page may run its own script, but has no origin, cannot
    open windows, and reaches neither the notebook nor its cookies."""
    whole = Markup(
        '<iframe srcdoc="{}" title="{}" sandbox="allow-scripts" loading="lazy" '
        'style="width:100%;height:{}px;border:{};border-radius:6px"></iframe>'
    ).format(page, title, height, _LINE)
    return str(whole)
