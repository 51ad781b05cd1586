"""`beholder`: the commands, and what every one of them does with an error."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import typer
import typer.core
import typer.main

from beholder import __version__
from beholder.cli.completing import complete_names, take_shells
from beholder.cli.exits import INTERRUPTED, USAGE
from beholder.cli.own import know_own_files
from beholder.cli.settings import defaults_for, name_variables, where_from
from beholder.errors import BeholderError

COMMANDS: dict[str, str] = {
    "run": "beholder.cli.run:run_benchmark",
    "score": "beholder.cli.score:score",
    "resume": "beholder.cli.resume:resume",
    "rescore": "beholder.cli.rescore:rescore",
    "show": "beholder.cli.show:show",
    "compare": "beholder.cli.compare:compare",
    "leaderboard": "beholder.cli.leaderboard:leaderboard",
    "pack": "beholder.cli.pack:pack",
    "export": "beholder.cli.export:export",
    "list": "beholder.cli.listing:list_runs",
    "synth": "beholder.cli.synth:synth",
    "example": "beholder.cli.example:example",
    "experiment": "beholder.cli.experiment:app",
    "annotate": "beholder.cli.annotate:app",
    "audit": "beholder.cli.audit:app",
    "data": "beholder.cli.data:app",
    "judge": "beholder.cli.judge:app",
    "import": "beholder.cli.imports:app",
    "report": "beholder.cli.report:report",
    "view": "beholder.cli.view:view",
    "demo": "beholder.cli.demo:demo",
    "doctor": "beholder.cli.doctor:doctor",
    "config": "beholder.cli.config:app",
    "completion": "beholder.cli.completion:completion",
}
"""Command → the function that does it, or its commands. Only the one that is called gets imported."""

# typer does not export the error of its argument parser; it is what this one is built on, in every version.
_PARSER_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
_INTERRUPTED = "beholder: interrupted\n"
_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(typer.core.TyperGroup):
    """The commands by name, each built when it is asked for: building all of them costs as much as `list` itself."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        found = getattr(importlib.import_module(module), function)
        if isinstance(found, typer.Typer):  # a command with commands of its own
            command: Any = typer.main.get_group(found)
            command.name = cmd_name
        else:
            one = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
            one.command(cmd_name, context_settings=_HELP)(found)
            command = typer.main.get_command(one)
        know_own_files(command)
        complete_names(command)
        name_variables(cmd_name, command)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, with what the config files say of it; while a line is completed, without."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing and not {"--help", "-h"} & set(rest):
            own = sys.modules.get("beholder.benchmarks.own")
            if own is not None:  # a command before this one in the same process
                own.forget()
            ctx.default_map = defaults_for(str(name), command, ctx.params.get("config"))
        return name, command, rest


app = typer.Typer(
    name="beholder",
    cls=_Commands,
    help="Measures whether a vision-language model reasons from what it sees.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_HELP,
)


gc.freeze()  # what is loaded by now stays for good: the collector need not look at it again


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"beholder {__version__}")
        raise typer.Exit


@app.callback(epilog="A first look: `beholder demo`. The options of a command: `beholder COMMAND --help`.")
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    config: Path | None = typer.Option(  # noqa: B008 - how typer declares an option
        None,
        "--config",
        metavar="FILE",
        envvar="BEHOLDER_CONFIG",
        help="Take defaults from FILE, not from ./beholder.toml.",
    ),
) -> None:
    """Measures whether a vision-language model reasons from what it sees."""


def run() -> None:
    """The entry point: an error becomes one plain line and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character gets its escape
            stream.reconfigure(errors="backslashreplace")
    try:
        take_shells()
        code = app(args=sys.argv[1:] or ["--help"], prog_name="beholder", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # a run that ended so, or what typer makes of Ctrl-C
            sys.stderr.write(_INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)
    except BeholderError as error:
        _say(str(error))
    except _PARSER_ERROR as error:
        _say(_parser_message(error))
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write(_INTERRUPTED)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `beholder … | head` is no error
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _say(f"{place}{error.strerror or error}. Check the path, its permissions and the free space of the disk.")
    except Exception as error:
        if not _is_sqlite(error):
            raise
        _say(f"a database cannot be read or written ({error}). Check the run folder and the free space of the disk.")


def _is_sqlite(error: Exception) -> bool:
    """Whether SQLite raised this; asked so that `list` need not load it."""
    loaded = sys.modules.get("sqlite3")
    return loaded is not None and isinstance(error, loaded.Error)


def _say(message: str) -> None:
    from beholder.report.plain_text import plain

    sys.stderr.write(f"beholder: {plain(message, one_line=True)}\n")
    sys.exit(USAGE)


def _parser_message(error: Any) -> str:
    """What is wrong on the command line, which command it is about, and where its options are listed."""
    command = error.ctx.command_path if error.ctx is not None else "beholder"
    said = error.format_message().rstrip(".") + where_from(error)
    if command == "beholder":
        import difflib

        near = difflib.get_close_matches(next(iter(sys.argv[1:]), ""), COMMANDS, n=2, cutoff=0.5)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"{said}.{hint} The commands are: {', '.join(COMMANDS)}."
    return f"{said}. `{command} --help` lists the options."


if __name__ == "__main__":
    run()
