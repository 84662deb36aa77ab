"""A tournament on Dask's workers: the bytes of a local one, whatever happens to the workers."""

import contextlib
import glob
import itertools
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client
from distributed.security import Security

from arena.cluster.dispatch import _local
from arena.director.journal import Journal
from arena.director.verify import findings
from tests.cli.calls import ROOT, arena, blocks
from tests.support.folder_bots import folder_bot
from tests.support.jobs import alive
from tests.support.programs import Program
from tests.support.waiting import WAIT, running, until, what_is_there_is_true

SHORT = ("--seats", 3, "--rounds", 1, "--deals", 1, "--seed", 7, "--jobs", 2, "--quiet")
DEE = "if m['id'] == 7: print('dee is lost', file=sys.stderr); sys.exit(1)"


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A folder, a file, a command line, and one that forfeits its matches."""
    folder = tmp_path_factory.mktemp("bots")
    folder_bot(folder / "ada", build='build = "chmod +x tests/run"\n')
    highest = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])").source()
    for name, source in (("bob", highest), ("cy", highest), ("dee", Program(asked=DEE).source())):
        (folder / f"{name}.py").write_text(source)
    return [str(folder / "ada"), str(folder / "bob.py"), f"cy=python3 {folder}/cy.py", str(folder / "dee.py")]


@pytest.fixture
def scratch(tmp_path: Path) -> dict[str, str]:
    """Where the workers keep bots, so that every test starts on machines that have seen no bot."""
    return {"TMPDIR": str(tmp_path)}


def table(folder: Path) -> str:
    call = arena("standings", folder, "--json")
    assert call.status == 0, call.err
    return call.out


@pytest.mark.thorough  # 16 s of processor.
def test_the_same_bytes_as_a_local_run(bots: list[str], tmp_path: Path, scratch: dict[str, str]) -> None:
    for name, more in (("local", ()), ("cluster", ("--dask", "local"))):
        call = arena("tournament", *bots, *SHORT, "--out", tmp_path / name, *more, env=scratch)
        assert call.status == 0, call.err
    assert "Dask workers: 2 joined" in call.err
    assert table(tmp_path / "cluster") == table(tmp_path / "local")
    errors = [
        {path.name: path.read_bytes() for path in (tmp_path / name / "stderr").iterdir()}
        for name in ("local", "cluster")
    ]
    assert errors[0] == errors[1] != {}
    with Journal(tmp_path / "cluster") as journal:
        assert not any(finding.wrong for finding in findings(journal))


def test_only_who_has_its_certificate_reaches_the_local_scheduler() -> None:
    """The port is open to every user of the machine, and what a scheduler or a worker is sent it runs."""
    with _local(1) as here:
        port = here.scheduler.rpartition(":")[2]
        strangers: list[tuple[str, Security | None]] = [
            (f"tcp://127.0.0.1:{port}", None),
            (f"tls://127.0.0.1:{port}", Security.temporary()),
        ]
        for address, security in strangers:
            with pytest.raises(OSError, match=r"trying to connect|in <T|certificate"):
                Client(address, timeout=3, set_as_default=False, security=security)
        with Client(here.scheduler, timeout=30, set_as_default=False, security=here.security()) as client:
            (worker,) = client.nthreads()
            assert worker.startswith("tls://")
            assert client.submit(os.getpid).result(30) != os.getpid()
        for other in listening(below(os.getpid())):
            with pytest.raises(OSError, match=r"Not Found|reset|closed|disconnected"):
                urllib.request.urlopen(f"http://127.0.0.1:{other}/health", timeout=30)
        command_lines = [command_of(pid) for pid in below(os.getpid())]
        surroundings = [Path(f"/proc/{pid}/environ").read_bytes() for pid in below(os.getpid())]
        assert command_lines
        assert not any(b"PRIVATE KEY" in text for text in command_lines + surroundings)


@pytest.mark.thorough
def test_no_worker_imports_from_the_folder_it_was_started_in(
    bots: list[str], tmp_path: Path, scratch: dict[str, str]
) -> None:
    here, imported = tmp_path / "here", tmp_path / "imported"
    here.mkdir()
    for name in ("random", "trio", "distributed", "arena"):
        (here / f"{name}.py").write_text(f"open({str(imported)!r}, 'a').write(__name__)\n")
    words = ("--dask", "local", "--out", tmp_path / "run")
    call = arena("tournament", *bots, *SHORT, *words, folder=here, env=scratch)
    assert call.status == 0, call.err
    assert not imported.exists()


def test_where_no_scheduler_is_nothing_begins(bots: list[str], tmp_path: Path) -> None:
    call = arena("tournament", *bots, *SHORT, "--out", tmp_path / "run", "--dask", "nowhere://x")
    assert call.status == 2
    assert "--dask nowhere://x: no scheduler is responding there" in call.err
    assert not (tmp_path / "run").exists()


def test_tls_without_a_certificate_says_where_one_is_set(bots: list[str], tmp_path: Path) -> None:
    words = ("--out", tmp_path / "run", "--dask", "tls://127.0.0.1:9")
    call = arena("tournament", *bots, *SHORT, *words, env={"DASK_CONFIG": str(tmp_path)})
    assert call.status == 2
    assert "names no certificate; set distributed.comm.tls" in call.err


def test_without_dask_one_line_says_what_to_install(bots: list[str], tmp_path: Path) -> None:
    hidden = tmp_path / "sitecustomize.py"
    hidden.write_text("import sys\nsys.modules['distributed'] = None\n")
    call = arena(
        *("tournament", *bots, *SHORT, "--out", tmp_path / "run", "--dask", "local"),
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}"},
        fresh=True,
    )
    assert call.status == 2
    assert call.err.splitlines()[-1] == (
        "arena: --dask needs dask.distributed: pip install 'card-arena[dask]'"
    )


LONG = ("--seats", "3", "--rounds", "4", "--deals", "1", "--seed", "7")


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three that take 20 ms for a decision: a match takes about a second, also where nothing else runs."""
    folder = tmp_path_factory.mktemp("slow")
    for name in ("ada", "bob", "cy"):
        (folder / f"{name}.py").write_text(Program(asked="time.sleep(0.02)").source())
    return [str(path) for path in sorted(folder.iterdir())]


@pytest.fixture
def director(slow: list[str], tmp_path: Path, scratch: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A tournament on two local Dask workers, of which a match has ended."""
    words = [*slow, *LONG, "--out", str(tmp_path / "run"), "--dask", "local", "--jobs", "2"]
    child = subprocess.Popen(
        [sys.executable, "-m", "arena", "tournament", *words],
        cwd=ROOT,
        env={**os.environ, **scratch},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until(lambda: (tmp_path / "run" / "matches").exists(), seconds=60)
        running(tmp_path / "run")
        yield child
    finally:
        child.kill()
        child.communicate()


def listening(pids: list[int]) -> set[int]:
    """The ports on which these processes wait for whoever comes."""
    theirs = set()
    for pid in pids:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                theirs.add(os.readlink(file))
    ports = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, here, _, state, *_, inode = line.split()[:10]
        if state == "0A" and f"socket:[{inode}]" in theirs:
            ports.add(int(here.partition(":")[2], 16))
    return ports


def below(pid: int) -> list[int]:
    """The processes below one, each before its own."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended since.
            for child in task.read_text().split():
                found += [int(child), *below(int(child))]
    return found


def command_of(pid: int) -> bytes:
    """Its command line; empty once it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def dask_workers(director: int) -> list[int]:
    """Those that have an `arena.playing.worker` below them."""
    return [
        pid
        for pid in below(director)
        if b"spawn_main" in command_of(pid)
        and any(b"arena.playing.worker" in command_of(child) for child in below(pid)[:1])
    ]


def nobody_left(slow: list[str], tmp_path: Path) -> None:
    until(lambda: alive(Path(slow[0]).parent) == [] and alive(tmp_path / "dask-scratch-space") == [])


@pytest.mark.thorough
def test_a_worker_that_is_killed_costs_only_time(
    director: "subprocess.Popen[bytes]", slow: list[str], tmp_path: Path
) -> None:
    os.kill(dask_workers(director.pid)[0], signal.SIGKILL)
    _, err = director.communicate(timeout=120)
    assert director.returncode == 0, err
    nobody_left(slow, tmp_path)
    assert arena("tournament", *slow, *LONG, "--quiet", "--out", tmp_path / "local").status == 0
    assert table(tmp_path / "run") == table(tmp_path / "local")


@pytest.mark.thorough
def test_ctrl_c_once_lets_the_running_matches_end(
    director: "subprocess.Popen[bytes]", slow: list[str], tmp_path: Path
) -> None:
    # As a terminal does: to all of the foreground's processes.
    os.killpg(director.pid, signal.SIGINT)
    _, err = director.communicate(timeout=WAIT)
    assert director.returncode == 130, err
    assert b"interrupted: these are the standings so far" in err
    nobody_left(slow, tmp_path)
    assert what_is_there_is_true(tmp_path / "run") >= 1
    call = arena("resume", tmp_path / "run", "--dask", "local", "--quiet")
    assert call.status == 0, call.err
    assert arena("tournament", *slow, *LONG, "--quiet", "--out", tmp_path / "local").status == 0
    assert table(tmp_path / "run") == table(tmp_path / "local")


@pytest.mark.thorough
def test_ctrl_c_twice_stops_at_once(
    director: "subprocess.Popen[bytes]", slow: list[str], tmp_path: Path
) -> None:
    os.killpg(director.pid, signal.SIGINT)
    time.sleep(0.05)
    os.killpg(director.pid, signal.SIGINT)
    director.communicate(timeout=WAIT)
    assert director.returncode == 130
    nobody_left(slow, tmp_path)
    what_is_there_is_true(tmp_path / "run")


@pytest.mark.thorough
def test_a_killed_director_leaves_nobody(
    director: "subprocess.Popen[bytes]", slow: list[str], tmp_path: Path
) -> None:
    everybody = below(director.pid)
    director.kill()
    director.communicate(timeout=WAIT)
    until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in everybody))
    nobody_left(slow, tmp_path)
    what_is_there_is_true(tmp_path / "run")


@pytest.mark.thorough
def test_a_scheduler_that_goes_is_said_and_what_was_played_is_safe(
    director: "subprocess.Popen[bytes]", slow: list[str], tmp_path: Path
) -> None:
    (scheduler,) = (pid for pid in below(director.pid) if b"arena.cluster.local" in command_of(pid))
    os.killpg(scheduler, signal.SIGKILL)
    _, err = director.communicate(timeout=60)
    assert director.returncode == 2, err
    assert b"the Dask scheduler is gone" in err
    assert what_is_there_is_true(tmp_path / "run") >= 1


@pytest.mark.thorough
def test_the_guides_command_does_what_it_says(tmp_path: Path, scratch: dict[str, str]) -> None:
    (block,) = blocks("docs/cluster.md", "sh")
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    for line in block.splitlines():
        name, *words = shlex.split(line)
        paths = [sorted(glob.glob(word, root_dir=tmp_path)) or [word] for word in words]
        call = arena(*itertools.chain.from_iterable(paths), folder=tmp_path, env=scratch)
        assert (name, call.status) == ("arena", 0), call.err
