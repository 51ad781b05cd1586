"""The list of system calls that the kernel refuses to the sandbox, assembled into the program that it takes.

The program is classic BPF over `struct seccomp_data` (linux/seccomp.h): the number of the call, the machine, and six
arguments of 64 bits. It lets through what it does not name: numpy, OpenCV and the C library use too many calls for a
list of permitted ones to hold on every machine. Namespaces, an unprivileged user and no capabilities stand behind it.
"""

from __future__ import annotations

import errno
import platform
import struct

from beholder.sandbox import syscalls

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in `struct seccomp_data`; of an argument, its lower half (both machines are little-endian)."""

_NEW_NAMESPACES = 0x7E020000
_AF_UNIX = 1
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into somebody's terminal."""


def filter_for(machine: str | None = None) -> bytes:
    """The program for a machine (this one where None is given), 8 bytes an instruction.

    Empty where the machine is none of `syscalls.MACHINES`: then nothing is filtered, and `beholder doctor` says so.
    """
    machine = machine or platform.machine()
    if machine not in syscalls.MACHINES:
        return b""
    here = syscalls.MACHINES.index(machine)
    program = [
        _step(_LOAD, _MACHINE),
        _step(_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _step(_RETURN, _KILL),  # calls by another machine's numbers, such as the 32-bit ones of x86
        _step(_LOAD, _NUMBER),
        _step(_GREATER, syscalls.NEWEST, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for numbers in syscalls.REFUSED.values():
        if (number := numbers[here]) is not None:
            program += [_step(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    # The flags of clone3 lie in memory, which no filter can read: without it, the C library uses clone.
    program += [_step(_EQUAL, syscalls.CLONE3[here], 0, 1), _refuse(errno.ENOSYS)]
    program += _where(syscalls.CLONE[here], _FIRST, [_step(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)])
    program += _where(syscalls.SOCKET[here], _FIRST, [_step(_EQUAL, _AF_UNIX, 1, 0), _refuse(errno.EACCES)])
    typed = [step for value in _TERMINAL_INPUT for step in (_step(_EQUAL, value, 0, 1), _refuse(errno.EPERM))]
    program += _where(syscalls.IOCTL[here], _SECOND, typed)
    program.append(_step(_RETURN, _ALLOW))
    return b"".join(program)


def _where(number: int, argument: int, steps: list[bytes]) -> list[bytes]:
    """For this call alone: look at an argument, take the steps, and let it through if none of them refuses."""
    body = [_step(_LOAD, argument), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; `then` and `otherwise` say how many steps a comparison leaps over."""
    return struct.pack("<HBBI", code, then, otherwise, value)
