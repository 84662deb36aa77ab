"""The result of a check: one finding for each step, as `--json` prints it; or why there are none."""

import enum

import msgspec

from arena.checking.pace import ReplyTimes
from protocol.faults import FaultKind


class Verdict(enum.StrEnum):
    """NOTED is passed, with a remark that the author should read. SKIPPED is not tried."""

    PASSED = "passed"
    NOTED = "noted"
    FAILED = "failed"
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True):
    """The result of one step. `kind` is that of a fault of the protocol, and `fault` is in words what was
    wrong. `sent` and `came` are lines of the dialogue. `happened` says what the bot did and where, for those
    who see neither the steps nor the dialogue. `diagnosis` names the mistake, `mend` says how to correct it,
    and `again` holds the commands that reproduce it. `remark` is for what is no fault."""

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
        """Whether the step failed because no reply to a request came in time."""
        return self.kind is FaultKind.TIMEOUT


class Checked(msgspec.Struct, frozen=True, tag_field="type", tag="checked"):
    """All findings about one bot, and how fast it was. `pace` is None if no reply came. `transcript` is the
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
    """The check itself failed, through the machine or an error of ours; it says nothing about the bot."""

    bot: str
    why: str
