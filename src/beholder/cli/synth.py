"""`beholder synth`: make fresh items with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def synth(
    family: Annotated[str, typer.Argument(help="jigsaw.")],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many items.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same bytes.")] = 0,
    difficulty: Annotated[
        list[int] | None, typer.Option(help="Pieces a side, 3 to 6; repeatable (default: all four in turn).")
    ] = None,
    photos: Annotated[Path | None, typer.Option(help="Folder of your own photographs (default: ours).")] = None,
) -> None:
    """Make a data set of fresh items, which `beholder run FAMILY --data OUT` reads."""
    from beholder.errors import UsageError
    from beholder.synth.dataset import write_dataset
    from beholder.synth.jigsaw import SIZES, generate

    if family != "jigsaw":
        raise UsageError(f"There is no family {family!r}. Known: jigsaw.")
    folder = write_dataset(generate(n, seed, tuple(difficulty or SIZES), photos), out)
    typer.echo(f"{n} items in {folder}. Run them: beholder run {family} --data {folder} --model classical")
