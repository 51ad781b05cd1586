"""`beholder score`: score answers that somebody already has. The model that gave them is not called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.options import AllMetrics, AsJson, RunsDir

if TYPE_CHECKING:
    from collections.abc import Callable

    from beholder.benchmarks.benchmark import Answered, Benchmark, LoadOptions
    from beholder.engine.answers import PlainAnswers
    from beholder.engine.extracting import Reading
    from beholder.engine.reader import Extractor


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
    extractor: ExtractorName = None,
    extractor_base_url: ExtractorUrl = None,
    extractor_key_env: ExtractorKey = None,
    extractor_prompt: ExtractorPrompt = None,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Score answers that you already have, under every scorer.

    FILE is the authors' own result file (TFQ-Bench: a JSON list; VL-RewardBench: JSON lines with the votes; TIR-Bench:
    an object of items), or plain JSON lines with `key` and `response`, which need --data. With --extractor, a model
    reads the answers out of the responses; what it says is kept in the cache of the runs folder.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
    from beholder.cli import exits
    from beholder.cli.carry_out import lacks_headline
    from beholder.cli.extractor import check, make_extractor, refuse_alone
    from beholder.engine.answers import score_answers
    from beholder.report.as_json import dump, scores_object
    from beholder.report.details_report import print_details
    from beholder.report.figures import count
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console, print_items_summary, print_metrics

    console = make_console(stderr=True)

    def say(text: str, style: str = "dim") -> None:
        console.print(plain(text, one_line=True), style=style, soft_wrap=True)

    found = find_benchmark(benchmark)
    refuse_alone(extractor, extractor_base_url, extractor_key_env, extractor_prompt)
    reader = None
    if extractor is not None:
        reader, _ = make_extractor(
            extractor,
            found,
            base_url=extractor_base_url,
            key_variable=extractor_key_env,
            prompt=extractor_prompt,
            cache=runs_dir / ".cache.db",
        )
        asyncio.run(check(reader))  # before the file is read: a wrong URL shows at once
    given, warnings = _read(found, file, data, LoadOptions(images=images, categories=categories))
    samples = list({one.sample.key: one.sample for one in given.answered}.values())
    warnings += found.notices(samples) if found.notices is not None else []
    for warning in warnings:
        say(warning, "yellow")
    answered, reading, judges = given.answered, None, {}
    if reader is not None:
        answered, reading = _have_read(answered, found, reader, say)
        judges = {reader.model.name: reading.read - reading.failed}
    items = score_answers(answered, found.scorers)
    possible = any(one.value is not None for item in items for one in item.scores.values())
    options = MetricOptions(seed=seed, resamples=resamples, group_sizes=given.group_sizes)
    metrics = found.metrics(items, options) if possible else {}
    details = found.details(items, options) if possible and found.details is not None else {}
    if as_json:
        typer.echo(dump(scores_object(found, items, metrics, details, given.names) | {"judges": judges}))
    elif possible:
        output = make_console()
        title = f"{found.title} · {file.name} · {count(len(items))} responses to {count(len(samples))} items"
        print_metrics(output, found, metrics, title, every=all_metrics)
        print_details(output, details, found, metrics, judges)
        print_items_summary(output, items)
    if not possible:
        say(f"Nothing in {file} can be scored.", "red")
        raise typer.Exit(exits.NO_SCORE)
    if reading is not None and reading.failed:
        say(reading.told("the same command"), "red")
        if reading.retryable:
            raise typer.Exit(exits.INCOMPLETE)
        raise typer.Exit(exits.NO_SCORE if lacks_headline(found, metrics) else exits.DONE)


def _have_read(
    answered: list[Answered], found: Benchmark, reader: Extractor, say: Callable[[str], None]
) -> tuple[list[Answered], Reading]:
    """The answers with what the extractor read out of them, and what that came to; not what the file says was read."""
    import asyncio

    from beholder.engine.extracting import extract_given
    from beholder.errors import AuthError, UsageError
    from beholder.report.figures import count

    async def read() -> tuple[list[Answered], Reading]:
        try:
            return await extract_given(answered, found, reader, say)
        finally:
            await reader.model.close()

    if already := sum(one.response.extracted is not None for one in answered):
        say(f"The file says what was read out of {count(already)} responses; {reader.model.name} reads them again.")
    try:
        return asyncio.run(read())
    except AuthError as error:
        told = f"The extractor {reader.model.name} refused the key: {str(error).rstrip('.')}."
        raise UsageError(f"{told} Mend it and give the same command: what was read is kept.") from None


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
