"""`beholder export`: a run's responses as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.options import RunName, RunsDir

if TYPE_CHECKING:
    from beholder.peers.exporting import Exported, Wanted

_STDOUT = Path("-")


def export(
    run: RunName,
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="jsonl, csv, parquet or inspect.")] = "jsonl",
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write; `-`: standard output.")] = _STDOUT,
    epoch: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Only this repetition of the run, from 0.", show_default=False),
    ] = None,
    images: Annotated[
        bool, typer.Option("--images", help="Also copy the pictures, by their hash, into a folder beside --out.")
    ] = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Write a run's answers as JSON lines, CSV or Parquet.

    There is a row for each response, with question, gold, answer and what every scorer says. RUN may also be a file
    that `beholder pack` wrote. `beholder score` and the model `replay/FILE` read the JSON lines again. In the CSV, text
    that a spreadsheet could take for a formula begins with an apostrophe.
    """
    import tempfile

    from beholder.cli.finding import find_run
    from beholder.errors import UsageError
    from beholder.peers.exporting import FORMATS, Wanted
    from beholder.report.figures import counted, size_in_words
    from beholder.report.plain_text import plain
    from beholder.store import pack

    if form not in FORMATS:
        raise UsageError(f"--format {form[:40]!r} is none. Choose {', '.join(FORMATS)}.")
    if images and out == _STDOUT:
        raise UsageError("--images puts the pictures beside --out: give --out the name of a file.")
    if out != _STDOUT and not out.parent.is_dir():
        raise UsageError(
            f"--out {out}: the folder {out.parent} does not exist. Make it first, or choose another --out."
        )
    if out.exists() and not out.is_file():
        raise UsageError(f"--out {out} is a folder or a device. Give the name of a file, or `-` for standard output.")
    with tempfile.TemporaryDirectory(prefix="beholder-") as temporary:
        folder = pack.unpack(Path(run), Path(temporary)) if Path(run).is_file() else find_run(run, runs_dir)
        pictures = out.with_name(f"{out.stem}_images") if images else None
        written = _write(Wanted(folder=folder, epoch=epoch, pictures=pictures), form, out)
    told = f"{counted(written.rows, 'row')}"
    if out != _STDOUT:
        told = f"{out}: {told}, {size_in_words(out.stat().st_size)}"
    if pictures is not None:
        told += f"; {counted(written.pictures, 'picture')} in {pictures}"
        told += f", {written.missing} not in the run" if written.missing else ""
    typer.echo(plain(f"{told}.", one_line=True), err=out == _STDOUT)


def _write(wanted: Wanted, form: str, out: Path) -> Exported:
    """Writes to standard output, or to a file that is whole or is not there."""
    import os
    import sys

    from beholder.errors import UsageError
    from beholder.peers.exporting import export as export_run

    if out == _STDOUT:
        if form == "parquet" and sys.stdout.isatty():
            raise UsageError("Parquet is nothing to read on a screen. Give --out the name of a file.")
        written = export_run(wanted, form, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return written
    temporary = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as sink:
            written = export_run(wanted, form, sink)
        temporary.replace(out)
    finally:
        temporary.unlink(missing_ok=True)
    return written
