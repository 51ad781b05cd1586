"""`beholder resume`: continue a run, asking only for what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from beholder.cli.asking_again import (
    CaFileAgain,
    ConnectionsAgain,
    KeyAgain,
    ProxyAgain,
    RetriesAgain,
    UrlAgain,
)
from beholder.cli.cost_options import MaxCost, MaxTokensTotal, PriceText
from beholder.cli.extractor import ExtractorKey
from beholder.cli.judges import JudgeKey, SlotJudgeKey
from beholder.cli.local_options import BatchSizeAgain, DeviceAgain, TrustAgain
from beholder.cli.options import AllMetrics, AsJson, ExtraBody, FSync, Header, RunName, RunsDir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.cli.endpoint import StoredSettings
    from beholder.engine.judge import Judge
    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan
    from beholder.models.endpoint import Endpoint
    from beholder.store.folder import RunInfo


def resume(
    run: RunName,
    base_url: UrlAgain = None,
    api_key_env: KeyAgain = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: ProxyAgain = None,
    ca_file: CaFileAgain = None,
    max_connections: ConnectionsAgain = None,
    max_retries: RetriesAgain = None,
    batch_size: BatchSizeAgain = None,
    device: DeviceAgain = None,
    trust_remote_code: TrustAgain = False,
    extractor_key_env: ExtractorKey = None,
    judge_key_env: JudgeKey = None,
    slot_judge_key_env: SlotJudgeKey = None,
    max_cost: MaxCost = None,
    max_tokens_total: MaxTokensTotal = None,
    price: PriceText = None,
    fsync: FSync = False,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """Continue a run, asking only for what is missing.

    For a run that was stopped or killed, or whose failures may succeed now.
    """
    import asyncio
    from functools import partial

    from beholder.cli.asking_again import AskingAgain
    from beholder.cli.carry_out import carry_out_with_progress, exit_code, finish_command
    from beholder.cli.cost_options import check_prices
    from beholder.cli.endpoint import StoredEndpoint, asking, stored_settings
    from beholder.cli.finding import find_run
    from beholder.cli.judges import close
    from beholder.cli.local_options import local_again
    from beholder.engine.lifecycle import benchmark_of, check_same_plan, judge_again, plan_of
    from beholder.models import make_model
    from beholder.peers.importing import refuse_imported
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.store.folder import locked, read_info

    console = make_console(stderr=True)

    def say(text: str, style: str) -> None:
        console.print(plain(text, one_line=True), style=style, soft_wrap=True, highlight=False)

    folder = find_run(run, runs_dir)
    info = read_info(folder)
    refuse_imported(info, folder)
    plan = plan_of(info)
    found = benchmark_of(info, plan)
    settings = stored_settings(info.settings, folder)
    standing = as_it_stands(folder, info, plan, found)
    if standing is not None:
        say(f"Nothing to do: {folder} holds every answer.", "dim")
        finish_command([standing], as_json=as_json, all_metrics=all_metrics)
        raise typer.Exit(exit_code(standing))
    again = AskingAgain(
        folder=folder,
        home=_runs_folder(folder),
        runs_dir=runs_dir,
        base_url=base_url,
        api_key_env=api_key_env,
        header=header,
        extra_body=extra_body,
        proxy=proxy,
        ca_file=ca_file,
        max_connections=max_connections,
        max_retries=max_retries,
        extractor_key_env=extractor_key_env,
        judge_key_env=judge_key_env,
        slot_judge_key_env=slot_judge_key_env,
        max_cost=max_cost,
        max_tokens_total=max_tokens_total,
        price_text=price,
        fsync=fsync,
    )
    whole = holds_every_answer(folder, plan)  # then its server may be gone by now
    endpoint = again.endpoint(settings.endpoint or StoredEndpoint()) if settings.needs_endpoint and not whole else None
    options = again.engine_options(settings, found, again.home / ".cache.db" if settings.cache else None, endpoint)

    async def judge_on() -> Result:
        try:
            check_as_planned(info, plan)
            say(f"{folder} holds every answer; only its judges are asked.", "dim")
            await _check_judges(folder, options.judges)
            with locked(folder):
                warn = partial(say, style="yellow")
                return await judge_again(folder, info, plan, options.judges, {}, warn, options.limits)
        finally:
            await close(options.judges)

    async def run_on() -> Result:
        local = local_again(settings.local, context.params)
        model = make_model(settings.model, found, seed=plan.seed, endpoint=endpoint, local=local)
        try:
            check_prices(again.budget(settings), [model], options.prices, options.judges)
            began_with = at_first_address(settings, endpoint)
            as_planned = make_model(settings.model, found, seed=plan.seed, endpoint=began_with, local=local)
            check_same_plan(info, plan, as_planned)
            if endpoint is not None:
                say(asking(endpoint), "dim")
            await model.check()
            if price is not None:
                note_price(folder, price)
            moved = note_address(folder, settings, endpoint) if endpoint is not None else None
            if moved is not None:
                say(f"Answers from now on come from {moved}.", "yellow")
        except BaseException:
            await model.close()
            raise
        try:
            return await carry_out_with_progress(folder, plan, model, options, console)
        finally:
            await close(options.judges)

    result = asyncio.run(judge_on() if whole else run_on())
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    raise typer.Exit(exit_code(result))


async def _check_judges(folder: Path, judges: Sequence[Judge]) -> None:
    """`UsageError` if a judge that has still to be asked cannot be reached at all."""
    import asyncio

    from beholder.cli.judges import check
    from beholder.engine.judging import has_to_ask
    from beholder.errors import UsageError

    try:
        await check([one for one in judges if await asyncio.to_thread(has_to_ask, folder, one.task, one.asking)])
    except UsageError as error:
        raise UsageError(f"{error} If it has moved, name it again with `beholder rescore`.") from None


def _runs_folder(run: Path) -> Path:
    """The folder of runs that a run lies in; the arm of an experiment lies one deeper."""
    from beholder.store.folder import EXPERIMENT

    parent = run.resolve().parent
    return parent.parent if (parent / EXPERIMENT).is_file() else parent


def as_it_stands(folder: Path, info: RunInfo, plan: Plan, found: Benchmark) -> Result | None:
    """The result of a run in which nothing is missing and nothing can be tried again; None of any other.

    No model is needed. Where the figures are there nothing is written; a run that was killed before it had them gets
    them. A run whose data has changed is refused all the same.
    """
    from contextlib import closing

    from beholder.engine.judges_of_run import lacks_verdicts
    from beholder.engine.lifecycle import finish, read_result
    from beholder.engine.rescoring import scored_by_other_code
    from beholder.store import reading, schema
    from beholder.store.folder import locked

    if not holds_every_answer(folder, plan) or lacks_verdicts(folder, info.settings, found):
        return None
    check_as_planned(info, plan)
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        unscored = reading.tally(db, len(found.scorers)).unscored
        stale = scored_by_other_code(db, found)
    if info.status == "complete" and not stale and not unscored:
        return read_result(folder, info, plan, found)
    with locked(folder):
        return finish(folder, info, plan, found, again=stale)


def holds_every_answer(folder: Path, plan: Plan) -> bool:
    """Whether a resume has nothing to ask the model: no answer is missing, and no failure may be tried again."""
    from contextlib import closing

    from beholder.errors import Owner
    from beholder.store import reading, schema

    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        tally = reading.tally(db, 0)
        if tally.retryable or len(reading.done(db)) < plan.n_asks:
            return False
        failures = (one.response.failure for one in reading.responses(db)) if tally.failed else ()
        return not any(failure is not None and failure.owner is Owner.DATA for failure in failures)


def check_as_planned(info: RunInfo, plan: Plan) -> None:
    """Refuses a run whose data has changed. The model is not needed: its identity is what run.json says."""
    from beholder.engine.lifecycle import check_same_plan

    check_same_plan(info, plan, _AsPlanned(info.plan.get("model")))  # type: ignore[arg-type]  # only its identity counts


class _AsPlanned:
    """Stands for the model of a run that has to ask it nothing more: its identity is what run.json says."""

    def __init__(self, identity: Any) -> None:
        self._identity = identity

    def identity(self) -> Any:
        return self._identity


def at_first_address(settings: StoredSettings, endpoint: Endpoint | None) -> Endpoint | None:
    """The endpoint at the base URL that the run's plan names: a server that has moved serves the same model."""
    import msgspec

    if endpoint is None or settings.endpoint is None or not settings.endpoint.base_url:
        return endpoint
    return msgspec.structs.replace(endpoint, base_url=settings.endpoint.base_url)


def note_price(folder: Path, price: str) -> None:
    """Records in run.json the price that is named now, so that the next resume and every table know it."""
    from beholder.models.prices import named_price
    from beholder.store.folder import locked, read_info, write_info

    with locked(folder):
        info = read_info(folder)
        info.settings["budget"] = {**info.settings.get("budget", {}), "price": price}
        info.settings["price"] = named_price(price).told
        write_info(folder, info)


def note_address(folder: Path, settings: StoredSettings, endpoint: Endpoint) -> str | None:
    """Records in run.json that another base URL is asked from now on. Returns it; None if it is the last one still."""
    from beholder.models.address import scrub_url
    from beholder.store.folder import locked, read_info, write_info

    told = scrub_url(endpoint.base_url)
    stored = settings.endpoint
    if stored is None or told.rstrip("/") == stored.last_url.rstrip("/"):
        return None
    with locked(folder):
        info = read_info(folder)
        urls = stored.base_urls or (stored.base_url,)
        info.settings["endpoint"]["base_urls"] = [*urls, told]
        write_info(folder, info)
    return told
