"""Findings in lines for people: each step that failed is told in full, and what repeats is told once. Nothing
is lost by that, since the findings themselves are whole (--json).

Pure: knows findings, no terminal.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from arena.check.findings import Checked, Finding, Verdict
from arena.check.pace import Pace
from protocol.faults import FaultKind

WIDE: Final = 300
"""Characters of a line that are shown."""
NEAR: Final = 40
"""Characters of them before and behind what matters."""
LABELLED: Final = 12
"""Columns that the labels take."""
DIALOGUE_LINES: Final = 6
STDERR_LINES: Final = 20
FEW: Final = 2
"""So many lines alike are shown one by one."""

NUMBER: Final = re.compile(r"\b[A-Z]?\d+\b")
"""Or a card."""
CARD: Final = re.compile(r"\b[A-Z]\d+\b")


def tell(checked: Checked, verbose: bool) -> Iterator[str]:
    """One bot's check; `verbose` has a line for every step."""
    yield f"{checked.bot}: {_counts(checked)}"
    failed = checked.of(Verdict.FAILED)
    for finding in checked.findings:
        alike = [other for other in failed if _way(other) == _way(finding)]
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
    """What was promised, what happened, and what to do; below that what it was seen by."""
    yield f"  FAILED  {finding.step}: {finding.promise}"
    parts = {
        "fault": _folded(finding.fault),
        "mend": finding.mend.splitlines(),
        "again": finding.again.splitlines(),
        "sent": _beginning(_folded(_around(finding.came, finding.sent))),
        "came": _beginning(_folded(finding.came, _numberless)),
        "stderr": _folded(finding.stderr)[-STDERR_LINES:],
    }
    for label, lines in parts.items():
        for at, line in enumerate(lines):
            yield f"{'':4}{label if at == 0 else '':{LABELLED - 4}}{line}"


def _way(finding: Finding) -> tuple[str, str, str]:
    """In which way a step failed: two that have this in common are one mistake, which is mended once. Where a
    program crashed, it has to be in the same place, whatever it may have printed before."""
    crash = finding.stderr.rpartition("Traceback")[2] if finding.fault.startswith(FaultKind.EXITED) else ""
    return finding.diagnosis, _numberless(finding.mend), CARD.sub("", crash)


def alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Those that failed in the same way together, in the order of their first."""
    ways: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        ways.setdefault(_way(finding), []).append(finding)
    return list(ways.values())


def _others(findings: list[Finding]) -> Iterator[str]:
    if findings:
        steps = "1 more step" if len(findings) == 1 else f"{len(findings)} more steps"
        yield f"    … the same in {steps}: {', '.join(finding.step for finding in findings)}"


def _numberless(text: str) -> str:
    return NUMBER.sub("", text)


def _folded(text: str, likeness: Callable[[str], str] = str) -> list[str]:
    """The lines, of which those that follow each other and are alike are shown by the first and counted."""
    shown: list[str] = []
    for _, group in groupby(text.splitlines(), likeness):
        alike = [f"{line[:WIDE]} …" if len(line) > WIDE else line for line in group]
        shown += alike if len(alike) <= FEW else [alike[0], f"({len(alike)} lines like this)"]
    return shown


def _around(action: str, sent: str) -> str:
    """The beginning of what was sent; and where the action stands in it, if that is not there."""
    at = sent.find(f'"{action}"') if action else -1
    if at + len(action) <= WIDE:
        return sent
    return f"{sent[: WIDE - 3 * NEAR]} … {sent[at - NEAR : at + NEAR]} …"


def _beginning(lines: list[str]) -> list[str]:
    return lines if len(lines) <= DIALOGUE_LINES else [*lines[:DIALOGUE_LINES], "…"]


def _counts(checked: Checked) -> str:
    failed, skipped = len(checked.of(Verdict.FAILED)), len(checked.of(Verdict.SKIPPED))
    passed = len(checked.findings) - failed - skipped
    return f"{passed} of {len(checked.findings)} steps passed" + "".join(
        f", {count} {word}" for count, word in ((failed, "failed"), (skipped, "not tried")) if count
    )


def _pace(pace: Pace, timed_out: bool) -> str:
    percentiles = ", ".join(map(milliseconds, (pace.p50, pace.p95, pace.p99)))
    times = f"{percentiles} ms at the 50th, 95th, 99th percentile"
    safe = f"--time {pace.safe}ms and more is safe" if pace.safe else "no usual limit is safe"
    advice = "" if timed_out else f"; {safe}"
    replies = "1 reply" if pace.replies == 1 else f"{pace.replies} replies"
    return f"  {replies}: {times}, {milliseconds(pace.slowest)} ms at worst{advice}"


def milliseconds(ms: float) -> str:
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.2g}"
