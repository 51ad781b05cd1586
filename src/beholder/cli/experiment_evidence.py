"""`beholder experiment evidence`: replay a run's conversations with observations withheld or swapped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.asking_again import (
    CaFileAgain,
    ConnectionsAgain,
    KeyAgain,
    ProxyAgain,
    RetriesAgain,
    UrlAgain,
)
from beholder.cli.extractor import ExtractorKey
from beholder.cli.options import AsJson, ExtraBody, FSync, Header, RunName, RunsDir

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import Result
    from beholder.experiments.evidence import Source, Survey
    from beholder.experiments.evidence_findings import Baseline, Evidence
    from beholder.experiments.experiment import Arm, Experiment
    from beholder.score import ScoredItem

TITLES = {
    "full": "the observations as they were",
    "no-images": "each new picture is the unchanged input",
    "no-text": "printed text withheld",
    "neither": "pictures and printed text withheld",
    "swapped": "the observations of another item of the category",
    "placebo": "live, with tools that bring nothing new",
}
"""What each arm is, for tables."""


def evidence(
    run: RunName,
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="KIND/NAME", help="Another model than the run's own.")
    ] = None,
    placebo: Annotated[
        bool, typer.Option("--placebo", help="Also run the model live, with tools that bring nothing new.")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(metavar="RUN", help="A run without tools on the same items, to compare with.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the swap and of intervals (default: the run's).")
    ] = None,
    base_url: UrlAgain = None,
    api_key_env: KeyAgain = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: ProxyAgain = None,
    ca_file: CaFileAgain = None,
    max_connections: ConnectionsAgain = None,
    max_retries: RetriesAgain = None,
    extractor_key_env: ExtractorKey = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse answers given to the very same request.")
    ] = True,
    fsync: FSync = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Replay a run's conversations with what the tools brought shown, withheld or swapped.

    The model's turns are kept word for word; only the final answer is asked for anew, once and without tools.
    """
    from beholder.cli.asking_again import AskingAgain
    from beholder.cli.endpoint import StoredEndpoint, asking, settings_of, stored_settings
    from beholder.cli.experiment_arms import Reach, begin_experiment, carry_on_and_show
    from beholder.cli.finding import find_run
    from beholder.engine.replay import Condition
    from beholder.errors import UsageError
    from beholder.experiments.evidence import open_source, replay_plans, survey
    from beholder.experiments.experiment import Experiment
    from beholder.models.served import service_of
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)
    folder = find_run(run, runs_dir)
    source = open_source(folder)
    stored = stored_settings(source.info.settings, folder)
    name = model or stored.model
    again = AskingAgain(
        folder=folder,
        home=folder.resolve().parent,
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
        fsync=fsync,
    )
    endpoint = None
    service = service_of(name)
    if service is not None:
        same = stored.endpoint is not None and service_of(stored.model) == service
        known = stored.endpoint if same else None
        if known is None:  # another service: neither the run's address nor its key is for it
            known = StoredEndpoint(key_variable=service.key_variable, image_policy=service.policy)
        endpoint = again.endpoint(known, None if same else service.address())
        console.print(plain(asking(endpoint), one_line=True), style="dim", soft_wrap=True)
    surveyed = survey(source)
    if not surveyed.replayed:
        reasons = "".join(f" {number} left out: {words}." for words, number in surveyed.left_out.items())
        raise UsageError(
            f"{folder} holds no conversation with a call that was run.{reasons} There is nothing to replay."
        )
    against = _baseline(baseline, source, surveyed.keys, runs_dir) if baseline is not None else None
    options = again.engine_options(stored, source.found, runs_dir / ".cache.db" if cache else None)
    settings: dict[str, Any] = {
        "max_retries": again.retries(stored),
        "max_connections": again.connections(stored) or "auto",
        "cache": cache,
    }
    if endpoint is not None:
        settings["endpoint"] = settings_of(endpoint)
    for kept in ("extractor", "judges", "assumptions"):
        if kept in source.info.settings:
            settings[kept] = source.info.settings[kept]
    drawn = seed if seed is not None else source.plan.seed
    plans = replay_plans(source, surveyed, tuple(Condition), drawn)
    experiment = Experiment(
        kind="evidence",
        asked={
            "source": str(folder),
            "model": name,
            "seed": drawn,
            "baseline": str(against.resolve()) if against is not None else None,
            "left_out": surveyed.left_out,
        },
        arms=_arms(name, source, surveyed, plans, settings, placebo=placebo),
    )
    reach = Reach(endpoint, options)
    made = begin_experiment(experiment, name, reach, runs_dir, console)
    raise typer.Exit(carry_on_and_show(made, reach, console, as_json=as_json))


def _baseline(name: str, source: Source, keys: Sequence[str], runs_dir: Path) -> Path:
    """The folder of a run without tools that holds some of these items."""
    from contextlib import closing

    from beholder.cli.finding import find_run
    from beholder.engine.lifecycle import plan_of
    from beholder.errors import UsageError
    from beholder.store import reading, schema
    from beholder.store.folder import read_info

    folder = find_run(name, runs_dir)
    plan = plan_of(read_info(folder))
    if plan.benchmark != source.found.name or plan.tools is not None or plan.replay is not None:
        raise UsageError(f"--baseline {name}: give a run of {source.found.name} without tools.")
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        answered = {key for key, _, _ in reading.done(db)}
    if answered.isdisjoint(keys):
        raise UsageError(f"--baseline {name} holds none of the items that are replayed. Give a run on the same data.")
    return folder


def _arms(
    model: str, source: Source, surveyed: Survey, plans: Any, settings: dict[str, Any], *, placebo: bool
) -> tuple[Arm, ...]:
    from beholder.experiments.evidence import PLACEBO, placebo_plan
    from beholder.experiments.experiment import Arm

    arms = [
        Arm(name=condition.value, title=TITLES[condition], model=model, plan=plan, settings=settings)
        for condition, plan in plans.items()
    ]
    if placebo:
        plan = placebo_plan(source, surveyed.keys)
        arms.append(Arm(name=PLACEBO, title=TITLES[PLACEBO], model=model, plan=plan, settings=settings))
    return tuple(arms)


def outcome_of(folder: Path, experiment: Experiment, results: dict[str, Result]) -> Evidence:
    """What the arms that are begun support. The source run must be where it was, and as it was."""
    from beholder.errors import UsageError
    from beholder.experiments import evidence as evidences
    from beholder.experiments.evidence_findings import Arms
    from beholder.experiments.evidence_findings import evidence as analysed
    from beholder.report.run_differences import code_notes

    plan = experiment.arms[0].plan
    if experiment.arms[0].name != "full" or plan.replay is None:
        raise UsageError(f"{folder} is damaged: its first arm is no replay. Start a new experiment.")
    source = evidences.source_again(plan)
    surveyed = evidences.survey(source, keys=plan.selection.ids)
    asked = experiment.asked
    seed = asked.get("seed")
    swapped = next((arm for arm in experiment.arms if arm.name == "swapped"), None)
    names = {name: evidences.served_names(result.folder) for name, result in results.items()}
    other = evidences.other_models(evidences.served_names(source.folder), names)
    items, code = _scored(source.folder)
    scorers = list(dict.fromkeys((source.found.headline[0], evidences.LENIENT)))
    held = [(one.turns, one.calls) for one in surveyed.replayed]
    conduct = {evidences.SOURCE: evidences.conducted_in(held)}
    if evidences.PLACEBO in results:
        places = {(one.key, one.epoch, one.vote) for one in surveyed.replayed}
        conduct[evidences.PLACEBO] = evidences.conducted(results[evidences.PLACEBO].folder, places)
    replay = swapped.plan.replay if swapped is not None and swapped.name in results else None
    return analysed(
        Arms(
            found=source.found,
            rows={name: result.items for name, result in results.items()},
            source=items,
            baseline=_baseline_of(asked.get("baseline"), source, experiment.arms[0].model),
            partners=replay.partners if replay is not None else {},
            seed=seed if isinstance(seed, int) else plan.seed,
        ),
        surveyed.replayed,
        title=f"{source.folder.name}, answered by {experiment.arms[0].model}",
        left_out=_counts(asked.get("left_out")),
        without_partner=len(surveyed.keys) - (swapped.plan.n_samples if swapped is not None else 0),
        conduct=conduct,
        notes=[
            *([other] if other is not None else []),
            *code_notes(code, scorers, source.found, f"beholder rescore {source.folder}"),
        ],
    )


def _baseline_of(path: Any, source: Source, model: str) -> Baseline | None:
    """The run without tools, with what differs between it and the arms, which `model` answers."""
    from beholder.cli.endpoint import stored_settings
    from beholder.experiments.evidence_findings import Baseline
    from beholder.report.run_differences import plan_differences
    from beholder.store.folder import read_info

    if not isinstance(path, str):
        return None
    folder = Path(path)
    info = read_info(folder)
    own = stored_settings(info.settings, folder).model
    differing = [f"model: {model} in the arms, {own} in the baseline"] if own != model else []
    names = ("the source run", "the baseline")
    # Tools are what the baseline is to lack, and items that one side lacks are not compared.
    differing += plan_differences(
        source.info.plan, info.plan, names, leave_out=("tools", "n_samples", "selection", "seed")
    )
    notes = [f"the baseline differs in {words}" for words in differing]
    return Baseline(items=_scored(folder)[0], model=own, differences=notes)


def _scored(run: Path) -> tuple[list[ScoredItem], dict[str, str]]:
    """The scored rows of a run, and by which code they were scored."""
    from contextlib import closing

    from beholder.store import reading, schema

    with closing(schema.open_to_read(run / "run.db")) as db, schema.told_plainly(run):
        return reading.scored_items(db), reading.scorer_codes(db)


def _counts(told: Any) -> dict[str, int]:
    """How many items were left out, by reason; what an experiment.json of another make holds there is not taken."""
    if not isinstance(told, dict):
        return {}
    return {str(reason): number for reason, number in told.items() if isinstance(number, int)}


def print_outcome(console: Console, outcome: Evidence) -> None:
    """The tables, and what they support."""
    from beholder.report.evidence_report import print_evidence

    print_evidence(console, outcome)
