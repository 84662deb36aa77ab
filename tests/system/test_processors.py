"""CPU quotas: of real control groups where some can be made, and of trees as other machines have them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.system.processors import Quota, allowed, at_a_time, quota
from tests.cli.calls import BOTS, ROOT
from tests.support.needs import Lack, Lacking

V1 = "31 23 0:28 {root} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
V2 = "32 23 0:29 {root} /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"


def machine(folder: Path, memberships: str, mounts: str, **files: str) -> Path:
    """A root with these files; `__` stands for a `/` below /sys/fs/cgroup."""
    for name, text in {"proc/self/cgroup": memberships, "proc/self/mountinfo": mounts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name, text in files.items():
        path = folder / "sys/fs/cgroup" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def cpu(path: str, text: str) -> dict[str, str]:
    return {f"{path}cpu.max": text}


def test_the_least_quota_of_all_groups_above_counts(tmp_path: Path) -> None:
    files = (
        cpu("a__", "150000 100000\n") | cpu("a__b__", "max 100000\n") | cpu("a__b__c__", "400000 100000\n")
    )
    root = machine(tmp_path, "0::/a/b/c\n", V2.format(root="/"), **files)
    assert quota(root) == Quota(1.5, 0.1)
    assert at_a_time(root) == 1


def test_a_quota_below_one_core_is_one_match(tmp_path: Path) -> None:
    root = machine(tmp_path, "0::/\n", V2.format(root="/"), **cpu("", "20000 50000\n"))
    assert quota(root) == Quota(0.4, 0.05)
    assert at_a_time(root) == 1


def test_more_than_there_is_changes_nothing(tmp_path: Path) -> None:
    root = machine(tmp_path, "0::/\n", V2.format(root="/"), **cpu("", "100000000 100000\n"))
    assert at_a_time(root) == len(allowed())


@pytest.mark.parametrize("top", ["/", "/docker/1f"])
def test_version_1(top: str, tmp_path: Path) -> None:
    """In a container without a namespace of its own the mount begins at its group."""
    inside = "docker__1f__" if top == "/" else ""
    period, most = (f"cpu,cpuacct__{inside}cpu.cfs_{name}_us" for name in ("period", "quota"))
    root = machine(
        tmp_path,
        "5:cpuset:/\n4:cpu,cpuacct:/docker/1f\n0::/\n",
        V2.format(root="/") + V1.format(root=top),
        **{period: "100000\n", most: "250000\n"},
    )
    assert quota(root) == Quota(2.5, 0.1)


@pytest.mark.parametrize(
    ("memberships", "mounts", "files"),
    [
        ("0::/\n", V2.format(root="/"), cpu("", "max 100000\n")),
        ("0::/../..\n", V2.format(root="/"), {}),
        ("4:cpu,cpuacct:/\n", V1.format(root="/"), {"cpu,cpuacct__cpu.cfs_quota_us": "-1\n"}),
        ("", "", {}),
    ],
)
def test_without_one(memberships: str, mounts: str, files: dict[str, str], tmp_path: Path) -> None:
    root = machine(tmp_path, memberships, mounts, **files)
    assert quota(root) is None
    assert at_a_time(root) == len(allowed())


@pytest.fixture
def group() -> Iterator[Path]:
    """A group of the real machine, with half a core."""
    name = f"arena-test-{os.getpid()}"
    one, two = Path("/sys/fs/cgroup/cpu", name), Path("/sys/fs/cgroup", name)
    try:
        made = one if one.parent.is_dir() else two
        made.mkdir()
        if made == one:
            (made / "cpu.cfs_quota_us").write_text("50000")
        elif (made / "cpu.max").exists():
            (made / "cpu.max").write_text("50000 100000")
        else:
            made.rmdir()
            raise Lacking(Lack("CPU quotas", "the cpu controller is not enabled for new groups here"))
    except OSError as error:
        raise Lacking(Lack("CPU quotas", f"no control group can be made here: {error.strerror}")) from None
    yield made
    made.rmdir()


def test_a_real_quota_is_said_by_match_and_quiet_tournaments(group: Path, tmp_path: Path) -> None:
    short = ("--deals", "1", "--time", "1ms+1m", "--seed", "7")
    script = 'echo $$ > "$0"/cgroup.procs; shift 0; exec "$@"'
    for words in (
        ("match", *BOTS[:3]),
        ("tournament", *BOTS[:3], "--seats", "3", "--minutes", "0.0001", "--quiet", "--out", "run"),
    ):
        done = subprocess.run(
            ["sh", "-c", script, str(group), sys.executable, "-P", "-m", "arena", *words, *short],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert "late with one match at a time; its CPU quota is 0.5 cores" in done.stderr
