"""What can be wrong with a machine: tables of data, for `test_machine.py`.

The steps of a fault are those of `keeper.Case`. In their words `{work}` is the folder that holds the run
directory or the log, `{tmp}` is TMPDIR, `{home}` is HOME, `{cwd}` is the working directory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

LEVELS = ("bwrap", "rlimits", "none")
USERS = ("root", "ordinary")
COMMANDS = ("match", "tournament", "compare", "check", "play")

PLAYED, REFUSED, STOPPED = "played", "refused", "stopped"
"""How a command may end: right; with status 2 before anything was played; with status 2 or by its signal in
the middle. Only tournaments tell the last two apart: one that was stopped can be resumed."""
ANY = (PLAYED, REFUSED, STOPPED)

Step: TypeAlias = Sequence[str | int | float]


@dataclass(frozen=True)
class Fault:
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Resource to soft and hard limit; -1 is none."""
    before: Sequence[Step] = ()
    middle: Sequence[Step] = ()
    mend: Sequence[Step] = ()
    closed: Sequence[int] = ()
    output: str = ""
    env: Mapping[str, str | None] = field(default_factory=dict)
    cwd: str = ""
    vanished: bool = False
    """Whether the working directory is gone when the command starts."""
    umask: int | None = None
    ends: Sequence[str] = ANY
    """How the command may end."""
    users: Sequence[str] = USERS
    levels: Sequence[str] = LEVELS
    commands: Sequence[str] = COMMANDS
    litters: bool = False
    """Whether a temporary folder may be left, since nobody can clear up after such an end."""
    mounts: bool = False
    """Whether it takes root to put it in."""
    keyless: bool = False
    """Whether the user's key cannot be kept, by which a run is known as made here."""
    terminal: bool = False
    elsewhere: str = ""
    """Where the run directory and the log go instead, such as a small file system."""


def limited(name: str, soft: int, hard: int | None = None, **rest: object) -> Fault:
    return Fault(limits={name: (soft, soft if hard is None else hard)}, **rest)  # type: ignore[arg-type]


PLAYING: Step = ("until", r"steady\.py$")
"""A bot is there; the sleep brings us into its match."""
ARENA = r"-m arena|bin/arena"
"""The command and its workers, and no bot."""
MB = 1 << 20

LIMITS = {
    **{f"descriptors {n}": limited("NOFILE", n) for n in (20, 40, 64, 100, 200)},
    "descriptors soft 20": limited("NOFILE", 20, 4096),
    "descriptors soft 64": limited("NOFILE", 64, 4096, ends=(PLAYED,)),
    **{f"processes {n}": limited("NPROC", n) for n in (4, 8, 12, 20, 40)},
    **{f"data {n} MB": limited("DATA", n * MB) for n in (30, 60, 100, 200, 400)},
    "data soft 200 MB": limited("DATA", 200 * MB, -1),
    **{f"address space {n} MB": limited("AS", n * MB) for n in (100, 250, 500, 1000)},
    **{f"file size {n}": limited("FSIZE", n) for n in (0, 1024, 8192, 65536)},
    **{f"stack {n} kB": limited("STACK", n * 1024) for n in (128, 512)},
    "stack unlimited": limited("STACK", -1),
    "core": limited("CORE", -1, ends=(PLAYED,)),
    "cpu 1 s": limited("CPU", 1),
    "locked memory 0": limited("MEMLOCK", 0, ends=(PLAYED,)),
    "pending signals 0": limited("SIGPENDING", 0),
    "message queues 0": limited("MSGQUEUE", 0, ends=(PLAYED,)),
    "niceness": limited("NICE", 0, ends=(PLAYED,)),
}

FULL = {
    f"{what} {when} in {where}": Fault(
        elsewhere="{cwd}/small" if where == "out" else "",
        env={} if where == "out" else {"TMPDIR": "{cwd}/small"},
        before=(
            ("mount", "{cwd}/small", options),
            *(((verb, "{cwd}/small"),) if when == "from the start" else ()),
        ),
        middle=((PLAYING, ("wait", 0.1), (verb, "{cwd}/small")) if when == "in the middle" else ()),
        mend=(("empty", "{cwd}/small"), ("remount", "{cwd}/small", "size=64m,nr_inodes=100000")),
        mounts=True,
    )
    for what, verb, options in (
        ("no space", "fill", "size=2m"),
        ("no inodes", "crowd", "size=8m,nr_inodes=200"),
    )
    for when in ("from the start", "in the middle")
    for where in ("out", "tmp")
} | {
    f"{label} in {where}": Fault(
        elsewhere="{cwd}/small" if where == "out" else "",
        env={} if where == "out" else {"TMPDIR": "{cwd}/small"},
        before=(("mount", "{cwd}/small", options),),
        mend=(("remount", "{cwd}/small", "size=64m,nr_inodes=100000"),),
        mounts=True,
    )
    for label, options in (
        ("16 kB", "size=16k"),
        ("32 kB", "size=32k"),
        ("64 kB", "size=64k"),
        ("128 kB", "size=128k"),
        *((f"{n} inodes", f"size=8m,nr_inodes={n}") for n in (3, 6, 8, 9, 10, 11, 12, 14, 18)),
    )
    for where in ("out", "tmp")
}

FOLDERS = {
    "no working directory": Fault(before=(("mkdir", "{cwd}/gone"),), cwd="{cwd}/gone", vanished=True),
    "working directory goes": Fault(
        before=(("mkdir", "{cwd}/gone"),), cwd="{cwd}/gone", middle=(PLAYING, ("remove", "{cwd}/gone"))
    ),
    "temporary folder goes": Fault(middle=(PLAYING, ("remove", "{tmp}"), ("mkdir", "{tmp}"))),
    "temporary folder is not there": Fault(env={"TMPDIR": "/no/such/folder"}, ends=(PLAYED, REFUSED)),
    "temporary folder read-only": Fault(before=(("mode", "{tmp}", 0o555),), users=("ordinary",)),
    "nothing to write to": Fault(
        before=(
            ("mode", "{tmp}", 0o555),
            ("mode", "/tmp", 0o555),
            ("mode", "{cwd}", 0o555),
            ("mode", "{home}", 0o555),
        ),
        users=("ordinary",),
        mounts=True,
    ),
    "temporary folder noexec": Fault(
        before=(("mount", "{cwd}/small", "size=16m"), ("remount", "{cwd}/small", "noexec")),
        env={"TMPDIR": "{cwd}/small"},
        mounts=True,
    ),
    "/tmp not writable": Fault(
        before=(("mode", "/tmp", 0o555),), users=("ordinary",), mounts=True, ends=(PLAYED, REFUSED)
    ),
    "long temporary folder": Fault(
        before=(("mkdir", "{cwd}/" + "long" * 30),),
        env={"TMPDIR": "{cwd}/" + "long" * 30},
        ends=(PLAYED, REFUSED),
    ),
    "run directory read-only": Fault(
        before=(("mkdir", "{cwd}/small"), ("mode", "{cwd}/small", 0o555)),
        elsewhere="{cwd}/small",
        mend=(("mode", "{cwd}/small", 0o777),),
        users=("ordinary",),
        ends=(PLAYED, REFUSED),
    ),
    "run directory goes": Fault(middle=(PLAYING, ("remove", "{work}"))),
    "no HOME": Fault(env={"HOME": None}, keyless=True, ends=(PLAYED,)),
    "HOME is not there": Fault(env={"HOME": "/no/such/folder"}, keyless=True, ends=(PLAYED,)),
    "HOME is a file": Fault(env={"HOME": "/etc/passwd"}, keyless=True, ends=(PLAYED,)),
    "HOME read-only": Fault(
        before=(("mode", "{home}", 0o555),), users=("ordinary",), keyless=True, ends=(PLAYED,)
    ),
    "umask 777": Fault(umask=0o777),
    "umask 077": Fault(umask=0o077, ends=(PLAYED,)),
}

DESCRIPTORS = {
    **{f"descriptor {n} closed": Fault(closed=(n,)) for n in (0, 1, 2)},
    "descriptors 0 1 closed": Fault(closed=(0, 1)),
    "descriptors 1 2 closed": Fault(closed=(1, 2)),
    "all descriptors closed": Fault(closed=(0, 1, 2)),
    "output full": Fault(
        output="/dev/full", ends=(REFUSED, STOPPED), commands=("match", "tournament", "compare", "check")
    ),
}

UNHEARD = ("SIGKILL", "SIGQUIT", "SIGUSR1", "SIGALRM", "SIGXCPU", "SIGPIPE")
"""What nobody sends to end a program in good order."""

SIGNALS = {
    f"{name} after {wait} s": Fault(
        middle=(("heard",), ("wait", wait), ("signal", name)),
        ends=(PLAYED, REFUSED, STOPPED),
    )
    for name in ("SIGTERM", "SIGHUP", "SIGINT")
    for wait in (0.15, 0.3, 0.6, 0.9)
} | {
    f"{name} in a match": Fault(middle=(PLAYING, ("wait", 0.1), ("signal", name)), litters=name in UNHEARD)
    for name in ("SIGTERM", "SIGHUP", "SIGINT", *UNHEARD)
}

DEATHS = {
    **{
        f"{what} {number} gets {name}": Fault(
            middle=(PLAYING, ("wait", 0.1), ("kill", pattern, number, name)),
            levels=("bwrap",) if what == "wrapper" else LEVELS,
            commands=("match", "tournament", "compare", "play")
            if what == "wrapper"
            else ("tournament", "compare"),
        )
        for what, pattern, numbers in (
            ("wrapper", r"^\S*bwrap .*", (0, 1, 2, 3)),
            ("worker", r"-m arena\.playing\.worker", (0, 1)),
        )
        for number in numbers
        for name in (("SIGKILL",) if what == "wrapper" else ("SIGKILL", "SIGTERM", "SIGHUP", "SIGSEGV"))
    },
    "all workers get SIGKILL": Fault(
        middle=(PLAYING, ("wait", 0.1), ("killall", r"-m arena\.playing\.worker", "SIGKILL")),
        commands=("tournament", "compare"),
    ),
    "all wrappers get SIGKILL": Fault(
        middle=(PLAYING, ("wait", 0.1), ("killall", r"^\S*bwrap ", "SIGKILL")), levels=("bwrap",)
    ),
    "all sleeps 3 s": Fault(middle=(PLAYING, ("wait", 0.1), ("stop", 3.0)), ends=(PLAYED, STOPPED)),
    "the director sleeps 3 s": Fault(
        middle=(PLAYING, ("wait", 0.1), ("signal", "SIGSTOP"), ("wait", 3.0), ("signal", "SIGCONT")),
        ends=(PLAYED,),
    ),
    "workers sleep 3 s": Fault(
        middle=(
            PLAYING,
            ("wait", 0.1),
            ("killall", r"-m arena\.playing\.worker", "SIGSTOP"),
            ("wait", 3.0),
            ("killall", r"-m arena\.playing\.worker", "SIGCONT"),
        ),
        commands=("tournament", "compare"),
        ends=(PLAYED, STOPPED),
    ),
}

NEIGHBOURS = {
    "processes used up from the start": Fault(
        limits={"NPROC": (600, 600)},
        before=(("hog", 600),),
        mend=(),
        users=("ordinary",),
        ends=(REFUSED, STOPPED),
    ),
    "processes used up in the middle": Fault(
        limits={"NPROC": (600, 600)}, middle=(PLAYING, ("hog", 600)), users=("ordinary",)
    ),
    "processes used up for a second": Fault(
        limits={"NPROC": (600, 600)},
        middle=(PLAYING, ("hog", 600), ("wait", 1.0), ("release",)),
        users=("ordinary",),
    ),
    "descriptors lowered in the middle": Fault(middle=(PLAYING, ("limit", ARENA, "NOFILE", 12, 12))),
    "file size lowered in the middle": Fault(middle=(PLAYING, ("limit", ARENA, "FSIZE", 0, 0))),
    "data lowered in the middle": Fault(
        # Without memory nobody can delete the copies of bots; the next command does.
        middle=(PLAYING, ("limit", ARENA, "DATA", 4096, 4096)),
        litters=True,
    ),
    "processes lowered in the middle": Fault(
        middle=(PLAYING, ("limit", ARENA, "NPROC", 1, 1)), users=("ordinary",)
    ),
}

ENVIRONMENTS = {
    "no bwrap on PATH": Fault(env={"PATH": "{bin}"}, ends=(PLAYED, REFUSED)),
    "PATH empty": Fault(env={"PATH": ""}, ends=(PLAYED, REFUSED)),
    "no PATH": Fault(env={"PATH": None}, ends=(PLAYED, REFUSED)),
    "locale C": Fault(
        env={"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, ends=(PLAYED,)
    ),
    "locale POSIX": Fault(env={"LC_ALL": "POSIX"}, ends=(PLAYED,)),
    "no such locale": Fault(env={"LC_ALL": "xx_YY.UTF-8"}, ends=(PLAYED,)),
    "PYTHONIOENCODING ascii": Fault(env={"PYTHONIOENCODING": "ascii"}, ends=(PLAYED,)),
    "PYTHONHASHSEED": Fault(env={"PYTHONHASHSEED": "7"}, ends=(PLAYED,)),
    "PYTHONSTARTUP": Fault(env={"PYTHONSTARTUP": "/no/such/file"}, ends=(PLAYED,)),
    "PYTHONPATH not there": Fault(env={"PYTHONPATH": "/no/such/folder:{python_path}"}, ends=(PLAYED,)),
    "PYTHONOPTIMIZE": Fault(env={"PYTHONOPTIMIZE": "2"}, ends=(PLAYED,)),
    "PYTHONWARNINGS error": Fault(env={"PYTHONWARNINGS": "error"}, ends=(PLAYED,)),
    "PYTHONDEVMODE": Fault(env={"PYTHONDEVMODE": "1"}, ends=(PLAYED,)),
    "PYTHONINSPECT": Fault(env={"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}, ends=(PLAYED,)),
    "PYTHONHOME wrong for bots only": Fault(
        env={"PYTHONNOUSERSITE": "1", "PYTHONSAFEPATH": "1"}, ends=(PLAYED,)
    ),
    "LD_PRELOAD not there": Fault(env={"LD_PRELOAD": "/no/such/file.so"}, ends=(PLAYED,)),
    "TERM unknown": Fault(env={"TERM": "no-such-terminal", "COLUMNS": "0", "LINES": "x"}, ends=(PLAYED,)),
    "TZ odd": Fault(env={"TZ": ":/no/such/zone"}, ends=(PLAYED,)),
    "/proc goes": Fault(middle=(PLAYING, ("cover", "/proc")), mend=(("unmount", "/proc"),), mounts=True),
    "/proc empty": Fault(before=(("cover", "/proc"),), mend=(("unmount", "/proc"),), mounts=True),
    "/dev/shm not writable": Fault(
        before=(("mode", "/dev/shm", 0o555),), mounts=True, ends=(PLAYED,), users=("ordinary",)
    ),
}

TERMINALS = {
    "the terminal goes": Fault(middle=(PLAYING, ("wait", 0.1), ("hang_up",)), terminal=True),
    "the terminal goes at once": Fault(middle=(("wait", 0.3), ("hang_up",)), terminal=True),
}

RESOURCES = {
    **LIMITS,
    **FULL,
    **FOLDERS,
    **DESCRIPTORS,
    **SIGNALS,
    **DEATHS,
    **NEIGHBOURS,
    **ENVIRONMENTS,
    **TERMINALS,
}

GATE = (
    ("data 400 MB", "rlimits", "root", "match"),
    ("wrapper 1 gets SIGKILL", "bwrap", "root", "match"),
    ("descriptors 20", "none", "root", "match"),
    ("SIGTERM in a match", "bwrap", "root", "match"),
)
"""Fault, level, user and command of the few cases that are played each time."""
