"""`beholder view`: runs in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AllowHost, InBrowser, RunsDir, ServedAt, ServedPort, ServedToken


def view(
    runs: Annotated[
        str,
        typer.Argument(
            metavar="[RUNS]",
            help="A folder of runs, an experiment, or one run: its folder, its name, or `latest`.",
            show_default=False,
        ),
    ] = "",
    host: ServedAt = "127.0.0.1",
    port: ServedPort = 8766,
    token: ServedToken = None,
    allow_host: AllowHost = None,
    browser: InBrowser = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Show runs in the browser, down to each sample.

    Without RUNS it shows all runs of --runs-dir. A run that is going on is shown as it goes. Ctrl-C ends it.
    """
    from rich.text import Text

    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.web.serve import Address, serve_view

    folder, page = _what_to_show(runs, runs_dir)
    console = make_console()
    serve_view(
        folder,
        Address(host=host, port=port, token=token, allow_hosts=allow_host or [], open_browser=browser),
        page=page,
        told=_counted(folder),
        # Not wrapped: an address that goes over two lines cannot be clicked.
        say=lambda text: console.print(Text(plain(text, one_line=True)), soft_wrap=True),
    )


def _what_to_show(runs: str, runs_dir: Path) -> tuple[Path, str]:
    """The folder of runs, and the page in it that is opened; `UsageError` if there is nothing of that name."""
    from urllib.parse import urlencode

    from beholder.cli.finding import find_run
    from beholder.errors import UsageError
    from beholder.store.folder import EXPERIMENT

    if not runs:
        return runs_dir, ""
    given = Path(runs)
    for place in (given, runs_dir / runs):
        if (place / EXPERIMENT).is_file():
            return place, ""
    if given.is_dir() and not (given / "run.json").is_file():
        return given, ""
    if given.is_file():
        raise UsageError(f"{given} is a file. Give a folder of runs; `beholder report` shows a packed run.")
    # As it is called, not what it may be a link to: its runs folder is where it is listed.
    folder = find_run(runs, runs_dir).absolute()
    return folder.parent, f"#/run?{urlencode({'run': folder.name})}"


def _counted(folder: Path) -> str:
    """How many runs there are, for the line with the address."""
    from beholder.report.experiment_list import experiment_rows
    from beholder.report.figures import counted
    from beholder.store.folder import list_runs

    there = [counted(len(list_runs(folder)), "run")]
    experiments = experiment_rows(folder)
    there += [counted(len(experiments), "experiment")] if experiments else []
    return f"{' and '.join(there)} in {folder}."
