"""`beholder`: the commands, and what every one of them does with an error."""

from __future__ import annotations

import os
import sys

import typer

from beholder import __version__
from beholder.cli.compare import compare
from beholder.cli.demo import demo
from beholder.cli.doctor import doctor
from beholder.cli.exits import INTERRUPTED, USAGE
from beholder.cli.listing import list_runs
from beholder.cli.pack import pack
from beholder.cli.rescore import rescore
from beholder.cli.resume import resume
from beholder.cli.run import run_benchmark
from beholder.cli.score import score
from beholder.cli.show import show
from beholder.cli.synth import synth
from beholder.errors import BeholderError

app = typer.Typer(
    name="beholder",
    help="Measures whether a vision-language model reasons from what it sees.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(run_benchmark)
app.command("score")(score)
app.command("resume")(resume)
app.command("rescore")(rescore)
app.command("show")(show)
app.command("compare")(compare)
app.command("pack")(pack)
app.command("list")(list_runs)
app.command("synth")(synth)
app.command("demo")(demo)
app.command("doctor")(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"beholder {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Measures whether a vision-language model reasons from what it sees."""


def run() -> None:
    """The entry point: errors of ours become one plain line and exit code 2, never a traceback."""
    try:
        app()
    except BeholderError as error:
        from beholder.report.plain_text import plain

        sys.stderr.write(f"beholder: {plain(str(error), one_line=True)}\n")
        sys.exit(USAGE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `beholder … | head` is no error
        sys.exit(0)


if __name__ == "__main__":
    run()
