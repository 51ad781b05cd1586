"""`beholder experiment rotation`: a predefined tool or code of one's own, with three prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.asking import (
    Accept,
    BaseUrl,
    CaFile,
    ConnectTimeout,
    Ids,
    ImagePolicy,
    Images,
    KeyVariable,
    Limit,
    MaxTokens,
    MaxTokensField,
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
    from beholder.experiments.experiment import Experiment
    from beholder.experiments.rotation import RotationOutcome
    from beholder.tools.settings import ToolSettings

ENOUGH = 75
"""Items, as in the paper."""
_TASK = "category=rotation_game"


def rotation(
    model: Annotated[str, typer.Option("--model", "-m", metavar="KIND/NAME", help="The model that may use tools.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", metavar="PATH", help="TIR-Bench data; its rotation items are taken."),
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", metavar="N", min=1, help="Fresh items if there is no --data (default: 75).")
    ] = None,
    photos: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Make the fresh items of your own upright photographs (default: 5 of ours)."
        ),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON with templates in place of our P1, P2 and P3; each holds {question}."),
    ] = None,
    images: Images = None,
    limit: Limit = None,
    where: Where = None,
    ids: Ids = None,
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
    """A predefined tool, or code of one's own? Six arms on rotation.

    The task is to turn a picture upright. The interfaces are the rotate tool and Python, the prompts the question only
    (P1), a hint (P2), and asking for each option to be tried (P3). The model calls until it answers.
    """
    from beholder.cli.experiment_arms import begin_experiment, carry_on_and_show
    from beholder.cli.experiment_options import prepare
    from beholder.errors import UsageError
    from beholder.experiments.rotation_prompts import read_prompts
    from beholder.report.figures import counted
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)
    templates = read_prompts(prompts)
    if data is not None and n is not None:
        raise UsageError("--n makes fresh items: leave out either it or --data. --limit takes only the first items.")
    if data is not None and photos is not None:
        raise UsageError("--photos is for fresh items: leave out either it or --data.")
    source = data if data is not None else fresh_items(runs_dir, n or ENOUGH, seed or 0, console, photos)
    options = context.params | {"where": [*(where or []), _TASK]}
    ready = prepare(options, "tir", console, data=source)
    if ready.plan.n_samples < ENOUGH:
        there = f"{counted(ready.plan.n_samples, 'item')} {'is' if ready.plan.n_samples == 1 else 'are'} few"
        words = f"{there}: the paper has {ENOUGH}, and intervals will be wide."
        console.print(words, style="yellow", soft_wrap=True)
    interfaces = {name: ready.tools(name) for name in templates}
    experiment = rotation_experiment(ready.plan, templates, interfaces, model, ready.settings)
    folder = begin_experiment(experiment, model, ready.reach, runs_dir, console)
    raise typer.Exit(carry_on_and_show(folder, ready.reach, console, as_json=as_json))


def fresh_items(runs_dir: Path, n: int, seed: int, console: Console, photos: Path | None = None) -> Path:
    """A data set of fresh rotation items of levels 1 to 5 in turn, made unless it is there already."""
    from beholder.cli.fresh_items import made_once
    from beholder.synth.generate import draws_for

    draws = draws_for(["rotation_game"], n, seed, (1, 2, 3, 4, 5))
    return made_once(f"rotation-{n}-{seed}", draws, photos, runs_dir, console)


def rotation_experiment(
    plan: Plan,
    templates: dict[str, dict[str, str]],
    interfaces: dict[str, ToolSettings | None],
    model: str,
    settings: dict[str, Any],
) -> Experiment:
    """The six arms of experiment 3 over one plan: interface → prompt → template, and the tools of each interface."""
    import msgspec

    from beholder.experiments.experiment import Arm, Experiment
    from beholder.experiments.rotation_prompts import INTERFACES, MEANINGS

    arms = [
        Arm(
            name=f"{interface}-{prompt}",
            title=f"{INTERFACES[interface]}, {MEANINGS[prompt]}",
            model=model,
            plan=msgspec.structs.replace(plan, tools=interfaces[interface], template=template),
            settings=settings,
            facts={"interface": interface, "prompt": prompt},
        )
        for interface, own in templates.items()
        for prompt, template in own.items()
    ]
    return Experiment(kind="rotation", asked={"model": model, "prompts": templates}, arms=tuple(arms))


def outcome_of(folder: Path, experiment: Experiment, results: dict[str, Result]) -> RotationOutcome:
    """What the arms that are begun show."""
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.experiments.rotation import RotationOutcome, contrasts, findings
    from beholder.experiments.rotation_record import Turns, published_calls, rows_of
    from beholder.report.comparison import headline_scorer

    plan = experiment.arms[0].plan
    found = find_benchmark(plan.benchmark)
    scorer = headline_scorer(found, [item for result in results.values() for item in result.items])
    measured = Turns()
    rows = [
        rows_of(arm.name, str(arm.facts["interface"]), str(arm.facts["prompt"]), results[arm.name], measured)
        for arm in experiment.arms
        if arm.name in results
    ]
    arms = [findings(one, scorer, plan.seed) for one in rows]
    whole = [arm.clusters for arm in arms if arm.score.n + arm.score.failed == plan.n_samples]
    items = _items_in_words(plan.n_samples, whole[0] if whole else plan.n_samples)
    return RotationOutcome(
        scorer=scorer,
        arms=arms,
        contrasts=contrasts(rows, scorer, plan.seed),
        published=published_calls(),
        title=f"Experiment: rotation · {experiment.asked.get('model')} · {items}",
    )


def _items_in_words(items: int, photographs: int) -> str:
    """`75 items of 5 photographs`; how many photographs there are is left out where each item has its own."""
    from beholder.report.figures import counted

    of = f" of {counted(photographs, 'photograph')}" if photographs < items else ""
    return f"{counted(items, 'item')}{of}"


def print_outcome(console: Console, outcome: RotationOutcome) -> None:
    """The tables of experiment 3."""
    from beholder.report.rotation_report import print_rotation

    print_rotation(console, outcome)


def figure_of(outcome: RotationOutcome) -> str:
    """The scores as an SVG."""
    from beholder.report.rotation_report import rotation_figure

    return rotation_figure(outcome)
