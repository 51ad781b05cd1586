"""Options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, overload

import typer

from beholder.errors import UsageError

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


@overload
def decoding_number(
    option: str, text: str | None, usual: int | None, *, low: float, high: float = ..., whole: Literal[True]
) -> int | None: ...


@overload
def decoding_number(
    option: str, text: str | None, usual: float | None, *, low: float, high: float = ..., whole: Literal[False] = ...
) -> float | None: ...


def decoding_number(
    option: str, text: str | None, usual: float | None, *, low: float, high: float = math.inf, whole: bool = False
) -> float | None:
    """What a decoding option asks for: a number in `low`..`high`, or None for `default`, which is not sent.

    An option that is not given (None) means `usual`, the benchmark's own. `UsageError` names the option.
    """
    if text is None:
        return usual
    if text.strip().lower() == "default":
        return None
    kind = "whole number" if whole else "number"
    span = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if not (low <= value <= high and math.isfinite(value)):
        raise UsageError(f"{option} {text[:40]!r} is not a {kind} {span}. Give one, or `default`, which sends none.")
    return value
