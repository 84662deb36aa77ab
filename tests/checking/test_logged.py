"""Advice from a match log: what a log shows is explained as a check explains it, what it cannot show is not
guessed, and standard error stays with those who may read it."""

import msgspec
import pytest

from arena.checking.logged import advice
from arena.log.entries import Measured
from arena.log.fault_report import FaultRow
from protocol.faults import FaultKind
from protocol.units import Us

ROW = FaultRow(
    match="r01-p001-s01", bot="ada", seat=1, kind=FaultKind.ILLEGAL, deal=1, request=3, detail="", sent="",
    reply="", status=None, stderr="", us=Us(1000), forfeits=True,
)  # fmt: skip
REQUEST = '{"type":"request","id":3,"decision":"play","legal":["G7","R2"],"view":{"hand":["G7","R2","B1"]}}'
STARVED = Measured(us=Us(1000), cpu_us=Us(10), queued_us=Us(900), lag_us=Us(0), own_core=False)
FAULTS = {
    "index": ({"reply": "1"}, "index into `legal`"),
    "order": ({"reply": "7G"}, "its letter followed by its value"),
    "hand": ({"reply": "B1"}, "choose from `legal`, not from `hand`"),
    "text": ({"kind": FaultKind.MALFORMED, "reply": "playing G7"}, "standard error"),
    "id": ({"kind": FaultKind.MALFORMED, "reply": '{"type":"reply","id":"3","action":"G7"}'}, "number"),
    "greeting": ({"kind": FaultKind.HANDSHAKE, "request": 0, "reply": "hello"}, "hello"),
    "status": ({"kind": FaultKind.EXITED, "status": 0}, "one process plays a whole match"),
    "signal": ({"kind": FaultKind.EXITED, "status": -11}, "SIGSEGV"),
    "flood": ({"kind": FaultKind.FLOOD, "reply": "x" * 4096}, "printing in an infinite loop"),
    "memory": ({"kind": FaultKind.MEMORY, "detail": "300 MB"}, "300 MB"),
    "late": ({"kind": FaultKind.TIMEOUT}, "arena check"),
    "silent": ({"kind": FaultKind.HANDSHAKE, "request": 0}, "arena check"),
    "busy": ({"kind": FaultKind.TIMEOUT, "measured": STARVED}, "less busy"),
}


def row(**fields: object) -> FaultRow:
    return msgspec.structs.replace(ROW, **{"sent": REQUEST, **fields})


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_log_shows_is_explained(name: str) -> None:
    fields, words = FAULTS[name]
    assert words in advice(row(**fields), with_stderr=False)


@pytest.mark.parametrize("kind", FaultKind)
def test_every_kind_has_words_and_nothing_is_raised(kind: FaultKind) -> None:
    for reply in ("", "{", "[1]", "null", "\\xff"):
        for sent in ("", "[]", "{", REQUEST, '{"legal":7}', '{"legal":[{}]}'):
            said = advice(row(kind=kind, detail="why", reply=reply, sent=sent), with_stderr=True)
            assert said or not reply


@pytest.mark.parametrize("kind", [FaultKind.MALFORMED, FaultKind.ILLEGAL])
def test_evidence_that_is_kept_back_is_not_guessed(kind: FaultKind) -> None:
    assert advice(row(kind=kind, sent=""), with_stderr=True) is None


def test_standard_error_is_quoted_only_if_asked_for() -> None:
    died = row(kind=FaultKind.EXITED, status=1, stderr="ValueError: my secret")
    assert "ValueError: my secret" in advice(died, with_stderr=True)
    untold = advice(died, with_stderr=False)
    assert "secret" not in untold
    assert "arena faults" in untold
