"""The filter, asked by programs without a runtime of Python's: one in C, which has the numbers of the calls
from the system's headers and not from us, and one in Perl, which is given what that one found.
"""

import errno
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from arena.process.launch import Launch, bot_environment
from arena.process.sandbox import Level, Sandbox, bounds, calls_refused, command, inherited, seat_uid
from tests.support.needs import require

pytestmark = pytest.mark.needs("bwrap", "call numbers", "cc")

DONE = 0
CALLS: Mapping[str, tuple[tuple[int, ...], int]] = {
    # Done without an effect, as runtimes want it.
    "setsid": ((), DONE),
    "setpgid": ((0, 0), DONE),
    "setpriority": ((0, 0, 5), DONE),
    "sched_setscheduler": ((0, 0, 0), DONE),
    "sched_setaffinity": ((0, 0, 0), DONE),
    "flock": ((0, 2), DONE),
    "fadvise64": ((0, 0, 0, 4), DONE),
    "sync": ((), DONE),
    "syncfs": ((0,), DONE),
    "kill": ((0, 18), DONE),
    "tgkill": ((1, 1, 18), DONE),
    # As from a kernel without them.
    "mincore": ((0, 0, 0), errno.ENOSYS),
    "inotify_init1": ((0,), errno.ENOSYS),
    "fanotify_init": ((0, 0), errno.ENOSYS),
    "io_setup": ((1, 0), errno.ENOSYS),
    "io_uring_setup": ((1, 0), errno.ENOSYS),
    "add_key": ((0, 0, 0, 0, 0), errno.ENOSYS),
    "request_key": ((0, 0, 0, 0), errno.ENOSYS),
    "keyctl": ((0, 0, 0, 0, 0), errno.ENOSYS),
    "memfd_create": ((0, 0), errno.ENOSYS),
    "shmget": ((0, 4096, 0o1600), errno.ENOSYS),
    "semget": ((0, 1, 0o1600), errno.ENOSYS),
    "msgget": ((0, 0o1600), errno.ENOSYS),
    "mq_open": ((0, 0o100, 0o600, 0), errno.ENOSYS),
    "perf_event_open": ((0, 0, -1, -1, 0), errno.ENOSYS),
    "bpf": ((0, 0, 0), errno.ENOSYS),
    "userfaultfd": ((1,), errno.ENOSYS),
    "name_to_handle_at": ((0, 0, 0, 0, 0), errno.ENOSYS),
    "move_pages": ((0, 0, 0, 0, 0, 0), errno.ENOSYS),
    "process_vm_writev": ((1, 0, 0, 0, 0, 0), errno.ENOSYS),
    "kcmp": ((1, 1, 0, 0, 0), errno.ENOSYS),
    "clone3": ((0, 0), errno.ENOSYS),
    "landlock_create_ruleset": ((0, 0, 0), errno.ENOSYS),
    "seccomp": ((1, 0, 0), errno.ENOSYS),
    "vmsplice": ((1, 0, 0, 0), errno.ENOSYS),
    "setxattr": ((0, 0, 0, 0, 0), errno.EOPNOTSUPP),
    "fallocate": ((1, 0, 0, 1), errno.EOPNOTSUPP),
    "setsockopt": ((0, 1, 7, 0, 0), DONE),
    "mbind": ((0, 0, 0, 0, 0, 2), DONE),
    # Told why not.
    "timer_create": ((1, 0, 0), errno.EAGAIN),
    "ptrace": ((0, 0, 0, 0), errno.EPERM),
    "setns": ((0, 0), errno.EPERM),
    "unshare": ((0x10000000,), errno.EPERM),
    "mount": ((0, 0, 0, 0, 0), errno.EPERM),
    "syslog": ((3, 0, 0), errno.EPERM),
    "prlimit64": ((1, 0, 0, 0), errno.EPERM),
    "fchmod": ((1, 0o4755), errno.EPERM),
    "socket": ((40, 1, 0), errno.EAFNOSUPPORT),
    "fcntl": ((0, 1024, 0), errno.EINVAL),
    "prctl": ((78, 1, 0, 0, 0), errno.EINVAL),
    "splice": ((0, 0, 1, 0, 1, 0), errno.EINVAL),
    "tee": ((0, 1, 1, 0), errno.EINVAL),
    "sendfile": ((1, 0, 0, 1), errno.EINVAL),
    "mmap": ((0, 1 << 21, 3, 0x40022, -1, 0), errno.ENOMEM),
}
IN_C = """\
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void call(const char *name, long number, long a, long b, long c, long d, long e, long f) {
    errno = 0;
    long done = syscall(number, a, b, c, d, e, f);
    printf("%%s %%ld %%d\\n", name, number, done == -1 ? errno : (int)done);
}
int main(void) {
%s
    return 0;
}
"""
IN_PERL = """\
use JSON::PP;
for my $call (@{decode_json($ARGV[0])}) {
    my ($name, $number, @arguments) = @$call;
    $! = 0;
    my $done = syscall($number, @arguments);
    printf("%s %d %d\\n", $name, $number, $done == -1 ? $! + 0 : $done);
}
"""


BY_ANOTHER_DOOR = """\
int main(void) {
    long done = 20;
    __asm__ volatile("int $0x80" : "+a"(done));
    return done > 0;
}
"""


def told(folder: Path, *argv: str) -> list[Sequence[str]]:
    """What a program says in a sandbox that is shown the folder: name, number and answer of each call."""
    with calls_refused(Level.BWRAP) as refused:
        call = subprocess.run(
            command(
                Launch(argv, str(folder), owns_folder=True),
                Level.BWRAP,
                bounds(Sandbox()),
                uid=seat_uid(),
                refused=refused,
            ),
            capture_output=True,
            text=True,
            env=bot_environment(),
            pass_fds=inherited(refused),
        )
    assert call.returncode == 0, call.stderr
    return [line.split() for line in call.stdout.splitlines()]


def test_programs_in_c_and_perl_are_answered_as_those_in_python_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    lines = [
        f'call("{name}", SYS_{name}, {", ".join(map(str, (*arguments, *[0] * 6)[:6]))});'
        for name, (arguments, _) in CALLS.items()
    ]
    (tmp_path / "calls.c").write_text(IN_C % "\n".join(lines))
    subprocess.run(["cc", "-o", tmp_path / "calls", tmp_path / "calls.c"], check=True)
    due = {name: answer for name, (_, answer) in CALLS.items()}
    in_c = told(tmp_path, str(tmp_path / "calls"))
    assert {name: int(answer) for name, _, answer in in_c} == due
    require("perl")
    numbered = [[name, int(number), *CALLS[name][0]] for name, number, _ in in_c]
    in_perl = told(tmp_path, "perl", "-e", IN_PERL, json.dumps(numbered))
    assert {name: int(answer) for name, _, answer in in_perl} == due


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="this needs x86_64")
def test_a_program_of_32_bits_is_ended(tmp_path: Path) -> None:
    """Its calls have other numbers, by which all of them could be made: int 0x80."""
    tmp_path.chmod(0o755)
    (tmp_path / "old.c").write_text(BY_ANOTHER_DOOR)
    subprocess.run(["cc", "-o", tmp_path / "old", tmp_path / "old.c"], check=True)
    with pytest.raises(AssertionError):
        told(tmp_path, str(tmp_path / "old"))
