"""The filter of system calls, run by a small machine of our own; the kernel's runs it in test_sandbox.py."""

import errno
import fcntl
import os
import re
import struct
from pathlib import Path

import pytest

import arena.seccomp
from arena.seccomp import REFUSED, Call, handed, program

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHERS = {"i386": 0x40000003, "arm": 0x40000028, "riscv64": 0xC00000F3}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOWED, KILLED = "allowed", "killed"

each_machine = pytest.mark.parametrize("machine", ARCHITECTURES)
each_call = pytest.mark.parametrize("call", REFUSED, ids=lambda call: call.name)


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """What becomes of a call: allowed, killed, or the error's name."""
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
            case 0x15:
                at += hit if accumulator == value else miss
            case 0x35:
                at += hit if accumulator >= value else miss
            case 0x06:
                plain = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}
                return plain.get(value) or errno.errorcode[value - 0x50000]
            case _:
                raise AssertionError(f"no instruction {code:#x}")


def number(call: Call, machine: str) -> int:
    return {"x86_64": call.x86_64, "aarch64": call.aarch64}[machine]


@each_machine
@each_call
def test_a_call_is_refused_by_its_number_and_its_bits(call: Call, machine: str) -> None:
    def told(argument: int) -> str:
        return verdict(machine, number(call, machine), *[0] * call.argument, argument)

    other = 0xFFFF_FFFF_FFFF_FFFF ^ call.bits
    assert told(call.bits) == told(call.bits | other) == errno.errorcode[call.error]
    assert told(other) == (ALLOWED if call.bits else errno.errorcode[call.error])


@each_machine
def test_no_other_call_is_refused(machine: str) -> None:
    every = 0xFFFF_FFFF_FFFF_FFFF
    refused = {number(call, machine) for call in REFUSED}
    assert {at for at in range(1000) if verdict(machine, at, *[every] * 6) != ALLOWED} == refused


@each_machine
def test_the_same_calls_by_other_numbers_are_none(machine: str) -> None:
    for call in REFUSED:
        assert verdict(machine, 0x40000000 + number(call, machine)) == "ENOSYS"
        for other in OTHERS.values():
            assert verdict(machine, number(call, machine), architecture=other) == KILLED


@each_machine
@each_call
def test_the_numbers_are_the_kernels(call: Call, machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"no {HEADERS[machine]} here")
    (told,) = re.findall(rf"#define __NR(?:3264)?_{call.name} (\d+)\n", HEADERS[machine].read_text())
    assert int(told) == number(call, machine)


@each_machine
def test_a_child_reads_it_once_and_nothing_is_left_open(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.seccomp.platform, "machine", lambda: machine)
    before = os.listdir("/dev/fd")
    with handed(100) as descriptor:
        assert descriptor is not None
        assert descriptor >= 100
        assert fcntl.fcntl(descriptor, fcntl.F_GETFD) == fcntl.FD_CLOEXEC
        assert os.read(descriptor, 1 << 16) == program(machine)
        assert os.read(descriptor, 1) == b""
    assert os.listdir("/dev/fd") == before


def test_there_is_none_for_a_machine_whose_numbers_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.seccomp.platform, "machine", lambda: "riscv64")
    with handed(100) as descriptor:
        assert descriptor is None
