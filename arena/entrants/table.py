"""Reads a class from a table: CSV as spreadsheets write it, or TOML. Each row names a bot and its author.

    bot      the file, folder or archive, relative to the table's folder
    name     the name for commands; by default that of the file
    title    what people read instead of the name
    author   who wrote it
    group    the group in whose standings it appears

A row with a mistake contains the message, and does not affect others. Knows text, not which files exist.
"""

import codecs
import csv
import io
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

import msgspec

from arena.entrants.names import handed_in
from arena.process.reader import Reader, ReaderLimits, ReadError
from arena.system.errors import UserError, did_you_mean
from arena.system.text import caption

CSV: Final = ".csv"
TOML: Final = ".toml"
ROWS: Final = "bot"
"""The key of the list of tables in TOML."""
SIZE_LIMIT: Final = 1024 * 1024
ROWS_LIMIT: Final = 10_000
TOML_SECONDS: Final = 10.0
"""The limit on the CPU time for parsing TOML."""

SPREADSHEETS: Final = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
"""Suffixes of spreadsheets' own formats, which cannot be read here."""
SPREADSHEET: Final = "a spreadsheet file: save it as CSV (UTF-8), and name that file"
_SPREADSHEET_BEGINS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SEPARATORS: Final = (",", ";", "\t")
_NAMED_SEPARATOR: Final = "sep="
"""The beginning of the line in which some spreadsheets declare the separator."""


class TableEntry(msgspec.Struct, frozen=True):
    """A row of a table. `line`: the line in which it begins; in TOML the number of the bot. `wrong`: what is
    wrong with the row, and where; "" for nothing."""

    line: int
    bot: str
    name: str = ""
    title: str = ""
    author: str = ""
    group: str = ""
    wrong: str = ""


FIELDS: Final = ("bot", "name", "title", "author", "group")


class EntrantTable(NamedTuple):
    """The rows of a table, and remarks for people about how it was read."""

    rows: tuple[TableEntry, ...]
    remarks: tuple[str, ...] = ()


class Toml(msgspec.Struct, frozen=True, tag=True):
    """The task to read a table in TOML. `path`: its name in messages."""

    path: str


class Parsed(msgspec.Struct, frozen=True):
    """The rows of a table in TOML; otherwise why it is no table of bots, or the mistake in it."""

    rows: tuple[TableEntry, ...] = ()
    no_table: str = ""
    mistake: str = ""


class NoTableError(Exception):
    """A file is not a table of bots, and may be meant for something else; the text is the reason."""


def read_table(path: Path, reader: Reader) -> EntrantTable:
    """Read a table; TOML is parsed by `reader`. Raises NoTableError; UserError, with line and column, for a
    mistake that affects the whole table."""
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    if len(data) > SIZE_LIMIT:
        raise NoTableError(f"a table larger than {SIZE_LIMIT >> 20} MB")
    if data.startswith(_SPREADSHEET_BEGINS):
        raise NoTableError(SPREADSHEET)
    table = _of_csv(path, data) if path.suffix.lower() == CSV else _read_toml(path, data, reader)
    if not table.rows:
        raise UserError(f"{path}: lists no bots; add one row per bot")
    if len(table.rows) > ROWS_LIMIT:
        raise UserError(f"{path}: it has {len(table.rows)} rows, but at most {ROWS_LIMIT} are allowed")
    return table


def place(path: Path, row: TableEntry, column: str = "") -> str:
    """A position for messages: file, line and column."""
    where = "line" if path.suffix.lower() == CSV else "bot"
    return f"{path}, {where} {row.line}" + (f", column {column}" if column else "")


def called(rows: Sequence[TableEntry]) -> list[str]:
    """The text from which each row's bot gets its name: its `name`; otherwise its submitter, if a learning
    platform has put it into the path; otherwise its file without the suffix, or the folder if several files
    have the same name (`ada/bot.py`, `bob/bot.py`). A row without a file gets its author."""
    paths = [PurePosixPath(row.bot) for row in rows]
    stems = Counter(path.stem for path, row in zip(paths, rows, strict=True) if not row.name)
    return [
        row.name
        or handed_in(path.parts).by
        or (path.parent.name if stems[path.stem] > 1 and path.parent.name else path.stem)
        or row.author
        or row.title
        or f"line {row.line}"
        for path, row in zip(paths, rows, strict=True)
    ]


def _of_csv(path: Path, data: bytes) -> EntrantTable:
    text, remark = _decoded(data)
    lines, before = text, 0
    separators: Sequence[str] = _SEPARATORS
    if text[: len(_NAMED_SEPARATOR)].lower() == _NAMED_SEPARATOR:
        first, _, lines = text.partition("\n")
        before, separators = 1, first[len(_NAMED_SEPARATOR) :].strip("\r") or _SEPARATORS
    for separator in separators[:3]:
        parsed = _parsed(lines, separator, before)
        header = next(parsed, _Cells(0, [])).cells
        columns = [caption(cell).casefold() for cell in header]
        if ROWS in columns:
            break
    else:
        seen = caption(lines.partition("\n")[0], 60)
        raise NoTableError(f"the table has no column `{ROWS}`; its first line is {seen!r}")
    if doubled := [column for column, times in Counter(columns).items() if times > 1 and column in FIELDS]:
        raise UserError(f"{path}, line {before + 1}: two columns are called {doubled[0]!r}; rename one")
    rows = tuple(_rows(path, parsed, columns, separator))
    unused = [column for column in columns if column and column not in FIELDS]
    remarks = [f"{path}: {remark}"] if remark else []
    if unused:
        known = f"known columns: {', '.join(FIELDS)}"
        remarks.append(f"{path}: unused columns: {caption(', '.join(unused))} ({known})")
    return EntrantTable(rows, tuple(remarks))


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and a remark if its encoding had to be guessed."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "it is not UTF-8, and was read as Windows-1252 (Latin-1)"


class _Cells(NamedTuple):
    """The cells of the row that begins in a line, or what is wrong with the line."""

    line: int
    cells: list[str]
    wrong: str = ""


def _parsed(text: str, separator: str, before: int) -> Iterator[_Cells]:
    """Parse the rows. After a malformed line continue with the next: otherwise an unclosed quote would
    swallow all other rows."""
    lines, at = list(io.StringIO(text, newline="")), 0
    while at < len(lines):
        begun = at
        reader = csv.reader(islice(lines, begun, None), delimiter=separator, strict=True)
        try:
            for cells in reader:
                yield _Cells(before + at + 1, cells)
                at = begun + reader.line_num
            return
        except csv.Error as error:
            yield _Cells(before + at + 1, [], f"{error}; save the table again as CSV")
            at += 1


def _rows(
    path: Path, parsed: Iterator[_Cells], columns: Sequence[str], separator: str
) -> Iterator[TableEntry]:
    for line, cells, wrong in parsed:
        if not wrong and not any(map(str.strip, cells)):
            continue
        if any(map(str.strip, cells[len(columns) :])):
            way_out = f"put a cell that contains {separator!r} in quotes"
            wrong = f"it has {len(cells)} cells, but the header has {len(columns)}; {way_out}"
        named = {
            column: cell for column, cell in zip(columns, cells, strict=False) if column in FIELDS
        }  # A spreadsheet may omit empty cells at the end.
        yield _row(path, line, named, wrong and f"{path}, line {line}: {wrong}")


def _read_toml(path: Path, data: bytes, reader: Reader) -> EntrantTable:
    """Raises NoTableError, UserError."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            task = msgspec.json.encode(Toml(str(path)))
            with reader.reading(task, [file.fileno()], ReaderLimits(TOML_SECONDS)) as answer:
                parsed = msgspec.json.decode(b"".join(answer), type=Parsed)
    except (ReadError, msgspec.DecodeError) as error:
        raise UserError(f"{path}: {error}") from None
    if parsed.no_table:
        raise NoTableError(parsed.no_table)
    if parsed.mistake:
        raise UserError(parsed.mistake)
    return EntrantTable(parsed.rows)


def of_toml(path: Path, data: bytes) -> Parsed:
    """Parse a table in TOML. Python's module takes hours for some files of a megabyte: call it only with
    limits."""
    try:
        # The process that runs this cannot load further codecs.
        written = tomllib.loads(data.removeprefix(codecs.BOM_UTF8).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Parsed(no_table=f"not TOML: {caption(str(error))}")
    found = written.get(ROWS)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return Parsed(no_table=f"the TOML file has no [[{ROWS}]]")
    for key in written:
        if key != ROWS:
            return Parsed(mistake=f"{path}: unknown key {caption(key)!r}; each bot is a [[{ROWS}]]")
    return Parsed(tuple(_row(path, number, cells) for number, cells in enumerate(found, 1)))


def _row(path: Path, line: int, cells: dict[str, Any], wrong: str = "") -> TableEntry:
    """A row of the valid cells. `wrong`: a mistake that is already known."""
    texts = {field: text for field in FIELDS if isinstance(text := cells.get(field, ""), str)}
    bot = texts.pop("bot", "").strip()
    others = {field: caption(text) for field, text in texts.items()}
    return TableEntry(line, bot, **others, wrong=wrong or _mistake(path, TableEntry(line, bot), cells))


def _mistake(path: Path, row: TableEntry, cells: dict[str, Any]) -> str:
    """What is wrong with a row, and where; "" for nothing."""
    for key, cell in cells.items():
        if key not in FIELDS:
            return f"{place(path, row)}: unknown key {caption(key)!r}{did_you_mean(key, FIELDS)}"
        if not isinstance(cell, str):
            quoted = f'"{caption(str(cell))}"'
            return f"{place(path, row, key)}: it must be a string: {key} = {quoted}"
    if not row.bot:
        return f"{place(path, row, 'bot')}: it is empty; name the bot's file, or delete the row"
    if "\0" in row.bot:
        return f"{place(path, row, 'bot')}: it contains a NUL character; name the bot's file"
    return ""
