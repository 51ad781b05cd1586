"""`beholder score`: score answers that somebody already has. No model is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.options import AllMetrics, AsJson

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark, LoadOptions
    from beholder.engine.answers import PlainAnswers


def score(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench or tir.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The authors' result file, or JSON lines with key, response, vote.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            "-d",
            metavar="PATH",
            help="The benchmark's data; needed for plain JSON lines (it holds the gold).",
        ),
    ] = None,
    images: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder that image names in --data are relative to.")
    ] = None,
    categories: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON or CSV that gives items of --data a category.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap.")] = 0,
    resamples: Annotated[int, typer.Option(metavar="N", min=10, max=100_000, help="Bootstrap resamples.")] = 1000,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
) -> None:
    """Score answers that you already have, under every scorer.

    FILE is the authors' own result file (TFQ-Bench: a JSON list; VL-RewardBench: JSON lines with the votes; TIR-Bench:
    an object of items), or plain JSON lines with `key` and `response`, which need --data.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
    from beholder.cli import exits
    from beholder.engine.answers import score_answers
    from beholder.report.as_json import dump, scores_object
    from beholder.report.details_report import print_details
    from beholder.report.figures import count
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console, print_items_summary, print_metrics

    found = find_benchmark(benchmark)
    given, warnings = _read(found, file, data, LoadOptions(images=images, categories=categories))
    samples = list({one.sample.key: one.sample for one in given.answered}.values())
    warnings += found.notices(samples) if found.notices is not None else []
    items = score_answers(given.answered, found.scorers)
    possible = any(one.value is not None for item in items for one in item.scores.values())
    options = MetricOptions(seed=seed, resamples=resamples, group_sizes=given.group_sizes)
    metrics = found.metrics(items, options) if possible else {}
    details = found.details(items, options) if possible and found.details is not None else {}
    console = make_console(stderr=True)
    for warning in warnings:
        console.print(plain(warning, one_line=True), style="yellow", soft_wrap=True)
    if as_json:
        typer.echo(dump(scores_object(found, items, metrics, details, given.names)))
    elif possible:
        output = make_console()
        title = f"{found.title} · {file.name} · {count(len(items))} responses to {count(len(samples))} items"
        print_metrics(output, found, metrics, title, every=all_metrics)
        print_details(output, details, found, metrics)
        print_items_summary(output, items)
    if not possible:
        console.print(plain(f"Nothing in {file} can be scored.", one_line=True), style="red", soft_wrap=True)
        raise typer.Exit(exits.NO_SCORE)


def _read(found: Benchmark, file: Path, data: Path | None, options: LoadOptions) -> tuple[PlainAnswers, list[str]]:
    """The answers in the file with their samples, and what the user must know about how they were matched.

    The authors' result files tell no group sizes: what they hold is the whole group.
    """
    from beholder.engine.answers import PlainAnswers, is_plain, read_plain
    from beholder.errors import UsageError
    from beholder.report.figures import count

    if not is_plain(file, found):
        if found.read_results is None:
            raise UsageError(
                f"{file} is not JSON lines with `key` and `response`, the only format that {found.name} reads."
            )
        return PlainAnswers(list(found.read_results(file)), 0, False), []
    if data is None:
        raise UsageError(f"{file} holds answers by key; give the benchmark's data with --data, which holds the gold.")
    answers = read_plain(file, found, data, options)
    warnings = []
    if answers.unanswered:
        warnings.append(
            f"{count(answers.unanswered)} items of {data} have no answer in {file}; they are not in the figures."
        )
    if answers.assumed_order:
        warnings.append(
            f"Some lines of {file} have no `order`: their Answer 1 is taken to be the first stored response "
            "(OUR assumption)."
        )
    return answers, warnings
