"""`beholder rescore`: apply the scorers as they are now to the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.options import AllMetrics, AsJson, RunName, RunsDir

if TYPE_CHECKING:
    from beholder.engine.lifecycle import Result


def rescore(
    run: RunName,
    extractor: ExtractorName = None,
    extractor_base_url: ExtractorUrl = None,
    extractor_key_env: ExtractorKey = None,
    extractor_prompt: ExtractorPrompt = None,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Score a run's answers again; the model is not asked again.

    Every journaled answer is scored with the scorers as they are now. Marks stay. With --extractor, a model first reads
    the answers that it has not read yet; what another one has read stays, and counts again when that one is named.
    """
    import asyncio

    from beholder.cli.carry_out import exit_code, finish_command
    from beholder.cli.extractor import check, make_extractor, refuse_alone
    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle, rescoring
    from beholder.engine.extracting import has_to_ask
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
    found = lifecycle.benchmark_of(info, plan)
    refuse_alone(extractor, extractor_base_url, extractor_key_env, extractor_prompt)
    if extractor is None:
        with locked(folder):
            number = rescoring.rescore(folder, found)
            result = lifecycle.finish(folder, info, plan, found)
        say(f"Scored {count(number)} responses again; the model was not asked.")
    else:
        reader, kept = make_extractor(
            extractor,
            found,
            base_url=extractor_base_url,
            key_variable=extractor_key_env,
            prompt=extractor_prompt,
            cache=folder.resolve().parent / ".cache.db" if info.settings.get("cache", True) else None,
        )

        async def read_again() -> Result:
            try:
                if await asyncio.to_thread(has_to_ask, folder, found, reader):
                    await check(reader)  # before anything is written: a wrong URL shows at once
                return await lifecycle.read_again(folder, info, plan, reader, kept, say)
            finally:
                await reader.model.close()

        with locked(folder):
            result = asyncio.run(read_again())
        readers = " and ".join(result.judges) or "nobody"
        say(f"Scored {count(len(result.items))} responses again, as read by {readers}; the model was not asked.")
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    raise typer.Exit(exit_code(result))
