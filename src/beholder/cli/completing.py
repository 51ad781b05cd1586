"""What the shell completes besides commands and options: benchmarks, kinds of model, runs. It loads nothing heavy.

Nothing of the user's own is run while a line is completed, and no run folder is opened: their names are listed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from beholder.cli.own import BENCHMARK, MODEL, RUNS, leaves

VARIABLE = "_BEHOLDER_COMPLETE"
"""Set by the shell's script: the line in it is to be completed, and no command is called."""
SHELLS = ("bash", "zsh", "fish")
_MOST = 200


def take_shells() -> None:
    """Has typer know the shells, where a line is to be completed: it does so by itself only for options of its own."""
    if os.environ.get(VARIABLE):
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()


def complete_names(command: Any) -> None:
    """Has the arguments and options of a command, or of those below it, complete the names that they take."""
    for one in leaves(command):
        for param in one.params:
            if param.metavar == BENCHMARK:
                param._custom_shell_complete = _benchmarks
            elif param.metavar == MODEL:
                param._custom_shell_complete = _models
            elif param.metavar in RUNS:
                param._custom_shell_complete = _runs
            elif param.metavar == "SHELL":
                param._custom_shell_complete = _shells


def _benchmarks(ctx: Any, param: Any, begun: str) -> list[str]:
    from beholder.benchmarks import BENCHMARKS
    from beholder.benchmarks.own import remembered

    return [name for name in (*BENCHMARKS, *remembered().benchmarks) if name.startswith(begun)]


def _models(ctx: Any, param: Any, begun: str) -> list[str]:
    from beholder.models import KINDS

    whole = [line.partition(":")[0] for line in KINDS.values()]
    return [name.partition("/")[0] + "/" * ("/" in name) for name in whole if name.startswith(begun)]


def _shells(ctx: Any, param: Any, begun: str) -> list[str]:
    return [name for name in SHELLS if name.startswith(begun)]


def _runs(ctx: Any, param: Any, begun: str) -> list[str]:
    """`latest`, and the newest folders of runs and experiments by their names, which begin with the time."""
    folder = Path(ctx.params.get("runs_dir") or os.environ.get("BEHOLDER_RUNS") or "runs")
    try:
        names = sorted((entry.name for entry in os.scandir(folder) if entry.is_dir()), reverse=True)
    except OSError:
        names = []
    there = [name for name in names if not name.startswith(".")]
    return [name for name in ("latest", *there[:_MOST]) if name.startswith(begun)]
