"""The folder in which the viewer keeps what it makes of runs: indexes and small pictures. All of it can be deleted."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from pathlib import Path

UNUSED_DAYS = 30
"""What nobody has looked at for so long is deleted."""


def cache_folder(wanted: Path | None = None) -> tuple[Path, str]:
    """The folder, made if needed and readable by its owner alone, and "".

    Where it cannot be written, a temporary one, and a sentence that says so.
    """
    try:
        return _made(wanted or usual_folder()), ""
    except (OSError, RuntimeError) as error:
        place = tempfile.mkdtemp(prefix="beholder-viewer-")
        where = wanted or "The cache folder"
        reason = getattr(error, "strerror", None) or error
        return Path(place), f"{where} cannot be written ({reason}): the runs' indexes are kept until the viewer ends."


def usual_folder() -> Path:
    """`beholder/viewer` in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "beholder" / "viewer"


def sweep(folder: Path, pattern: str, *, days: float = UNUSED_DAYS) -> None:
    """Deletes the files of a folder that match and were not touched for so many days."""
    oldest = time.time() - days * 86_400
    with contextlib.suppress(OSError):
        for file in folder.glob(pattern):
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < oldest:
                    file.unlink()


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.geteuid():  # as for root: whose files are in it could be anybody's
        raise PermissionError(errno.EPERM, "it belongs to another user")
    folder.chmod(0o700)
    with tempfile.TemporaryFile(dir=folder):
        return folder
