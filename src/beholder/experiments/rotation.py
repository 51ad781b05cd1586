"""Experiment 3: a predefined tool or code of one's own, with three prompts, on the task of turning a picture upright.

For each item it is asked whether the interface was used at all, and if it was and the answer is wrong, at what it
failed. OUR rules, since the paper gives none:

- `not used`: no call of the interface's tool, whatever became of it. Apart from `used and failed`.
- `syntax`: a call whose arguments or code cannot be read; the calls are counted, and an item none of whose calls ran to
  its end failed at `running`.
- What was seen: by how much each picture that a call brought is the item's own picture turned. With the rotate tool
  that follows from the calls (turns of turned pictures add up); with code it is measured from the pixels (`turned`).
- `no answer`: no answer could be read: a budget ended the conversation, the model refused, or said something else.
- `angle`: the picture was seen turned, be it by 0 degrees, and never upright: within `NEAR` degrees of the right turn.
- `direction`: instead of upright, one was seen turned by the right angle the other way round (`Wanted.wrong_way`).
- `answer`: it was seen upright and another answer was given.
- `not told`: nothing that was seen is the picture turned, or the right turn does not follow from the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from beholder.benchmarks.tir.rotation import Wanted, near
from beholder.experiments.costs import Cost, Spent, spent
from beholder.metrics.accuracy import share
from beholder.metrics.paired import holm_where_tested
from beholder.report.comparison import Comparison, compare, item_values
from beholder.score import Metric, Outcome, ScoredItem
from beholder.tools.arguments import MalformedArguments, read_arguments
from beholder.tools.operations import UNPARSED, degrees_turned, operations
from beholder.trajectory import CallOutcome, Observation, Trajectory


class Fate(StrEnum):
    """What became of one item (see the module). All but the first two are used and failed."""

    NOT_USED = "not used"
    RIGHT = "used, right"
    RUNNING = "running"
    NO_ANSWER = "no answer"
    ANGLE = "angle"
    DIRECTION = "direction"
    ANSWER = "answer"
    NOT_TOLD = "not told"


FAILED = (Fate.RUNNING, Fate.NO_ANSWER, Fate.ANGLE, Fate.DIRECTION, Fate.ANSWER, Fate.NOT_TOLD)


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What an item's conversation shows.

    `calls` counts those of the interface's own tool: a call of any other name, or of none, is no use of it. Of these,
    `syntax` cannot be read and `ran` ran to their end. `turns` are the turns, in degrees clockwise, of those pictures
    that the conversation brought which are the item's own turned.
    """

    calls: int
    syntax: int
    ran: int
    turns: tuple[float, ...]


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


def fate_of(seen: Tried, right: bool, asked: Wanted | None, outcome: Outcome = Outcome.SCORED) -> Fate:
    """What became of an item (see the module); `outcome` is that of the scorer that says what is right."""
    if not seen.calls:
        return Fate.NOT_USED
    if right:
        return Fate.RIGHT
    if not seen.ran:
        return Fate.RUNNING
    if outcome is not Outcome.SCORED:
        return Fate.NO_ANSWER
    if asked is None or not seen.turns:
        return Fate.NOT_TOLD
    if any(near(turn, asked.upright) for turn in seen.turns):
        return Fate.ANSWER
    wrong_way = asked.wrong_way
    if wrong_way is not None and any(near(turn, wrong_way) for turn in seen.turns):
        return Fate.DIRECTION
    return Fate.ANGLE


class RotationRows(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm holds. `seen` and `asked` are by key; a conversation that failed is in neither scores nor `seen`."""

    name: str
    interface: str
    prompt: str
    items: Sequence[ScoredItem]
    costs: Sequence[Cost]
    seen: dict[str, Tried]
    asked: dict[str, Wanted | None]


class RotationFindings(msgspec.Struct, frozen=True, kw_only=True):
    """One arm. `items` counts fates, over the items that have a score; `not_used_right` are among the not used ones.

    `calls` and `syntax` count calls of the interface (see `Tried`), `calls_an_item` is the mean number of them; `spent`
    has the calls of other tools in it. Conversations that failed are in none of them. `known` says of how many items
    the right turn is known, `clusters` how many photographs the items come from.
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
    calls_an_item: float | None
    syntax: int
    known: int
    clusters: int


class Contrast(msgspec.Struct, frozen=True):
    """One arm against another; `p_holm` is the p of the test that decides, corrected for all contrasts."""

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
    arms: list[RotationFindings]
    contrasts: list[Contrast]
    published: PublishedCalls
    title: str = ""


def findings(rows: RotationRows, scorer: str, seed: int = 0) -> RotationFindings:
    """The figures of one arm."""
    values = item_values(rows.items, scorer, voted=False)
    scored = {key: one.value for key, one in values.items() if one.value is not None and key in rows.seen}
    outcomes = {item.key: item.scores[scorer].outcome for item in rows.items}
    fates = {
        key: fate_of(rows.seen[key], value == 1, rows.asked.get(key), outcomes[key]) for key, value in scored.items()
    }
    counted = Counter(fates.values())
    calls = sum(one.calls for one in rows.seen.values())
    return RotationFindings(
        name=rows.name,
        interface=rows.interface,
        prompt=rows.prompt,
        score=share([one.value for one in values.values()], [one.cluster for one in values.values()], seed=seed),
        spent=spent(rows.costs),
        items={fate.value: counted[fate] for fate in Fate},
        not_used_right=sum(fate is Fate.NOT_USED and scored[key] == 1 for key, fate in fates.items()),
        failed=sum(counted[fate] for fate in FAILED),
        calls=calls,
        calls_an_item=calls / len(rows.seen) if rows.seen else None,
        syntax=sum(one.syntax for one in rows.seen.values()),
        known=sum(rows.asked.get(key) is not None for key in fates),
        clusters=len({one.cluster for one in values.values()}),
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
    corrected = holm_where_tested([one.paired.p_decides for _, one in found])
    return [Contrast(name, one, p) for (name, one), p in zip(found, corrected, strict=True)]
