"""The run that a command names: what a path, a name or `latest` means, and what to say where that is an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def find_run(name: str, runs_dir: Path) -> Path:
    """A run folder by path, by name under `runs_dir`, or `latest`; `UsageError` if there is none.

    The folder of an experiment is none: then its arms are named, which are runs. Where `latest` finds only experiments,
    they are.
    """
    from beholder.errors import UsageError
    from beholder.report.experiment_list import experiment_rows
    from beholder.report.plain_text import plain
    from beholder.store import folder as folders

    try:
        return folders.find_run(name, runs_dir)
    except UsageError:
        if name == "latest" and (rows := experiment_rows(runs_dir)):
            raise UsageError(plain(_only_experiments(runs_dir, rows), one_line=True)) from None
        named = (place for place in (Path(name), runs_dir / name) if (place / folders.EXPERIMENT).is_file())
        folder = next(named, None)
        if folder is None:
            raise
        raise UsageError(plain(_an_experiment(name, folder), one_line=True)) from None


def _an_experiment(name: str, folder: Path) -> str:
    from beholder.report.experiment_list import NOT_BEGUN, experiment_row

    begun = [str(folder / arm["name"]) for arm in experiment_row(folder)["arms"] if arm["status"] != NOT_BEGUN]
    if not begun:
        return f"{name} is an experiment, none of whose arms has begun. Give a run."
    return f"{name} is an experiment. Give one of its arms, which are runs: {', '.join(begun)}."


def _only_experiments(runs_dir: Path, rows: list[dict[str, Any]]) -> str:
    names = ", ".join(row["name"] for row in rows[-3:])
    newest = rows[-1]
    arm = f", as {runs_dir / newest['name'] / newest['arms'][0]['name']}" if newest["arms"] else ""
    return (
        f"{runs_dir} holds no runs yet but those of experiments: {names}. Give an experiment to `beholder experiment "
        f"show` or `beholder report`, or give an arm of one{arm}."
    )
