"""Low light: the picture is brightened, then its quarters are looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from beholder.synth.programs.eyes import closer, look, parts_of
from beholder.synth.programs.plan import Brought, Case, Step, View, newest, program

BRIGHTEN = """
import cv2

# Average the noise away, then stretch what is left to the full range of tones.
grey = np.asarray(image_1).astype(np.float32).mean(axis=2)
calm = cv2.GaussianBlur(grey, (0, 0), 1.3)
low, high = np.percentile(calm, (1, 99.9))
print(f"tones run from {low:.1f} to {high:.1f} of 255")
bright = Image.fromarray((np.clip((calm - low) / max(high - low, 0.001), 0, 1) * 255).astype(np.uint8)).convert("RGB")
bright.show()
"""
CLOSE = 2
DIM = 200
"""A picture whose brightest tones at a glance lie below is still to be brightened."""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    done = len(brought)
    if case.python:
        if not done:
            return program("The picture is nearly black. I will brighten the picture.", BRIGHTEN)
        if done == 1:
            return closer(case, case.own[0], CLOSE, name="bright")
        return None
    if not {"adjust", "split_grid"} <= case.tools or done >= 4:
        return None
    views = newest(brought)
    if done and not views:
        return None
    latest = views[0] if views else case.own[0]
    low, high = _range(latest)
    if len(views) > 1:
        return None
    if high < DIM:
        return Step(
            "It is too dark to see anything. I will brighten the picture.", "adjust", _stretching(low, high, latest)
        )
    return closer(case, latest, CLOSE)


def _range(view: View) -> tuple[float, float]:
    """The darkest and the brightest tones, a few pixels left out."""
    low, high = np.percentile(view.picture.astype(np.float32).mean(axis=2), (1, 99.9))
    return float(low), float(high)


def _stretching(low: float, high: float, view: View) -> dict[str, object]:
    """The settings of `adjust` that take these tones to black and white, as far as one call can."""
    brightness = round(min(8.0, 255 / max(low + high, 1.0)), 2)
    contrast = round(min(8.0, 127.5 / max(127.5 - low * brightness, 16.0)), 2) if brightness < 8 else 1.0
    return {"brightness": brightness, "contrast": contrast, "image": view.name}


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    views = newest(brought)
    if not views:
        return None
    whole = parts_of(brought, CLOSE) if len(views) > 1 else views[0].picture
    return None if whole is None else look("contrast", [whole], case.question)
