"""Data sets of fresh items that a command makes for itself in the folder of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.synth.generate import Draw


def made_once(name: str, draws: Sequence[Draw], photos: Path | None, runs_dir: Path, console: Console) -> Path:
    """The data set of these draws, made unless it is there already: the same draws and photographs give the same one.

    `photos` is the user's folder of photographs (None: ours); their digest is in the folder's name, after `name`. A
    folder of that name that is not the data set, or no longer, is a `UsageError`: it may hold what earlier runs need,
    so it is never removed.
    """
    import hashlib
    import os

    from beholder.errors import UsageError
    from beholder.report.figures import counted
    from beholder.report.plain_text import plain
    from beholder.synth.dataset import is_intact, write_dataset
    from beholder.synth.generate import SourcePaths

    paths = SourcePaths(photos)
    if photos is not None:
        name += "-" + hashlib.sha256(repr(sorted(paths.digests().items())).encode()).hexdigest()[:8]
    folder = runs_dir / name
    items = counted(len(draws), "fresh item")
    if not folder.exists():
        console.print(f"Making {items} …", style="dim")
        write_dataset(draws, folder, paths, jobs=os.cpu_count() or 1)
    elif not is_intact(folder, draws):
        raise UsageError(
            f"{folder} is there already, but does not hold {'this item' if len(draws) == 1 else f'these {items}'}. "
            "Choose another --seed or --runs-dir."
        )
    console.print(plain(f"{items} in {folder}", one_line=True), style="dim", soft_wrap=True)
    return folder
