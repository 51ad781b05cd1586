"""`beholder synth`: make fresh items with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson


def synth(
    families: Annotated[
        list[str],
        typer.Argument(
            metavar="FAMILY…",
            help="Task names such as maze or color, `all`, or the manifest.json of a set to make again.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to make.")],
    n: Annotated[
        int | None, typer.Option("--n", metavar="N", min=1, help="How many items of each family (default: 50).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed: the same seed gives the same bytes (default: 0).")
    ] = None,
    difficulty: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="1 (easy) to 5; repeatable, then in turn (default: 3)."),
    ] = None,
    photos: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of your own photographs (default: ours).")
    ] = None,
    masks: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Objects for refcoco: COCO or RefCOCO polygons, RLE, or panoptic JSON beside its PNGs."
        ),
    ] = None,
    mask_images: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Images of --masks (default: beside the file).")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes that make items (default: one for each core).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make fresh items with known answers.

    The folder is a data set in the public TIR-Bench layout, which `beholder run tir --data FOLDER` reads, with a
    manifest.json that makes it again byte for byte. `beholder list` names the families.
    """
    import os

    from beholder.errors import UsageError
    from beholder.report.figures import counted
    from beholder.report.plain_text import plain
    from beholder.synth.dataset import MANIFEST, read_manifest, remake, write_dataset
    from beholder.synth.generate import SourcePaths, draws_for

    if mask_images is not None and masks is None:
        raise UsageError("--mask-images is the folder of the images of --masks: give --masks too.")
    paths = SourcePaths(photos, masks, mask_images)
    processes = jobs or os.cpu_count() or 1
    given = [Path(name) for name in families if is_manifest(name)]
    if given:
        if len(families) > 1:
            raise UsageError("Give one manifest, or names of families.")
        if n is not None or seed is not None or difficulty:
            raise UsageError("A manifest says itself what is made: leave out --n, --seed and --difficulty.")
        folder = remake(given[0], out, paths, jobs=processes)
        made = len(read_manifest(folder / MANIFEST).items)
    else:
        draws = draws_for(families, n or 50, seed or 0, tuple(difficulty or (3,)))
        if masks is not None and all(draw.task != "refcoco" for draw in draws):
            raise UsageError("--masks is for refcoco, which is not among the families.")
        folder = write_dataset(draws, out, paths, jobs=processes)
        made = len(draws)
    if as_json:
        import json

        typer.echo(json.dumps({"folder": str(folder), "items": made, "manifest": str(folder / MANIFEST)}))
        return
    typer.echo(
        plain(
            f"{counted(made, 'item')} in {folder}. Run them: beholder run tir --data {folder} --model classical",
            one_line=True,
        )
    )


def is_manifest(name: str) -> bool:
    """Whether an argument names a manifest file rather than a family."""
    import os

    from beholder.synth.dataset import MANIFEST
    from beholder.synth.families import ALL, FAMILIES, plain_name

    if plain_name(name) in (ALL, *FAMILIES):
        return False
    return Path(name).name == MANIFEST or os.path.isfile(name)  # unlike Path.is_file, false for a name of any length
