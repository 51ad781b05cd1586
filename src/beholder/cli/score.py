"""`beholder score`: score answers that somebody already has. No model is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson


def score(
    benchmark: Annotated[str, typer.Argument(help="tfq, vl-rewardbench or jigsaw.")],
    file: Annotated[Path, typer.Argument(help="The authors' result file, or JSON lines with key, response, vote.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", help="The benchmark's data; needed for plain JSON lines (it holds the gold)."),
    ] = None,
    images: Annotated[Path | None, typer.Option(help="Folder that image names in --data are relative to.")] = None,
    categories: Annotated[Path | None, typer.Option(help="JSON or CSV that gives items of --data a category.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    resamples: Annotated[int, typer.Option(min=10, max=100_000, help="Bootstrap resamples.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Score answers that you already have, under every scorer."""
    from rich.console import Console

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
    from beholder.cli import exits
    from beholder.engine.answers import is_plain, read_plain, score_answers
    from beholder.errors import UsageError
    from beholder.report.as_json import dump, scores_object
    from beholder.report.terminal import metrics_table, notes, print_items_summary

    found = find_benchmark(benchmark)
    console = Console(stderr=True, highlight=False, markup=False)
    if is_plain(file):
        if data is None:
            raise UsageError(
                f"{file} holds answers by key; give the benchmark's data with --data, which holds the gold."
            )
        plain_answers = read_plain(file, found, data, LoadOptions(images=images, categories=categories))
        answered = plain_answers.answered
        if plain_answers.unanswered:
            console.print(
                f"{plain_answers.unanswered} items of {data} have no answer in {file}; they are not in the figures.",
                style="yellow",
            )
        if plain_answers.assumed_order:
            console.print(
                "No `order` in the file: Answer 1 is taken to be the first stored response (OUR assumption).",
                style="yellow",
            )
    elif found.read_results is not None:
        answered = list(found.read_results(file))
    else:
        raise UsageError(f"{file} is not JSON lines with `key` and `response`, the only format that {benchmark} reads.")
    items = score_answers(answered, found.scorers)
    possible = any(one.value is not None for item in items for one in item.scores.values())
    metrics = found.metrics(items, MetricOptions(seed=seed, resamples=resamples)) if possible else {}
    details = found.details(items) if possible and found.details is not None else {}
    if as_json:
        typer.echo(dump(scores_object(found, items, metrics, details)))
    elif possible:
        output = Console(highlight=False, markup=False)
        output.print(metrics_table(found, metrics, f"{found.title} · {file.name} · {len(items):,} responses"))
        for note in notes(metrics):
            output.print(f"note: {note}", style="dim", soft_wrap=True)
        print_items_summary(output, items)
    if not possible:
        console.print(f"Nothing in {file} can be scored.", style="red")
        raise typer.Exit(exits.NO_SCORE)
