"""The results of checks as a table for the spreadsheet of whoever checks a class."""

from collections.abc import Sequence
from typing import Final

import msgspec

from arena.checking.alone import Task
from arena.checking.findings import Checked, NotChecked, Verdict
from arena.director.row_lines import csv_lines
from arena.entrants.roster import Entry

RESULTS: Final = "results.csv"
BYTE_ORDER: Final = "\ufeff"
"""At the beginning of a file; without it some spreadsheets take UTF-8 for Latin-1."""


class ResultRow(msgspec.Struct, frozen=True):
    """A bot. `result` is `passed`, `to mend` or `not checked`; `mend` says what is to be fixed first. `page`
    is the file for its author. `number` is that under which a platform for teaching knows what was handed
    in."""

    bot: str
    author: str
    group: str
    number: str
    result: str
    passed: int
    steps: int
    mend: str
    page: str


def results_csv(
    tasks: Sequence[Task], results: Sequence[Checked | NotChecked], entries: Sequence[Entry]
) -> str:
    """The table, with what the entry of each task says of its author."""
    # Imported here because the templates are slow to load.
    from arena.report.checks import page_names

    pages = page_names([task.name for task in tasks])
    rows = (
        _row(task, result, said, page)
        for task, result, said, page in zip(tasks, results, entries, pages, strict=True)
    )
    return BYTE_ORDER + "".join(csv_lines(rows))


def _row(task: Task, result: Checked | NotChecked, said: Entry, page: str) -> ResultRow:
    who = (task.name, said.author, said.group, said.number)
    if isinstance(result, NotChecked):
        return ResultRow(*who, "not checked", 0, 0, result.why, page)
    failed = result.of(Verdict.FAILED)
    return ResultRow(
        *who,
        "to mend" if failed else "passed",
        len(result.of(Verdict.PASSED)) + len(result.of(Verdict.NOTED)),
        len(result.findings),
        f"{failed[0].step}: {failed[0].mend}" if failed else "",
        page,
    )
