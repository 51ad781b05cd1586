"""`beholder rescore`: apply the scorers as they are now to the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.options import AllMetrics, AsJson, RunName, RunsDir

if TYPE_CHECKING:
    from collections.abc import Callable

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.engine.extracting import Extractor


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
    the answers that it has not read yet.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import exit_code, finish_command
    from beholder.cli.extractor import check, make_extractor, refuse_alone
    from beholder.engine import lifecycle, rescoring
    from beholder.errors import AuthError
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.store.folder import find_run, locked, read_info, write_info

    console = make_console(stderr=True)

    def say(text: str) -> None:
        console.print(plain(text, one_line=True), style="dim", soft_wrap=True)

    folder = find_run(run, runs_dir)
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    found = find_benchmark(plan.benchmark)
    refuse_alone(extractor, extractor_base_url, extractor_key_env, extractor_prompt)
    reader, refused = None, ""
    if extractor is not None:
        reader, info.settings["extractor"] = make_extractor(
            extractor,
            found,
            base_url=extractor_base_url,
            key_variable=extractor_key_env,
            prompt=extractor_prompt,
            cache=folder.resolve().parent / ".cache.db" if info.settings.get("cache", True) else None,
        )
        asyncio.run(check(reader))  # before anything is written: a wrong URL shows at once
    with locked(folder):
        try:
            if reader is not None:
                write_info(folder, info)
                asyncio.run(_have_read(folder, found, reader, say))
        except AuthError as error:
            refused = f"The extractor {extractor} refused the key: {error}"
        finally:  # also after Ctrl-C: what was read has no scores yet
            number = rescoring.rescore(folder, found)
            result = lifecycle.finish(folder, info, plan, found)
    say(f"Scored {number:,} responses again; the model was not asked.")
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    if refused:
        console.print(plain(refused, one_line=True), style="red", soft_wrap=True)
    raise typer.Exit(exit_code(result))


async def _have_read(folder: Path, found: Benchmark, reader: Extractor, say: Callable[[str], None]) -> None:
    from beholder.engine.extracting import extract

    try:
        reading = await extract(folder, found, reader, say)
    finally:
        await reader.model.close()
    failed = f", {reading.failed:,} of them in vain" if reading.failed else ""
    say(f"{reader.model.name} read {reading.read:,} responses{failed}.")
