"""Rotation: the picture is turned by what seems right, looked at, and compared with other turns.

How many turns are tried depends on what the user's message asks. Asked to try each option, it makes one call for each
(`TRY_EACH`). Otherwise it turns by its own estimate from the picture as it stands, then checks: with the rotate tool by
the second best estimate, in Python by all other options in one program. A program also prints how much of the edges
runs along rows and columns, which is finer than what can be seen at a glance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.programs.plan import Brought, Case, Step, View, program
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers import rotation_game as edges

TRY_EACH = re.compile(r"\b(?:each|every|all)\b[^.\n]{0,30}\b(?:option|choice|angle|answer)", re.IGNORECASE)
"""What a message says that asks for a call for each option."""
MEASURES = """
grey, weight = _round_part([np.asarray(image_1)])
angles, strength = _gradients(_blurred(grey, 1.5), weight)


def turn(clockwise):
    \"\"\"Shows the turned picture, prints how strongly long edges, and gradients, follow its axes.\"\"\"
    # Pillow turns counter-clockwise for positive angles.
    image_1.rotate(-clockwise, resample=Image.Resampling.BICUBIC).show()
    runs = _runs(_turned_clockwise(_blurred(grey, 1.0), clockwise), weight)
    print(f"turned clockwise by {clockwise}: {runs:.1f} {_aligned(angles, strength, clockwise):.1f}")
"""
TURN = """
for clockwise in {turns}:
    turn(clockwise)
"""
FUNCTIONS = ("_round_part", "_gradients", "_blurred", "_runs", "_turned_clockwise", "_aligned")
_PRINTED = re.compile(r"turned clockwise by (\d{1,3}): (\d{1,12}\.\d) (\d{1,12}\.\d)")


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    turns = _turns(case)
    if len(brought) >= len(turns):
        return None
    chosen = turns[len(brought)]
    said = f"I will turn the picture clockwise by {', '.join(f'{turn}°' for turn in chosen)} and look at it."
    said = f"To compare: {said}" if brought else said
    if case.python:
        main = TURN.format(turns=list(chosen))
        if brought:
            return program(said, main)
        return program(said, MEASURES + main, *(f"rotation_game.{name}" for name in FUNCTIONS))
    if "rotate" in case.tools:
        return Step(said, "rotate", {"degrees": chosen[0], "direction": "clockwise"})
    return None


def _turns(case: Case) -> list[tuple[int, ...]]:
    """The turns that each call tries, most likely first; none if the question has no options or nothing is seen."""
    try:
        _, degrees = edges._options(case.question)
        likeliness = _estimates(case, degrees)
    except GaveUp:
        return []
    if TRY_EACH.search(case.message.replace(case.question, "")):
        return [(turn,) for turn in degrees]
    likely = [degrees[place] for place in np.argsort(-likeliness, kind="stable")]
    return [(likely[0],), tuple(likely[1:])] if case.python else [(turn,) for turn in likely[:2]]


def _estimates(case: Case, degrees: Sequence[int]) -> NDArray[np.float64]:
    """How much each turn would bring the gradients of the picture as it stands in line with its axes."""
    grey, weight = edges._round_part([case.own[0].picture])
    angles, strength = edges._gradients(edges._blurred(grey, 1.5), weight)
    return np.array([edges._aligned(angles, strength, turn) for turn in degrees])


def _long_edges(case: Case, view: View) -> float:
    """How much of the long edges in a turned picture is level or upright, as seen within the original's frame."""
    own = case.own[0]
    _, weight = edges._round_part([own.picture])
    side = weight.shape[0]
    height, width = view.picture.shape[:2]
    # A tool that keeps the corners makes the picture larger.
    inner = min(height, width, round(min(own.size) * height / view.size[1]))
    top, left = (height - inner) // 2, (width - inner) // 2
    middle = cv2.resize(
        view.picture[top : top + inner, left : left + inner], (side, side), interpolation=cv2.INTER_AREA
    )
    grey = cv2.cvtColor(np.ascontiguousarray(middle), cv2.COLOR_RGB2GRAY).astype(np.float32)
    return edges._runs(edges._blurred(grey, 1.0), weight)


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    letters, degrees = edges._options(case.question)
    told = {int(turn): (float(runs), float(fit)) for call in brought for turn, runs, fit in _PRINTED.findall(call.text)}
    views: list[View] = [view for call in brought for view in call.views]
    shown = [turn for call in _turns(case)[: len(brought)] for turn in call]
    if len(told) > 1 and set(told) <= set(degrees):
        tried = list(told)
        runs, fits = np.array(list(told.values())).T
    elif views and len(views) == len(shown):
        tried, runs, fits = shown, np.array([_long_edges(case, view) for view in views]), _estimates(case, shown)
    else:
        return None
    # Long edges weigh a little more, so that they decide between two.
    scores = 1.01 * _standard(runs) + _standard(fits)
    return letters[degrees.index(tried[int(scores.argmax())])]


def _standard(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((scores - scores.mean()) / max(float(scores.std()), 1e-9))
