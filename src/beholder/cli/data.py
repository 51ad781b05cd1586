"""`beholder data`: get a published data set, and check one."""

from __future__ import annotations

import typer

from beholder.cli.data_check import check
from beholder.cli.data_fetch import fetch

_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="Get a published data set, or check one.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)


@app.callback()
def group() -> None:
    """Get a published data set, or check one."""


app.command("fetch", context_settings=_HELP)(fetch)
app.command("check", context_settings=_HELP)(check)
