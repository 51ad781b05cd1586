"""`beholder config`: what config files and environment variables say, and where."""

from __future__ import annotations

from typing import Any

import typer

from beholder.cli.options import AsJson

_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="Show what config files and environment variables say.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)


@app.callback()
def config() -> None:
    """Show what config files and environment variables say."""


@app.command("show", context_settings=_HELP)
def show(as_json: AsJson = False, *, context: typer.Context) -> None:
    """Show which options have other defaults here, and where they come from.

    What comes later counts before what comes earlier; the command line counts before all of it. A key in a file that no
    command knows is an error.
    """
    from beholder.cli.settings import layers
    from beholder.report.plain_text import plain

    named = context.find_root().params.get("config")
    found = layers(named)
    rows = _rows(found)
    if as_json:
        import json

        typer.echo(json.dumps({"files": [str(one.file) for one in found], "settings": rows}))
        return
    if not rows:
        typer.echo("Nothing: no config file and no environment variable says anything. See docs/shell.md.")
        return
    lines = [
        [plain(_shown(row[column]), one_line=True) for column in ("command", "option", "value", "from")] for row in rows
    ]
    wide = [max(len(line[column]) for line in lines) for column in (0, 1)]
    for command, option, value, origin in lines:
        typer.echo(f"{command:{wide[0]}}  {option:{wide[1]}}  {value}  ({origin})")


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _rows(found: list[Any]) -> list[dict[str, Any]]:
    """Every setting of every command, the weaker source first."""
    import os

    from beholder.cli.main import COMMANDS
    from beholder.cli.main import app as everything
    from beholder.cli.own import leaves
    from beholder.cli.settings import SECRET, options_of, settings_of

    root = typer.main.get_command(everything)
    commands = {name: root.get_command(None, name) for name in COMMANDS}  # type: ignore[attr-defined]
    rows = [
        {"command": one.command, "option": one.name, "value": one.value, "from": str(one.file)}
        for layer in found
        for name, command in commands.items()
        for one in settings_of(layer, name, command)
    ]
    for name, command in commands.items():
        for leaf in leaves(command):
            path = name if leaf is command else f"{name}.{leaf.name}"
            for option, param in options_of(leaf).items():
                variable = str(param.envvar)
                if variable.startswith("BEHOLDER_") and os.environ.get(variable):
                    value = "(not shown)" if option in (*SECRET, "extra_body") else os.environ[variable]
                    rows.append({"command": path, "option": option, "value": value, "from": variable})
    return rows
