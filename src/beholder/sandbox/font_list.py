"""The list of fonts that matplotlib makes when it is first imported: made once on a machine, shown to every worker.

Without it each worker's first figure takes a quarter of a second longer. It is made inside, where only matplotlib's own
fonts are seen, by matplotlib itself: no code of a model's is near.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from beholder.sandbox.installation import PACKAGES_INSIDE, package_paths

_MOST_BYTES = 4 << 20
_MOST_SECONDS = 60
_MAKE = f"""\
import glob, sys
sys.path.append({PACKAGES_INSIDE!r})
import matplotlib, matplotlib.font_manager
[path] = glob.glob(matplotlib.get_cachedir() + "/fontlist*.json")
print(path.rpartition("/")[2])
print(open(path).read())
"""


def font_list(inside: Sequence[str], program: str) -> str | None:
    """The file that holds the list; makes it where it is not there yet.

    `inside` is the command that runs a program in the sandbox, `program` the interpreter there. None where matplotlib
    is not installed, or the list cannot be made or kept: then each worker makes its own.
    """
    try:
        version = metadata.version("matplotlib")
    except metadata.PackageNotFoundError:
        return None
    place = hashlib.sha256("\n".join((version, *package_paths())).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "beholder"
    folder = cache / f"fonts-{version}-{place}"
    if found := _file_in(folder):
        return found
    if folder.exists() and not _is_ours(folder, stat.S_ISDIR):
        return None
    try:
        made = subprocess.run(  # noqa: S603 - our own command
            [*inside, program, "-I", "-S", "-c", _MAKE],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_MOST_SECONDS,
            check=True,
        ).stdout
        name, _, listed = made.decode().partition("\n")
        if len(made) > _MOST_BYTES or not name.startswith("fontlist") or "/" in name:
            return None
        _keep(folder, name, listed)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return _file_in(folder)


def _file_in(folder: Path) -> str | None:
    """The list, if it is a plain file of ours: a link would show the workers what it points to."""
    return next((str(path) for path in folder.glob("fontlist*.json") if _is_ours(path, stat.S_ISREG)), None)


def _is_ours(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        about = path.lstat()
    except OSError:
        return False
    return kind(about.st_mode) and about.st_uid == os.geteuid()


def _keep(folder: Path, name: str, listed: str) -> None:
    """Under its name at once or not at all; another process may have been quicker. Workers of any user may read it."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    number, begun = tempfile.mkstemp(dir=folder, prefix=".begun-")
    try:
        with os.fdopen(number, "w") as file:
            file.write(listed)
            os.fchmod(number, 0o644)
        os.replace(begun, folder / name)
    finally:
        Path(begun).unlink(missing_ok=True)
