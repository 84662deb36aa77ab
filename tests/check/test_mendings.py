"""The table of mendings as a table: what its head promises to whoever adds a row."""

import pytest

from arena.check import signs
from arena.check.diagnosis import diagnose
from arena.check.mendings import ROWS
from arena.check.symptoms import Symptoms
from protocol.faults import FaultKind


@pytest.mark.parametrize("kind", FaultKind)
def test_every_fault_has_a_diagnosis(kind: FaultKind) -> None:
    own = [row for row in ROWS if kind in row.kinds]
    assert [row.name for row in own if row.fits is signs.always] == [own[-1].name]
    assert len({row.name for row in own}) == len(own)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"{'type': 'reply'}", "python-repr"),
        (b"{'type': hello}", "unquoted-keys"),
        (b"{'type' ", "bad-json"),
        (b"type", "debug-text"),
    ],
)
def test_the_first_row_that_fits_is_the_diagnosis(line: bytes, name: str) -> None:
    """From the special to the general."""
    assert diagnose(Symptoms(FaultKind.MALFORMED, "no JSON", request_id=1, line=line)).name == name


def test_what_was_seen_stands_in_the_mending() -> None:
    seen = Symptoms(FaultKind.ILLEGAL, "", request_id=1, line=b"g7", legal=("G7",), elsewhere=". Elsewhere")
    assert diagnose(seen).mend.startswith("you sent “g7”: send the text exactly")
    assert diagnose(seen).mend.endswith(". Elsewhere")
