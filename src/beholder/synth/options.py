"""Lettered options of a question, and the ladder of values that a wrong option cannot be told from."""

from __future__ import annotations

import random
from collections.abc import Sequence

LETTERS = "ABCDEFGHIJ"
ASK_LETTER = "Answer with the letter of the right option."


def lettered(options: Sequence[str]) -> str:
    """The options as lines `A. text`."""
    return "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))


def shuffled(right: str, wrong: Sequence[str], rng: random.Random) -> tuple[list[str], str]:
    """The options in random order, and the letter of the right one."""
    options = [right, *wrong]
    if len(set(options)) < len(options):
        raise ValueError(f"two options are the same: {options}")
    rng.shuffle(options)
    return options, LETTERS[options.index(right)]


def ladder(lowest: float, highest: float, step: float, count: int, rng: random.Random) -> tuple[list[float], int]:
    """Equal steps between two bounds, and which of them (from 0) is to be the right one.

    The place is drawn apart from the values, so that neither the values nor their order tell it: the picture has to be
    made to fit.
    """
    first = rng.uniform(lowest, highest - step * (count - 1))
    return [first + step * place for place in range(count)], rng.randrange(count)
