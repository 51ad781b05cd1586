"""One line for each experiment, from experiment.json and its arms' run.json alone. Loads nothing heavy, for
`beholder list` must be quick: so experiment.json is read here without the plans of its arms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.report.run_list import status_of
from beholder.store.folder import EXPERIMENT, read_info

NOT_BEGUN = "not begun"


class _Arm(msgspec.Struct):
    name: str
    model: str = ""


class _Experiment(msgspec.Struct):
    kind: str
    arms: list[_Arm]
    created: str = ""
    asked: dict[str, Any] = {}


def experiment_rows(runs_dir: Path) -> list[dict[str, Any]]:
    """Name, kind, model, and each arm with its status, of every experiment, oldest first (names begin with the time).

    `complete` counts the arms that are. A damaged experiment.json is told as the `kind`, and has no arms.
    """
    if not runs_dir.is_dir():
        return []
    folders = sorted(child for child in runs_dir.iterdir() if (child / EXPERIMENT).is_file())
    return [experiment_row(folder) for folder in folders]


def experiment_row(folder: Path) -> dict[str, Any]:
    """The row of one experiment."""
    try:
        found = msgspec.json.decode((folder / EXPERIMENT).read_bytes(), type=_Experiment)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {"name": folder.name, "kind": "damaged", "model": "", "created": "", "arms": [], "complete": 0}
    arms = [{"name": arm.name, "status": _status(folder / arm.name)} for arm in found.arms]
    model = found.asked.get("model")
    return {
        "name": folder.name,
        "kind": found.kind,
        "model": model if isinstance(model, str) else next((arm.model for arm in found.arms), ""),
        "created": found.created,
        "arms": arms,
        "complete": sum(arm["status"] == "complete" for arm in arms),
    }


def _status(run: Path) -> str:
    if not (run / "run.json").is_file():
        return NOT_BEGUN
    try:
        return status_of(run, read_info(run))
    except UsageError:
        return "damaged"
