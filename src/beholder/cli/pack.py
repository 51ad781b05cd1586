"""`beholder pack`: one portable file of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import RunName, RunsDir


def pack(
    run: RunName,
    out: Annotated[
        Path | None, typer.Option(help="The file to write (default: RUN.beholder.zip beside the run).")
    ] = None,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Write a run into one file that `beholder show` opens anywhere."""
    from beholder.store.folder import find_run
    from beholder.store.pack import pack as pack_run

    folder = find_run(run, runs_dir)
    target = out if out is not None else folder.with_name(folder.name + ".beholder.zip")
    size = pack_run(folder, target)
    typer.echo(f"{target} ({size / 1e6:.1f} MB)")
