"""Inside the sandbox, before anything of the model's: give up every right that is left. Standard library only."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from typing import Any

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_FILTER_MODE = 2
_CAPABILITIES_VERSION = 0x20080522


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def give_up_rights(setup: dict[str, Any]) -> None:
    """Limits, user, system calls: in this order, each of them for good. Then only, other modules can be imported.

    `setup` holds `rlimits` (name to value), `uid` (to become; None: stay), `seccomp` (the filter in hexadecimal; empty:
    none), `path` (where packages lie) and `folder` (the working folder). Raises OSError.
    """
    for name, value in setup["rlimits"].items():
        kind = getattr(resource, name, None)
        if kind is not None:
            _, hard = resource.getrlimit(kind)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
    if setup["uid"] is not None:
        os.setgroups([])
        os.setresgid(setup["uid"], setup["uid"], setup["uid"])
        os.setresuid(setup["uid"], setup["uid"], setup["uid"])
    if sys.platform.startswith("linux"):
        _give_up_calls(setup)
    sys.path += setup["path"]
    os.chdir(setup["folder"])


def _give_up_calls(setup: dict[str, Any]) -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    _checked("capset", header, (ctypes.c_uint32 * 6)())  # the change of user leaves those that could be inherited
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    if setup["seccomp"]:
        steps = bytes.fromhex(setup["seccomp"])
        program = _Program(len(steps) // 8, steps)
        _prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(program))


def _prctl(option: int, value: int, more: int = 0) -> None:
    _checked("prctl", option, *(ctypes.c_ulong(word) for word in (value, more, 0, 0)))


def _checked(name: str, *arguments: Any) -> None:
    """A function of the C library that returns 0. Raises OSError."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
