"""Formats findings for people: each failure in full, its repeats by name. `--json` has all of them in full.

Pure: knows findings, no terminal.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from arena.checking.findings import Checked, Finding, Verdict
from arena.checking.pace import ReplyTimes
from protocol.faults import FaultKind

LINE_LIMIT: Final = 300
"""The maximum number of characters shown of a line."""
CONTEXT: Final = 40
"""Characters shown before and after the action in a line that is cut."""
LABEL_WIDTH: Final = 12
"""The width of the column of labels."""
DIALOGUE_LINES: Final = 6
STDERR_LINES: Final = 20
FEW: Final = 2
"""Up to this many similar lines are shown one by one; more are counted."""

WHOLE_MATCH: Final = re.compile(r"(\S+) (\d+)")
"""The name of a step that plays a whole match: the game and the number of seats."""
FURTHER: Final = {
    "news": "unknown fields",
    "pieces": "lines in pieces",
    "same seed": "the same seed twice",
    "end": "how it ends",
}
"""What a step tries, in a word or two; only for steps that matches do not cover."""

NUMBER: Final = re.compile(r"\b[A-Z]?\d+\b")
"""A number or a card."""
CARD: Final = re.compile(r"\b[A-Z]\d+\b")


def result_lines(checked: Checked, verbose: bool) -> Iterator[str]:
    """The result of one bot's check: failures and remarks; `verbose` adds a line for every other step."""
    yield f"{checked.bot}: {_counts(checked)}"
    yield from _tried(checked, verbose)
    failed = checked.of(Verdict.FAILED)
    for finding in checked.findings:
        alike = [other for other in failed if _failure_key(other) == _failure_key(finding)]
        if finding in alike[:1]:
            yield from ("", *_failure(finding), *_others(alike[1:]))
        elif finding in alike and verbose:
            yield _line(finding, f"the same as “{alike[0].step}”")
        elif verbose or finding.verdict is Verdict.NOTED:
            yield _line(finding, finding.remark)
    if checked.pace is not None:
        yield from ("", _pace(checked.pace, any(finding.timed_out for finding in failed)))


def _line(finding: Finding, remark: str) -> str:
    said = f": {remark}" if remark else ""
    return f"  {finding.verdict:8}{finding.step:27}  {finding.promise}{said}"


def _failure(finding: Finding) -> Iterator[str]:
    """The promise, what happened, and what to do; below that the evidence."""
    yield f"  FAILED  {finding.step}: {finding.promise}"
    parts = {
        "fault": _folded(finding.fault),
        "fix": finding.mend.splitlines(),
        "again": finding.again.splitlines(),
        "sent": _beginning(_folded(_around(finding.came, finding.sent))),
        "came": _beginning(_folded(finding.came, _numberless)),
        "stderr": _folded(finding.stderr)[-STDERR_LINES:],
    }
    for label, lines in parts.items():
        for number, line in enumerate(lines):
            yield f"{'':4}{label if number == 0 else '':{LABEL_WIDTH - 4}}{line}"


def _failure_key(finding: Finding) -> tuple[str, str]:
    """A key that is equal for failures with the same mistake. Crashes must be in the same place; what the
    program printed before does not matter."""
    crash = finding.stderr.rpartition("Traceback")[2] if finding.kind is FaultKind.EXITED else ""
    return finding.diagnosis, CARD.sub("", crash)


def by_mistake(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The failures grouped by mistake, in the order of the first failure of each."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_failure_key(finding), []).append(finding)
    return list(groups.values())


def _others(findings: list[Finding]) -> Iterator[str]:
    if findings:
        steps = "1 more step" if len(findings) == 1 else f"{len(findings)} more steps"
        yield f"    … the same in {steps}: {', '.join(finding.step for finding in findings)}"


def _numberless(text: str) -> str:
    return NUMBER.sub("", text)


def _folded(text: str, likeness: Callable[[str], str] = str) -> list[str]:
    """The lines of `text`, with each run of more than FEW lines that `likeness` maps to the same text
    replaced by the first line and their number."""
    shown: list[str] = []
    for _, group in groupby(text.splitlines(), likeness):
        alike = [f"{line[:LINE_LIMIT]} …" if len(line) > LINE_LIMIT else line for line in group]
        shown += alike if len(alike) <= FEW else [alike[0], f"({len(alike)} lines like this)"]
    return shown


def _around(action: str, sent: str) -> str:
    """The line that was sent. If it is cut before the action: its beginning, and the action's context."""
    at = sent.find(f'"{action}"') if action else -1
    if at + len(action) <= LINE_LIMIT:
        return sent
    return f"{sent[: LINE_LIMIT - 3 * CONTEXT]} … {sent[at - CONTEXT : at + CONTEXT]} …"


def _beginning(lines: list[str]) -> list[str]:
    return lines if len(lines) <= DIALOGUE_LINES else [*lines[:DIALOGUE_LINES], "…"]


def _counts(checked: Checked) -> str:
    failed, skipped = len(checked.of(Verdict.FAILED)), len(checked.of(Verdict.SKIPPED))
    passed = len(checked.findings) - failed - skipped
    return f"{passed} of {len(checked.findings)} steps passed" + "".join(
        f", {count} {word}" for count, word in ((failed, "failed"), (skipped, "not tried")) if count
    )


def _tried(checked: Checked, verbose: bool) -> Iterator[str]:
    """A line about the complete matches and what else was tried; none without such matches."""
    done = [one.step for one in checked.findings if one.verdict in (Verdict.PASSED, Verdict.NOTED)]
    matches = [found.groups() for step in done if (found := WHOLE_MATCH.fullmatch(step))]
    if matches:
        games = len({game for game, _ in matches})
        seats = [int(number) for _, number in matches]
        at = f"{min(seats)} to {max(seats)} seats" if min(seats) < max(seats) else f"{seats[0]} seats"
        kinds = [f"{games} game{'s' if games > 1 else ''}", at]
        kinds += [words for step, words in FURTHER.items() if step in done]
        yield f"  tried: {', '.join(kinds)}{'' if verbose else '; --verbose lists the steps'}"


def _pace(pace: ReplyTimes, timed_out: bool) -> str:
    percentiles = ", ".join(map(milliseconds, (pace.p50, pace.p95, pace.p99)))
    times = f"{percentiles} ms at the 50th, 95th, 99th percentile"
    safe = f"--time {pace.safe}ms is enough" if pace.safe else "no usual limit is enough"
    advice = "" if timed_out else f"; as measured here and now, {safe} even without a bank"
    replies = "1 reply" if pace.replies == 1 else f"{pace.replies} replies"
    return f"  {replies}: {times}, {milliseconds(pace.slowest)} ms at worst{advice}"


def milliseconds(ms: float) -> str:
    """A time without its unit: with two significant digits below 100, rounded to an integer above."""
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.2g}"
