"""The results of checks as a table for the spreadsheet of whoever checks a class."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arena.calls.export import csv_lines
from arena.checking.alone import Task
from arena.checking.findings import Checked, NotChecked, Verdict
from arena.entrants.roster import Entry

RESULTS: Final = "results.csv"
BYTE_ORDER: Final = "\ufeff"
"""At the beginning of a file; without it some spreadsheets take UTF-8 for Latin-1."""


class ResultRow(msgspec.Struct, frozen=True):
    """A bot. `result` is `passed`, `to mend` or `not checked`; `mend` says what is to be mended first. `page`
    is the file for its author."""

    bot: str
    author: str
    group: str
    result: str
    passed: int
    steps: int
    mend: str
    page: str


def results_csv(
    tasks: Sequence[Task], results: Sequence[Checked | NotChecked], entries: Iterable[Entry]
) -> str:
    """The table, with what the entries say of each bot."""
    # Imported here because the templates are slow to load.
    from arena.report.checks import page_names

    said = {name: entry for entry in entries for name in (entry.name, entry.made) if name}
    pages = page_names([task.name for task in tasks])
    rows = (
        _row(task, result, said.get(task.name), page)
        for task, result, page in zip(tasks, results, pages, strict=True)
    )
    return BYTE_ORDER + "".join(csv_lines(rows))


def _row(task: Task, result: Checked | NotChecked, said: Entry | None, page: str) -> ResultRow:
    author, group = (said.author, said.group) if said else ("", "")
    if isinstance(result, NotChecked):
        return ResultRow(task.name, author, group, "not checked", 0, 0, result.why, page)
    failed = result.of(Verdict.FAILED)
    return ResultRow(
        task.name,
        author,
        group,
        "to mend" if failed else "passed",
        len(result.of(Verdict.PASSED)) + len(result.of(Verdict.NOTED)),
        len(result.findings),
        f"{failed[0].step}: {failed[0].mend}" if failed else "",
        page,
    )
