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
    """The result of one step. `kind`: that of a fault of the protocol. `fault`: what was wrong, in words.
    `sent`, `came`: lines of the dialogue. `happened`: what the bot did and where, for readers without the
    steps and the dialogue. `diagnosis`: the name of the mistake. `mend`: how to fix it. `again`: the commands
    that reproduce it. `remark`: a comment that is not a fault."""

    step: str
    promise: str
    verdict: Verdict
    remark: str = ""
    fault: str = ""
    sent: str = ""
    came: str = ""
    stderr: str = ""
    happened: str = ""
    diagnosis: str = ""
    mend: str = ""
    again: str = ""
    kind: FaultKind | None = None

    @property
    def timed_out(self) -> bool:
        """Whether the step failed because no reply to a request arrived in time."""
        return self.kind is FaultKind.TIMEOUT


class Checked(msgspec.Struct, frozen=True, tag_field="type", tag="checked"):
    """All findings about one bot. `pace`: how fast it answered, None without a reply. `transcript`: the
    dialogue of one match, line by line."""

    bot: str
    findings: tuple[Finding, ...]
    pace: ReplyTimes | None = None
    transcript: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no step failed; skipped steps do not count."""
        return not self.of(Verdict.FAILED)

    def of(self, verdict: Verdict) -> list[Finding]:
        """The findings with this verdict, in the order of their steps."""
        return [finding for finding in self.findings if finding.verdict is verdict]


class NotChecked(msgspec.Struct, frozen=True, tag_field="type", tag="not checked"):
    """The check itself failed, by the machine or an error of ours, which says nothing about the bot."""

    bot: str
    why: str
