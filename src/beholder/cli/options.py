"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunsDir = Annotated[
    Path,
    typer.Option(
        "--runs-dir", metavar="FOLDER", envvar="BEHOLDER_RUNS", help="Where run folders live.", rich_help_panel="Output"
    ),
]
AllMetrics = Annotated[
    bool,
    typer.Option("--all-metrics", help="A line for every figure of every scorer, with interval and bounds."),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run folder, its name, or `latest`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
MaxConnections = Annotated[int, typer.Option(metavar="N", min=1, max=4096, help="Requests in flight at once.")]
MaxRetries = Annotated[
    int, typer.Option(metavar="N", min=0, max=100, help="Retries of a request (429, 5xx, time-outs, resets).")
]
FSync = Annotated[bool, typer.Option("--fsync", help="Survive a power loss, not only a kill (slower).")]
ExtraBody = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="JSON object merged into every request body.", show_default=False),
]
Header = Annotated[
    list[str] | None,
    typer.Option(metavar="'NAME: VALUE'", help="Extra HTTP header; repeatable.", show_default=False),
]
