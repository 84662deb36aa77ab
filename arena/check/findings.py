"""What came of a check: one finding for each step, as --json tells it."""

import enum

import msgspec

from arena.check.pace import Pace
from protocol.faults import FaultKind


class Verdict(enum.StrEnum):
    PASSED = "passed"
    NOTED = "noted"
    FAILED = "failed"
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True):
    """What came of a step. `sent` and `came` are lines of the dialogue; `diagnosis` names what was wrong,
    `mend` says how to do it right, `again` by which commands it is seen again; `remark` is for what is no
    fault."""

    step: str
    promise: str
    verdict: Verdict
    remark: str = ""
    fault: str = ""
    sent: str = ""
    came: str = ""
    stderr: str = ""
    diagnosis: str = ""
    mend: str = ""
    again: str = ""

    @property
    def timed_out(self) -> bool:
        return self.fault.startswith(FaultKind.TIMEOUT)


class Checked(msgspec.Struct, frozen=True):
    """All findings about one bot, and how fast it was; `transcript` is one match of it, line by line."""

    bot: str
    findings: tuple[Finding, ...]
    pace: Pace | None = None
    transcript: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.of(Verdict.FAILED)

    def of(self, verdict: Verdict) -> list[Finding]:
        return [finding for finding in self.findings if finding.verdict is verdict]
