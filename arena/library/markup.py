"""Markup for notebooks: a table, and a page in a frame. All text is escaped, and nothing is loaded from
anywhere.

Styles stand at their elements, so that nothing of the notebook's changes; colours are the notebook's own,
light or dark.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from markupsafe import Markup

Cells: TypeAlias = Sequence[tuple[str, bool]]
"""The texts of a row, each with whether it is a number."""

SHOWN: Final = 60
"""A table of more rows than this shows its first and last ones."""
FIRST: Final = 20
LAST: Final = 10
LONGEST: Final = 200
"""Characters of a cell that are shown."""

_LINE: Final = "1px solid rgba(128,128,128,0.3)"
_CELL: Final = f"padding:0.2em 0.8em;border:0;border-bottom:{_LINE};vertical-align:top;"
_NUMBER: Final = f"{_CELL}text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
_TEXT: Final = f"{_CELL}text-align:left;max-width:40em;overflow-wrap:anywhere"


def table(
    title: str, headings: Sequence[str], rows: int, cells: Callable[[int], Cells], notes: Iterable[str] = ()
) -> str:
    """The HTML of a table of so many `rows`. `cells` returns a row by its index; it is called for those that
    are shown."""
    long = rows > SHOWN
    first = [_row(cells(at)) for at in range(FIRST if long else rows)]
    last = [_row(cells(at)) for at in range(rows - LAST, rows)] if long else []
    left_out = Markup('<tr><td colspan="{}" style="{}">… {} rows left out …</td></tr>').format(
        len(headings), _TEXT, rows - FIRST - LAST
    )
    numbers = [number for _, number in cells(0)] if rows else [False] * len(headings)
    head = Markup("").join(
        Markup('<th scope="col" style="{}">{}</th>').format(_NUMBER if number else _TEXT, heading)
        for heading, number in zip(headings, numbers, strict=True)
    )
    return Markup(
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


def _row(cells: Cells) -> Markup:
    return Markup("<tr>{}</tr>").format(
        Markup("").join(
            Markup('<td style="{}">{}</td>').format(_NUMBER if number else _TEXT, _cut(text))
            for text, number in cells
        )
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def frame(page: str, title: str, height: int) -> str:
    """The HTML of a frame that holds a whole page, so that neither touches the other. The page may run its
    own script; it has no address, can open nothing, and reaches neither the notebook nor its cookies."""
    return Markup(
        '<iframe srcdoc="{}" title="{}" sandbox="allow-scripts" loading="lazy" '
        'style="width:100%;height:{}px;border:{};border-radius:6px"></iframe>'
    ).format(page, title, height, _LINE)
