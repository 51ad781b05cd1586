"""`beholder example`: draw a small example data set of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson


def example(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="m3r.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to make.")],
    as_json: AsJson = False,
) -> None:
    """Draw a small example data set to try things out with.

    Of M3R-Bench: 24 pairs of picture and text, an example and not the benchmark. They come with scripts for
    `scripted/FILE`: a model under test, two judges and five annotators.
    """
    from beholder.benchmarks.m3r.example import write_example
    from beholder.errors import UsageError
    from beholder.report.plain_text import plain

    if benchmark != "m3r":
        raise UsageError(f"There is no example set of {benchmark!r}; there is one of m3r.")
    folder = write_example(out)
    if as_json:
        import json

        typer.echo(json.dumps({"folder": str(folder), "items": 24, "model": str(folder / "scripts" / "model.json")}))
        return
    typer.echo(
        plain(
            f"24 items in {folder}, an example, not the benchmark. Run them: "
            f"beholder run m3r --data {folder} --model scripted/{folder / 'scripts' / 'model.json'}",
            one_line=True,
        )
    )
