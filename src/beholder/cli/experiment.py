"""`beholder experiment`: the same items under different conditions, and what the difference supports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.experiment_evidence import evidence
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


@app.command("resume", context_settings=_HELP)
def resume(
    experiment: ExperimentName,
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the same model is served now (default: where it was asked first)."),
    ] = None,
    api_key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Environment variable that holds the API key (default: the experiment's)."),
    ] = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Another HTTP proxy.")] = None,
    ca_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="PEM file of certificates to trust (default: the experiment's).")
    ] = None,
    max_connections: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=4096, help="Requests in flight at once.")
    ] = None,
    max_retries: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="Retries of a request.")] = None,
    extractor_key_env: ExtractorKey = None,
    fsync: FSync = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Continue an experiment: begin what is missing, complete the rest.

    Arms that are complete are only read.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.endpoint import StoredEndpoint, asking, endpoint_again, of_a_foreign_run, stored_settings
    from beholder.cli.experiment_arms import Reach, carry_on_and_show
    from beholder.cli.experiment_arms import show as show_experiment
    from beholder.cli.extractor import extractor_again
    from beholder.errors import UsageError
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
    own = folder.resolve().is_relative_to(runs_dir.resolve())
    settings = [stored_settings(arm.settings | {"model": arm.model}, folder) for arm in asked.arms]
    served = next((one for one in settings if one.needs_endpoint), None)
    first = served or settings[0]
    endpoint = None
    if served is not None:
        stored = served.endpoint or StoredEndpoint()
        if not own:
            stored = of_a_foreign_run(stored, folder, runs_dir, base_url, api_key_env)
        endpoint = endpoint_again(
            stored,
            base_url=base_url,
            key_variable=api_key_env,
            headers=header or [],
            extra_body=extra_body,
            proxy=proxy,
            ca_file=ca_file,
            max_connections=max_connections,
        )
        console.print(plain(asking(endpoint), one_line=True), style="dim", soft_wrap=True)
    retries = max_retries if max_retries is not None else first.max_retries
    connections = max_connections or first.max_connections
    cache = folder.resolve().parent / ".cache.db" if any(one.cache for one in settings) else None
    reader = None
    if first.extractor is not None:
        if not own:
            raise UsageError(
                f"{folder} lies outside --runs-dir {runs_dir}, and its experiment.json names a model to read the "
                f"answers. If it is yours, say so with --runs-dir {folder.resolve().parent}."
            )
        reader = extractor_again(
            first.extractor,
            find_benchmark(asked.arms[0].plan.benchmark),
            key_variable=extractor_key_env,
            cache=cache,
            max_retries=retries,
            concurrency=connections,
            fsync=fsync,
        )
    reach = Reach(
        endpoint=endpoint,
        max_connections=connections,
        max_retries=retries,
        cache=cache,
        fsync=fsync,
        extractor=reader,
    )
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
