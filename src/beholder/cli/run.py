"""`beholder run`: evaluate one or more models on a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.options import AllMetrics, AsJson, ExtraBody, FSync, Header, MaxConnections, MaxRetries, RunsDir
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

_WHAT = "What to ask"
_HOW = "How the model decodes"
_WHERE = "How to reach the model"


def run_benchmark(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench or tir.")],
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", metavar="KIND/NAME", help="openai/NAME, random, constant/TEXT, …; repeatable."),
    ],
    data: Annotated[
        Path,
        typer.Option("--data", "-d", metavar="PATH", help="The data: a Parquet, JSON or JSONL file, or its folder."),
    ],
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder that image names are relative to (default: beside the data).",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the first N items.", rich_help_panel=_WHAT)
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Only items where a field has a value (or !=VALUE), such as category=general; repeatable.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    ids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Only items whose key or record id is a line of FILE.", rich_help_panel=_WHAT
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File that replaces our prompt template.", rich_help_panel=_WHAT),
    ] = None,
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
    temperature: Annotated[
        str | None,
        typer.Option(metavar="T", help="Sampling temperature; `default`: not sent.", rich_help_panel=_HOW),
    ] = None,
    top_p: Annotated[
        str | None, typer.Option(metavar="P", help="Nucleus sampling; `default`: not sent.", rich_help_panel=_HOW)
    ] = None,
    max_tokens: Annotated[
        str | None,
        typer.Option(metavar="N", help="Longest answer, in tokens; `default`: not sent.", rich_help_panel=_HOW),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of every random choice; also sent to the server, one for each vote.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Such as http://localhost:8000/v1 (or OPENAI_BASE_URL).", rich_help_panel=_WHERE
        ),
    ] = None,
    api_key_env: Annotated[
        str,
        typer.Option(metavar="NAME", help="Environment variable that holds the API key.", rich_help_panel=_WHERE),
    ] = "OPENAI_API_KEY",
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="HTTP proxy (default: the usual environment variables).", rich_help_panel=_WHERE
        ),
    ] = None,
    ca_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="PEM file of certificates to trust.", rich_help_panel=_WHERE),
    ] = None,
    max_connections: MaxConnections = 64,
    max_retries: MaxRetries = 7,
    timeout: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="Seconds to wait for an answer to begin.", rich_help_panel=_WHERE),
    ] = 600.0,
    connect_timeout: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="Seconds to wait for a connection.", rich_help_panel=_WHERE)
    ] = 10.0,
    max_tokens_field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of the token limit on the wire (some servers: max_completion_tokens).",
            rich_help_panel=_WHERE,
        ),
    ] = "max_tokens",
    image_policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Limits that images must keep: openai-compatible (none), anthropic or qwen-vl.",
            rich_help_panel=_WHERE,
        ),
    ] = "openai-compatible",
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
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse answers given to the very same request.")
    ] = True,
    accept: Annotated[
        bool, typer.Option("--accept", help="Accept that the data file has changed since the last run.")
    ] = False,
    fsync: FSync = False,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Evaluate one or more models on a benchmark.

    Each model gets a run folder, which `beholder resume` can continue and `beholder show` opens. `beholder list` names
    the benchmarks and the kinds of model.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.orders import MODES
    from beholder.cli import exits
    from beholder.cli.carry_out import check_all, exit_code, finish_command, run_all
    from beholder.cli.endpoint import default_base_url, make_endpoint, settings_of
    from beholder.cli.extractor import check, make_extractor, refuse_alone
    from beholder.cli.options import decoding_number
    from beholder.cli.tools_options import check_sandbox, make_tools, takes_pictures_with_tools
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.plan import make_plan
    from beholder.engine.retry import RetryPolicy
    from beholder.engine.selection import Selection, parse_condition, read_ids
    from beholder.errors import UsageError
    from beholder.models import make_model
    from beholder.report.plain_text import plain
    from beholder.report.run_report import print_result
    from beholder.report.terminal import make_console
    from beholder.sample import Sampling
    from beholder.store.cache import ResponseCache
    from beholder.store.pins import check_pin

    console = make_console(stderr=True)
    found = find_benchmark(benchmark)
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
    url = base_url or default_base_url()
    endpoint = None
    if url is not None:
        endpoint = make_endpoint(
            base_url=url,
            key_variable=api_key_env,
            headers=header or [],
            extra_body=extra_body,
            proxy=proxy,
            ca_file=ca_file,
            max_connections=max_connections,
            timeout=timeout,
            connect_timeout=connect_timeout,
            max_tokens_field=max_tokens_field,
            image_policy=image_policy,
            pictures_in_tool_messages=takes_pictures_with_tools(tool_images),
        )
    run_seed = seed if seed is not None else 0
    models = [make_model(name, found, seed=run_seed, endpoint=endpoint) for name in model]
    template = read_template(prompt) if prompt is not None else None
    selection = Selection(
        limit=limit,
        where=tuple(parse_condition(text) for text in where or []),
        ids=read_ids(ids) if ids is not None else (),
    )
    sampling = Sampling(
        temperature=decoding_number("--temperature", temperature, found.sampling.temperature, low=0),
        top_p=decoding_number("--top-p", top_p, found.sampling.top_p, low=0, high=1),
        max_tokens=decoding_number("--max-tokens", max_tokens, found.sampling.max_tokens, low=1, whole=True),
        seed=seed,
    )
    cache_file = runs_dir / ".cache.db" if cache else None
    settings: dict[str, Any] = {"max_retries": max_retries, "max_connections": max_connections, "cache": cache}
    refuse_alone(extractor, extractor_base_url, extractor_key_env, extractor_prompt)
    reader = None
    if extractor is not None:
        of_the_model = api_key_env if extractor_base_url is None else None  # no key goes to another server unasked
        reader, settings["extractor"] = make_extractor(
            extractor,
            found,
            base_url=extractor_base_url or base_url,
            key_variable=extractor_key_env or of_the_model,
            prompt=extractor_prompt,
            cache=cache_file,
            max_retries=max_retries,
            concurrency=max_connections,
            timeout=timeout,
            fsync=fsync,
        )
    options = EngineOptions(
        concurrency=max_connections,
        retries=RetryPolicy(attempts=max_retries + 1),
        cache=cache_file,
        fsync=fsync,
        extractor=reader,
    )

    async def check_everybody() -> None:
        await check_all(models)
        if reader is not None:
            await check(reader)
        await check_sandbox(tool_settings)

    asyncio.run(check_everybody())  # before the data is read: a wrong URL shows at once
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
        seed=run_seed,
        selection=selection,
        tools=tool_settings,
    )
    check_pin(runs_dir, data, plan.data_sha256, accept=accept)
    if options.cache is not None:
        ResponseCache(options.cache).close()  # a damaged one shows before a folder is made
    for sentence in found.notices(plan.n_samples) if found.notices is not None else []:
        console.print(plain(sentence, one_line=True), style="yellow", soft_wrap=True)
    if endpoint is not None:
        settings["endpoint"] = settings_of(endpoint)
    output = make_console()

    def on_result(result: Result) -> None:
        if not as_json:
            print_result(output, result, every=all_metrics)

    results = asyncio.run(run_all(plan, models, options, settings, runs_dir, console, on_result))
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
