"""The filter, run step by step as the kernel would: what is refused, with which error, on both machines."""

from __future__ import annotations

import errno
import struct

import pytest

from beholder.sandbox import syscalls
from beholder.sandbox.seccomp import filter_for

ALLOWED = "allowed"
KILLED = "killed"
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """What the filter says of one call: `allowed`, `killed` or the name of an error."""
    program = filter_for(machine)
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    words = [number, architecture or ARCHITECTURE[machine], 0, 0]
    for argument in (*arguments, *(0,) * (6 - len(arguments))):
        words += [argument & 0xFFFFFFFF, argument >> 32 & 0xFFFFFFFF]
    held = at = 0
    while True:
        code, then, otherwise, value = steps[at]
        at += 1
        if code == 0x20:
            held = words[value // 4]
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            if value == 0x7FFF0000:
                return ALLOWED
            return errno.errorcode[value & 0xFFFF] if value >> 16 == 5 else KILLED
        else:
            holds = {0x15: held == value, 0x25: held > value, 0x45: bool(held & value)}[code]
            at += then if holds else otherwise


MACHINES = pytest.mark.parametrize("machine", syscalls.MACHINES)


@MACHINES
@pytest.mark.parametrize("name", syscalls.REFUSED)
def test_each_listed_call_is_refused(machine: str, name: str) -> None:
    number = syscalls.REFUSED[name][syscalls.MACHINES.index(machine)]
    if number is not None:
        assert decide(machine, number, 1, 2, 3, 4, 5, 6) == "EPERM"


CASES = [
    # (call, arguments, what the filter says)
    ("CLONE", (0x003D0F00,), ALLOWED),  # a thread
    ("CLONE", (0x01200011,), ALLOWED),  # a fork
    ("CLONE", (0x10000011,), "EPERM"),  # a user namespace
    ("CLONE", (0x00020011,), "EPERM"),  # a mount namespace
    ("CLONE", (0x40000011,), "EPERM"),  # a network namespace
    ("CLONE", (0x02000011,), "EPERM"),  # a control group namespace
    ("CLONE", (0x00000012,), "EPERM"),  # SIGCONT to the parent at its end
    ("CLONE", (0x00004111,), ALLOWED),  # a vfork, as subprocess makes it
    ("CLONE", (0x00000091,), "EPERM"),
    ("CLONE", (0x00000000,), ALLOWED),
    ("CLONE3", (1, 2), "ENOSYS"),
    ("SOCKET", (1, 1, 0), ALLOWED),
    ("SOCKET", (1 << 32 | 1, 1, 0), ALLOWED),  # the kernel reads 32 bits of it, too
    ("SOCKET", (2, 1, 0), "EACCES"),
    ("SOCKET", (10, 1, 0), "EACCES"),
    ("SOCKET", (16, 3, 0), "EACCES"),
    ("SOCKET", (40, 1, 0), "EACCES"),
    ("SOCKETPAIR", (1, 1, 0), ALLOWED),
    ("SOCKETPAIR", (2, 1, 0), "EACCES"),
    ("SOCKETPAIR", (30, 1, 0), "EACCES"),  # TIPC
    ("SOCKETPAIR", (1 << 32 | 40, 1, 0), "EACCES"),
    ("FCNTL", (0, 1), ALLOWED),  # F_GETFD
    ("FCNTL", (0, 1030), ALLOWED),  # F_DUPFD_CLOEXEC
    ("FCNTL", (0, 10), "EPERM"),  # F_SETSIG
    ("FCNTL", (0, 1024), "EPERM"),  # F_SETLEASE
    ("FCNTL", (0, 1026), "EPERM"),  # F_NOTIFY
    ("FCNTL", (0, 1 << 32 | 1026), "EPERM"),
    ("FCNTL", (0, 1031), "EPERM"),  # F_SETPIPE_SZ
    ("IOCTL", (0, 0x5401), ALLOWED),
    ("IOCTL", (0, 0x5412), "EPERM"),
    ("IOCTL", (0, 1 << 32 | 0x5412), "EPERM"),
    ("IOCTL", (0, 0x541C), "EPERM"),
]


@MACHINES
@pytest.mark.parametrize(("call", "arguments", "said"), CASES)
def test_calls_that_are_judged_by_their_arguments(
    machine: str, call: str, arguments: tuple[int, ...], said: str
) -> None:
    number = getattr(syscalls, call)[syscalls.MACHINES.index(machine)]
    assert decide(machine, number, *arguments) == said


@MACHINES
def test_ordinary_calls_pass_and_unknown_ones_do_not_exist(machine: str) -> None:
    refused = {numbers[syscalls.MACHINES.index(machine)] for numbers in syscalls.REFUSED.values()} - {None}
    judged = {getattr(syscalls, name)[syscalls.MACHINES.index(machine)] for name in ("CLONE3", "SOCKET", "SOCKETPAIR")}
    passing = [number for number in range(syscalls.NEWEST + 1) if decide(machine, number) == ALLOWED]
    assert set(range(syscalls.NEWEST + 1)) - set(passing) == refused | judged
    assert decide(machine, syscalls.NEWEST + 1) == "ENOSYS"
    assert decide(machine, 0x40000000 | 101) == "ENOSYS"  # the 32-bit pointers of x86_64


def test_calls_by_another_machines_numbers_end_the_process() -> None:
    assert decide("x86_64", 0, architecture=0x40000003) == KILLED


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert filter_for("riscv64") == b""
