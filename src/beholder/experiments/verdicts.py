"""What a gain supports: told apart from none, larger than what two runs of the very same arm differ by, and in words.

OUR assumptions: the noise floor is the larger end, in absolute value, of the 95 % interval of the difference between
the two runs (the difference itself where there is no spread). Where no item changed, it is the upper end of Wilson's
interval for a share of 0 in n: the mean of n scores cannot move by more than the share of them that changes. It is
measured on one arm, taken for all, and holds for gains and losses alike.

| verdict | when |
|---|---|
| supported | told apart from none, upwards, and larger than the floor |
| loss | the same downwards |
| within noise | told apart from none, and no larger than the floor |
| undecided | not told apart from none |
| nothing to compare | no item has both answers |

Told apart from none: p, corrected by Holm for the number of tool arms, is at most 0.05, and 0 lies outside the
interval.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from beholder.metrics.intervals import wilson
from beholder.metrics.paired import told_apart
from beholder.report.comparison import Comparison
from beholder.report.figures import count


class Verdict(StrEnum):
    """What a gain supports (see the module)."""

    SUPPORTED = "supported"
    WITHIN_NOISE = "within noise"
    UNDECIDED = "undecided"
    LOSS = "loss"
    NOTHING = "nothing to compare"


class Repeat(StrEnum):
    """Whether an arm was run twice, to measure the noise."""

    MEASURED = "measured"
    NOT_BEGUN = "not begun"
    NOT_ASKED_FOR = "not asked for"


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against its own repeat. `changed` of `n` items got another score; `floor` is a share (see the module)."""

    arm: str
    repeat: str
    comparison: Comparison
    changed: int
    n: int
    floor: float | None


def noise_of(arm: str, repeat: str, comparison: Comparison) -> Noise:
    """What the comparison of an arm with its own repeat tells."""
    return Noise(
        arm=arm,
        repeat=repeat,
        comparison=comparison,
        changed=len(comparison.gained) + len(comparison.lost),
        n=comparison.paired.n,
        floor=floor_of(comparison),
    )


def floor_of(comparison: Comparison) -> float | None:
    """By how much two runs of the very same arm may differ, as a share (see the module)."""
    paired = comparison.paired
    if paired.difference is None:
        return None
    if not comparison.gained and not comparison.lost:
        return wilson(0, paired.n)[1]
    if paired.low is None or paired.high is None:
        return abs(paired.difference)
    return max(abs(paired.low), abs(paired.high))


def verdict_on(comparison: Comparison, p: float | None, floor: float | None) -> Verdict:
    """What a gain supports. `p` is corrected for the number of arms; `floor` is None if no noise floor was measured."""
    difference = comparison.paired.difference
    if difference is None:
        return Verdict.NOTHING
    sign = told_apart(comparison.paired, p)
    if not sign:
        return Verdict.UNDECIDED
    if floor is not None and abs(difference) <= floor:
        return Verdict.WITHIN_NOISE
    return Verdict.SUPPORTED if sign > 0 else Verdict.LOSS


def sentence_on(arm: str, comparison: Comparison, verdict: Verdict, noise: Noise | None, repeat: Repeat) -> str:
    """What the result supports, in one plain sentence."""
    difference = comparison.paired.difference
    if difference is None:
        return f"{arm}: no item was answered by both arms."
    points = f"{100 * difference:+.1f} points"
    size = f"{100 * abs(difference):.1f} points"
    known = noise is not None and noise.floor is not None
    match verdict:
        case Verdict.SUPPORTED if not known:
            return f"{arm}: the gain of {size} is larger than chance{_unknown_noise(repeat)}."
        case Verdict.SUPPORTED:
            return f"{arm}: the gain of {size} exceeds {_floor_in_words(noise)}."
        case Verdict.WITHIN_NOISE:
            word = "gain" if difference > 0 else "loss"
            return f"{arm}: the {word} of {size} does not exceed {_floor_in_words(noise)}."
        case Verdict.LOSS:
            beyond = f", which exceeds {_floor_in_words(noise)}" if known else _unknown_noise(repeat)
            return f"{arm}: the model does worse than without tools, by {size}{beyond}."
        case _:
            return f"{arm}: the difference of {points} is not told apart from none{missed(comparison)}."


def missed(comparison: Comparison) -> str:
    """What a comparison of this size cannot exclude, as the end of a sentence; empty where no item changed at all."""
    if comparison.detectable is not None:
        return f"; a difference under {100 * comparison.detectable:.1f} points could well be missed"
    return "; so few items could show none" if comparison.gained or comparison.lost else ""


def _unknown_noise(repeat: Repeat) -> str:
    if repeat is Repeat.NOT_ASKED_FOR:
        return "; no repeat was asked for, so its noise is not known"
    return "; the repeat has not begun, so its noise is not known yet"


def _floor_in_words(noise: Noise | None) -> str:
    assert noise is not None, "there is no floor without a repeat"
    size = f"{100 * (noise.floor or 0):.1f} points"
    why = "" if noise.changed else f": none of {count(noise.n)} items changed"
    return f"the noise floor of the repeat of {noise.arm} ({size}{why})"
