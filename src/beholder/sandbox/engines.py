"""The second backend: a container engine, by its command line (docker or podman).

The image is the user's own; it must have Python 3.11 or newer with numpy and Pillow, and should have OpenCV and
matplotlib. Nothing of this machine is bound into it: the worker's sources go in by standard input.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil

from beholder.errors import UsageError
from beholder.sandbox.bwrap import environment_inside
from beholder.sandbox.launch import START, Launch, SandboxBroken, setup_of
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.seccomp import filter_for

ENGINES = ("docker", "podman")
_IMAGE = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}")
_NOBODY = "65534:65534"
_TMP = "/tmp"  # noqa: S108 - of the container


class Engine:
    """docker or podman. Raises `UsageError` for what cannot name an image, `SandboxBroken` without an engine."""

    def __init__(self, name: str, image: str) -> None:
        if name not in ENGINES:
            raise UsageError(f"`{name}` is no container engine that is known here; write docker or podman")
        if not _IMAGE.fullmatch(image):
            raise UsageError(f"--sandbox {name} needs the name of an image: --sandbox {name}:IMAGE")
        found = shutil.which(name)
        if found is None:
            raise SandboxBroken(f"there is no {name} here")
        self.name = name
        self.image = image
        self._program = found

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        """See `Backend`. The engine's own list of system calls stays in force, ours is laid over it."""
        container = f"beholder-{os.getpid()}-{slot}-{secrets.token_hex(4)}"
        tmpfs = f"rw,noexec,nosuid,nodev,mode=1777,size={limits.tmp_bytes}"
        command = [self._program, "run", "--rm", "--interactive", "--name", container, "--pull", "never"]
        command += ["--network", "none", "--read-only", "--user", _NOBODY, "--cap-drop", "ALL"]
        command += ["--security-opt", "no-new-privileges", "--ipc", "none", "--workdir", _TMP]
        command += ["--memory", str(limits.memory), "--memory-swap", str(limits.memory)]
        command += ["--pids-limit", str(limits.processes), "--cpus", f"{limits.cores:g}"]
        command += ["--tmpfs", f"{_TMP}:{tmpfs}", "--log-driver", "none"]
        if self.name == "podman":
            command += ["--image-volume", "ignore"]  # else they are writable, and on this machine's disk
        environment = environment_inside(_TMP) | {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        for name, value in environment.items():
            command += ["--env", f"{name}={value}"]
        command += ["--entrypoint", "python3", self.image, "-I", "-c", START]
        setup = setup_of(limits, seccomp=filter_for().hex(), folder=_TMP)
        setup["rlimits"].pop("RLIMIT_NPROC")  # it would count the processes of `nobody` in all containers
        return Launch(
            command=tuple(command),
            setup=setup,
            stop=(self._program, "rm", "--force", container),
            environment={name: os.environ[name] for name in _OF_THE_CLIENT if name in os.environ},
        )


_OF_THE_CLIENT = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST", "XDG_RUNTIME_DIR")
"""What the engine's command line needs to find its service. Nothing of it gets inside."""
