"""`beholder annotate propose`: models annotate, one run each; then people have something to decide on."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from beholder.cli.asking import (
    CaFile,
    ConnectTimeout,
    DataPath,
    Ids,
    ImagePolicy,
    Images,
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
from beholder.cli.judges import SlotJudgeKey, SlotJudgePrompt, SlotJudgeUrl
from beholder.cli.options import AsJson, ExtraBody, FSync, Header, MaxConnections, MaxRetries

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.annotate.proposing import Proposing
    from beholder.cli.asking import Asking
    from beholder.engine.judge import Judge
    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan

_PAPER = 5
_WHERE = "How to reach the models"
_MISSING = "What is missing is asked again by the same command; --accept-failures goes on without it."


def propose(
    data: DataPath,
    out: Annotated[Path, typer.Option("--out", metavar="PROJECT", help="The folder of the project.")],
    annotator: Annotated[
        list[str],
        typer.Option(
            "--annotator", "-a", metavar="KIND/NAME", help="A model that annotates; repeat it (the paper has five)."
        ),
    ],
    agree: Annotated[
        int | None,
        typer.Option(metavar="K", min=2, help="How many must say the same (default: more than half; 3 of 5)."),
    ] = None,
    people: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=20, help="Persons who decide on each item; with 2 or more, each by themselves."
        ),
    ] = 1,
    accept_failures: Annotated[
        bool, typer.Option("--accept-failures", help="Make the project although some answers could not be had.")
    ] = False,
    slot_judge: Annotated[
        str | None,
        typer.Option(
            metavar="KIND/NAME", help="A model that proposes which targets and sources mean the same; people decide."
        ),
    ] = None,
    slot_judge_base_url: SlotJudgeUrl = None,
    slot_judge_key_env: SlotJudgeKey = None,
    slot_judge_prompt: SlotJudgePrompt = None,
    images: Images = None,
    limit: Limit = None,
    where: Where = None,
    ids: Ids = None,
    prompt: Prompt = None,
    temperature: Temperature = None,
    top_p: TopP = None,
    max_tokens: MaxTokens = None,
    seed: Seed = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Where the models are served: one URL, or one for each annotator.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    api_key_env: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Environment variable with the key: one, or one for each annotator (default: that of its service).",
            rich_help_panel=_WHERE,
            show_default=False,
        ),
    ] = None,
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
    cache: UseCache = True,
    fsync: FSync = False,
    as_json: AsJson = False,
    *,
    context: typer.Context,
) -> None:
    """Have models annotate metaphors, independently of each other, and make a project for people.

    Each annotator is an ordinary run inside PROJECT/runs. The same command again goes on where it stopped. Whatever
    the models agree on still needs a person: `beholder annotate open PROJECT`.
    """
    import asyncio

    from beholder.annotate import equivalence, proposing
    from beholder.annotate.consensus import check_agree, majority
    from beholder.cli.annotate import print_status
    from beholder.errors import UsageError
    from beholder.report.terminal import make_console, say

    console = make_console(stderr=True)
    askings = _askings(context.params, annotator)
    check_agree(agree if agree is not None else majority(len(annotator)), len(annotator))
    judge = _slot_judge(context.params, out, askings[0])
    asked = _asked(context.params, askings, judge, console)
    if not proposing.is_finished(out):
        code = asyncio.run(_carry_on(out, asked, askings, console, accept_failures=accept_failures))
        if code:
            raise typer.Exit(code)
        items = proposing.items_of(out, asked)
        said: list[equivalence.Asked] = []
        if judge is not None:
            said = asyncio.run(_compare(out, items, judge, console))
        proposing.make_project(out, asked, items, said).close()
    elif slot_judge is not None or accept_failures:
        raise UsageError(f"{out} is finished: its proposals stay as they are. Leave --slot-judge and the like out.")
    if len(annotator) != _PAPER:
        say(console, f"The paper has {_PAPER} annotators; here are {len(annotator)}.", "yellow")
    print_status(out, as_json=as_json)


def _askings(options: dict[str, Any], annotators: list[str]) -> list[Asking]:
    """How each annotator is reached and asked. `UsageError` for names given twice and lists that do not fit."""
    from beholder.cli.asking import Asking
    from beholder.cli.endpoint import check_keys, for_each, n_servers
    from beholder.errors import UsageError
    from beholder.models.address import is_secret
    from beholder.models.served import service_of

    twice = sorted({name for name in annotators if annotators.count(name) > 1})
    if twice:
        raise UsageError(f"--annotator {twice[0]} is given twice: two voices of one model are not independent.")
    keys = options["api_key_env"] or []
    urls = for_each("--base-url", options["base_url"] or [], len(annotators), "annotators")
    variables = for_each("--api-key-env", keys, len(annotators), "annotators")
    served = [url for name, url in zip(annotators, urls, strict=True) if service_of(name) is not None]
    check_keys("--api-key-env", keys, served)
    secret = next((text for text in options["header"] or [] if is_secret(text.partition(":")[0].strip())), None)
    if secret is not None and n_servers(served) > 1:
        name = secret.partition(":")[0].strip()
        raise UsageError(
            f"--header {name} would be sent to {n_servers(served)} servers; a key goes to one. "
            "Give keys with --api-key-env, one for each annotator."
        )
    plain = {name: options[name] for name in Asking.__struct_fields__ if name in options}
    return [
        Asking(**plain | {"base_url": url or None, "api_key_env": variable}, tool_images="user")
        for url, variable in zip(urls, variables, strict=True)
    ]


def _asked(options: dict[str, Any], askings: list[Asking], judge: Judge | None, console: Console) -> Proposing:
    """What is asked: as it was begun, or begun now. `UsageError` if the command is not the one that began."""
    import asyncio

    from beholder.annotate import proposing
    from beholder.benchmarks.records import file_digest
    from beholder.errors import UsageError

    out: Path = options["out"]
    stored = proposing.read(out)
    if stored is None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already, and is no project that was begun here. Choose another --out.")
    digest = file_digest(options["data"])
    if stored is None:
        asyncio.run(_check(options["annotator"], askings, judge))
        return _begin(options, askings, digest, console)
    plan = _plan(options, askings[0], proposing.records_path(out))
    again = _proposing(options, askings, plan, digest)
    told = proposing.differences(stored, again)
    if told:
        raise UsageError(f"{out} was begun otherwise: {'; '.join(told)}. Give the same command, or another --out.")
    return msgspec.structs.replace(again, kept_apart=stored.kept_apart, created=stored.created)


def _begin(options: dict[str, Any], askings: list[Asking], digest: str, console: Console) -> Proposing:
    """Takes the data in and makes the folder: complete at once, by a rename."""
    import shutil

    from beholder.annotate import proposing
    from beholder.annotate.intake import take_in
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    out: Path = options["out"]
    out.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".annotate-", dir=out.parent))
    try:
        building.chmod(0o755)
        count, apart = take_in(building, options["data"], options["images"])
        plan = _plan(options, askings[0], proposing.records_path(building))
        plan = msgspec.structs.replace(plan, data=str(proposing.records_path(out)))
        asked = msgspec.structs.replace(_proposing(options, askings, plan, digest), kept_apart=tuple(apart))
        proposing.begin(building, asked)
        building.rename(out)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    say(console, f"{counted(count, 'pair')} of image and text, {counted(len(apart), 'record')} kept apart.", "dim")
    for one in apart[:20]:
        say(console, f"{one.place}: {one.why}", "yellow")
    return asked


def _plan(options: dict[str, Any], asking: Asking, records: Path) -> Plan:
    from beholder.annotate.intake import TASK
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.asking import selection_of
    from beholder.cli.run import read_template
    from beholder.engine.plan import make_plan

    found = find_benchmark("m3r")
    return make_plan(
        found,
        records,
        images=None,
        categories=None,
        template=read_template(options["prompt"]) if options["prompt"] is not None else None,
        sampling=asking.sampling(found),
        votes=None,
        epochs=1,
        order="random",
        seed=asking.run_seed,
        selection=selection_of(options["limit"], options["where"], options["ids"]),
        task=TASK,
    )


def _proposing(options: dict[str, Any], askings: list[Asking], plan: Plan, digest: str) -> Proposing:
    from beholder.annotate.proposing import Proposing
    from beholder.experiments.experiment import Arm

    named = enumerate(zip(options["annotator"], askings, strict=True), start=1)
    arms = [
        Arm(name=f"annotator-{n}", title=name, model=name, plan=plan, settings=asking.settings(asking.endpoint(name)))
        for n, (name, asking) in named
    ]
    return Proposing(
        data=str(options["data"]),
        data_sha256=digest,
        agree=options["agree"] or 0,
        people=options["people"],
        seed=askings[0].run_seed,
        arms=tuple(arms),
    )


async def _check(names: list[str], askings: list[Asking], judge: Judge | None) -> None:
    """Fails with `UsageError` if an annotator or the judge cannot be reached at all."""
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import check_all
    from beholder.cli.judges import check
    from beholder.models import make_model

    found = find_benchmark("m3r")
    models = [
        make_model(name, found, seed=asking.run_seed, endpoint=asking.endpoint(name))
        for name, asking in zip(names, askings, strict=True)
    ]
    try:
        await check_all(models)
        await check([judge] if judge is not None else [])
    finally:
        for model in models:
            await model.close()


async def _carry_on(
    out: Path, asked: Proposing, askings: list[Asking], console: Console, *, accept_failures: bool
) -> int:
    """Asks what is missing of each annotator. Returns the exit code: 0 if the project can be made."""
    from beholder.annotate.proposing import RUNS
    from beholder.cli import exits
    from beholder.cli.experiment_arms import Reach, carry_on
    from beholder.engine.run import Ending
    from beholder.experiments.experiment import Experiment
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    runs = out / RUNS
    missing = 0
    for number, (arm, asking) in enumerate(zip(asked.arms, askings, strict=True), start=1):
        reach = Reach(asking.endpoint(arm.model), asking.engine_options(runs))
        heading = f"Annotator {number} of {len(askings)}: {arm.title}"
        (result,) = await carry_on(runs, Experiment(kind="annotate", arms=(arm,)), reach, console, heading)
        if result.message:
            say(console, result.message, "red")
        if result.ending is Ending.INTERRUPTED:
            return exits.INTERRUPTED
        missing += _missing(result)
    if missing and not accept_failures:
        say(console, f"Missing: {counted(missing, 'answer')}. {_MISSING}", "red")
        return exits.INCOMPLETE
    return exits.DONE


def _missing(result: Result) -> int:
    """How many answers of an annotator could still be had. What failed for good is not among them."""
    tally = result.tally
    return result.plan.n_asks - tally.answered - tally.failed


def _slot_judge(options: dict[str, Any], out: Path, asking: Asking) -> Judge | None:
    """The model that compares targets and sources, if one is named."""
    from beholder.annotate.equivalence import PURPOSE
    from beholder.annotate.proposing import RUNS
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.judges import Way, make_judges, named_judges
    from beholder.errors import UsageError

    named = named_judges(options)
    if not named:
        return None
    way = Way(
        cache=asking.cache_file(out / RUNS),
        base_url=asking.base_url,
        key_variable=asking.api_key_env,
        max_retries=asking.max_retries,
        timeout=asking.timeout,
    )
    judges, _ = make_judges([one for one in named if one.purpose == PURPOSE], find_benchmark("m3r"), way)
    if judges[0].model is None:
        raise UsageError(f"--slot-judge {judges[0].name} says how near words are, not whether they mean the same.")
    return judges[0]


async def _compare(out: Path, items: list[Any], judge: Judge, console: Console) -> list[Any]:
    from beholder.annotate.equivalence import compare
    from beholder.report.terminal import say

    try:
        return await compare(out, items, judge, lambda text: say(console, text, "yellow"))
    finally:
        await judge.close()
