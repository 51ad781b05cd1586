"""`beholder experiment joint`: the four labels of M3R-Bench asked for at once, and each alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.asking import (
    Accept,
    BaseUrl,
    CaFile,
    ConnectTimeout,
    DataPath,
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
from beholder.cli.options import AsJson, ExtraBody, FSync, Header, MaxConnections, MaxRetries, RunsDir

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan
    from beholder.experiments.experiment import Experiment
    from beholder.experiments.joint import JointArm, JointOutcome

BENCHMARK = "m3r"


def joint(
    model: Annotated[str, typer.Option("--model", "-m", metavar="KIND/NAME", help="The model that is asked.")],
    data: DataPath,
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
    cache: UseCache = True,
    accept: Accept = False,
    fsync: FSync = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
    *,
    context: typer.Context,
) -> None:
    """All four labels of M3R-Bench at once, or each alone? Five arms.

    The same items are asked the joint question, and metaphor, target, source and sentiment each with a question of its
    own. Each arm is a run folder inside the experiment's. It is our experiment, not one of the paper.
    """
    from beholder.cli.experiment_arms import begin_experiment, carry_on_and_show
    from beholder.cli.experiment_options import prepare
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)
    ready = prepare(context.params | {"tool_images": "user"}, BENCHMARK, console)
    experiment = joint_experiment(ready.plan, model, ready.settings)
    folder = begin_experiment(experiment, model, ready.reach, runs_dir, console)
    raise typer.Exit(carry_on_and_show(folder, ready.reach, console, as_json=as_json))


def joint_experiment(plan: Plan, model: str, settings: dict[str, Any]) -> Experiment:
    """The five arms over the plan of the joint question. `settings` is for run.json."""
    import msgspec

    from beholder.annotation import LABELS
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.experiments.experiment import Arm, Experiment
    from beholder.experiments.joint import JOINT

    found = find_benchmark(plan.benchmark)
    alone = {label: msgspec.structs.replace(plan, task=label, template=found.template_of(label)) for label in LABELS}
    titles = {label: f"{label} alone" for label in LABELS} | {JOINT: "all four labels and an explanation at once"}
    arms = tuple(
        Arm(name=name, title=titles[name], model=model, plan=own, settings=settings, facts={"task": own.task or JOINT})
        for name, own in ({JOINT: plan} | alone).items()
    )
    return Experiment(kind="joint", asked={"benchmark": plan.benchmark, "model": model}, arms=arms)


def outcome_of(folder: Path, experiment: Experiment, results: dict[str, Result]) -> JointOutcome:
    """What the arms that are begun show."""
    import msgspec

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.m3r.assumptions import assumptions_of
    from beholder.experiments.joint import joint_outcome
    from beholder.report.figures import counted

    plan = experiment.arms[0].plan
    found = find_benchmark(plan.benchmark)
    arms = {arm.name: _rows(arm.title, results[arm.name], arm.name) for arm in experiment.arms if arm.name in results}
    outcome = joint_outcome(arms, found.headline[0], assumptions_of(found.assumptions).slots, plan.seed)
    title = f"Experiment: joint · {found.name} · {experiment.asked.get('model')} · {counted(plan.n_samples, 'item')}"
    return msgspec.structs.replace(outcome, title=title)


def _rows(title: str, result: Result, name: str) -> JointArm:
    from beholder.experiments.costs import costs_of
    from beholder.experiments.joint import JointArm

    return JointArm(name=name, title=title, items=result.items, costs=costs_of(result.folder))


def print_outcome(console: Console, outcome: JointOutcome) -> None:
    """The tables of the experiment."""
    from beholder.report.joint_report import print_joint

    print_joint(console, outcome)


def figure_of(outcome: JointOutcome) -> str:
    """The shares as an SVG."""
    from beholder.report.joint_report import joint_figure

    return joint_figure(outcome)
