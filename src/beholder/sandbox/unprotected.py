"""No sandbox: a plain process with the limits of `resource`, as the user who runs Beholder. `--sandbox none` only."""

from __future__ import annotations

import sys
import tempfile

from beholder.sandbox.bwrap import environment_inside
from beholder.sandbox.installation import package_paths
from beholder.sandbox.launch import START, Launch, setup_of
from beholder.sandbox.limits import SandboxLimits

WARNING = (
    "NO SANDBOX: code that the model writes runs as you, with your files, your network and your keys within its reach. "
    "Use --sandbox none only for models and data that you trust as you trust yourself."
)


class Unprotected:
    """Reads and writes whatever the user may. Only time, memory and output are bounded."""

    name = "none"

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        """See `Backend`."""
        folder = tempfile.mkdtemp(prefix="beholder-python-")
        paths = sorted({path.rpartition("/")[0] for path in package_paths()})
        setup = setup_of(limits, alone=False, path=paths, folder=folder)
        setup["rlimits"].pop("RLIMIT_NPROC")  # it would count all processes of the user
        environment = environment_inside(folder)
        return Launch(
            command=(sys.executable, "-I", "-S", "-c", START), setup=setup, environment=environment, folder=folder
        )
