"""What people read of a check: findings in, lines out."""

import msgspec
import pytest

from arena.checking.findings import Checked, Finding, Verdict
from arena.checking.lines import result_lines
from arena.checking.pace import ReplyTimes
from protocol.faults import FaultKind

PASSED = Finding("program", "there is one", Verdict.PASSED)
NOTED = Finding("name", "has one", Verdict.NOTED, remark="a long one")
CRASHED = Finding(
    "sticheln 3",
    "plays a whole match",
    Verdict.FAILED,
    fault="exited: the output ended",
    kind=FaultKind.EXITED,
    stderr="hand R1\nTraceback (most recent call last):\n  line 8\nKeyError: 'B4'",
    diagnosis="crashed",
    mend="it crashed at request 11 with “KeyError: 'B4'”",
    again="arena check ada.py\nsed",
)


def lines(*findings: Finding, verbose: bool = False) -> list[str]:
    head, *rest = result_lines(Checked("ada", findings), verbose)
    assert head.startswith("ada: ")
    return rest


def again(step: str, request: int, card: str, place: str = "line 8") -> Finding:
    """The same crash elsewhere in the dialogue, with other cards."""
    return msgspec.structs.replace(
        CRASHED,
        step=step,
        stderr=f"hand G2\nTraceback (most recent call last):\n  {place}\nKeyError: '{card}'",
        mend=f"it crashed at request {request} with “KeyError: '{card}'”",
    )


def test_a_failure_is_printed_in_full_with_its_cure_first() -> None:
    assert lines(PASSED, NOTED, CRASHED) == [
        "  noted   name                         has one: a long one",
        "",
        "  FAILED  sticheln 3: plays a whole match",
        "    fault   exited: the output ended",
        "    fix     it crashed at request 11 with “KeyError: 'B4'”",
        "    again   arena check ada.py",
        "            sed",
        "    stderr  hand R1",
        "            Traceback (most recent call last):",
        "              line 8",
        "            KeyError: 'B4'",
    ]


def test_what_fails_the_same_way_elsewhere_is_named_below_the_first() -> None:
    *first, others = lines(CRASHED, again("ole 3", 8, "Y10"), PASSED, again("ole decisions", 1, "R2"))
    assert first == lines(CRASHED)
    assert others == "    … the same in 2 more steps: ole 3, ole decisions"
    assert lines(CRASHED, again("ole 3", 8, "Y10"))[-1] == "    … the same in 1 more step: ole 3"


def test_a_crash_in_another_place_is_another_mistake() -> None:
    other = again("ole 3", 8, "Y10", place="line 20")
    assert lines(CRASHED, other) == lines(CRASHED) + lines(other)


def test_verbose_has_a_line_for_every_step() -> None:
    told_once, _ = lines(again("ole 3", 8, "Y10"), CRASHED, PASSED, verbose=True)[-2:]
    assert told_once == "  failed  sticheln 3                   plays a whole match: the same as “ole 3”"
    assert lines(PASSED, verbose=True) == ["  passed  program                      there is one"]


def test_what_was_tried_is_told_in_a_line() -> None:
    def told(*steps: str) -> str:
        return lines(*(Finding(step, "", Verdict.PASSED) for step in steps))[0]

    assert told("ole 3") == "  tried: 1 game, 3 seats; --verbose lists the steps"
    assert told("sticheln 3", "sticheln 6", "ole decisions", "ole 8", "news", "end") == (
        "  tried: 2 games, 3 to 8 seats, unknown fields, how it ends; --verbose lists the steps"
    )


def dialogue(came: str = "", stderr: str = "") -> list[str]:
    finding = Finding("ready", "answers", Verdict.FAILED, came=came, stderr=stderr)
    return [line[12:] for line in lines(finding)[2:]]


def test_lines_that_differ_in_cards_and_numbers_are_counted() -> None:
    replies = [f'{{"id":{number},"action":"R{number}"}}' for number in range(10)]
    assert dialogue(came="\n".join(["ready", *replies, "what?"])) == [
        "ready",
        '{"id":0,"action":"R0"}',
        "(10 lines like this)",
        "what?",
    ]
    assert dialogue(came="\n".join(replies[:2])) == replies[:2]


def test_lines_of_the_standard_error_are_counted_if_they_are_the_same() -> None:
    """Those of a stack may differ in nothing but a number, and that is what one looks for."""
    stack = ["at bot.js:12", "at bot.js:13", "at bot.js:14"]
    assert dialogue(stderr="\n".join(["thinking"] * 3 + stack)) == ["thinking", "(3 lines like this)", *stack]


def test_much_is_cut_in_the_dialogue_at_the_end_and_in_errors_at_the_beginning() -> None:
    words = ["".join(map(chr, (97 + at, 98 + at))) for at in range(24)]
    assert dialogue(came="\n".join(words)) == [*words[:6], "…"]
    assert dialogue(stderr="\n".join(words)) == words[4:]
    assert dialogue(came="x" * 301) == ["x" * 300 + " …"]


def test_of_a_long_request_what_matters_is_shown() -> None:
    """Its beginning, and where the action stands that was not legal."""
    finding = Finding("ready", "answers", Verdict.FAILED, sent="x" * 400 + '"R6"' + "y" * 99, came="R6")
    sent, came = lines(finding)[2:]
    assert sent == "    sent    " + "x" * 180 + " … " + "x" * 40 + '"R6"' + "y" * 36 + " …"
    assert came == "    came    R6"


@pytest.mark.parametrize(
    ("kind", "end"),
    [(FaultKind.ILLEGAL, "--time 20ms is enough even without a bank"), (FaultKind.TIMEOUT, "at worst")],
)
def test_no_limit_is_called_safe_where_something_timed_out(kind: FaultKind, end: str) -> None:
    failed = Finding("sticheln 3", "plays", Verdict.FAILED, kind=kind)
    *_, last = result_lines(Checked("ada", (failed,), ReplyTimes(2, 1.0, 7.2, 7.2, 7.2, 20)), False)
    assert last.startswith("  2 replies: ")
    assert last.endswith(end)
