"""`beholder judge check`: what a rubric judge makes of explanations whose worth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.judges import JudgeKey, JudgeNames, JudgePrompt, JudgeUrl
from beholder.cli.options import AsJson, AssumptionsFile, RunsDir

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.engine.judge import Judge
    from beholder.engine.judging import Judging
    from beholder.judges.probes import Case, Points
    from beholder.sample import Sample

_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="Find out what a judge is worth.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)


@app.callback()
def _group() -> None:
    """Find out what a judge is worth."""


@app.command("check", context_settings=_HELP)
def check_judge(
    data: Annotated[
        Path, typer.Option("--data", "-d", metavar="PATH", help="Items of M3R-Bench with gold explanations.")
    ],
    judge: JudgeNames = None,
    judge_base_url: JudgeUrl = None,
    judge_key_env: JudgeKey = None,
    judge_prompt: JudgePrompt = None,
    n: Annotated[int, typer.Option("--n", metavar="N", min=2, help="At most so many items, drawn by the seed.")] = 20,
    images: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder that image names in --data are relative to.")
    ] = None,
    assumptions: AssumptionsFile = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the draw and of the bootstrap.")] = 0,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Put explanations whose worth is known to a rubric judge, and print a card.

    The gold one should be worth much; shuffled, the same; without what is seen, less; with evidence that contradicts
    it in place of that, less still. Padding and a word to the judge should not help; praise of itself and another
    item's explanation should be worth little. A judge that fails a probe is told as such; the exit code is 0 all the
    same.
    """
    import asyncio
    import hashlib

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions
    from beholder.benchmarks.m3r.rubric import is_judged
    from beholder.cli import exits
    from beholder.cli.judges import Way, make_judges, named_judges
    from beholder.cli.options import under_assumptions
    from beholder.errors import UsageError
    from beholder.judges.probes import cases, chosen, findings
    from beholder.report.as_json import dump
    from beholder.report.figures import counted
    from beholder.report.judge_card import card_object, print_card
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console

    def say(text: str) -> None:
        typer.echo(plain(text, one_line=True), err=True)

    found, _ = under_assumptions(find_benchmark("m3r"), assumptions)
    options = {
        "judge": judge,
        "judge_base_url": judge_base_url,
        "judge_key_env": judge_key_env,
        "judge_prompt": judge_prompt,
    }
    named = named_judges(options)
    if not named:
        raise UsageError("Name the judge to be checked: --judge openai/NAME, or --judge overlap, a rule.")
    judges, _ = make_judges(named, found, Way(cache=runs_dir / ".cache.db"))
    pool = [sample for sample in found.load(data, LoadOptions(images=images)) if is_judged(sample)]
    if len(pool) < 2:
        raise UsageError(
            f"{data} has {counted(len(pool), 'item')} with a gold explanation; a check needs two at least."
        )
    samples = chosen(pool, n, seed)
    digest = hashlib.sha256(found.assumptions.encode()).hexdigest()[:16]
    asked = asyncio.run(_ask_all(judges, found, cases(samples, pool, seed), say))
    cards, code = [], exits.DONE
    for one, (points, done, reasons) in zip(judges, asked, strict=True):
        made = findings(points, seed)
        cards.append(card_object(one.name, made, len(samples), digest))
        if not as_json:
            print_card(make_console(), one.name, made, len(samples))
        if told := done.told(one, "the same command"):
            say(f"{told} Most often: {reasons.most_common(1)[0][0]}")
        if all(finding.passed is None for finding in made):
            code = exits.NO_SCORE
        elif done.retryable and code == exits.DONE:
            code = exits.INCOMPLETE
    if as_json:
        typer.echo(dump({"seed": seed, "judges": cards}))
    if code != exits.DONE:
        raise typer.Exit(code)


async def _ask_all(
    judges: tuple[Judge, ...], found: Benchmark, made: dict[str, list[Case]], say: Callable[[str], None]
) -> list[tuple[Points, Judging, Counter[str]]]:
    """What `_ask` gives, for each judge. `UsageError` if one cannot be reached at all."""
    from beholder.cli.judges import check, close
    from beholder.errors import AuthError, UsageError

    try:
        await check(judges)
        results = []
        for one in judges:
            try:
                results.append(await _ask(one, found, made, say))
            except AuthError as error:
                raise UsageError(f"The {one.told} refused the key: {str(error).rstrip('.')}.") from None
        return results
    finally:
        await close(judges)


async def _ask(
    judge: Judge, found: Benchmark, made: dict[str, list[Case]], say: Callable[[str], None]
) -> tuple[Points, Judging, Counter[str]]:
    """The points that the judge gives in each probe, what its work came to, and why it failed, how often each."""
    from collections import Counter

    import msgspec

    from beholder.benchmarks.benchmark import Answered
    from beholder.benchmarks.m3r.assumptions import assumptions_of
    from beholder.benchmarks.m3r.rubric import rubric_task
    from beholder.benchmarks.m3r.rubric_score import score_rubric
    from beholder.engine.judging import Judging, judge_given
    from beholder.judges.probes import PROBES

    assumptions = assumptions_of(found.assumptions)
    score = score_rubric(assumptions)
    points: dict[str, list[tuple[Sample, float | None]]] = {}
    total, reasons = Judging(), list[str]()
    for name, probe in PROBES.items():
        asked = msgspec.structs.replace(judge, task=rubric_task(assumptions, probe.stages))
        answered = [Answered(place, case.sample, case.response) for place, case in enumerate(made[name])]
        given, done = await judge_given(answered, asked, say)
        values = [score(one.sample, one.response).value for one in given]
        points[name] = [
            (one.sample, None if value is None else 100 * value) for one, value in zip(given, values, strict=True)
        ]
        reasons += [judged.failure.message for one in given for judged in one.response.judged if judged.failure]
        total = Judging(total.asked + done.asked, total.failed + done.failed, total.retryable + done.retryable)
    return points, total, Counter(reasons)
