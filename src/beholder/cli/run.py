"""`beholder run`: evaluate one or more models on a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.asking import (
    Accept,
    BaseUrl,
    CaFile,
    ConnectTimeout,
    FetchedOrPath,
    Ids,
    ImagePolicy,
    Images,
    KeyVariable,
    Limit,
    MaxTokens,
    MaxTokensField,
    Prompt,
    Proxy,
    Seed,
    Stream,
    Temperature,
    Timeout,
    TopP,
    UseCache,
    Where,
)
from beholder.cli.cost_options import DryRun, MaxCost, MaxTokensTotal, PriceText
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
from beholder.cli.kept_apart import KeepApart
from beholder.cli.local_options import BatchSize, Device, Dtype, MaxPixels, MinPixels, TrustRemoteCode
from beholder.cli.options import (
    AllMetrics,
    AsJson,
    AssumptionsFile,
    ExtraBody,
    FSync,
    Header,
    MaxConnections,
    MaxRetries,
    RunsDir,
    Task,
)
from beholder.cli.tools_options import (
    MaxPictures,
    MaxRepeats,
    MaxTurns,
    Ocr,
    Placebo,
    Probe,
    SandboxName,
    ToolArm,
    ToolImages,
    ToolProtocol,
    ToolSeconds,
    ToolTokens,
)

if TYPE_CHECKING:
    from beholder.engine.lifecycle import Result
    from beholder.errors import DataError
    from beholder.models.model import Model

_WHAT = "What to ask"


def run_benchmark(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench, tir or m3r.")],
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", metavar="KIND/NAME", help="openai/NAME, random, constant/TEXT, …; repeatable."),
    ],
    data: FetchedOrPath = None,
    images: Images = None,
    limit: Limit = None,
    where: Where = None,
    ids: Ids = None,
    task: Task = "",
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANG",
            help="Ask all items in one language of the prompt, such as en or zh (default: each in its own).",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    prompt: Prompt = None,
    assumptions: AssumptionsFile = None,
    categories: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON or CSV that gives items a category.", rich_help_panel=_WHAT),
    ] = None,
    votes: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=1, max=1000, help="Judgements of each item (VL-RewardBench: 5).", rich_help_panel=_WHAT
        ),
    ] = None,
    order: Annotated[
        str,
        typer.Option(metavar="MODE", help="Order of shown answers: random or balanced.", rich_help_panel=_WHAT),
    ] = "random",
    epochs: Annotated[
        int,
        typer.Option(metavar="R", min=1, max=1000, help="Repeat the whole run R times.", rich_help_panel=_WHAT),
    ] = 1,
    temperature: Temperature = None,
    top_p: TopP = None,
    max_tokens: MaxTokens = None,
    seed: Seed = None,
    base_url: BaseUrl = None,
    api_key_env: KeyVariable = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: Proxy = None,
    ca_file: CaFile = None,
    max_connections: MaxConnections = 64,
    max_retries: MaxRetries = 7,
    timeout: Timeout = 600.0,
    connect_timeout: ConnectTimeout = 10.0,
    stream: Stream = False,
    max_tokens_field: MaxTokensField = "max_tokens",
    image_policy: ImagePolicy = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    batch_size: BatchSize = None,
    min_pixels: MinPixels = None,
    max_pixels: MaxPixels = None,
    trust_remote_code: TrustRemoteCode = False,
    tools: ToolArm = "none",
    tool_protocol: ToolProtocol = "native",
    tool_images: ToolImages = "user",
    max_turns: MaxTurns = 20,
    max_tool_tokens: ToolTokens = None,
    max_seconds: ToolSeconds = 1800.0,
    max_repeats: MaxRepeats = 5,
    max_pictures: MaxPictures = None,
    ocr: Ocr = False,
    probe: Probe = False,
    placebo: Placebo = False,
    sandbox: SandboxName = "bwrap",
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
    price: PriceText = None,
    dry_run: DryRun = False,
    cache: UseCache = True,
    accept: Accept = False,
    keep_apart: KeepApart = False,
    fsync: FSync = False,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """Evaluate one or more models on a benchmark.

    Each model gets a run folder, which `beholder resume` can continue and `beholder show` opens. `beholder list` names
    the benchmarks and the kinds of model.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.orders import MODES
    from beholder.cli import exits
    from beholder.cli.asking import Asking, data_of, selection_of
    from beholder.cli.carry_out import check_all, exit_code, finish_command, run_all
    from beholder.cli.cost_options import StoredBudget, check_prices, price_of
    from beholder.cli.dry_run import say_estimates
    from beholder.cli.endpoint import check_one_server
    from beholder.cli.judges import check, named_judges
    from beholder.cli.kept_apart import check_reads_on, saying_how_to_go_on, tell_apart
    from beholder.cli.local_options import kept_of, local_options
    from beholder.cli.options import under_assumptions
    from beholder.cli.tools_options import check_sandbox, make_tools
    from beholder.engine.plan import make_plan
    from beholder.errors import UsageError
    from beholder.models import make_model
    from beholder.models.capabilities import check_needs
    from beholder.report.plain_text import plain
    from beholder.report.run_report import print_result
    from beholder.report.terminal import make_console
    from beholder.store.cache import ResponseCache
    from beholder.store.pins import check_pin

    console = make_console(stderr=True)
    found, assumed = under_assumptions(find_benchmark(benchmark), assumptions)
    if keep_apart:
        check_reads_on(found)
    tool_settings = make_tools(
        tools,
        protocol=tool_protocol,
        turns=max_turns,
        tokens=max_tool_tokens,
        seconds=max_seconds,
        repeats=max_repeats,
        pictures=max_pictures,
        ocr=ocr,
        probe=probe,
        placebo=placebo,
        sandbox=sandbox,
    )
    if order not in MODES:
        raise UsageError(f"--order {order!r} is not known. Choose {' or '.join(MODES)}.")
    asking = Asking(
        base_url=base_url,
        api_key_env=api_key_env,
        header=header,
        extra_body=extra_body,
        proxy=proxy,
        ca_file=ca_file,
        max_connections=max_connections,
        max_retries=max_retries,
        timeout=timeout,
        connect_timeout=connect_timeout,
        stream=stream,
        max_tokens_field=max_tokens_field,
        image_policy=image_policy,
        tool_images=tool_images,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        cache=cache,
        fsync=fsync,
    )
    data = data_of(data, found.name, console)
    local = local_options(model, context.params)
    check_one_server(model, base_url, api_key_env)
    endpoints = {name: asking.endpoint(name) for name in model}
    models = [make_model(name, found, seed=asking.run_seed, endpoint=endpoints[name], local=local) for name in model]
    own = found.template_of(task)
    template = own if prompt is None else read_template(prompt)
    if language is not None:
        template = section_in(template, language, found.name if prompt is None else str(prompt))
    selection = selection_of(limit, where, ids)
    sampling = asking.sampling(found)
    judges, kept = asking.judges(found, runs_dir, named_judges(context.params), model)
    budget = StoredBudget(max_cost=max_cost, max_tokens=max_tokens_total, price=price)
    prices = {name: price_of(name, endpoints[name], price) for name in model}
    check_prices(budget, models, prices, judges)
    settings = assumed | kept | budget.kept()
    options = asking.engine_options(runs_dir, judges, prices, budget.limits())

    async def check_everybody() -> None:
        await check_all(models)
        await check(judges)
        await check_sandbox(tool_settings)

    asyncio.run(check_everybody())  # before the data is read: a wrong URL shows at once
    apart: list[DataError] = []
    with saying_how_to_go_on(found, keep_apart):
        plan = make_plan(
            found,
            data,
            images=images,
            categories=categories,
            template=template,
            sampling=sampling,
            votes=votes,
            epochs=epochs,
            order=order,
            seed=asking.run_seed,
            selection=selection,
            tools=tool_settings,
            task=task,
            keep_apart=apart.append if keep_apart else None,
        )
    if apart:
        settings["kept_apart"] = tell_apart(apart, console)
    check_pin(runs_dir, data, plan.data_sha256, accept=accept)
    if options.cache is not None:
        ResponseCache(options.cache).close()  # a damaged one shows before a folder is made
    for sentence in found.notices(plan.n_samples) if found.notices is not None else []:
        console.print(plain(sentence, one_line=True), style="yellow", soft_wrap=True)
    for words in (words for one in models for words in check_needs(one.name, one.capabilities, plan.needs)):
        console.print(plain(words, one_line=True), style="yellow", soft_wrap=True)
    output = make_console()

    def on_result(result: Result) -> None:
        if not as_json:
            print_result(output, result, every=all_metrics)

    def settings_of(one: Model) -> dict[str, Any]:
        told = prices[one.name]
        kept = asking.settings(endpoints[one.name]) | kept_of(one.name, local) | settings
        return kept | ({"price": told.told} if told is not None else {})

    if dry_run:
        say_estimates(plan, models, options, settings_of, runs_dir, console, as_json=as_json)
        return
    results = asyncio.run(run_all(plan, models, options, settings_of, runs_dir, console, on_result))
    if as_json:
        finish_command(results, as_json=True)
    codes = [exit_code(result) for result in results]
    raise typer.Exit(max(codes, default=exits.DONE))


def read_template(file: Path, option: str = "--prompt") -> str:
    """The user's own prompt template. `UsageError` names the option that gave the file."""
    from beholder.errors import UsageError

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{option} {file} cannot be read ({error}).") from None


def section_in(template: str, language: str, whose: str) -> str:
    """What a template asks in a language. `UsageError` if it has no such section; `whose` names the template."""
    from beholder.benchmarks.sections import sections
    from beholder.errors import UsageError

    found = sections(template)
    if not found:
        raise UsageError(f"--language goes with a prompt in several languages: that of {whose} has one. Leave it out.")
    if language not in found:
        raise UsageError(f"--language {language[:20]!r}: the prompt has {' and '.join(found)}. Choose one of them.")
    return found[language]
