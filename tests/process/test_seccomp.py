"""The filter of system calls, run by a small machine of our own; the kernel's runs it in test_sandbox.py."""

import errno
import fcntl
import os
import re
import struct
from itertools import product
from pathlib import Path

import pytest

import arena.process.seccomp
from arena.process.seccomp import FIRST_UNKNOWN, REFUSED, Condition, RefusedCall, handed, program
from tests.support.needs import Lack, Lacking

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHERS = {"i386": 0x40000003, "arm": 0x40000028, "riscv64": 0xC00000F3}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOWED, KILLED = "allowed", "killed"

each_machine = pytest.mark.parametrize("machine", ARCHITECTURES)


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """What becomes of a call: allowed, killed, done without being done, or the error's name."""
    seen = ARCHITECTURES[machine] if architecture is None else architecture
    data = struct.pack("<IIQ6Q", number, seen, 0, *(*arguments, *[0] * 6)[:6])
    instructions = list(struct.iter_unpack("<HBBI", program(machine)))
    at = accumulator = 0
    while True:
        code, hit, miss, value = instructions[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x54:
                accumulator &= value
            case 0x05:
                at += value
            case 0x15:
                at += hit if accumulator == value else miss
            case 0x35:
                at += hit if accumulator >= value else miss
            case 0x06:
                plain = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}
                return plain.get(value) or told(value - 0x50000)
            case _:
                raise AssertionError(f"no instruction {code:#x}")


def told(error: int) -> str:
    return errno.errorcode[error] if error else "done"


def numbers(machine: str) -> list[tuple[RefusedCall, int]]:
    """The refused calls that this machine has."""
    found = [(call, call.x86_64 if machine == "x86_64" else call.aarch64) for call in REFUSED]
    return [(call, number) for call, number in found if number is not None]


@each_machine
def test_a_call_is_refused_where_its_conditions_hold(machine: str) -> None:
    """Whatever stands in the upper halves of its arguments, and in those that are not looked at."""
    for call, number in numbers(machine):
        errors = {told(other.error) for other in REFUSED if other.name == call.name}
        for rest, chosen in product((0, 0xFFFF_FFFF_FFFF_FFFF), [*product(*map(matches, call.when))]):
            arguments = [rest] * 6
            for condition, value in zip(call.when, chosen, strict=True):
                arguments[condition.argument] = value | rest & ~0xFFFF_FFFF
            said = verdict(machine, number, *arguments)
            assert said == told(call.error) or (call is not first_of(call.name) and said in errors), call


def matches(condition: Condition) -> list[int]:
    if not condition.other:
        return [value | 0xFFFF_FFFF & ~condition.mask for value in condition.values]
    few = [1 << bit for bit in range(32) if condition.mask >> bit & 1]
    return [value for value in few if value not in condition.values]


def first_of(name: str) -> RefusedCall:
    return next(call for call in REFUSED if call.name == name)


HARMLESS = {
    "unshare": [(0x200,)],
    "clone": [(0x01200011, 0, 0), (0x003D0F00,)],
    "close_range": [(3, 100, 0), (3, 100, 4)],
    "mmap": [(0, 4096, 3, 0x22), (0, 4096, 1, 2, 7), (0, 4096, 3, 1, 7)],
    "preadv2": [(3, 0, 1, 0, 0, 0), (3, 0x88, 0x88, 0x88, 0x88, 1)],
    "madvise": [(0, 4096, advice) for advice in (0, 1, 2, 3, 4, 8, 14)],
    "fcntl": [(6, command) for command in (0, 1, 2, 3, 4, 5, 36, 1030, 1032)],
    "ioctl": [(1025, request) for request in (0x5401, 0x541B, 0x5421, 0x5451, 0x802C542A, 0x8912)],
    "socket": [(1, 1, 0), (2, 0x80801, 6), (10, 2, 17), (16, 3, 0)],
    "socketpair": [(1, 0x80001, 0)],
    "setsockopt": [(3, 1, option) for option in (2, 9, 13, 15, 20, 21)] + [(3, 6, 1), (3, 6, 26)],
    "getsockopt": [(3, 1, option) for option in (3, 4, 7, 17)] + [(3, 6, 57)],
    "kill": [(18, 0), (18, 9), (18, 19)],
    "tkill": [(18, 15)],
    "tgkill": [(18, 18, 15)],
    "rt_sigqueueinfo": [(18, 34)],
    "rt_tgsigqueueinfo": [(18, 18, 34)],
    "pidfd_send_signal": [(18, 9)],
    "prctl": [(1, 9), (15, 18), (38, 1)],
    "prlimit64": [(0, 7, 1, 1)],
    "chmod": [(0o6777, 0o1755)],
    "fchmod": [(0o6777, 0o1755)],
    "fchmodat": [(0o6777, 0o6777, 0o1755)],
    "fchmodat2": [(0o6777, 0o6777, 0o1755)],
    "creat": [(0o6777, 0o644)],
    "open": [(0, 0, 0o6777), (0, 0o1102, 0o644)],
    "openat": [(0, 0, 0o2000000, 0o6777), (0, 0, 0o1102, 0o644)],
    "mkdir": [(0o6777, 0o1777)],
    "mkdirat": [(0, 0o6777, 0o1777)],
    "mknod": [(0o6777, 0o010644)],
    "mknodat": [(0, 0o6777, 0o010644)],
}
"""By call: arguments with which it goes through."""


@each_machine
def test_no_other_call_is_refused(machine: str) -> None:
    refused = {number for _, number in numbers(machine)}
    conditional = {call.name for call in REFUSED} - {call.name for call in REFUSED if not call.when}
    assert set(HARMLESS) == conditional
    assert {at for at in range(FIRST_UNKNOWN) if verdict(machine, at) != ALLOWED} <= refused
    for call, number in numbers(machine):
        for arguments in HARMLESS.get(call.name, []):
            assert verdict(machine, number, *arguments) == ALLOWED, (call, arguments)


@each_machine
def test_what_a_later_kernel_brings_is_not_there(machine: str) -> None:
    assert {verdict(machine, at) for at in (FIRST_UNKNOWN, 1000, 0x40000000, 0xFFFFFFFF)} == {"ENOSYS"}


@each_machine
def test_the_same_calls_by_other_numbers_are_none(machine: str) -> None:
    for _, number in numbers(machine):
        assert verdict(machine, 0x40000000 + number) == "ENOSYS"
        for other in OTHERS.values():
            assert verdict(machine, number, architecture=other) == KILLED


@each_machine
def test_the_numbers_are_the_kernels(machine: str) -> None:
    if not HEADERS[machine].exists():
        raise Lacking(Lack("the kernel's own numbers", f"no {HEADERS[machine]} here", ("linux-libc-dev",)))
    text = HEADERS[machine].read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", text)}
    oldest = known["landlock_restrict_self"]  # These headers may not know what came later.
    for call, number in numbers(machine):
        assert known.get(call.name) == number or (call.name not in known and number > oldest), call
    for call in REFUSED:
        assert call.name not in known or call in dict(numbers(machine)), call


@each_machine
def test_a_child_reads_it_once_and_nothing_is_left_open(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.process.seccomp.platform, "machine", lambda: machine)
    before = os.listdir("/dev/fd")
    with handed(100) as descriptor:
        assert descriptor is not None
        assert descriptor >= 100
        assert fcntl.fcntl(descriptor, fcntl.F_GETFD) == fcntl.FD_CLOEXEC
        assert os.read(descriptor, 1 << 16) == program(machine)
        assert os.read(descriptor, 1) == b""
    assert os.listdir("/dev/fd") == before


def test_there_is_none_for_a_machine_whose_numbers_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.process.seccomp.platform, "machine", lambda: "riscv64")
    with handed(100) as descriptor:
        assert descriptor is None
