"""`beholder experiment`: the same items under different conditions, and what the difference supports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.asking_again import (
    CaFileAgain,
    ConnectionsAgain,
    KeyAgain,
    ProxyAgain,
    RetriesAgain,
    UrlAgain,
)
from beholder.cli.experiment_evidence import evidence
from beholder.cli.experiment_joint import joint
from beholder.cli.experiment_rotation import rotation
from beholder.cli.experiment_tools import tools
from beholder.cli.extractor import ExtractorKey
from beholder.cli.options import AsJson, ExtraBody, FSync, Header, RunsDir

_HELP = {"help_option_names": ["-h", "--help"]}
ExperimentName = Annotated[
    str, typer.Argument(metavar="EXPERIMENT", help="The folder of an experiment, its name, or `latest`.")
]

app = typer.Typer(
    help="Ask the same items under different conditions.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)
app.command("tools", context_settings=_HELP)(tools)
app.command("evidence", context_settings=_HELP)(evidence)
app.command("rotation", context_settings=_HELP)(rotation)
app.command("joint", context_settings=_HELP)(joint)


@app.command("resume", context_settings=_HELP)
def resume(
    experiment: ExperimentName,
    base_url: UrlAgain = None,
    api_key_env: KeyAgain = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: ProxyAgain = None,
    ca_file: CaFileAgain = None,
    max_connections: ConnectionsAgain = None,
    max_retries: RetriesAgain = None,
    extractor_key_env: ExtractorKey = None,
    fsync: FSync = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Continue an experiment: begin what is missing, complete the rest.

    Arms that are complete are only read.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.asking_again import AskingAgain
    from beholder.cli.endpoint import StoredEndpoint, asking, stored_settings
    from beholder.cli.experiment_arms import Reach, carry_on_and_show
    from beholder.cli.experiment_arms import show as show_experiment
    from beholder.experiments.experiment import find, missing, read, read_arms
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)
    folder = find(experiment, runs_dir)
    asked = read(folder)
    if not list(missing(asked, read_arms(folder, asked))):
        console.print(f"Nothing to do: {plain(str(folder), one_line=True)} is complete.", style="dim", soft_wrap=True)
        show_experiment(folder, asked, as_json=as_json)
        return
    settings = [stored_settings(arm.settings | {"model": arm.model}, folder) for arm in asked.arms]
    served = next((one for one in settings if one.needs_endpoint), None)
    again = AskingAgain(
        folder=folder,
        home=folder.resolve().parent,
        runs_dir=runs_dir,
        file="experiment.json",
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
    if served is not None:
        endpoint = again.endpoint(served.endpoint or StoredEndpoint())
        console.print(plain(asking(endpoint), one_line=True), style="dim", soft_wrap=True)
    cache = again.home / ".cache.db" if any(one.cache for one in settings) else None
    found = find_benchmark(asked.arms[0].plan.benchmark)
    reach = Reach(endpoint, again.engine_options(served or settings[0], found, cache))
    raise typer.Exit(carry_on_and_show(folder, reach, console, as_json=as_json))


@app.command("show", context_settings=_HELP)
def show(
    experiment: ExperimentName = "latest",
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Show what an experiment has found so far. Nothing is asked and nothing is written."""
    from beholder.cli.experiment_arms import show as show_experiment
    from beholder.experiments.experiment import find, read

    folder = find(experiment, runs_dir)
    show_experiment(folder, read(folder), as_json=as_json)
