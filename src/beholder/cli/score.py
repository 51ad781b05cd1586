"""`beholder score`: score answers that somebody already has. The model that gave them is not called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.judges import (
    JudgeKey,
    JudgeNames,
    JudgePrompt,
    JudgeUrl,
    SlotJudgeKey,
    SlotJudgeNames,
    SlotJudgePrompt,
    SlotJudgeUrl,
)
from beholder.cli.options import AllMetrics, AsJson, AssumptionsFile, RunsDir, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beholder.benchmarks.benchmark import Answered, Benchmark, LoadOptions
    from beholder.engine.answers import PlainAnswers
    from beholder.engine.judge import Judge
    from beholder.engine.judging import Judging
    from beholder.sample import Sample
    from beholder.store.judge_calls import Counted


def score(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench, tir or m3r.")],
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
    task: Task = "",
    assumptions: AssumptionsFile = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap.")] = 0,
    resamples: Annotated[int, typer.Option(metavar="N", min=10, max=100_000, help="Bootstrap resamples.")] = 1000,
    extractor: ExtractorName = None,
    extractor_base_url: ExtractorUrl = None,
    extractor_key_env: ExtractorKey = None,
    extractor_prompt: ExtractorPrompt = None,
    judge: JudgeNames = None,
    judge_base_url: JudgeUrl = None,
    judge_key_env: JudgeKey = None,
    judge_prompt: JudgePrompt = None,
    slot_judge: SlotJudgeNames = None,
    slot_judge_base_url: SlotJudgeUrl = None,
    slot_judge_key_env: SlotJudgeKey = None,
    slot_judge_prompt: SlotJudgePrompt = None,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """Score answers that you already have, under every scorer.

    FILE is the authors' own result file (TFQ-Bench: a JSON list; VL-RewardBench: JSON lines with the votes; TIR-Bench:
    an object of items), or plain JSON lines with `key` and `response`, which need --data. With --extractor, a model
    reads the answers out of the responses, with --judge models judge them; what they say is kept in the cache of the
    runs folder.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
    from beholder.cli import exits
    from beholder.cli.carry_out import all_in_vain, lacks_headline
    from beholder.cli.judges import Way, check, make_judges, named_judges
    from beholder.cli.options import under_assumptions
    from beholder.engine.answers import score_answers
    from beholder.report.as_json import dump, scores_object
    from beholder.report.details_report import print_details
    from beholder.report.figures import count
    from beholder.report.judged_report import judged_lines
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console, print_items_summary, print_metrics

    console = make_console(stderr=True)

    def say(text: str, style: str = "dim") -> None:
        console.print(plain(text, one_line=True), style=style, soft_wrap=True)

    found, _ = under_assumptions(find_benchmark(benchmark), assumptions)
    found.template_of(task)
    judges, _ = make_judges(named_judges(context.params), found, Way(cache=runs_dir / ".cache.db"))
    asyncio.run(check(judges))  # before the file is read: a wrong URL shows at once
    given, warnings = _read(found, file, data, LoadOptions(images=images, categories=categories, task=task))
    samples = list({one.sample.key: one.sample for one in given.answered}.values())
    _check_pictures(judges, samples, file)
    warnings += found.notices(samples) if found.notices is not None else []
    for warning in warnings:
        say(warning, "yellow")
    answered, done = _have_judged(given.answered, judges, say)
    readers, judged = _who_judged(judges, done)
    items = score_answers(answered, found.scorers)
    possible = any(one.value is not None for item in items for one in item.scores.values())
    options = MetricOptions(seed=seed, resamples=resamples, group_sizes=given.group_sizes)
    metrics = found.metrics(items, options) if possible else {}
    details = found.details(items, options) if possible and found.details is not None else {}
    if as_json:
        shown = scores_object(found, items, metrics, details, given.names)
        typer.echo(dump(shown | {"judges": readers, "judged": judged}))
    elif possible:
        output = make_console()
        title = f"{found.title} · {file.name} · {count(len(items))} responses to {count(len(samples))} items"
        print_metrics(output, found, metrics, title, every=all_metrics)
        print_details(output, details, found, metrics, readers)
        for line in judged_lines(judged):
            output.print(plain(line, one_line=True), style="dim", soft_wrap=True)
        print_items_summary(output, items, others=found.other_questions)
    if not possible:
        say(f"Nothing in {file} can be scored.", "red")
        raise typer.Exit(exits.NO_SCORE)
    for asked, one in zip(judges, done, strict=True):
        if one.failed:
            say(one.told(asked, "the same command"), "red")
    if any(one.retryable for one in done):
        raise typer.Exit(exits.INCOMPLETE)
    unread = bool(readers) and any(one.failed for one in done) and lacks_headline(found, metrics)
    raise typer.Exit(exits.NO_SCORE if unread or all_in_vain(judged) else exits.DONE)


def _check_pictures(judges: Sequence[Judge], samples: Sequence[Sample], file: Path) -> None:
    """Refuses judges that would have to judge pictures unseen: a result file only names them."""
    from beholder.errors import UsageError
    from beholder.report.figures import counted

    blind = [one for one in judges if one.task.sees_pictures and one.model is not None and one.model.remote]
    lacking = sum(not sample.images for sample in samples)
    if blind and lacking:
        raise UsageError(
            f"The {blind[0].told} has to see the pictures, and {file} has none for {counted(lacking, 'item')}. "
            "Give lines with `key` and `response`, and the data with its pictures as --data."
        )


def _have_judged(
    answered: list[Answered], judges: Sequence[Judge], say: Callable[[str], None]
) -> tuple[list[Answered], list[Judging]]:
    """The answers with what the judges said of them, and what came of each judge; not what the file says was read."""
    import asyncio

    from beholder.cli.judges import close
    from beholder.engine.judging import judge_given
    from beholder.errors import AuthError, UsageError
    from beholder.report.figures import count

    async def judge_all() -> tuple[list[Answered], list[Judging]]:
        given, done = answered, []
        try:
            for judge in judges:
                already = sum(one.response.extracted is not None for one in answered)
                if judge.task.purpose == "extraction" and already:
                    say(
                        f"The file says what was read out of {count(already)} responses; {judge.name} reads them again."
                    )
                try:
                    given, one = await judge_given(given, judge, say)
                except AuthError as error:
                    told = f"The {judge.told} refused the key: {str(error).rstrip('.')}."
                    kept = "read" if judge.task.purpose == "extraction" else "judged"
                    raise UsageError(f"{told} Mend it and give the same command: what was {kept} is kept.") from None
                done.append(one)
        finally:
            await close(judges)
        return given, done

    return asyncio.run(judge_all())


def _who_judged(judges: Sequence[Judge], done: Sequence[Judging]) -> tuple[dict[str, int], list[Counted]]:
    """How many answers the extractor read, and what there is of each other judge."""
    from beholder.store.judge_calls import EXTRACTION, Counted

    counted = [
        Counted(judge.task.purpose, judge.name, one.asked - one.failed, one.failed, one.retryable)
        for judge, one in zip(judges, done, strict=True)
    ]
    readers = {one.judge: one.answered for one in counted if one.purpose == EXTRACTION}
    return readers, [one for one in counted if one.purpose != EXTRACTION]


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
