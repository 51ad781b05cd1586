"""`beholder synth`: make fresh items with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def synth(
    family: Annotated[str, typer.Argument(metavar="FAMILY", help="jigsaw.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to make.")],
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, help="How many items.")] = 60,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed: the same seed gives the same bytes.")] = 0,
    difficulty: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="Pieces a side, 3 to 6; repeatable (default: all four in turn)."),
    ] = None,
    photos: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of your own photographs (default: ours).")
    ] = None,
) -> None:
    """Make fresh items with known answers.

    The folder is a data set, which `beholder run FAMILY --data FOLDER` reads.
    """
    from beholder.errors import UsageError
    from beholder.report.plain_text import plain
    from beholder.synth.dataset import write_dataset
    from beholder.synth.jigsaw import SIZES, generate

    if family != "jigsaw":
        raise UsageError(f"There is no family {family!r}. Known: jigsaw.")
    folder = write_dataset(generate(n, seed, tuple(difficulty or SIZES), photos), out)
    typer.echo(
        plain(
            f"{n} items in {folder}. Run them: beholder run {family} --data {folder} --model classical", one_line=True
        )
    )
