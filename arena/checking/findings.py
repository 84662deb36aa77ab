"""The result of a check, as `--json` prints it: one finding for each step, or why there are none."""

import enum

import msgspec

from arena.checking.pace import ReplyTimes
from protocol.faults import FaultKind


class Verdict(enum.StrEnum):
    """The verdict on a step. NOTED: passed, with a remark that the author should read. SKIPPED: not tried."""

    PASSED = "passed"
    NOTED = "noted"
    FAILED = "failed"
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True):
    """The result of one step of a check. Texts that do not apply are ""."""

    step: str
    promise: str
    """What the step tests, as a statement about the bot."""
    verdict: Verdict
    remark: str = ""
    """A comment that is not a fault, or why the step was skipped."""
    fault: str = ""
    """What was wrong, in words."""
    sent: str = ""
    """The line that the bot received last."""
    came: str = ""
    """What the bot wrote."""
    stderr: str = ""
    happened: str = ""
    """What the bot did and where, for readers without the steps and the dialogue."""
    diagnosis: str = ""
    """The name of the mistake."""
    mend: str = ""
    """How to fix it."""
    again: str = ""
    """The commands that reproduce it."""
    kind: FaultKind | None = None
    """The fault of the protocol; None if there was none."""

    @property
    def timed_out(self) -> bool:
        """Whether the step failed because no reply to a request arrived in time."""
        return self.kind is FaultKind.TIMEOUT


class Checked(msgspec.Struct, frozen=True, tag_field="type", tag="checked"):
    """All findings about one bot."""

    bot: str
    findings: tuple[Finding, ...]
    pace: ReplyTimes | None = None
    """How fast it answered; None if it completed no match."""
    transcript: tuple[str, ...] = ()
    """The dialogue of the first match, or of the first that failed, line by line."""

    @property
    def passed(self) -> bool:
        """Whether no step failed; skipped steps do not count."""
        return not self.of(Verdict.FAILED)

    def of(self, verdict: Verdict) -> list[Finding]:
        """The findings with this verdict, in the order of their steps."""
        return [finding for finding in self.findings if finding.verdict is verdict]


class NotChecked(msgspec.Struct, frozen=True, tag_field="type", tag="not checked"):
    """A check that failed because of the machine or a bug of the arena, which says nothing about the bot."""

    bot: str
    why: str
