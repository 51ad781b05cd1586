"""`beholder rescore`: apply the scorers as they are now to the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from beholder.cli.cost_options import MaxCost, MaxTokensTotal
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
from beholder.cli.options import AllMetrics, AsJson, AssumptionsFile, RunName, RunsDir

if TYPE_CHECKING:
    from beholder.engine.lifecycle import Result


def rescore(
    run: RunName,
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
    max_cost: MaxCost = None,
    max_tokens_total: MaxTokensTotal = None,
    assumptions: AssumptionsFile = None,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """Score a run's answers again; the model is not asked again.

    Every journaled answer is scored with the scorers as they are now. Marks stay. With --extractor, a model first reads
    the answers that it has not read yet, and with --judge, judges judge what they have not judged yet. Those that are
    named are those that count; what others said stays, and counts again when they are named. With --assumptions, the
    run keeps that file's text and is scored under it from now on.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import exit_code, finish_command
    from beholder.cli.cost_options import check_prices
    from beholder.cli.endpoint import stored_settings
    from beholder.cli.finding import find_run
    from beholder.cli.judges import Way, check, close, in_place_of, make_judges, named_judges
    from beholder.cli.options import under_assumptions
    from beholder.engine import lifecycle, rescoring
    from beholder.engine.judging import has_to_ask
    from beholder.report.figures import count
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.store.folder import locked, read_info

    console = make_console(stderr=True)

    def say(text: str) -> None:
        console.print(plain(text, one_line=True), style="dim", soft_wrap=True)

    folder = find_run(run, runs_dir)
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    if assumptions is not None:
        _, assumed = under_assumptions(find_benchmark(plan.benchmark), assumptions)
        info.settings.pop("assumptions", None)
        info.settings.update(assumed)
    found = lifecycle.benchmark_of(info, plan)
    cache = folder.resolve().parent / ".cache.db" if info.settings.get("cache", True) else None
    judges, kept = make_judges(named_judges(context.params), found, Way(cache=cache))
    if not judges:
        with locked(folder):
            number = rescoring.rescore(folder, found)
            result = lifecycle.finish(folder, info, plan, found)
        say(f"Scored {count(number)} responses again; the model was not asked.")
    else:
        budget = stored_settings(info.settings, folder).budget.again(max_cost, max_tokens_total)
        check_prices(budget, [], {}, judges)
        kept = in_place_of(info.settings, kept) | budget.kept()

        async def judge_again() -> Result:
            try:
                asked = [one for one in judges if await asyncio.to_thread(has_to_ask, folder, one.task, one.asking)]
                await check(asked)  # before anything is written: a wrong URL shows at once
                return await lifecycle.judge_again(folder, info, plan, judges, kept, say, budget.limits())
            finally:
                await close(judges)

        with locked(folder):
            result = asyncio.run(judge_again())
        say(f"Scored {count(len(result.items))} responses again, {_who(result)}; the model was not asked.")
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    raise typer.Exit(exit_code(result))


def _who(result: Result) -> str:
    """Whose readings and verdicts the scores rest on."""
    judges = ", ".join(dict.fromkeys(one.judge for one in result.judged))
    readers = " and ".join(result.judges) or ("" if judges else "nobody")
    said = [f"as read by {readers}"] if readers else []
    return " and ".join([*said, *([f"as judged by {judges}"] if judges else [])])
