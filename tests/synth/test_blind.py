"""Nothing outside the pixels tells the answer: a classifier fitted on everything else stays at chance."""

from __future__ import annotations

import math
import random

import msgspec
import pytest
from blind import by_option, by_text, chance, options_of

from beholder.synth.families import FAMILIES
from beholder.synth.generate import SHIPPED, draws_for, make_items

N = 500
LEVEL = {"visual_search": 1}
"""The 4k scenes of level 3 take a second each; what is asked about them is drawn in the same way at level 1."""


MIXED, MIXED_LEVELS = 300, (1, 3, 5)


def bound(share: float, n: int) -> float:
    """Three standard errors of `n` items above chance."""
    return share + 3 * math.sqrt(share * (1 - share) / n) + 1 / n


def check(task: str, n: int, levels: tuple[int, ...]) -> None:
    """Fits on `n` items, and fails if `n` others are told by more than chance."""
    fitted = list(make_items(draws_for([task], n, 1, levels), SHIPPED))
    others = list(make_items(draws_for([task], n, 2, levels), SHIPPED))
    with_options = [item for item in others if options_of(item)]
    told = [("by text", by_text(fitted, others), others)]
    if (picked := by_option(fitted, others)) is not None:
        told.append(("by option", picked, with_options))
    for how, share, asked in told:
        expected = chance(fitted, asked)
        print(task, levels, how, f"{share:.3f}, chance {expected:.3f} of {len(asked)}")
        assert share <= bound(expected, len(asked)), (how, share, expected)


@pytest.mark.slow
@pytest.mark.parametrize("task", FAMILIES)
def test_a_blind_classifier_stays_at_chance(task):
    check(task, N, (LEVEL.get(task, 3),))


@pytest.mark.slow
@pytest.mark.parametrize("task", ["color", "symbolic", "math", "maze"])
def test_levels_side_by_side_tell_nothing_either(task):
    check(task, MIXED, MIXED_LEVELS)


def test_chance_is_what_the_fitted_items_teach():
    item = msgspec.structs.replace(next(make_items(draws_for(["maze"], 1, 1, (1,)), SHIPPED)), prompt="How many?")
    kinds = [("lines", "4"), ("lines", "4"), ("lines", "7"), ("discs", "2")]
    fitted, others = (
        [msgspec.structs.replace(item, answer=answer, certificate={"kind": kind}) for kind, answer in found]
        for found in (kinds, [("lines", "7"), ("lines", "7"), ("lines", "4"), ("discs", "2")])
    )
    assert chance(fitted, others) == 0.5
    assert chance(fitted, [msgspec.structs.replace(item, prompt="Which?\nA. 1\nB. 2\nC. 3\nD. 4")]) == 0.25


def leaky(items, how):
    """The same items with a leak: the right option last, longest, or told by the difficulty."""
    changed = []
    for item in items:
        options = options_of(item)
        place = "ABCDEFGHIJ".index(item.answer)
        if how == "longest":
            options[place] += " "
            order = list(range(len(options)))
        else:
            order = [*(k for k in range(len(options)) if k != place), place] if how == "last" else None
        if order is not None:
            lines = "\n".join(f"{'ABCDEFGHIJ'[k]}. {options[old]}" for k, old in enumerate(order))
            answer = "ABCDEFGHIJ"[order.index(place)]
            changed.append(msgspec.structs.replace(item, prompt=f"Which?\n{lines}", answer=answer))
        else:
            changed.append(msgspec.structs.replace(item, difficulty=place))
    return changed


@pytest.mark.slow
@pytest.mark.parametrize("how", ["longest", "last", "difficulty"])
def test_the_classifier_finds_a_leak(how):
    rng = random.Random(5)
    item = next(make_items(draws_for(["maze"], 1, 1, (1,)), SHIPPED))
    plain = []
    for _ in range(400):
        values = [str(rng.randint(10, 99)) for _ in range(4)]
        lines = "\n".join(f"{letter}. {value}" for letter, value in zip("ABCD", values, strict=True))
        plain.append(msgspec.structs.replace(item, prompt=f"Which?\n{lines}", answer=rng.choice("ABCD"), difficulty=3))
    assert max(by_text(plain[:200], plain[200:]), by_option(plain[:200], plain[200:])) < 0.37
    told = leaky(plain, how)
    assert max(by_text(told[:200], told[200:]), by_option(told[:200], told[200:])) > 0.9
