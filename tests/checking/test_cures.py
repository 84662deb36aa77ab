"""The table of cures as a table: it keeps what its head promises."""

import pytest

from arena.checking import predicates
from arena.checking.cures import CURES, diagnose
from arena.checking.symptoms import Symptoms
from arena.process.obstacle import ObstacleKind
from protocol.faults import FaultKind


@pytest.mark.parametrize("kind", FaultKind)
def test_every_fault_has_a_diagnosis(kind: FaultKind) -> None:
    own = [cure for cure in CURES if kind in cure.kinds]
    assert [cure.name for cure in own if cure.fits is predicates.always] == [own[-1].name]
    assert len({cure.name for cure in own}) == len(own)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"{'type': 'reply'}", "python-repr"),
        (b"{'type': hello}", "unquoted-keys"),
        (b"{'type' ", "bad-json"),
        (b'b\'{"type": "reply"}\\n\'', "bytes-repr"),
        (b"b'my move'", "debug-text"),
        (b'b\'{"type": ', "debug-text"),
        (b"type", "debug-text"),
        (b"{{'type': 'ready'}}", "bad-json"),
        (b"{'type': 1" + b"0" * 400 + b"+1j}", "unquoted-keys"),
        (b"{'type': " + b"-" * 5000 + b"1}", "unquoted-keys"),
        (b"{'type': " + b"-" * 60_000 + b"1}", "unquoted-keys"),
    ],
    ids=lambda line: line[:20],
)
def test_the_first_cure_that_fits_is_the_diagnosis(line: bytes, name: str) -> None:
    """From the special to the general."""
    assert diagnose(Symptoms(FaultKind.MALFORMED, "no JSON", request_id=1, line=line)).name == name


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("python3: can't open file '/a/boot.py': [Errno 2] No such file or directory", "program-not-found"),
        ("sh: 0: cannot open boot.sh: No such file", "program-not-found"),
        ("lua: cannot open boot.lua: No such file or directory", "program-not-found"),
        ("Error: Cannot find module '/a/boot.js'", "program-not-found"),
        ('Can\'t open perl script "boot.pl": No such file or directory', "program-not-found"),
        ("ruby: No such file or directory -- boot.rb (LoadError)", "program-not-found"),
        ("Error: Unable to access jarfile boot.jar", "program-not-found"),
        ("Error: Cannot find module './cards'", "module-not-found"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'book.json'", "file-not-found"),
    ],
)
def test_a_program_that_is_not_there_is_told_from_what_it_lacks_itself(error: str, name: str) -> None:
    assert diagnose(Symptoms(FaultKind.EXITED, "", status=1, stderr=error)).name == name


def test_what_was_seen_stands_in_the_cure() -> None:
    seen = Symptoms(FaultKind.ILLEGAL, "", request_id=1, line=b"g7", legal=("G7",), elsewhere=". Elsewhere")
    assert diagnose(seen).advice.startswith("you sent “g7”: send the string exactly")
    assert diagnose(seen).advice.endswith(". Elsewhere")


def test_a_program_is_diagnosed_by_what_keeps_it_from_starting_and_not_by_words() -> None:
    """Each kind but the last has a cure, and `OTHER` has the last one."""
    for kind in ObstacleKind:
        seen = Symptoms(FaultKind.SPAWN, "its build is not on the PATH; try chmod", obstacle=kind)
        assert diagnose(seen).name == kind


@pytest.mark.parametrize(("number", "name"), [(9, "SIGKILL"), (11, "SIGSEGV"), (40, "signal 40")])
def test_a_signal_without_a_name_has_its_number(number: int, name: str) -> None:
    seen = Symptoms(FaultKind.EXITED, "", request_id=1, status=-number)
    assert f"it was killed by {name} at" in diagnose(seen).advice
