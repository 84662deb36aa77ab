"""An error of the machine is never a fault of a bot, nothing is left behind, and a tournament can be resumed.

`faults.py` lists what can be wrong with a machine; each is put in from outside, at each level of the sandbox,
as root and as an ordinary user. `pytest -m thorough tests/machine` meets each fault in one command, in turn;
`pytest -m "thorough or exhaustive" tests/machine` in all of its commands.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tests.machine.faults import COMMANDS, GATE, LEVELS, PLAYED, RESOURCES, USERS, Fault
from tests.machine.runs import Program, broken, essence, installed, prepared, run
from tests.support.needs import require

ORDINARY = 64001
"""The least user id that the ordinary users of the test processes have."""

Record = Callable[[str, object], None]
Case = tuple[str, str, str, str]


def cases() -> Iterator[Case]:
    """Every fault in each of its commands, and so that each of its levels and users comes with it: all the
    combinations, some four thousand, would take a day."""
    for number, (name, fault) in enumerate(RESOURCES.items()):
        for place, command in enumerate(fault.commands):
            level = fault.levels[(number + place) % len(fault.levels)]
            user = fault.users[(number // 2 + place // 2 + place) % len(fault.users)]
            yield name, level, user, command


def once() -> Iterator[Case]:
    """Of the cases one for each fault, the next command for each next fault."""
    by_fault = groupby(cases(), key=lambda case: case[0])
    for number, (_, of_fault) in enumerate(by_fault):
        several = list(of_fault)
        yield several[number % len(several)]


CASES: list[Case] = [*once(), ("descriptors 200", "rlimits", "root", "tournament")]
FURTHER: list[Case] = [case for case in cases() if case not in CASES]


@pytest.fixture(scope="session")
def base() -> Iterator[Path]:
    yield from prepared()


@pytest.fixture(scope="session")
def here(base: Path) -> Program:
    """The arena of this source, as whoever tests calls it."""
    python = Path(sys.executable)
    return Program((str(python), "-P", "-m", "arena"), None, base, python_path=str(ROOT))


@pytest.fixture(scope="session")
def everybodys(base: Path) -> Program:
    """The arena from its wheel, as a user calls it who is not root: one of its own for each test process."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return Program(installed(base), ORDINARY + int(worker), base)


@pytest.fixture(scope="session")
def programs(request: pytest.FixtureRequest) -> Callable[[str], Program]:
    """Root is root; who is ordinary already needs no other user."""

    def program(user: str) -> Program:
        name = "everybodys" if user == "ordinary" and os.geteuid() == 0 else "here"
        found: Program = request.getfixturevalue(name)
        return found

    return program


class Undisturbed(dict[str, str]):
    """What a command gives with this seed on a good machine, played when it is first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __missing__(self, command: str) -> str:
        report = run(self._program, command, "none", Fault())
        self[command] = essence(command, report)
        assert broken(command, report, Fault(ends=(PLAYED,)), self) == []
        return self[command]


@pytest.fixture(scope="session")
def undisturbed(here: Program) -> Undisturbed:
    return Undisturbed(here)


def possible(fault: Fault, level: str, user: str) -> None:
    require(level, "perl")  # One of the bots is in Perl.
    if user == "root" or fault.mounts:
        require("root")


Judging = Callable[[Case], None]


@pytest.fixture
def judge(
    programs: Callable[[str], Program], undisturbed: Mapping[str, str], record_property: Record
) -> Judging:
    """Plays a case, and fails if anything is broken."""
    return partial(judged, programs=programs, undisturbed=undisturbed, record=record_property)


def judged(
    case: Case, programs: Callable[[str], Program], undisturbed: Mapping[str, str], record: Record
) -> None:
    name, level, user, command = case
    fault = RESOURCES[name]
    possible(fault, level, user)
    complaints = broken(command, run(programs(user), command, level, fault), fault, undisturbed)
    record(
        "machine",
        {
            "fault": name,
            "level": level,
            "user": user,
            "command": command,
            "broken": sorted({complaint.split()[0] for complaint in complaints}),
        },
    )
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("case", GATE, ids=" · ".join)
def test_the_machines_faults_are_nobodys(case: Case, judge: Judging) -> None:
    judge(case)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=" · ".join)
def test_every_fault_of_the_machine_is_nobodys(case: Case, judge: Judging) -> None:
    judge(case)


@pytest.mark.exhaustive  # An hour by itself.
@pytest.mark.parametrize("case", FURTHER, ids=" · ".join)
def test_every_fault_in_every_command(case: Case, judge: Judging) -> None:
    judge(case)


@pytest.mark.thorough
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("command", COMMANDS)
def test_on_a_good_machine_all_is_right(
    command: str,
    level: str,
    user: str,
    programs: Callable[[str], Program],
    undisturbed: Mapping[str, str],
) -> None:
    fault = Fault(ends=(PLAYED,))
    possible(fault, level, user)
    assert broken(command, run(programs(user), command, level, fault), fault, undisturbed) == []
