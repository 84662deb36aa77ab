"""Commands on a poor machine, and the law that holds of each: nobody is blamed, nothing is left or hidden."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.calls import ROOT
from tests.machine.faults import PLAYED, REFUSED, STOPPED, Fault
from tests.support import clone

KEEPER = Path(__file__).parent / "keeper.py"
SECONDS = 40
"""Longer than any command may take, starts that time out included."""
TRACE = 2000
"""Characters of a traceback that are shown."""

STEADY = """\
import json, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "steady"}), flush=True)
    elif message["type"] == "request":
        time.sleep(0.02)
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@dataclass(frozen=True)
class Program:
    """The arena as a user of this machine calls it."""

    words: tuple[str, ...]
    user: int | None
    base: Path
    """A folder that the user can enter; `bots` and `cases` are in it."""
    python_path: str = ""

    @property
    def bots(self) -> list[str]:
        return [
            str(self.base / "bots" / name) for name in ("careful.py", "greedy.py", "dreamer.pl", "steady.py")
        ]


@dataclass(frozen=True)
class Place:
    """The folders of one case."""

    cwd: Path

    @property
    def home(self) -> Path:
        return self.cwd / "home"

    @property
    def tmp(self) -> Path:
        return self.cwd / "tmp"


def words(command: str, bots: list[str], work: Path, level: str) -> list[str]:
    careful, greedy, _, steady = bots
    common = ["--seed", "7", "--deals", "1", "--time", "1s+10s", "--sandbox", level]
    log = ["--log", str(work / "match.jsonl")]
    return {
        "match": ["match", *bots, *common, "--json", *log],
        "tournament": [
            "tournament",
            *bots,
            *common,
            "--rounds",
            "1",
            "--jobs",
            "2",
            "--quiet",
            "--out",
            str(work / "run"),
        ],
        "compare": [
            "compare",
            steady,
            greedy,
            "--against",
            careful,
            *common,
            "--budget",
            "10",
            "--seats",
            "3",
            "--keep-bots",
            "--json",
        ],
        "check": ["check", steady, "--game", "ole", "--time", "1s+10s", "--sandbox", level, "--json"],
        "play": ["play", careful, greedy, steady, *common, "--own-time", "1ms", *log],
    }[command]


def run(program: Program, command: str, level: str, fault: Fault, seconds: int = SECONDS) -> dict[str, Any]:
    """One case from beginning to end, in a folder of its own that is gone afterwards."""
    cases = program.base / "cases"
    cwd = Path(tempfile.mkdtemp(dir=cases))
    try:
        return _run(program, command, level, fault, seconds, Place(cwd))
    finally:
        shutil.rmtree(cwd, ignore_errors=True)


def _run(
    program: Program, command: str, level: str, fault: Fault, seconds: int, place: Place
) -> dict[str, Any]:
    for folder in (place.home, place.tmp, place.cwd / "work"):
        folder.mkdir()
    for folder in (place.cwd, place.home, place.tmp, place.cwd / "work"):
        folder.chmod(0o755)
        if program.user is not None:
            os.chown(folder, program.user, program.user)
    names = {
        "cwd": str(place.cwd),
        "home": str(place.home),
        "tmp": str(place.tmp),
        "bin": str(Path(program.words[0]).parent),
        "python_path": program.python_path,
    }
    work = Path(fault.elsewhere.format(**names)) if fault.elsewhere else place.cwd / "work"
    names["work"] = str(work)

    def named(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
        return [named(part) for part in value] if isinstance(value, list | tuple) else value

    healthy = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(place.home),
        "TMPDIR": str(place.tmp),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        **({"PYTHONPATH": program.python_path} if program.python_path else {}),
    }
    env = {**healthy, **{name: named(value) for name, value in fault.env.items()}}
    run_folder = str(work / "run")
    later: Mapping[str, list[str]] = {}
    if command == "tournament":
        trusted = ["--trust", "--sandbox", level] if fault.keyless else []
        later = {
            "resume": ["resume", run_folder, "--quiet", *trusted],
            "standings": ["standings", run_folder, "--json"],
            "faults": ["faults", run_folder, "--json"],
            "matches": ["export", run_folder, "--rows", "matches", "--json"],
            "verify": ["verify", run_folder],
        }
    told = {
        "argv": [*program.words, *words(command, program.bots, work, level)],
        "env": {name: value for name, value in env.items() if value is not None},
        "cwd": named(fault.cwd) if fault.cwd else str(place.cwd),
        "user": program.user,
        "limits": {name: list(pair) for name, pair in fault.limits.items()},
        "before": named(list(fault.before)),
        "middle": named(list(fault.middle)),
        "mend": named(list(fault.mend)),
        "closed": list(fault.closed),
        "vanished": fault.vanished,
        "terminal": fault.terminal or command == "play",
        "keys": "q",
        "own_mounts": os.geteuid() == 0,
        "watched": [
            str(place.tmp),
            str(place.home),
            str(place.cwd),
            *(["/tmp", "/dev/shm"] if os.geteuid() == 0 else []),
        ],
        "seconds": seconds,
        "healthy_env": healthy,
        "healthy_cwd": str(place.cwd),
        "later": {name: [*program.words, *rest] for name, rest in later.items()},
        "logs": [str(work / "*.jsonl"), str(work / "run/matches/*.jsonl")],
        **({"output": fault.output} if fault.output else {}),
        **({"umask": fault.umask} if fault.umask is not None else {}),
    }
    done = subprocess.run(
        [sys.executable, "-I", str(KEEPER)],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=12 * seconds,
        check=False,
    )
    assert done.returncode == 0, f"the keeper itself failed: {done.stderr}"
    report: dict[str, Any] = json.loads(done.stdout)
    report["work"] = str(work)
    return report


def blamed(command: str, report: Mapping[str, Any]) -> list[str]:
    """Every word against a bot in what was written and what was said, a person's own faults apart."""
    found = []
    for path, text in report["logs"].items():
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                found.append(f"{path}: a line that is no JSON: {line[:80]}")
                continue
            if entry["type"] == "fault" and not (command == "play" and entry["seat"] == 0):
                found.append(f"{Path(path).name}: seat {entry['seat']} {entry['kind']}: {entry['detail']}")
            if entry["type"] == "outcome":
                found.extend(
                    f"{Path(path).name}: seat {forfeit['seat']} forfeits: {forfeit['kind']}"
                    for forfeit in entry.get("forfeits", [])
                    if not (command == "play" and forfeit["seat"] == 0)
                )
    later = report["later"].get("faults")
    if later and later["status"] == 0:
        found.extend(
            f"arena faults: {fault['bot']} {fault['kind']}: {fault['detail']}"
            for fault in json.loads(later["out"])["faults"]
        )
    matches = report["later"].get("matches")
    if matches and matches["status"] == 0:
        found.extend(
            f"arena export: {row['bot']} forfeits {row['match']}: {row['forfeit']}"
            for row in map(json.loads, matches["out"].splitlines())
            if row["forfeit"] is not None
        )
    if command in ("match", "compare", "check") and report["out"].strip():
        try:
            said = json.loads(report["out"])
        except ValueError:
            return found
        if isinstance(said, dict) and "error" in said:
            return found
        if command == "match":
            found.extend(
                f"match: {fault['bot']} {fault['kind']}: {fault['detail']}"
                for fault in said.get("faults", [])
            )
        elif command == "compare":
            found.extend(f"compare: {bot} {kinds}" for bot, kinds in said.get("forfeits", {}).items())
        else:
            found.extend(
                f"check: {step['step']}: {step['fault']} {step['remark']} {step['mend']}"
                for bot in said
                for step in bot["steps"]
                if step["verdict"] not in ("passed", "skipped", "noted")
            )
    return found


def left_behind(report: Mapping[str, Any], fault: Fault) -> list[str]:
    """Processes, and files where none belong; what was asked for is wanted, and locks of cores last, as do
    copies of bots."""
    work = report["work"]
    files = [
        path
        for path in report["files"]
        if not fault.litters
        and path != work
        and not path.startswith(f"{work}/")
        and not re.search(
            r"/arena-\d+(/core-\d+\.lock)?$|/\.(filler|crowd)(/|$)|/\.local(/state(/card-arena(/key)?)?)?$"
            r"|/(\.cache|arena-\d+)(/arena(/tables(/[0-9a-f]{64})?|/built(/[0-9a-f]{64}(\.files\.json|/[^/]+)?)?)?)?$",
            path,
        )
    ]
    return [f"process: {line}" for line in report["left"]] + [f"file: {path}" for path in files]


def broken(
    command: str, report: Mapping[str, Any], fault: Fault, undisturbed: Mapping[str, str]
) -> list[str]:
    """What the law says against how a case ended; nothing is good."""
    blame = blamed(command, report)
    found = [f"blames a bot {len(blame)} times, first {blame[0]}"] if blame else []
    found += [f"leaves {text}" for text in left_behind(report, fault)]
    if report["trouble"]:
        found.append(f"could not be put in: {report['trouble']}")
    status, err = report["status"], report["err"]
    said = err + "".join(later["err"] for later in report["later"].values())
    if (
        trace := re.search(r"Traceback|Fatal Python|^\w*(Error|Exception)\b", said, re.MULTILINE)
    ) is not None:
        found.append(f"prints a traceback: {said[trace.start() :][:TRACE]}")
    if status is None:
        found.append(f"does not end: {tail(err)}")
        return found
    ways = ended(command, report, fault, undisturbed)
    if not set(ways) & set(fault.ends):
        found.append(f"ends with {status} ({', '.join(ways) or 'wrong'}): {tail(err)}")
    if (
        ways
        and PLAYED not in ways
        and status == 2
        and not re.search(r"arena: .+", err, re.MULTILINE)
        and not {1, 2} & {*fault.closed}
    ):
        found.append(f"says nothing: {tail(err)}")
    if command == "tournament":
        found += resumed(report, undisturbed)
    return found


def tail(text: str) -> str:
    return " ⏎ ".join(text.strip().splitlines()[-4:])[-600:]


def ended(command: str, report: Mapping[str, Any], fault: Fault, undisturbed: Mapping[str, str]) -> list[str]:
    """In which of the allowed ways a command ended; none of them is wrong."""
    status = report["status"]
    if status is None:
        return []
    if status in (0, 3 if command == "compare" else 0, 130 if command == "play" else 0) and right(
        command, report, fault, undisturbed
    ):
        return [PLAYED]
    if status in (2, 130, 129, 143) or status < 0:
        return [REFUSED, STOPPED] if status == 2 else [STOPPED]
    return []


def right(command: str, report: Mapping[str, Any], fault: Fault, undisturbed: Mapping[str, str]) -> bool:
    """Whether what was played is what is played on a good machine."""
    if command == "check":
        return True  # Times are in it; a status of 0 says that all passed.
    if command == "compare" and 1 in fault.closed:
        return True  # There is nobody to tell.
    if command == "tournament":
        # Its table is compared after `resume`, which had nothing to do.
        later = report["later"]["resume"]
        return bool(later["status"] == 0)
    return bool(essence(command, report) == undisturbed[command])


def essence(command: str, report: Mapping[str, Any]) -> str:
    """What is the same in every run with this seed."""
    if command == "tournament":
        return str(report["later"]["standings"]["out"])
    if command == "compare":
        return str(report["out"])
    texts = list(report["logs"].values())
    if not texts:
        return ""
    lines = [json.loads(line) for line in texts[0].splitlines()]
    end = {name: value for name, value in lines[-1].items() if name != "us"}
    return json.dumps([line["action"] for line in lines if line["type"] == "action"] + [end])


def resumed(report: Mapping[str, Any], undisturbed: Mapping[str, str]) -> list[str]:
    """A tournament goes on with the good machine as if nothing had been; one that never began need not. Where
    an interpreter is not there, its bots are left out at the door, by name, and the table is another one."""
    later = report["later"]
    if later["resume"]["status"] == 2 and report["status"] != 0 and later["standings"]["status"] == 2:
        return []
    found = []
    if later["resume"]["status"] != 0:
        found.append(f"cannot be resumed: {later['resume']['status']} {tail(later['resume']['err'])}")
    elif later["standings"]["out"] != undisturbed["tournament"] and "left out, perl is" not in report["err"]:
        found.append("another table after the resume")
    elif later["verify"]["status"] != 0:
        found.append(f"does not verify: {tail(later['verify']['err'])}")
    return found


def installed(base: Path) -> tuple[str, ...]:
    """The arena from its wheel, in an environment that everybody may enter."""
    python = next(path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists())
    subprocess.run([python, "-m", "venv", "--without-pip", base / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    source = clone.copy(base / "source")
    subprocess.run(
        [*pip, "wheel", "--no-deps", "-w", base / "wheel", source], check=True, capture_output=True
    )
    (wheel,) = (base / "wheel").glob("*.whl")
    subprocess.run(
        [*pip, "--python", base / "venv/bin/python", "install", "--no-compile", wheel],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        [base / "venv/bin/python", "-m", "compileall", "-q", base / "venv/lib"],
        check=False,
        capture_output=True,
    )
    subprocess.run(["chmod", "-R", "a+rX", base], check=True)
    return (str(base / "venv/bin/arena"),)


def prepared() -> Iterator[Path]:
    """A folder for everybody: not in a private /tmp, and not behind a folder of root's."""
    base = Path(tempfile.mkdtemp(prefix="machine-", dir="/var/tmp"))
    try:
        base.chmod(0o755)
        (base / "bots").mkdir()
        for name in ("careful.py", "greedy.py", "dreamer.pl"):
            shutil.copy(ROOT / "bots" / name, base / "bots")
        (base / "bots/steady.py").write_text(STEADY)
        (base / "cases").mkdir()
        subprocess.run(["chmod", "-R", "a+rX", base], check=True)
        yield base
    finally:
        shutil.rmtree(base, ignore_errors=True)
