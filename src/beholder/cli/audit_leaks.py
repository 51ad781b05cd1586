"""`beholder audit leaks`: does an evaluation stand in training data?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson

_Folder = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder that image names are relative to.")]


def leaks(
    train: Annotated[
        list[Path],
        typer.Option("--train", metavar="PATH", help="Training data: a file, its folder, or pictures; repeatable."),
    ],
    evaluation: Annotated[Path, typer.Option("--eval", metavar="PATH", help="The evaluation's data.")],
    train_benchmark: Annotated[
        str, typer.Option(metavar="NAME", help="Read --train as this benchmark's data.", show_default="by its columns")
    ] = "",
    eval_benchmark: Annotated[
        str, typer.Option(metavar="NAME", help="Read --eval as this benchmark's data.", show_default="by its columns")
    ] = "",
    train_images: _Folder = None,
    eval_images: _Folder = None,
    transforms: Annotated[
        bool, typer.Option("--transforms", help="Also look for mirrored, turned and cut pictures (needs OpenCV).")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the keys of the clean items, for `run --ids`.")
    ] = None,
    touched: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the keys of the touched items, for `run --ids`.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with the pictures side by side.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where fingerprints of pictures are kept (default: ~/.cache/beholder)."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 if there is a leak, or something could not be looked at.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Which pictures and texts of an evaluation stand in training data?

    Pictures are the same by bytes, by upright pixels, or by their look (saved again, resized); texts word for word, or
    by long runs of the same words. Pictures that one side has several times are listed too.
    """
    import msgspec

    from beholder.audit.leak_sides import Place
    from beholder.audit.leaks import find_leaks, pictures_again, write_keys
    from beholder.audit.picture_cache import PictureCache, usual_folder
    from beholder.cli import exits
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.figures import count
    from beholder.report.leak_report import print_leaks, write_leak_page
    from beholder.report.terminal import make_console

    for option, file in (("--out", out), ("--touched", touched), ("--html", html)):
        if file is not None and not file.parent.is_dir():
            raise UsageError(f"{option} {file}: the folder {file.parent} does not exist. Make it first.")
        if file is not None and file.exists() and not file.is_file():
            raise UsageError(f"{option} {file} is a folder or a device. Give the name of a file.")
    theirs = [Place(path, train_benchmark, train_images) for path in train]
    ours = Place(evaluation, eval_benchmark, eval_images)
    kept = PictureCache(cache or usual_folder())
    error = make_console(stderr=True)
    try:
        with error.status("reading") as status:
            found = find_leaks(
                theirs,
                ours,
                kept,
                transforms=transforms,
                watch=lambda side, seen: status.update(f"{side}: {count(seen)} pictures"),
            )
    finally:
        kept.close()
    if out is not None:
        write_keys(found.clean, out, f"{len(found.clean)} clean items")
    if touched is not None:
        write_keys(found.touched, touched, f"{len(found.touched)} touched items")
    if html is not None:
        write_leak_page(
            found, html, lambda first, second: (*pictures_again(theirs, first), *pictures_again([ours], second))
        )
    if as_json:
        typer.echo(dump(msgspec.to_builtins(found) | {"share": found.share}))
    else:
        print_leaks(make_console(), found)
    if strict and (found.found or found.unseen):
        raise typer.Exit(exits.BROKEN)
