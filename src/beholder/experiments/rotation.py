"""Experiment 3: a predefined tool or code of one's own, with three prompts, on the task of turning a picture upright.

For each item it is asked whether the interface was used at all, and if it was and the answer is wrong, at what it
failed. OUR rules, since the paper gives none:

- `not used`: no call of the interface's tool, whatever became of it. Apart from `used and failed`.
- `syntax`: a call whose arguments or code cannot be read; the calls are counted, and an item none of whose calls ran to
  its end failed at `running`.
- What was seen: by how much each picture that a call brought is the item's own picture turned. With the rotate tool
  that follows from the calls (turns of turned pictures add up); with code it is measured from the pixels (`turned`).
- `angle`: the picture was seen turned, be it by 0 degrees, and never upright: within `NEAR` degrees of the right turn.
- `direction`: instead of upright, one was seen turned by the right angle the other way round. Not where that is itself
  an option (then it may have been a trial of that option), or where both ways come to the same (180 degrees).
- `answer`: it was seen upright and another answer was given.
- `not told`: nothing that was seen is the picture turned, or the right turn does not follow from the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from beholder.benchmarks.tir.questions import options_of
from beholder.experiments.costs import Cost, Spent, spent
from beholder.metrics.accuracy import share
from beholder.metrics.paired import holm
from beholder.report.comparison import Comparison, compare, item_values
from beholder.sample import ChoiceTarget, Sample
from beholder.score import Metric, ScoredItem
from beholder.tools.arguments import MalformedArguments, read_arguments
from beholder.tools.operations import UNPARSED, degrees_turned, operations
from beholder.trajectory import CallOutcome, Observation, Trajectory

NEAR = 2.0
"""Degrees within which a turn is the right one. Options lie 5 or more apart; pictures are measured to a degree."""
_DEGREES = re.compile(r"(-?\d{1,3}(?:\.\d{1,3})?)\s*(?:°|deg)", re.IGNORECASE | re.ASCII)
_COUNTER = re.compile(r"\b(?:counter|anti)[- ]?clockwise\b", re.IGNORECASE)
_CLOCKWISE = re.compile(r"\bclockwise\b", re.IGNORECASE)


class Fate(StrEnum):
    """What became of one item (see the module). All but the first two are used and failed."""

    NOT_USED = "not used"
    RIGHT = "used, right"
    RUNNING = "running"
    ANGLE = "angle"
    DIRECTION = "direction"
    ANSWER = "answer"
    NOT_TOLD = "not told"


FAILED = (Fate.RUNNING, Fate.ANGLE, Fate.DIRECTION, Fate.ANSWER, Fate.NOT_TOLD)


class Wanted(msgspec.Struct, frozen=True):
    """What a question asks for: the turn that makes the picture upright and all options, in degrees clockwise from 0
    to 360."""

    upright: float
    options: tuple[float, ...]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What an item's conversation shows. `turns` are the turns, in degrees clockwise, of the pictures that it brought
    and that are the item's own turned. `syntax` counts calls that cannot be read, `ran` those that ran to their end."""

    calls: int
    syntax: int
    ran: int
    turns: tuple[float, ...]


def wanted(sample: Sample) -> Wanted | None:
    """What the question asks for; None where it is no choice of angles, or does not say in which sense."""
    question = sample.question
    bare = _COUNTER.sub("", question)
    senses = {sign for sign, found in ((-1, _COUNTER.search(question)), (1, _CLOCKWISE.search(bare))) if found}
    if len(senses) != 1 or not isinstance(sample.target, ChoiceTarget):
        return None
    (sign,) = senses
    angles = {letter: _degrees(text) for letter, text in options_of(question).items()}
    right = angles.get(sample.target.letters)
    known = [angle for angle in angles.values() if angle is not None]
    return None if right is None else Wanted(sign * right % 360, tuple(sign * angle % 360 for angle in known))


def _degrees(text: str) -> float | None:
    found = _DEGREES.search(text)
    return float(found[1]) if found else None


def tried(trajectory: Trajectory, interface: str, turn_of: Callable[[str], float | None]) -> Tried:
    """What a conversation shows. `turn_of` measures a picture by its SHA-256: the degrees clockwise by which it is the
    item's own picture turned, None if it is not. It is asked only where the calls do not tell."""
    own = [one for one in trajectory.observations if one.call.name == interface]
    shown = [turn for turn in _turns(trajectory, turn_of) if turn is not None]
    return Tried(
        calls=len(own),
        syntax=sum(_unreadable(one) for one in own),
        ran=sum(one.outcome is CallOutcome.EXECUTED for one in own),
        turns=tuple(shown),
    )


def _unreadable(one: Observation) -> bool:
    return one.outcome is CallOutcome.MALFORMED or operations(one.call) == (UNPARSED,)


class _Source(msgspec.Struct):
    image: str = "image_1"


def _turns(trajectory: Trajectory, turn_of: Callable[[str], float | None]) -> list[float | None]:
    """The turn of each picture that calls brought, in order. OUR assumption: the item shows one picture, `image_1`."""
    turns: list[float | None] = []
    for one in trajectory.observations:
        for sha256 in one.images:
            turns.append(_stated(one, turns) if one.call.name == "rotate" else turn_of(sha256))
    return turns


def _stated(one: Observation, before: Sequence[float | None]) -> float | None:
    """The turn of the picture that a call of the rotate tool made; `before` are those of image_2, image_3, …"""
    stated = degrees_turned(one.call)
    try:
        name = read_arguments(one.call.arguments, _Source)[0].image
    except MalformedArguments:
        return None
    known = {"image_1": 0.0} | {f"image_{place}": turn for place, turn in enumerate(before, start=2)}
    source = known.get(name)
    return None if source is None or len(stated) != 1 else (source + stated[0]) % 360


def fate_of(seen: Tried, right: bool, asked: Wanted | None) -> Fate:
    """What became of an item (see the module)."""
    if not seen.calls:
        return Fate.NOT_USED
    if right:
        return Fate.RIGHT
    if not seen.ran:
        return Fate.RUNNING
    if asked is None or not seen.turns:
        return Fate.NOT_TOLD
    if any(_near(turn, asked.upright) for turn in seen.turns):
        return Fate.ANSWER
    wrong_way = -asked.upright % 360
    ambiguous = _near(wrong_way, asked.upright) or any(_near(wrong_way, option) for option in asked.options)
    if not ambiguous and any(_near(turn, wrong_way) for turn in seen.turns):
        return Fate.DIRECTION
    return Fate.ANGLE


def _near(one: float, other: float) -> bool:
    return abs((one - other + 180) % 360 - 180) <= NEAR


class RotationRows(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm holds. `seen` and `asked` are by key; a conversation that failed is in neither scores nor `seen`."""

    name: str
    interface: str
    prompt: str
    items: Sequence[ScoredItem]
    costs: Sequence[Cost]
    seen: dict[str, Tried]
    asked: dict[str, Wanted | None]


class ArmFindings(msgspec.Struct, frozen=True, kw_only=True):
    """One arm. `items` counts fates, over the items that have a score; `not_used_right` are among the not used ones.

    `calls` and `syntax` count calls of the interface. `known` says of how many items the right turn is known.
    """

    name: str
    interface: str
    prompt: str
    score: Metric
    spent: Spent
    items: dict[str, int]
    not_used_right: int
    failed: int
    calls: int
    syntax: int
    known: int


class Contrast(msgspec.Struct, frozen=True):
    """One arm against another; `p_holm` is McNemar's p corrected for all contrasts."""

    name: str
    comparison: Comparison
    p_holm: float | None


class PublishedCalls(msgspec.Struct, frozen=True):
    """The paper's table of average calls: `calls` in the order of `arms`, None where it has none."""

    class Row(msgspec.Struct, frozen=True):
        """One model."""

        model: str
        calls: list[float | None]

    source: str
    arms: list[str]
    rows: list[Row]


class RotationOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that experiment 3 found."""

    scorer: str
    arms: list[ArmFindings]
    contrasts: list[Contrast]
    published: PublishedCalls
    title: str = ""


def findings(rows: RotationRows, scorer: str, seed: int = 0) -> ArmFindings:
    """The figures of one arm."""
    values = item_values(rows.items, scorer, voted=False)
    scored = {key: one.value for key, one in values.items() if one.value is not None and key in rows.seen}
    fates = {key: fate_of(rows.seen[key], value == 1, rows.asked.get(key)) for key, value in scored.items()}
    counted = Counter(fates.values())
    return ArmFindings(
        name=rows.name,
        interface=rows.interface,
        prompt=rows.prompt,
        score=share([one.value for one in values.values()], [one.cluster for one in values.values()], seed=seed),
        spent=spent(rows.costs),
        items={fate.value: counted[fate] for fate in Fate},
        not_used_right=sum(fate is Fate.NOT_USED and scored[key] == 1 for key, fate in fates.items()),
        failed=sum(counted[fate] for fate in FAILED),
        calls=sum(one.calls for one in rows.seen.values()),
        syntax=sum(one.syntax for one in rows.seen.values()),
        known=sum(rows.asked.get(key) is not None for key in fates),
    )


def contrasts(arms: Sequence[RotationRows], scorer: str, seed: int = 0) -> list[Contrast]:
    """Code against the tool under each prompt, and P2 and P3 against P1 with each interface."""
    by_place = {(arm.interface, arm.prompt): arm for arm in arms}
    pairs = [(f"code − tool, {prompt}", ("rotate", prompt), ("python", prompt)) for prompt in ("P1", "P2", "P3")] + [
        (f"{prompt} − P1, {word}", (interface, "P1"), (interface, prompt))
        for interface, word in (("rotate", "tool"), ("python", "code"))
        for prompt in ("P2", "P3")
    ]
    found: list[tuple[str, Comparison]] = []
    for name, before, after in pairs:
        if before in by_place and after in by_place:
            a, b = by_place[before], by_place[after]
            if {item.key for item in a.items} & {item.key for item in b.items}:
                both = compare(a.items, b.items, scorer, voted=False, intersect=True, names=(a.name, b.name), seed=seed)
                found.append((name, both))
    corrected = iter(holm([one.paired.p for _, one in found if one.paired.p is not None]))
    return [Contrast(name, one, next(corrected) if one.paired.p is not None else None) for name, one in found]
