"""The folder of a written site: made beside its place, so that nobody sees half of it, and never over other files."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from beholder.errors import UsageError

MARKER = "data/site.json"
"""The file by which a folder is known as one of ours."""
MARK = b'{"made_by":"beholder"}\n'
ENTRIES = frozenset({"index.html", "assets", "data", "images"})
"""What lies in such a folder, and nothing else."""


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """An empty folder to write into. When all is well, it takes the place of `out` in one step.

    `UsageError` if `out` is anything but new, empty, or a site of ours, which is then deleted.
    """
    out = out.absolute()
    _refuse_what_is_not_ours(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    made = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    old = made.with_name(f"{made.name}.old")
    made.mkdir()
    try:
        yield made
        _refuse_what_is_not_ours(out)  # somebody may have put something there meanwhile
        if out.exists():
            out.rename(old)
        try:
            made.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
    finally:
        for leftover in (made, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _refuse_what_is_not_ours(out: Path) -> None:
    if out.is_symlink():
        raise UsageError(f"{out} is a link. Give --out the folder that it leads to, or another one.")
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file. Give --out the name of a folder.")
    others = {entry.name for entry in out.iterdir()}
    if not others:
        return
    marker = out / MARKER
    if not marker.is_file() or marker.stat().st_size != len(MARK) or marker.read_bytes() != MARK:
        raise UsageError(f"{out} holds other files. Give --out a new or an empty folder.")
    if others := others - ENTRIES:
        raise UsageError(
            f"{out} holds files that are not of the site: {', '.join(sorted(others)[:5])}. Move them away."
        )
