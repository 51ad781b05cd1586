"""What differs between two runs besides the model, and whether scores were made by the code as it is now."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.plan import Plan
from beholder.engine.scoring import scorer_code
from beholder.report.figures import count
from beholder.store import reading, schema
from beholder.store.folder import RunInfo

_NAMES = {"data_sha256": "data", "prompt_sha256": "prompt", "n_samples": "number of items", "selection": "items chosen"}

_TOLD = "what the model is told of its tools, sha256"


class Side(msgspec.Struct, frozen=True):
    """One of two runs that are compared: its folder, its benchmark (under its own assumptions), what it asked, how many
    responses there are that need not be asked again, and the code of its scores."""

    folder: Path
    found: Benchmark
    info: RunInfo
    plan: Plan
    responses: int
    code: dict[str, str]


def side_of(folder: Path, info: RunInfo, plan: Plan, db: sqlite3.Connection, found: Benchmark) -> Side:
    """The side that an open run makes."""
    (there,) = db.execute("SELECT count(*) FROM responses WHERE state != ?", (schema.FAILED_RETRYABLE,)).fetchone()
    return Side(folder, found, info, plan, there, reading.scorer_codes(db))


def run_notes(a: Side, b: Side, scorer: str, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """Sentences about what a reader of the comparison must know: other plans, missing responses, other scorer code."""
    first, second = names
    notes = [f"the runs differ in {words}" for words in plan_differences(a.info.plan, b.info.plan, names)]
    for name, side in ((first, a), (second, b)):
        missing = side.plan.n_asks - side.responses
        if missing > 0:
            notes.append(f"{name} is incomplete: {count(missing)} of {count(side.plan.n_asks)} responses are missing")
    if a.found.assumptions != b.found.assumptions:
        again = f"beholder rescore {shlex.quote(str(b.folder))} --assumptions FILE"
        said = f"{first} and {second} are scored under different assumptions"
        notes.append(f"{said}; to score {second} under those of {first}: {again}")
    elif a.code.get(scorer) != b.code.get(scorer):
        notes.append(f"the scores of {first} and {second} were made by different code of {scorer}")
    for side in (a, b):
        notes += code_notes(side.code, [scorer], side.found, f"beholder rescore {shlex.quote(str(side.folder))}")
    return list(dict.fromkeys(notes))


def code_notes(code: dict[str, str], scorers: Sequence[str], found: Benchmark, command: str) -> list[str]:
    """One sentence if scores were made by other code than the present; `command` mends that."""
    present = scorer_code(found)
    other = [name for name in scorers if name in code and code[name] != present[name]]
    if not other:
        return []
    return [f"the stored scores ({', '.join(other)}) are not by the scorers as they are now; to mend that: {command}"]


def plan_differences(
    a: dict[str, Any],
    b: dict[str, Any],
    names: tuple[str, str] = ("A", "B"),
    *,
    leave_out: Collection[str] = (),
) -> list[str]:
    """What two plans ask otherwise, but for the model: `temperature: 0.0 in A, 0.7 in B`. `leave_out` names facts of a
    plan that are not told."""
    left_tools, right_tools = _tools(a), _tools(b)
    if left_tools["tools"] != right_tools["tools"]:
        # Other tools are described otherwise; and where there are none, nothing else about them differs.
        shared = (left_tools.keys() & right_tools.keys()) - {_TOLD} | {"tools"}
        left_tools, right_tools = (
            {name: own[name] for name in own if name in shared} for own in (left_tools, right_tools)
        )
    left, right = _flat(a) | left_tools, _flat(b) | right_tools
    return [
        f"{_NAMES.get(name, name)}: {_shown(name, left.get(name))} in {names[0]}, "
        f"{_shown(name, right.get(name))} in {names[1]}"
        for name in dict.fromkeys((*left, *right))
        if left.get(name) != right.get(name) and name not in leave_out
    ]


def _flat(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan without the model, with each decoding option, and each fact of a replay, under its own name."""
    sampling = plan.get("sampling")
    decoding = sampling if isinstance(sampling, dict) else {}
    others = {name: value for name, value in plan.items() if name not in ("model", "sampling", "replay", "tools")}
    replay = plan.get("replay")
    others |= {f"replay.{name}": value for name, value in replay.items()} if isinstance(replay, dict) else {}
    options = {name: value for name, value in decoding.items() if name != "seed"}
    return others | options | {"seed sent to the server": "no" if decoding.get("seed") is None else "yes"}


def _tools(plan: dict[str, Any]) -> dict[str, Any]:
    """The tools of a plan with each of their settings under its own name."""
    tools = plan.get("tools")
    if not isinstance(tools, dict):
        return {"tools": "none"}
    budget = tools.get("budget")
    limits = budget if isinstance(budget, dict) else {}
    named = {"arm": "tools", "protocol": "way of calling tools", "told_sha256": _TOLD}
    told: dict[str, Any] = {"tools": "some"}
    told |= {named.get(str(name), str(name)): value for name, value in tools.items() if name != "budget"}
    return told | {f"budget of {name}": limit or "no limit" for name, limit in limits.items()}


def _shown(name: str, value: Any) -> str:
    if value is None or value == {}:
        return "everything" if name == "selection" else "not sent"
    text = str(value)
    if name.endswith("sha256"):
        return f"{text[:12]}…"
    return text if len(text) <= 60 else f"{text[:59]}…"
