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
_LOAD, _AND, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in `struct seccomp_data`; of an argument, its lower half (both machines are little-endian)."""

_NEW_NAMESPACES = 0x7E020000
_SIGNAL_AT_EXIT = 0xFF
_NO_SIGNAL, _SIGCHLD = 0, 17
"""Of clone's flags: what a child's end sends to its parent. Any other signal (SIGCONT) could wake a stopped worker."""
_AF_UNIX = 1
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into somebody's terminal."""
_BEYOND_THE_FILE = (10, 1024, 1026, 1031)
"""Of fcntl. F_SETSIG: a signal of one's choice, even to a stopped worker. F_SETLEASE: whoever writes to the file must
wait. F_NOTIFY: what others do in a folder. F_SETPIPE_SZ: the pipes of all processes of the user share one bound."""


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
    signals = [_step(_AND, _SIGNAL_AT_EXIT), _step(_EQUAL, _NO_SIGNAL, 2, 0), _step(_EQUAL, _SIGCHLD, 1, 0)]
    namespaces = [_step(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)]
    program += _where(syscalls.CLONE[here], _FIRST, [*namespaces, *signals, _refuse(errno.EPERM)])
    for call in (syscalls.SOCKET, syscalls.SOCKETPAIR):
        program += _where(call[here], _FIRST, [_step(_EQUAL, _AF_UNIX, 1, 0), _refuse(errno.EACCES)])
    program += _where(syscalls.IOCTL[here], _SECOND, _refuse_each(_TERMINAL_INPUT))
    program += _where(syscalls.FCNTL[here], _SECOND, _refuse_each(_BEYOND_THE_FILE))
    program.append(_step(_RETURN, _ALLOW))
    return b"".join(program)


def _where(number: int, argument: int, steps: list[bytes]) -> list[bytes]:
    """For this call alone: look at an argument, take the steps, and let it through if none of them refuses."""
    body = [_step(_LOAD, argument), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _refuse_each(values: tuple[int, ...]) -> list[bytes]:
    """Refuses if what was loaded is one of the values."""
    return [step for value in values for step in (_step(_EQUAL, value, 0, 1), _refuse(errno.EPERM))]


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; `then` and `otherwise` say how many steps a comparison leaps over."""
    return struct.pack("<HBBI", code, then, otherwise, value)
