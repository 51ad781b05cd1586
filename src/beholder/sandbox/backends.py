"""From what the user typed to a sandbox: `bwrap`, `docker:IMAGE`, `podman:IMAGE`, or `none`."""

from __future__ import annotations

import sys

from beholder.errors import UsageError
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.engines import ENGINES, Engine
from beholder.sandbox.launch import Backend, SandboxBroken
from beholder.sandbox.pool import without_sandbox
from beholder.sandbox.unprotected import Unprotected

DEFAULT = "bwrap"


def backend(written: str = DEFAULT) -> Backend:
    """The sandbox that was asked for. Never another one: raises `UsageError` with the mend where it is missing.

    That it is there does not mean that it works; `SandboxPool.start` finds out.
    """
    name, _, image = written.partition(":")
    if name == "none" and not image:
        return Unprotected()
    if name not in (DEFAULT, *ENGINES) or (image and name == DEFAULT):
        raise UsageError(f"--sandbox {written[:80]!r} is unknown; write bwrap, docker:IMAGE, podman:IMAGE or none")
    try:
        if name in ENGINES:
            return Engine(name, image)
        if not sys.platform.startswith("linux"):
            raise SandboxBroken("bubblewrap needs Linux")
        return Bwrap()
    except SandboxBroken as error:
        raise UsageError(without_sandbox(name, str(error))) from error
