"""Options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

import typer

from beholder.errors import UsageError

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark

OURS = "ours"
"""What `--assumptions` is given to go back to our own."""


def connections(text: str) -> int:
    """What --max-connections says: a number, or AUTO for `auto`."""
    from beholder.engine.pace import AUTO

    if str(text).strip().lower() == "auto":
        return AUTO
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 4096:
        raise typer.BadParameter(f"{str(text)[:40]!r} is not a number from 1 to 4096. Give one, or auto.")
    return number


ServedAt = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen at; others need a token.")]
ServedPort = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")]
ServedToken = Annotated[
    str | None, typer.Option("--token", metavar="TEXT", help="Token that browsers must show (made if needed).")
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="Another name by which this machine is reached; repeatable."),
]
InBrowser = Annotated[bool, typer.Option("--browser", help="Open the page in the browser of this machine.")]
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
AssumptionsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Another file of what is ours to choose where the paper is silent (m3r); `ours` goes back to it.",
        rich_help_panel="What to ask",
    ),
]
Task = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Another thing to ask about the items (m3r): metaphor, target, source, sentiment or annotate.",
        show_default=False,
        rich_help_panel="What to ask",
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run folder, its name, or `latest`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
MaxConnections = Annotated[
    int,
    typer.Option(
        metavar="N|auto",
        parser=connections,
        help="Requests in flight at once; `auto`: as many as the server takes without making them wait.",
    ),
]
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


def under_assumptions(found: Benchmark, file: Path | None) -> tuple[Benchmark, dict[str, Any]]:
    """The benchmark under a file of assumptions, and what run.json keeps of that: nothing if they are ours.

    `UsageError` if the benchmark takes none, or these cannot be used.
    """
    if file is None:
        return found, {}
    if str(file) == OURS:
        return found.assuming(found.assumptions), {}
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--assumptions {file} cannot be read ({error}).") from None
    return found.assuming(text), {"assumptions": text}
