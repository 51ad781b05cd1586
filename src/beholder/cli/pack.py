"""`beholder pack`: one portable file of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunName, RunsDir


def pack(
    run: RunName,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write (default: RUN.beholder.zip beside the run)."),
    ] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Write a run into one portable file, which `show` opens."""
    from beholder.cli.finding import find_run
    from beholder.errors import UsageError
    from beholder.report.figures import size_in_words
    from beholder.report.plain_text import plain
    from beholder.store.pack import pack as pack_run

    folder = find_run(run, runs_dir)
    if out is not None and not out.parent.is_dir():
        raise UsageError(
            f"--out {out}: the folder {out.parent} does not exist. Make it first, or choose another --out."
        )
    target = out if out is not None else folder.parent / f"{folder.resolve().name}.beholder.zip"
    size, changed = pack_run(folder, target)
    if as_json:
        import json

        typer.echo(json.dumps({"file": str(target), "bytes": size, "images_left_out": changed}))
        return
    typer.echo(plain(f"{target} ({size_in_words(size)}). Open it with: beholder show {target}", one_line=True))
    if changed:
        typer.echo(f"{changed} images were left out: their files have changed since the run.", err=True)
