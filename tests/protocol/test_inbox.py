"""Bytes in, verdicts out: every line of the wire's reading rules, and the law that cuts do not matter."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.faults import Fault, FaultKind
from protocol.inbox import FLOOD_LIMIT, Inbox
from protocol.messages import Ready, Reply


def asked(request_id: int, output: bytes, *, at_end: bool = False) -> object:
    """The verdict on `output` while request `request_id` is open."""
    inbox = Inbox()
    inbox.open("asked", request_id)
    return inbox.take(output, at_end=at_end)


def greeted(output: bytes) -> object:
    inbox = Inbox()
    inbox.open("starting", 0)
    return inbox.take(output)


REPLY_3 = b'{"type":"reply","id":3,"action":"R1"}'


@pytest.mark.parametrize(
    "output",
    [
        REPLY_3 + b"\n",
        REPLY_3 + b"\r\n",
        b"\xef\xbb\xbf" + REPLY_3 + b"\n",
        b"\n\r\n  \n" + REPLY_3 + b"\n",
        b'{"type":"reply","id":1,"action":"late"}\n' + REPLY_3 + b"\n",
        b'{"action":"R1","later":[1,{}],"id":3,"type":"reply"}\n',
        b'{"type":"reply","id":2,"id":3,"action":"R1"}\n',
        b'{"type":"reply","id":"2","id":3,"action":null,"action":"R1"}\n',
        b'{"type":"ready","id":3,"action":"R1","type":"reply"}\n',
    ],
    ids=[
        "plain",
        "crlf",
        "bom",
        "blank lines",
        "closed id",
        "unknown field, other order",
        "last key wins",
        "last key wins over one that is invalid",
        "last type wins",
    ],
)
def test_a_reply_is_accepted(output: bytes) -> None:
    assert asked(3, output) == Reply(3, "R1")


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (b"thinking...\n", "malformed"),
        (b"7\n", "Expected `object`"),
        (b"null\n", "Expected `object`"),
        (b"[]\n", "Expected `object`"),
        (b'{"type":"reply","id":3.0,"action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":true,"action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":"3","action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":3,"action":7}\n', "Expected `str`"),
        (b'{"type":"reply","id":3,"action":"R1","action":7}\n', "Expected `str`"),
        (b'{"type":"reply","id":3,"action":"R1","type":"no"}\n', "Invalid value 'no'"),
        (b'{"type":"reply","id":3}\n', "missing required field `action`"),
        (b'{"type":"reply","id":-1,"action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":2147483648,"action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":' + b"9" * 30 + b',"action":"R1"}\n', "Expected `int`"),
        (b'{"type":"reply","id":NaN,"action":"R1"}\n', "malformed"),
        (b'{"type":"reply","id":1e999,"action":"R1"}\n', "out of range"),
        (b'{"type":"reply","id":3,"action":"R1","x":' + b"[" * 50_000 + b"\n", "nested too deeply"),
        (b'{"type":"reply","id":3,"action":"R\xff"}\n', "not UTF-8 at byte 34"),
        (b'{"type":"reply","id":3,"action":"R1","x":"\xff"}\n', "not UTF-8"),
        (REPLY_3 + b" " + REPLY_3 + b"\n", "trailing"),
        (b'{"type":"reply","id":4,"action":"R1"}\n', "request 4 was never asked, 3 is open"),
        (b'{"type":"reply","id":0,"action":"R1"}\n', "request 0 was never asked"),
        (b'{"type":"ready","name":"x"}\n', "a reply to request 3 was due"),
        (b'{"type":"end"}\n', "Invalid value 'end'"),
        (REPLY_3.decode().encode("utf-16") + b"\n\x00", "not UTF-8"),
    ],
)
def test_anything_else_is_malformed(output: bytes, why: str) -> None:
    verdict = asked(3, output)
    assert isinstance(verdict, Fault)
    assert verdict.kind is FaultKind.MALFORMED
    assert why in verdict.detail


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (b"Hello, I am a bot\n", "malformed"),
        (REPLY_3 + b"\n", "a `ready` was due"),
        (b'{"type":"ready","name":"x","protocol":2}\n', "protocol 2 is not spoken here"),
        (b'{"type":"ready"}\n', "missing required field `name`"),
    ],
)
def test_before_ready_the_fault_is_of_the_handshake(output: bytes, why: str) -> None:
    verdict = greeted(output)
    assert isinstance(verdict, Fault)
    assert verdict.kind is FaultKind.HANDSHAKE
    assert why in verdict.detail


def test_ready_may_name_its_protocol() -> None:
    assert greeted(b'{"type":"ready","name":"x","protocol":1}\n') == Ready("x")


def test_half_a_line_decides_nothing() -> None:
    assert asked(3, REPLY_3) is None


def test_a_full_last_line_without_newline_counts() -> None:
    assert asked(3, REPLY_3, at_end=True) == Reply(3, "R1")


@pytest.mark.parametrize("output", [b"", REPLY_3[:-1], b'{"type":"reply","id":1,"action":"R1"}', b"bye"])
def test_other_last_words_are_no_answer_and_no_fault_of_their_own(output: bytes) -> None:
    assert asked(3, output, at_end=True) is None


def test_what_stands_behind_the_reply_waits_for_the_next_request() -> None:
    inbox = Inbox()
    inbox.open("asked", 1)
    lines = b'{"type":"reply","id":1,"action":"a"}\n{"type":"reply","id":2,"action":"b"}\nnonsense\n'
    assert inbox.take(lines) == Reply(1, "a")
    inbox.open("asked", 2)
    assert inbox.take() == Reply(2, "b")
    inbox.open("asked", 3)
    verdict = inbox.take()
    assert isinstance(verdict, Fault)
    assert verdict.evidence == b"nonsense"


def test_dropped_lines_are_counted() -> None:
    inbox = Inbox()
    inbox.open("asked", 2)
    lines = b'\n{"type":"reply","id":1,"action":"late"}\n\n{"type":"reply","id":2,"action":"b"}\n'
    assert inbox.take(lines) == Reply(2, "b")
    assert inbox.dropped == 3


def test_64_KiB_without_a_newline_are_a_flood() -> None:
    assert asked(1, b"x" * (FLOOD_LIMIT - 1)) is None
    verdict = asked(1, b"x" * FLOOD_LIMIT)
    assert isinstance(verdict, Fault)
    assert verdict.kind is FaultKind.FLOOD
    assert len(verdict.evidence) == 4096


def test_64_KiB_of_droppable_lines_are_a_flood() -> None:
    verdict = asked(1, b"\n" * FLOOD_LIMIT)
    assert isinstance(verdict, Fault)
    assert verdict.kind is FaultKind.FLOOD


def test_the_flood_is_counted_anew_for_each_request() -> None:
    inbox = Inbox()
    for request_id in (1, 2):
        inbox.open("asked", request_id)
        reply = b'{"type":"reply","id":%d,"action":"a"}\n' % request_id
        assert inbox.take(b"\n" * (FLOOD_LIMIT - 100) + reply) == Reply(request_id, "a")


LINES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b'{"type":"reply","id":1,"action":"late"}\n',
        REPLY_3 + b"\n",
        b'{"type":"reply","id":4,"action":"R2"}\n',
        b"nonsense\n",
        b"\xff\n",
        b"x" * 3000,
        b"\n" * 20_000,
        REPLY_3,
    ]
)


def verdicts(pieces: list[bytes], *, ended: bool) -> list[object]:
    """What the requests 3, 4 and 5 get when the output arrives in these pieces."""
    inbox = Inbox()
    found: list[object] = []
    pieces = list(pieces)
    for request_id in (3, 4, 5):
        inbox.open("asked", request_id)
        verdict = inbox.take()
        while verdict is None and pieces:
            verdict = inbox.take(pieces.pop(0))
        if verdict is None and ended:
            verdict = inbox.take(at_end=True)
        found.append(verdict)
        if not isinstance(verdict, Reply):
            break
    return [*found, inbox.dropped]


@given(st.lists(LINES, max_size=8), st.lists(st.integers(0, 200_000), max_size=6), st.booleans())
def test_the_verdict_does_not_depend_on_how_the_output_is_cut(
    lines: list[bytes], cuts: list[int], ended: bool
) -> None:
    output = b"".join(lines)
    edges = sorted({0, len(output), *(cut % (len(output) + 1) for cut in cuts)})
    pieces = [output[a:b] for a, b in itertools.pairwise(edges)]
    assert verdicts(pieces, ended=ended) == verdicts([output], ended=ended)
