"""The system calls that a sandbox refuses to a bot, as a filter program that the kernel runs at each call.

A call is refused if a bot could use it to

    hide memory        in unnamed files, in System V queues, in file systems that it mounts itself, in what
                       the kernel stores for a process (tests/bench/hoards.py shows what is still possible)
    reach other bots   by state of a file that both see, in the kernel's accounts of a user, or in tables of
                       the kernel that have no namespaces
    run while stopped  by leaving its process group or its core, or by having the kernel send it SIGCONT
    gain rights        of the organiser, by creating a program with the setuid or setgid bit
    end its sandbox    by a limit on the first process inside, which the kernel then kills

Everything else is allowed, with two exceptions: calls with many operations (fcntl, ioctl, socket) allow only
the harmless ones, and calls newer than this list are refused. A refused call fails with an error that
runtimes tolerate, such as ENOSYS, as if the kernel lacked it; where a program would give up otherwise, it
succeeds without effect. Knows numbers and the kernel's classic BPF; not who is filtered.

Sources: linux/seccomp.h, linux/filter.h, linux/audit.h; for the numbers asm/unistd_64.h (x86_64) and
asm-generic/unistd.h (aarch64). The constants of arguments are the same for both.
"""

import contextlib
import errno
import fcntl
import functools
import os
import platform
import struct
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

WORD: Final = 0xFFFF_FFFF

CLONE_NEWUSER, CLONE_FILES, CLONE_THREAD = 0x10000000, 0x400, 0x10000
CLOSE_RANGE_UNSHARE: Final = 0x2
EXIT_SIGNAL: Final = 0xFF
"""The bits of clone's flags that contain the signal that the parent gets when the child ends."""
SIGCONT: Final = 18
SETUID_OR_SETGID: Final = 0o6000
CREATES: Final = 0o100 | 0o20000000
"""O_CREAT and O_TMPFILE: open uses its mode only with one of them."""
RWF_NOWAIT, RWF_DONTCACHE = 0x8, 0x80
MAP_HUGETLB: Final = 0x40000
MAP_SHARED, MAP_TYPE, MAP_ANONYMOUS = 0x1, 0xF, 0x20
MERGEABLE, COLD, PAGEOUT, COLLAPSE = 12, 20, 21, 25
"""Advice of madvise that reveals or changes pages that other processes have too."""
PDEATHSIG, DUMPABLE, SECCOMP, THP_DISABLE, SCHED_CORE, KNOWN_OPTIONS = 1, 4, 22, 41, 62, 0x3F
"""Options of prctl. Those above KNOWN_OPTIONS are newer or need rights; one of them, PR_FUTEX_HASH, allocates
2 GiB in the kernel at once."""

F_SETS_LOCK: Final = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW."""
F_HARMLESS: Final = (0, 1, 2, 3, 4, 5, 36, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_OFD_GETLK, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Querying
locks is harmless, since no bot can set one."""

IOCTL_TYPE, TERMINALS, SOCKETS = 0xFF00, 0x5400, 0x8900
"""The type in the number of an ioctl. TERMINALS includes ioctls for all descriptors, such as FIONREAD."""
CLONES_FILE: Final = (0x40049409, 0x4020940D)
TIOCSETD, TIOCSPTLCK = 0x5423, 0x40045431
"""TIOCSETD loads kernel modules. TIOCSPTLCK unlocks a new terminal, which sends SIGCONT when it closes."""

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
SOL_SOCKET, IPPROTO_TCP = 1, 6
SO_SIZES: Final = (7, 8)
"""SO_SNDBUF, SO_RCVBUF."""
SO_GOES_ON: Final = (26, 47, 50, 51, 52, 61)
"""SO_ATTACH_FILTER, SO_MAX_PACING_RATE, SO_ATTACH_BPF and its two of REUSEPORT, SO_TXTIME."""
SO_COOKIES: Final = (57, 71)
"""SO_COOKIE and SO_NETNS_COOKIE, which are counters over all sockets and networks of the machine."""
TCP_GOES_ON: Final = (13, 16, 44, 45, 46)
"""TCP_CONGESTION, some algorithms of which send by a clock; TCP_THIN_LINEAR_TIMEOUTS, TCP_RTO_MAX_MS,
TCP_RTO_MIN_US, TCP_DELACK_MAX_US."""
PROTOCOLS: Final = (0, 1, 6, 17)
"""The default, 1 (Unix's own, or ICMP), TCP and UDP."""


class Condition(NamedTuple):
    """Holds if an argument (numbered from 0) is one of `values`, or with `other` none of them. `mask` is
    applied to its lower 32 bits, which are compared as the kernel compares an int."""

    argument: int
    values: tuple[int, ...]
    mask: int = WORD
    other: bool = False


def one_of(argument: int, *values: int, mask: int = WORD) -> Condition:
    """The masked argument is one of `values`."""
    return Condition(argument, values, mask)


def none_of(argument: int, *values: int, mask: int = WORD) -> Condition:
    """The masked argument is none of `values`."""
    return Condition(argument, values, mask, other=True)


def any_bit(argument: int, bits: int) -> Condition:
    """The argument has at least one of `bits` set."""
    return none_of(argument, 0, mask=bits)


class RefusedCall(NamedTuple):
    """A call that is refused if all conditions in `when` hold. `x86_64`, `aarch64`: its number there, None if
    it does not exist. `error`: the errno that the caller gets; with 0 (DONE) the call seems to succeed."""

    name: str
    x86_64: int | None
    aarch64: int | None
    error: int
    when: tuple[Condition, ...] = ()


DONE: Final = 0

HIDES_MEMORY: Final = (
    # In its own user namespace a bot is root. The flags of clone3 are in memory, where a filter cannot read
    # them; without clone3 libc uses clone.
    RefusedCall("unshare", 272, 97, errno.EPERM, (any_bit(0, CLONE_NEWUSER | CLONE_FILES),)),
    RefusedCall("clone", 56, 220, errno.EPERM, (any_bit(0, CLONE_NEWUSER),)),
    RefusedCall("clone3", 435, 435, errno.ENOSYS),
    # Descriptors of a thread's own are not among those of its process, which a look counts.
    RefusedCall("clone", 56, 220, errno.EPERM, (one_of(0, CLONE_THREAD, mask=CLONE_THREAD | CLONE_FILES),)),
    RefusedCall("close_range", 436, 436, errno.EINVAL, (any_bit(2, CLOSE_RANGE_UNSHARE),)),
    RefusedCall("setns", 308, 268, errno.EPERM),
    RefusedCall("mount", 165, 40, errno.EPERM),
    RefusedCall("fsopen", 430, 430, errno.EPERM),
    # On ENOSYS runtimes do without these; some of them fail on other errors.
    RefusedCall("memfd_create", 319, 279, errno.ENOSYS),
    RefusedCall("memfd_secret", 447, 447, errno.ENOSYS),
    RefusedCall("shmget", 29, 194, errno.ENOSYS),
    RefusedCall("semget", 64, 190, errno.ENOSYS),
    RefusedCall("msgget", 68, 186, errno.ENOSYS),
    # Huge pages are charged to no process, and the machine has few.
    RefusedCall("mmap", 9, 222, errno.ENOMEM, (any_bit(3, MAP_HUGETLB),)),
    # Shared pages without a file persist when madvise has removed them from a process. The sandbox's
    # /dev/zero cannot be mapped instead.
    RefusedCall(
        "mmap", 9, 222, errno.EPERM, (one_of(3, MAP_SHARED | MAP_ANONYMOUS, mask=MAP_TYPE | MAP_ANONYMOUS),)
    ),
    # A byte of a huge page in a pipe keeps all 2 MiB of the page, up to 16 times per pipe.
    RefusedCall("vmsplice", 278, 75, errno.ENOSYS),
    # A byte of a page in a socket keeps the whole page, even without its file. If these fail, programs copy.
    RefusedCall("splice", 275, 76, errno.EINVAL),
    RefusedCall("tee", 276, 77, errno.EINVAL),
    RefusedCall("sendfile", 40, 71, errno.EINVAL),
    # Allocates disk space and memory at once; without it that takes as long as writing.
    RefusedCall("fallocate", 285, 47, errno.EOPNOTSUPP),
    # sandbox_init.py assumes the default size of every socket.
    RefusedCall("setsockopt", 54, 208, DONE, (one_of(1, SOL_SOCKET), one_of(2, *SO_SIZES))),
    # An access list takes 64 KiB in addition to its file.
    RefusedCall("setxattr", 188, 5, errno.EOPNOTSUPP),
    RefusedCall("lsetxattr", 189, 6, errno.EOPNOTSUPP),
    RefusedCall("fsetxattr", 190, 7, errno.EOPNOTSUPP),
    # A bot's own filters also use up the memory for filters that all users share; without it no further
    # sandbox can be created.
    RefusedCall("landlock_create_ruleset", 444, 444, errno.ENOSYS),
    RefusedCall("seccomp", 317, 277, errno.ENOSYS),
    RefusedCall("prctl", 157, 167, errno.EINVAL, (one_of(0, SECCOMP),)),
    RefusedCall("prctl", 157, 167, errno.EINVAL, (any_bit(0, WORD & ~KNOWN_OPTIONS),)),
    RefusedCall("prctl", 157, 167, DONE, (one_of(0, THP_DISABLE),)),
    # Nobody but root could look at what such a process has open. Careful programs ask for it.
    RefusedCall("prctl", 157, 167, DONE, (one_of(0, DUMPABLE), one_of(1, 0))),
    # The NUMA policy of a range of memory. If it had an effect, it would also show and change the node of
    # pages that other processes share.
    RefusedCall("mbind", 237, 235, DONE),
)
COVERT_CHANNELS: Final = (
    # These show whether a page of a file is in memory, or remove it from memory.
    RefusedCall("preadv2", 327, 286, errno.EOPNOTSUPP, (any_bit(5, RWF_NOWAIT | RWF_DONTCACHE),)),
    RefusedCall("fadvise64", 221, 223, DONE),
    RefusedCall("mincore", 27, 232, errno.ENOSYS),
    RefusedCall("cachestat", 451, 451, errno.ENOSYS),
    RefusedCall("madvise", 28, 233, errno.EINVAL, (one_of(2, MERGEABLE, COLD, PAGEOUT, COLLAPSE),)),
    RefusedCall("process_madvise", 440, 440, errno.ENOSYS),
    # These show or change the NUMA node of a page; so does mbind, above.
    RefusedCall("migrate_pages", 256, 238, errno.ENOSYS),
    RefusedCall("move_pages", 279, 239, errno.ENOSYS),
    # State of an open file (locks, leases, watches, advice), which can be set on files opened for reading.
    RefusedCall("flock", 73, 32, DONE),
    RefusedCall("fcntl", 72, 25, DONE, (one_of(1, *F_SETS_LOCK),)),
    RefusedCall("fcntl", 72, 25, errno.EINVAL, (none_of(1, *F_HARMLESS),)),
    RefusedCall("ioctl", 16, 29, errno.EPERM, (one_of(1, TIOCSETD, TIOCSPTLCK),)),
    RefusedCall(
        *("ioctl", 16, 29, errno.ENOTTY),
        (none_of(1, TERMINALS, SOCKETS, mask=IOCTL_TYPE), none_of(1, *CLONES_FILE)),
    ),
    RefusedCall("inotify_init", 253, None, errno.ENOSYS),
    RefusedCall("inotify_init1", 294, 26, errno.ENOSYS),
    RefusedCall("inotify_add_watch", 254, 27, errno.ENOSYS),
    RefusedCall("fanotify_init", 300, 262, errno.ENOSYS),
    RefusedCall("fanotify_mark", 301, 263, errno.ENOSYS),
    RefusedCall("name_to_handle_at", 303, 264, errno.ENOSYS),
    RefusedCall("open_by_handle_at", 304, 265, errno.ENOSYS),
    RefusedCall("quotactl", 179, 60, errno.ENOSYS),
    RefusedCall("quotactl_fd", 443, 443, errno.ENOSYS),
    # These write the files of all users to disk, and everybody waits.
    RefusedCall("sync", 162, 81, DONE),
    RefusedCall("syncfs", 306, 267, DONE),
    # Keys, queues and counters that belong to a user or to the machine.
    RefusedCall("add_key", 248, 217, errno.ENOSYS),
    RefusedCall("request_key", 249, 218, errno.ENOSYS),
    RefusedCall("keyctl", 250, 219, errno.ENOSYS),
    RefusedCall("mq_open", 240, 180, errno.ENOSYS),
    RefusedCall("io_setup", 206, 0, errno.ENOSYS),
    RefusedCall("io_uring_setup", 425, 425, errno.ENOSYS),
    RefusedCall("io_uring_enter", 426, 426, errno.ENOSYS),
    RefusedCall("io_uring_register", 427, 427, errno.ENOSYS),
    RefusedCall("perf_event_open", 298, 241, errno.ENOSYS),
    RefusedCall("bpf", 321, 280, errno.ENOSYS),
    RefusedCall("userfaultfd", 323, 282, errno.ENOSYS),
    # The kernel's log, to which a crash writes an address.
    RefusedCall("syslog", 103, 116, errno.EPERM),
    # Socket families without namespaces (AF_VSOCK, AF_ALG), and all for which a module would be loaded.
    RefusedCall("socket", 41, 198, errno.EAFNOSUPPORT, (none_of(0, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK),)),
    RefusedCall("socket", 41, 198, errno.EPROTONOSUPPORT, (none_of(2, *PROTOCOLS),)),
    RefusedCall("socket", 41, 198, errno.EPROTONOSUPPORT, (one_of(0, AF_NETLINK), none_of(2, 0))),
    RefusedCall("socketpair", 53, 199, errno.EAFNOSUPPORT, (none_of(0, AF_UNIX),)),
    RefusedCall("getsockopt", 55, 209, errno.ENOPROTOOPT, (one_of(1, SOL_SOCKET), one_of(2, *SO_COOKIES))),
    # Waiting on a page of a file that two bots have mapped. futex can do it too, but programs with threads
    # need futex.
    RefusedCall("futex_waitv", 449, 449, errno.ENOSYS),
    RefusedCall("futex_wake", 454, 454, errno.ENOSYS),
    RefusedCall("futex_wait", 455, 455, errno.ENOSYS),
    RefusedCall("futex_requeue", 456, 456, errno.ENOSYS),
)
RUNS_WHILE_STOPPED: Final = (
    # A bot is stopped by a signal to its process group, and shares one core with the bots of its match.
    RefusedCall("setsid", 112, 157, DONE),
    RefusedCall("setpgid", 109, 154, DONE),
    RefusedCall("setpriority", 141, 140, DONE),
    RefusedCall("ioprio_set", 251, 30, DONE),
    RefusedCall("sched_setparam", 142, 118, DONE),
    RefusedCall("sched_setscheduler", 144, 119, DONE),
    RefusedCall("sched_setattr", 314, 274, DONE),
    RefusedCall("sched_setaffinity", 203, 122, DONE),
    # SIGCONT, which also cancels a pending SIGSTOP, can be sent by a process, by a timer, or at the end of a
    # process. F_SETSIG is not among the operations of fcntl that are allowed above.
    RefusedCall("kill", 62, 129, DONE, (one_of(1, SIGCONT),)),
    RefusedCall("tkill", 200, 130, DONE, (one_of(1, SIGCONT),)),
    RefusedCall("tgkill", 234, 131, DONE, (one_of(2, SIGCONT),)),
    RefusedCall("rt_sigqueueinfo", 129, 138, DONE, (one_of(1, SIGCONT),)),
    RefusedCall("rt_tgsigqueueinfo", 297, 240, DONE, (one_of(2, SIGCONT),)),
    RefusedCall("pidfd_send_signal", 424, 424, DONE, (one_of(1, SIGCONT),)),
    RefusedCall("timer_create", 222, 107, errno.EAGAIN),
    # Programs and timers of a socket, by which the kernel works for a stopped bot.
    RefusedCall("setsockopt", 54, 208, errno.ENOPROTOOPT, (one_of(1, SOL_SOCKET), one_of(2, *SO_GOES_ON))),
    RefusedCall("setsockopt", 54, 208, errno.ENOPROTOOPT, (one_of(1, IPPROTO_TCP), one_of(2, *TCP_GOES_ON))),
    RefusedCall("clone", 56, 220, errno.EINVAL, (one_of(0, SIGCONT, mask=EXIT_SIGNAL),)),
    RefusedCall("prctl", 157, 167, errno.EINVAL, (one_of(0, PDEATHSIG), one_of(1, SIGCONT))),
    RefusedCall("prctl", 157, 167, errno.EINVAL, (one_of(0, SCHED_CORE),)),
    # Traced processes stop and resume by other rules.
    RefusedCall("ptrace", 101, 117, errno.EPERM),
    RefusedCall("process_vm_readv", 310, 270, errno.ENOSYS),
    RefusedCall("process_vm_writev", 311, 271, errno.ENOSYS),
    RefusedCall("kcmp", 312, 272, errno.ENOSYS),
    RefusedCall("pidfd_getfd", 438, 438, errno.ENOSYS),
)
MAKES_SETUID: Final = (
    RefusedCall("chmod", 90, None, errno.EPERM, (any_bit(1, SETUID_OR_SETGID),)),
    RefusedCall("fchmod", 91, 52, errno.EPERM, (any_bit(1, SETUID_OR_SETGID),)),
    RefusedCall("fchmodat", 268, 53, errno.EPERM, (any_bit(2, SETUID_OR_SETGID),)),
    RefusedCall("fchmodat2", 452, 452, errno.EPERM, (any_bit(2, SETUID_OR_SETGID),)),
    RefusedCall("creat", 85, None, errno.EPERM, (any_bit(1, SETUID_OR_SETGID),)),
    RefusedCall("open", 2, None, errno.EPERM, (any_bit(1, CREATES), any_bit(2, SETUID_OR_SETGID))),
    RefusedCall("openat", 257, 56, errno.EPERM, (any_bit(2, CREATES), any_bit(3, SETUID_OR_SETGID))),
    RefusedCall("openat2", 437, 437, errno.ENOSYS),  # Its mode is in memory.
    RefusedCall("mkdir", 83, None, errno.EPERM, (any_bit(1, SETUID_OR_SETGID),)),
    RefusedCall("mkdirat", 258, 34, errno.EPERM, (any_bit(2, SETUID_OR_SETGID),)),
    RefusedCall("mknod", 133, None, errno.EPERM, (any_bit(1, SETUID_OR_SETGID),)),
    RefusedCall("mknodat", 259, 33, errno.EPERM, (any_bit(2, SETUID_OR_SETGID),)),
)
ENDS_ITS_SANDBOX: Final = (
    # An ordinary user's bot runs as the same user as the first process. A bot's signals cannot end that one,
    # but the kernel's can, such as that for its CPU time limit. A process may still limit itself, as pid 0.
    RefusedCall("prlimit64", 302, 261, errno.EPERM, (none_of(0, 0),)),
)
REFUSED: Final = (*HIDES_MEMORY, *COVERT_CHANNELS, *RUNS_WHILE_STOPPED, *MAKES_SETUID, *ENDS_ITS_SANDBOX)
FIRST_UNKNOWN: Final = 463
"""The number, on both machines, of the first call newer than this list. It and all above are refused,
including the x32 calls of x86_64, whose numbers are far above."""

ARCHITECTURE: Final[Mapping[str, int]] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's AUDIT_ARCH_… by the name of a machine. Both machines are little-endian."""

# Offsets in struct seccomp_data; ARGUMENTS is that of the lower half of argument 0.
NUMBER, ARCH, ARGUMENTS = 0, 4, 16

LOAD, AND, JUMP, RETURN = 0x20, 0x54, 0x05, 0x06
"""Instructions: load a word of the data into the accumulator; mask it; skip instructions; return a
verdict."""
IF_EQUAL, IF_AT_LEAST = 0x15, 0x35
"""Tests of the accumulator, which skip a number of instructions for either result."""

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
ERROR: Final = 0x00050000

Code = tuple[bytes, ...]


def known_machine() -> str | None:
    """The name of this machine if the numbers here apply to its programs; otherwise None, as for 32 bits."""
    name = platform.machine()
    return name if name in ARCHITECTURE and sys.maxsize > 2**32 else None


@functools.cache
def program(machine: str) -> bytes:
    """The filter for a machine. It kills a process of another architecture, such as a 32-bit one, by SIGSYS,
    since the numbers of its calls differ."""
    rules: defaultdict[int, list[RefusedCall]] = defaultdict(list)
    for call in REFUSED:
        number = call.x86_64 if machine == "x86_64" else call.aarch64
        if number is not None:
            rules[number].append(call)
    return b"".join(
        (
            _do(LOAD, ARCH),
            _do(IF_EQUAL, ARCHITECTURE[machine], hit=1),
            _do(RETURN, KILL),
            _do(LOAD, NUMBER),
            *_if(IF_AT_LEAST, FIRST_UNKNOWN, (_do(RETURN, ERROR | errno.ENOSYS),)),
            *_search(sorted(rules.items())),
        )
    )


@contextlib.contextmanager
def handed(lowest: int) -> Iterator[int | None]:
    """Yield a descriptor, `lowest` or above, from which a child can read the filter for this machine once;
    None if there is no filter. It is closed at the end of the context."""
    machine = known_machine()
    if machine is None:
        yield None
        return
    low = os.memfd_create("refused")  # Not a pipe, which the kernel makes too small for a user with many.
    try:
        reading = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, lowest)
    finally:
        os.close(low)
    try:
        os.write(reading, program(machine))
        os.lseek(reading, 0, os.SEEK_SET)
        yield reading
    finally:
        os.close(reading)


def _search(rules: Sequence[tuple[int, Sequence[RefusedCall]]]) -> Code:
    """Instructions for the verdict on the number in the accumulator. They search binarily, since the kernel
    also runs the filter once for every number when it is installed."""
    if len(rules) == 1:
        ((number, calls),) = rules
        return (*_if(IF_EQUAL, number, tuple(code for call in calls for code in _refuse(call))), _ALLOWED)
    half = len(rules) // 2
    lower, upper = _search(rules[:half]), _search(rules[half:])
    return (_do(IF_AT_LEAST, rules[half][0], miss=1), _do(JUMP, len(lower)), *lower, *upper)


def _refuse(call: RefusedCall) -> Code:
    """Instructions that return the error of a call, or fall through if a condition does not hold."""
    code: Code = (_do(RETURN, ERROR | call.error),)
    for condition in reversed(call.when):
        last = len(condition.values) - 1
        found, others = (len(code), 0) if condition.other else (0, len(code))
        code = (
            _do(LOAD, ARGUMENTS + 8 * condition.argument),
            *((_do(AND, condition.mask),) if condition.mask != WORD else ()),
            *(
                _do(IF_EQUAL, value, hit=last - at + found, miss=0 if at < last else others)
                for at, value in enumerate(condition.values)
            ),
            *code,
        )
    return code


def _if(test: int, value: int, then: Code) -> Code:
    """Instructions that skip `then` unless the accumulator passes the test."""
    return (_do(test, value, miss=len(then)), *then)


def _do(code: int, value: int, hit: int = 0, miss: int = 0) -> bytes:
    """Encode an instruction. `hit`, `miss`: how many instructions a test skips if it holds or fails."""
    return struct.pack("<HBBI", code, hit, miss, value)


_ALLOWED: Final = _do(RETURN, ALLOW)
