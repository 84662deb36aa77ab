"""`arena export`: rows as lines of CSV or JSON."""

import csv
import io
import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from arena.director.export import ExportRow
from arena.system.text import first_seen

BEGINNINGS: Final = frozenset("=+-@＝＋－＠﹦﹢﹣﹫−")
"""Characters with which a formula may begin (https://owasp.org/www-community/attacks/CSV_Injection); a
spreadsheet may leave out invisible characters before them."""
QUOTED_BEGINNINGS: Final = ("'", "\t", "\r", "\n")
"""Other characters that get a ' before them."""


def csv_lines(rows: Iterable[msgspec.Struct]) -> Iterator[str]:
    """The names of the columns, then a line for each row; nothing without rows. Each ends with a newline."""
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
    formula gets a `'` before it, and so does one that begins with a `'`, so that removing one `'` restores
    either."""
    if isinstance(value, str) and (value[:1] in QUOTED_BEGINNINGS or first_seen(value) in BEGINNINGS):
        return f"'{value}"
    return msgspec.json.encode(value).decode() if isinstance(value, tuple | list | dict | bool) else value
