"""An experiment is a folder whose arms are ordinary run folders: the same items, asked under different conditions.

    runs/2026-12-01T10-15-02_experiment-tools_gpt-5/
      experiment.json    the kind, what was asked, and the arms in their order with all that each needs to be begun
      none/  python/ …   a run folder for each arm, made when its turn comes

So an experiment can be killed at any time: the arms that are missing are begun, those that are incomplete continued,
and the others only read. Every command about runs works on an arm by its path.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from beholder.engine import lifecycle
from beholder.engine.lifecycle import Result
from beholder.engine.plan import Plan, differences, digest, remake_plan
from beholder.errors import UsageError
from beholder.models.model import Model
from beholder.store import folder as folders

FORMAT = 1
FILE = folders.EXPERIMENT
_Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")]
"""The name of an arm is the name of its folder; an experiment.json may be somebody else's."""


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One condition: which plan is put to which model.

    `name` is also the name of its run folder, `title` is for tables. `settings` is what run.json will hold besides the
    plan (endpoint, retries, whether answers may come from the cache; see `cli.endpoint.StoredSettings`). `facts` says
    what the condition is in the words of its kind of experiment.
    """

    name: _Name
    title: str
    model: str
    plan: Plan
    settings: dict[str, Any] = {}
    facts: dict[str, Any] = {}


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """experiment.json. `kind` is `tools`, `evidence`, `rotation` or `joint`; `asked` is what the user chose, for a
    reader."""

    format: int = FORMAT
    kind: str
    created: str = ""
    asked: dict[str, Any] = {}
    arms: tuple[Arm, ...]


def create(runs_dir: Path, experiment: Experiment, model: str) -> Path:
    """Makes the folder of a new experiment, without its arms. `model` is for its name. Returns its path."""
    now = datetime.now(UTC)
    experiment = msgspec.structs.replace(experiment, created=now.isoformat(timespec="seconds"))
    name = folders.new_folder_name(f"experiment-{experiment.kind}", model, now.astimezone())
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, 1000):
            folder = runs_dir / (name if attempt == 1 else f"{name}-{attempt}")
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                folders.write_atomically(folder / FILE, msgspec.json.format(msgspec.json.encode(experiment), indent=2))
                return folder
    except OSError as error:
        raise UsageError(
            f"No experiment folder can be made in {runs_dir} ({error.strerror or error}). Choose another --runs-dir."
        ) from None
    raise UsageError(f"{runs_dir} already holds 999 experiments named {name}. Choose another --runs-dir.")


def read(folder: Path) -> Experiment:
    """experiment.json of a folder; `UsageError` if it is none, is damaged, or was written by a newer Beholder."""
    path = folder / FILE
    try:
        if path.stat().st_size > folders.LARGEST_INFO:
            raise UsageError(f"{path} is damaged (it has more than {folders.LARGEST_INFO >> 20} MB).")
        data = path.read_bytes()
        told = msgspec.json.decode(data, type=_Format).format
        found = msgspec.json.decode(data, type=Experiment) if told <= FORMAT else None
    except OSError:
        raise UsageError(f"{folder} is not the folder of an experiment (no {FILE}).") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is damaged ({error}).") from None
    if found is None:
        raise UsageError(f"{folder} was written by a newer Beholder (format {told}). Upgrade Beholder to open it.")
    if not found.arms or len({arm.name for arm in found.arms}) < len(found.arms):
        raise UsageError(f"{path} is damaged (it has no arms, or two of one name).")
    return found


class _Format(msgspec.Struct):
    format: int


def find(name: str, runs_dir: Path) -> Path:
    """The folder of an experiment by path, by name under `runs_dir`, or `latest`."""
    if name == "latest":
        known = list_experiments(runs_dir)
        if not known:
            raise UsageError(f"{runs_dir} holds no experiments yet. Start one with `beholder experiment tools`.")
        return known[-1]
    for candidate in (Path(name), runs_dir / name):
        if (candidate / FILE).is_file():
            return candidate
    newest = ", ".join(folder.name for folder in list_experiments(runs_dir)[-3:])
    raise UsageError(f"There is no experiment {name!r}.{f' The newest are {newest}.' if newest else ''}")


def list_experiments(runs_dir: Path) -> list[Path]:
    """The experiments under a directory, oldest first (their names begin with the time)."""
    if not runs_dir.is_dir():
        return []
    return sorted(child for child in runs_dir.iterdir() if (child / FILE).is_file())


def is_begun(folder: Path, arm: Arm) -> bool:
    """Whether the arm has its run folder."""
    return (folder / arm.name / "run.json").is_file()


def begin_arm(folder: Path, arm: Arm, model: Model, *, fsync: bool = False) -> Path:
    """Makes the run folder of an arm and returns it. Data that has changed since the experiment began is refused:
    the arms would not be about the same items."""
    before, now = (plan.identity(model.identity()) for plan in (arm.plan, remake_plan(arm.plan)))
    if digest(before) != digest(now):
        named = "; ".join(differences(before, now))
        raise UsageError(f"The data has changed since the experiment began: {named}. Start a new experiment.")
    with contextlib.suppress(OSError):  # empty: the process was killed between claiming the name and filling it
        (folder / arm.name).rmdir()
    return lifecycle.begin(arm.plan, model, arm.settings, folder, fsync=fsync, name=arm.name)


def read_arms(folder: Path, experiment: Experiment) -> dict[str, Result]:
    """The result of each arm that is begun, by name, from the journals alone."""
    return {arm.name: _read_arm(folder / arm.name) for arm in experiment.arms if is_begun(folder, arm)}


def _read_arm(run: Path) -> Result:
    info = folders.read_info(run)
    plan = lifecycle.plan_of(info)
    return lifecycle.read_result(run, info, plan, lifecycle.benchmark_of(info, plan))


def missing(experiment: Experiment, results: dict[str, Result]) -> Iterator[str]:
    """What is missing, a sentence for each arm that is not begun or not complete."""
    for arm in experiment.arms:
        result = results.get(arm.name)
        if result is None:
            yield f"{arm.name} has not begun"
        elif not result.complete:
            there, planned = result.tally.answered + result.tally.failed, result.plan.n_asks
            told = f"{there:,} of {planned:,} responses" if there < planned else "responses without a score"
            yield f"{arm.name} has {told}"


def resume_command(folder: Path) -> str:
    """The command that continues an experiment, as it can be pasted into a shell."""
    return folders.resume_command(folder).replace("beholder resume", "beholder experiment resume", 1)
