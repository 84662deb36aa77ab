"""Lines of `arena export`: rows as CSV or JSON."""

import csv
import io
import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from arena.director.export import ExportRow
from arena.system.text import first_seen

BEGINNINGS: Final = frozenset("=+-@＝＋－＠﹦﹢﹣﹫−")
"""Characters with which a formula may begin (https://owasp.org/www-community/attacks/CSV_Injection). A
spreadsheet may ignore invisible characters before them."""
QUOTED_BEGINNINGS: Final = ("'", "\t", "\r", "\n")
"""Other beginnings that get a ' before them."""


def csv_lines(rows: Iterable[msgspec.Struct]) -> Iterator[str]:
    """The header, then a line for each row, each with a newline; nothing if there are no rows."""
    rows = iter(rows)
    for first in rows:
        yield _line(first.__struct_fields__)
        for row in itertools.chain([first], rows):
            yield _line(map(cell, msgspec.structs.astuple(row)))


def json_lines(rows: Iterable[ExportRow]) -> Iterator[str]:
    """An object for each row, with a newline."""
    for row in rows:
        yield f"{msgspec.json.encode(row).decode()}\n"


def _line(cells: Iterable[object]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()


def cell(value: object) -> object:
    """The value for a cell of CSV. Lists and objects become JSON. A text that a spreadsheet would take for a
    formula gets a leading `'`; so does one that begins with `'`, so that removing one `'` restores either."""
    if isinstance(value, str) and (value[:1] in QUOTED_BEGINNINGS or first_seen(value) in BEGINNINGS):
        return f"'{value}"
    return msgspec.json.encode(value).decode() if isinstance(value, tuple | list | dict | bool) else value
