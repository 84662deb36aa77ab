"""What the tests do where tools are missing: nothing fails, and the end says what was not proved."""

import subprocess
import sys
from collections import Counter

import pytest

from tests.support import bare
from tests.support.needs import ROOT, Lack, lacking, not_proved, require

SANDBOX = Lack("the sandbox bwrap", "bwrap is not installed", ("bubblewrap", "util-linux"))
ROOTS = Lack("what root may do", "run it as root too")
WITHOUT = {"bubblewrap", "chromium", "gcc", "libc6-dev", "nodejs", "perl"}


def test_where_all_is_there_nothing_is_said() -> None:
    assert [*not_proved({}, 0)] == []


def test_three_lines_say_what_was_not_proved_and_what_would_prove_it() -> None:
    perl = Lack("bots in Perl", "no perl here", ("perl",))
    assert [*not_proved(Counter([SANDBOX, perl, SANDBOX, ROOTS]), others=1)] == [
        "not proved here, by tests that were skipped: the sandbox bwrap 2, bots in Perl 1, what root may do "
        "(run it as root too) 1, other 1",
        "to prove it on Debian or Ubuntu: apt install bubblewrap perl util-linux",
        "which tests these are, and why: pytest -rs",
    ]


def test_what_no_package_brings_is_only_told() -> None:
    assert len([*not_proved({ROOTS: 3}, 0)]) == 2


@pytest.mark.thorough  # 6 s of processor; the gate plays a part of itself there.
def test_a_missing_program_is_told_from_the_processes_of_xdist_too() -> None:
    test = "tests/report/test_scripts.py::test_the_scripts_pass_their_unit_tests"
    done = subprocess.run(
        (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-n", "1", test),
        cwd=ROOT,
        env={"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-4:-1] == [
        "not proved here, by tests that were skipped: bots in JavaScript 1",
        "to prove it on Debian or Ubuntu: apt install nodejs",
        "which tests these are, and why: pytest -rs",
    ]


def test_a_program_that_nobody_has_heard_of_is_named() -> None:
    lack = lacking("no-such-program")
    assert lack == Lack("what no-such-program does", "no no-such-program here")
    with pytest.raises(pytest.skip.Exception, match="no no-such-program here"):
        require("sh", "no-such-program")


@pytest.mark.thorough
@pytest.mark.needs("bwrap", "clone")
@pytest.mark.parametrize(
    "root",
    [False, pytest.param(True, marks=pytest.mark.exhaustive)],  # Eleven minutes of processor each.
    ids=["ordinary", "root"],
)
def test_the_whole_passes_on_a_bare_machine(root: bool) -> None:
    if root:
        require("root")
    done = bare.run(("-q", "-n", "auto"), root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    _, to_install, _, _ = done.stdout.splitlines()[-4:]
    assert to_install.startswith("to prove it on Debian or Ubuntu: apt install ")
    assert {*to_install.split()} >= WITHOUT
