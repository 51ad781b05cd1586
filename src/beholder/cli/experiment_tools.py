"""`beholder experiment tools`: the same items without tools, with visual tools, with Python, with both."""

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
from beholder.cli.extractor import ExtractorKey, ExtractorName, ExtractorPrompt, ExtractorUrl
from beholder.cli.options import AsJson, ExtraBody, FSync, Header, MaxConnections, MaxRetries, RunsDir
from beholder.cli.tools_options import (
    MaxPictures,
    MaxRepeats,
    MaxTurns,
    Ocr,
    SandboxName,
    ToolImages,
    ToolProtocol,
    ToolSeconds,
    ToolTokens,
)

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan
    from beholder.experiments.experiment import Arm, Experiment
    from beholder.experiments.tools import ToolsOutcome
    from beholder.tools.settings import ToolSettings

TITLES = {
    "none": "no tools",
    "visual": "the predefined visual tools",
    "python": "Python in a sandbox",
    "both": "visual tools and Python",
    "rotate": "the turning of pictures alone",
    "provider": "the provider's own code interpreter",
}
AGAIN = "again"
"""What the name of the repeated arm ends with."""


def tools(
    model: Annotated[str, typer.Option("--model", "-m", metavar="KIND/NAME", help="The model that may use tools.")],
    data: FetchedOrPath = None,
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench or tir.")] = "tir",
    arms: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Arms in their order, the first is none: of visual, python, both, rotate, provider.",
        ),
    ] = "none,visual,python,both",
    plain_model: Annotated[
        str | None,
        typer.Option("--plain-model", metavar="KIND/NAME", help="Another model for the arm without tools."),
    ] = None,
    repeat: Annotated[
        bool, typer.Option("--repeat/--no-repeat", help="Run the last arm twice, to see how much is noise.")
    ] = True,
    images: Images = None,
    limit: Limit = None,
    where: Where = None,
    ids: Ids = None,
    prompt: Prompt = None,
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
    tool_protocol: ToolProtocol = "native",
    tool_images: ToolImages = "user",
    max_turns: MaxTurns = 20,
    max_tool_tokens: ToolTokens = None,
    max_seconds: ToolSeconds = 1800.0,
    max_repeats: MaxRepeats = 5,
    max_pictures: MaxPictures = None,
    ocr: Ocr = False,
    sandbox: SandboxName = "bwrap",
    extractor: ExtractorName = None,
    extractor_base_url: ExtractorUrl = None,
    extractor_key_env: ExtractorKey = None,
    extractor_prompt: ExtractorPrompt = None,
    cache: UseCache = True,
    accept: Accept = False,
    fsync: FSync = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """What are tools worth? The same items without and with them.

    Each arm is a run folder inside the experiment's, which `beholder experiment resume` continues and `beholder
    experiment show` opens. The last arm is run twice: what differs between its two runs is noise.
    """
    from beholder.cli.experiment_arms import begin_experiment, carry_on_and_show
    from beholder.cli.experiment_options import prepare
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)
    names = read_arms(arms)
    ready = prepare(context.params, benchmark, console)
    experiment = tools_experiment(
        ready.plan,
        names,
        {name: ready.tools(name) for name in names},
        model,
        plain_model,
        ready.settings,
        repeat=repeat,
    )
    folder = begin_experiment(experiment, model, ready.reach, runs_dir, console)
    raise typer.Exit(carry_on_and_show(folder, ready.reach, console, as_json=as_json))


def read_arms(text: str) -> list[str]:
    """The names in `--arms`. `UsageError` for what cannot be compared."""
    from beholder.errors import UsageError

    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in TITLES]
    if unknown:
        raise UsageError(f"--arms: there is no arm {unknown[0]!r}. Choose of {', '.join(TITLES)}.")
    if len(set(names)) < len(names):
        raise UsageError(f"--arms {text} names an arm twice. The repeat of the last arm is made by itself.")
    if names[:1] != ["none"] or len(names) < 2:
        raise UsageError(f"--arms {text} compares nothing: give none first, then at least one arm with tools.")
    return names


def tools_experiment(
    plan: Plan,
    names: list[str],
    settings_of: dict[str, ToolSettings | None],
    model: str,
    plain_model: str | None,
    settings: dict[str, Any],
    *,
    repeat: bool,
) -> Experiment:
    """The arms of experiment 1 over one plan. `settings_of` gives the tools of each arm, `settings` is for run.json."""
    import msgspec

    from beholder.experiments.experiment import Arm, Experiment

    def arm(name: str, of: str, title: str, **more: Any) -> Arm:
        own = msgspec.structs.replace(plan, tools=settings_of[of])
        who = plain_model if of == "none" and plain_model is not None else model
        return Arm(name=name, title=title, model=who, plan=own, settings=settings | more, facts={"tools": of})

    made = [arm(name, name, TITLES[name]) for name in names]
    if repeat:
        # really asked again: an answer from the cache would show no noise at all
        again = arm(f"{names[-1]}-{AGAIN}", names[-1], f"{TITLES[names[-1]]}, once more", cache=False)
        made.append(msgspec.structs.replace(again, facts=again.facts | {"repeats": names[-1]}))
    asked = {"benchmark": plan.benchmark, "arms": names, "model": model, "plain_model": plain_model, "repeat": repeat}
    return Experiment(kind="tools", asked=asked, arms=tuple(made))


def outcome_of(folder: Path, experiment: Experiment, results: dict[str, Result]) -> ToolsOutcome:
    """What the arms that are begun support."""
    import msgspec

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.experiments.tools import tools_outcome
    from beholder.report.comparison import headline_scorer

    plan = experiment.arms[0].plan
    found = find_benchmark(plan.benchmark)
    headline = headline_scorer(found, [item for result in results.values() for item in result.items])
    scorers = list(dict.fromkeys(name for name in (headline, "lenient") if name in found.scorers))
    rows = {arm.name: _rows(arm, results[arm.name]) for arm in experiment.arms if arm.name in results}
    repeat = next((arm for arm in experiment.arms if "repeats" in arm.facts), None)
    outcome = tools_outcome(
        next((rows[arm.name] for arm in experiment.arms if arm.plan.tools is None and arm.name in rows), None),
        [rows[arm.name] for arm in experiment.arms if _with_tools(arm) and arm.name in rows],
        None if repeat is None else (str(repeat.facts["repeats"]), rows.get(repeat.name)),
        scorers,
        partial_credit=found.partial_credit,
        voted=found.answers_shown > 0,
        seed=plan.seed,
    )
    title = f"Experiment: tools · {found.name} · {experiment.asked.get('model')} · {plan.n_samples:,} items"
    return msgspec.structs.replace(outcome, title=title)


def _with_tools(arm: Arm) -> bool:
    return arm.plan.tools is not None and "repeats" not in arm.facts


def _rows(arm: Arm, result: Result) -> Any:
    from beholder.experiments.costs import costs_of, whole_of
    from beholder.experiments.tools import ArmRows

    return ArmRows(
        name=arm.name,
        title=arm.title,
        model=arm.model,
        items=result.items,
        costs=costs_of(result.folder),
        whole=whole_of(result.tally),
    )


def print_outcome(console: Console, outcome: ToolsOutcome) -> None:
    """The tables of experiment 1."""
    from beholder.report.experiment_report import print_tools

    print_tools(console, outcome)
