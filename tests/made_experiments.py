"""Rows and conversations of experiments made by hand, and experiments without runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from beholder.experiments.costs import Cost
from beholder.experiments.experiment import Arm, Experiment
from beholder.experiments.tools import ArmRows
from beholder.sample import ChoiceTarget, Sample, TextPart, ToolCall
from beholder.score import Outcome, Score, ScoredItem
from beholder.tools.settings import Arm as Tools
from beholder.tools.settings import ToolSettings
from beholder.trajectory import CallOutcome, Ended, Observation, Trajectory, Turn
from made_runs import plan_for
from made_tir import mazes

LADDER = ("15°", "30°", "45°", "60°", "75°", "90°")


def item(key: str, value: float | None, category: str = "maze", difficulty: str = "1") -> ScoredItem:
    """A scored row with the same value under `lenient` and `strict`; None is a failed response."""
    score = Score(value, Outcome.FAILED if value is None else Outcome.SCORED)
    scores = {"lenient": score, "strict": score}
    return ScoredItem(index=0, key=key, scores=scores, category=category, difficulty=difficulty)


def rows(
    name: str, values: Mapping[str, float | None], *, turns: int = 1, tokens: int | None = 10, model: str = "m"
) -> ArmRows:
    """An arm whose items have these values; each response took so many turns and tokens (in; out are a tenth)."""
    items = [item(key, value, "maze" if key < "n" else "jigsaw", key[-1]) for key, value in values.items()]
    costs = [
        Cost(key, turns, turns - 1, tokens, None if tokens is None else tokens // 10)
        for key, value in values.items()
        if value is not None
    ]
    return ArmRows(name=name, title=name, model=model, items=items, costs=costs)


def experiment(here: Path, names: Sequence[str] = ("none", "visual"), model: str = "random") -> Experiment:
    """An experiment on two mazes, whose first arm has no tools."""
    plan = plan_for(mazes(here / "set", 2), "tir")
    with_tools = plan_for(here / "set", "tir", tools=ToolSettings(arm=Tools.VISUAL))
    arms = tuple(
        Arm(name=name, title=f"arm {name}", model=model, plan=with_tools if place else plan, settings={"cache": True})
        for place, name in enumerate(names)
    )
    return Experiment(kind="tools", asked={"model": model}, arms=arms)


def rotation_sample(answer: str = "C", options: Sequence[str] = LADDER, sense: str = "CLOCKWISE") -> Sample:
    """A question about a turn; the default's right turn is 45 degrees clockwise."""
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCDEF", options, strict=False))
    question = f"By how many degrees must this picture be turned {sense} to stand upright again?\n{listed}"
    return Sample(
        key="k", index=0, benchmark="tir", images=(), parts=(TextPart(question),), target=ChoiceTarget(answer)
    )


def rotate(
    degrees: float, direction: str = "clockwise", image: str | None = None, picture: str = "p", **more: Any
) -> Observation:
    """A call of the rotate tool that brought a picture."""
    arguments = {"degrees": degrees, "direction": direction} | ({"image": image} if image else {})
    return Observation(ToolCall("c", "rotate", json.dumps(arguments)), CallOutcome.EXECUTED, images=(picture,), **more)


def code(source: str, *pictures: str, outcome: CallOutcome = CallOutcome.EXECUTED) -> Observation:
    """A call of the Python tool that brought these pictures."""
    return Observation(ToolCall("c", "python", json.dumps({"code": source})), outcome, images=pictures)


def bad(name: str = "rotate", arguments: str = "{", outcome: CallOutcome = CallOutcome.MALFORMED) -> Observation:
    """A call that was not run."""
    return Observation(ToolCall("c", name, arguments), outcome)


def trajectory(*observations: Observation) -> Trajectory:
    """A conversation with a turn for each call, and an answer."""
    turns = [Turn(observations=(one,)) for one in observations]
    return Trajectory((*turns, Turn(text="A")), Ended.ANSWERED)
