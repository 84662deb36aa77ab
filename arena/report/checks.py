"""The results of checks as pages: one for each bot, to send to its author, and an index for the organiser.
Each page is one file that needs no other.

A page reveals nothing about the machine of the check: the paths of the bot's folders are removed.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.checking.alone import Task
from arena.checking.findings import Checked, Finding, NotChecked, Verdict
from arena.checking.lines import by_mistake, milliseconds
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.report.pages import page
from arena.system.errors import UserError
from arena.system.files import write_whole

INDEX: Final = "index"
STYLES: Final = ("base.css", "report.css", "checks.css")
LINES_SHOWN: Final = 400
"""Lines of the dialogue on a page. They are the last ones, since a failed match ends with its failure."""
SIZE_SHOWN: Final = 4000
"""Characters shown of a message, an answer, or standard error."""


class FailedSteps(msgspec.Struct, frozen=True):
    """A mistake: the first step that failed because of it, and the names of the other steps."""

    first: Finding
    others: tuple[str, ...]


class CheckShown(msgspec.Struct, frozen=True):
    """One bot. `result` is None if it was not checked; then `why` gives the reason."""

    name: str
    file: str
    games: tuple[str, ...]
    result: Checked | None
    why: str
    failures: tuple[FailedSteps, ...]
    dialogue: tuple[str, ...]
    left_out: int
    """The number of lines of the dialogue before those shown."""

    @property
    def state(self) -> str:
        """The result in a few words; `summary` lists all possible ones."""
        if self.result is None:
            return "not checked"
        if not self.result.passed:
            return "to fix"
        return "passed in part" if self.skipped else "passed"

    @property
    def skipped(self) -> int:
        """The number of steps that were not tried."""
        return len(self.result.of(Verdict.SKIPPED)) if self.result else 0

    @property
    def why_skipped(self) -> str:
        """Why the first of these was not tried."""
        return self.result.of(Verdict.SKIPPED)[0].remark if self.result and self.skipped else ""

    @property
    def failed_steps(self) -> int:
        """The number of steps that failed."""
        return len(self.result.of(Verdict.FAILED)) if self.result else 0

    @property
    def passed_steps(self) -> int:
        """The number of steps that passed."""
        return len(self.result.of(Verdict.PASSED) + self.noted) if self.result else 0

    @property
    def noted(self) -> list[Finding]:
        """The steps that passed with a remark for the author."""
        return self.result.of(Verdict.NOTED) if self.result else []


def write_checks(folder: Path, tasks: Sequence[Task], results: Sequence[Checked | NotChecked]) -> Path:
    """Write the pages into `folder`, and return the path of the index. Raises UserError if that fails."""
    files = page_names([task.name for task in tasks])
    shown = [_shown(*each) for each in zip(tasks, results, files, strict=True)]
    path = folder / f"{INDEX}.html"
    try:
        for check, task in zip(shown, tasks, strict=True):
            html = page("check.html", styles=STYLES, check=check, task=task, ms=milliseconds)
            write_whole(folder / check.file, html.encode())
        states = list(summary(shown))
        index = page("checks.html", styles=STYLES, checks=shown, states=states, ms=milliseconds)
        write_whole(path, index.encode())
    except OSError as error:
        raise UserError(f"{folder}: the pages cannot be written ({error.strerror})") from None
    return path


def page_names(names: Sequence[str]) -> list[str]:
    """A file name for each bot, all different even where upper and lower case are the same."""
    taken, files = {INDEX}, []
    for name in names:
        stem = re.sub("[^A-Za-z0-9._-]+", "-", name).strip("-.") or "bot"
        unique, number = stem, 1
        while unique.lower() in taken:
            unique, number = f"{stem}-{number + 1}", number + 1
        taken.add(unique.lower())
        files.append(f"{unique}.html")
    return files


def _shown(task: Task, result: Checked | NotChecked, file: str) -> CheckShown:
    games = tuple(registry.game(game).title for game in task.games)
    if isinstance(result, NotChecked):
        return CheckShown(task.name, file, games, None, result.why, (), (), 0)
    private = _private(task)
    result = msgspec.structs.replace(
        result, findings=tuple(_without(private, finding) for finding in result.findings)
    )
    failures = tuple(
        FailedSteps(first, tuple(finding.step for finding in others))
        for first, *others in by_mistake(result.of(Verdict.FAILED))
    )
    dialogue = result.transcript[-LINES_SHOWN:]
    return CheckShown(
        task.name, file, games, result, "", failures, dialogue, len(result.transcript) - len(dialogue)
    )


def _private(task: Task) -> Mapping[str, str]:
    """Paths of this machine, each with its replacement on the page."""
    found = {f"{os.path.expanduser('~')}/": "~/"}
    if isinstance(task.bot, Entrant):
        launch = task.bot.launch
        owned = f"{os.path.dirname(launch.folder)}/" if launch.owns_folder else f"{launch.folder}/"
        # The folder of the interpreter is removed too, since the author has another one.
        found = {owned: "", f"{os.path.dirname(launch.argv[0])}/": "", **found}
        source = task.bot.source.partition("=")[2] or task.bot.source
        if os.path.isabs(source):
            found = {f"{os.path.dirname(source)}/": "", **found}
    return {path: instead for path, instead in found.items() if len(path) > 1}


def _without(private: Mapping[str, str], finding: Finding) -> Finding:
    """The finding with private paths replaced and long texts cut."""
    changed = {}
    for field in ("remark", "fault", "stderr", "mend", "again"):
        text = getattr(finding, field)
        for path, instead in private.items():
            text = text.replace(path, instead)
        changed[field] = text
    changed["sent"], changed["came"] = _cut(finding.sent), _cut(finding.came)
    changed["stderr"] = changed["stderr"][-SIZE_SHOWN:]
    return msgspec.structs.replace(finding, **changed)


def _cut(text: str) -> str:
    return f"{text[:SIZE_SHOWN]} …" if len(text) > SIZE_SHOWN else text


def summary(checks: Sequence[CheckShown]) -> Iterator[tuple[str, int]]:
    """The number of bots in each state; states without a bot are left out."""
    for state in ("passed", "passed in part", "to fix", "not checked"):
        if count := sum(check.state == state for check in checks):
            yield state, count
