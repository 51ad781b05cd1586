"""Experiment 1: what tools are worth. The same items with and without them, and what the difference supports.

Each tool arm is compared with the arm without tools, item by item. One arm is run twice: what differs between two runs
of the very same arm is noise, and a gain that is no larger shows nothing. All of it is pure.

OUR assumptions: the noise floor is the larger end, in absolute value, of the 95 % interval of the difference between
the two runs (the difference itself where there is no spread). A gain is `supported` if its own interval lies above 0,
if its exact McNemar p, corrected for the number of tool arms (Holm), is at most 0.05 (where no score gives credit in
part), and if it exceeds the floor. The floor is measured on one arm and taken for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from beholder.experiments.costs import Cost, Spent, spent
from beholder.metrics.accuracy import share
from beholder.metrics.paired import Paired, holm
from beholder.report.comparison import Comparison, compare, item_values
from beholder.score import Metric, ScoredItem
from beholder.tools.tally import TaskTurns, score_against_turns

SIGNIFICANT = 0.05


class ArmRows(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm holds: its scored rows and the costs of its responses. `title` is for tables."""

    name: str
    title: str
    model: str
    items: Sequence[ScoredItem]
    costs: Sequence[Cost]


class ArmFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One arm in figures: its score under each scorer that is shown, what an item cost, score against turns by task."""

    name: str
    title: str
    model: str
    scores: dict[str, Metric]
    spent: Spent
    turns: tuple[TaskTurns, ...]


class Verdict(StrEnum):
    """What a gain supports (see the module)."""

    SUPPORTED = "supported"
    WITHIN_NOISE = "within noise"
    UNDECIDED = "undecided"
    LOSS = "loss"
    NOTHING = "nothing to compare"


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against the one without tools, under one scorer.

    `comparison` has the difference with its interval, test, four cells, the keys of the items gained and lost, the
    smallest detectable difference, and the categories (Holm-corrected); `by_difficulty` is the same by difficulty.
    `right_wrong` is the comparison over the items of the categories in which nothing got credit in part: all of them,
    or those to which McNemar's test applies; None if there are none. `p_holm` is its p corrected for the number of tool
    arms. `more` is the additional cost an item; a net item gained (`net_items`: the difference times the items, partial
    credit in part) costs `a_net_item` more, None if none is gained.
    """

    arm: str
    comparison: Comparison
    by_difficulty: Comparison
    right_wrong: Paired | None
    p_holm: float | None
    more: Spent
    net_items: float | None
    a_net_item: Spent | None
    verdict: Verdict
    sentence: str


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against its own repeat. `changed` of `n` items got another score; `floor` is a share (see the module)."""

    arm: str
    repeat: str
    comparison: Comparison
    changed: int
    n: int
    floor: float | None


class ToolsOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that experiment 1 found. `scorers` are the headline's and `lenient` (once if they are the same);
    `gains` and `noise` are keyed by scorer. `plain_model` is set if another model answered without tools."""

    scorers: list[str]
    arms: list[ArmFigures]
    gains: dict[str, list[Gain]]
    noise: dict[str, Noise]
    plain_model: str = ""
    notes: list[str] = []
    title: str = ""


def tools_outcome(
    plain: ArmRows | None,
    with_tools: Sequence[ArmRows],
    repeat: tuple[str, ArmRows] | None,
    scorers: Sequence[str],
    *,
    voted: bool = False,
    seed: int = 0,
) -> ToolsOutcome:
    """What the arms support. `plain` is the arm without tools, `repeat` names the arm that was run twice with its
    second run. An arm that has not begun is left out."""
    gains: dict[str, list[Gain]] = {}
    noise: dict[str, Noise] = {}
    first = None if repeat is None else next((arm for arm in with_tools if arm.name == repeat[0]), None)
    for scorer in scorers:
        if first is not None and repeat is not None:
            measured = _noise(first, repeat[1], scorer, voted=voted, seed=seed)
            if measured is not None:
                noise[scorer] = measured
        if plain is not None:
            gains[scorer] = _gains(plain, with_tools, scorer, noise.get(scorer), voted=voted, seed=seed)
    arms = [*([plain] if plain is not None else []), *with_tools, *([repeat[1]] if repeat is not None else [])]
    other = {arm.model for arm in with_tools} - ({plain.model} if plain is not None else set())
    return ToolsOutcome(
        scorers=list(scorers),
        arms=[_figures(arm, scorers, voted=voted, seed=seed) for arm in arms],
        gains=gains,
        noise=noise,
        plain_model=plain.model if plain is not None and other else "",
        notes=_notes(plain, with_tools),
    )


def _notes(plain: ArmRows | None, with_tools: Sequence[ArmRows]) -> list[str]:
    if plain is None or not with_tools:
        return []
    notes = []
    if plain.model != with_tools[0].model:
        notes.append(
            f"the arm without tools was answered by another model, {plain.model}: a gain is then one of "
            f"{with_tools[0].model} with tools over {plain.model}, not of tools alone"
        )
    return notes


def _figures(arm: ArmRows, scorers: Sequence[str], *, voted: bool, seed: int) -> ArmFigures:
    values = item_values(arm.items, scorers[0], voted=voted)
    rows = [(values[cost.key].category, cost.turns, values[cost.key].value) for cost in arm.costs if cost.key in values]
    return ArmFigures(
        name=arm.name,
        title=arm.title,
        model=arm.model,
        scores={scorer: _score(arm.items, scorer, voted=voted, seed=seed) for scorer in scorers},
        spent=spent(arm.costs),
        turns=score_against_turns(rows),
    )


def _score(items: Sequence[ScoredItem], scorer: str, *, voted: bool, seed: int) -> Metric:
    values = item_values(items, scorer, voted=voted).values()
    return share([one.value for one in values], [one.cluster for one in values], seed=seed)


def _compared(a: ArmRows, b: ArmRows, scorer: str, *, voted: bool, seed: int) -> tuple[Comparison, Comparison] | None:
    """The comparisons by category and by difficulty, over the items that both arms have; None if there are none."""
    if not {item.key for item in a.items} & {item.key for item in b.items}:
        return None

    def compared(left: Sequence[ScoredItem], right: Sequence[ScoredItem]) -> Comparison:
        names = (a.name, b.name)
        return compare(left, right, scorer, voted=voted, intersect=True, names=names, seed=seed)

    return compared(a.items, b.items), compared(_by_difficulty(a.items), _by_difficulty(b.items))


def _right_wrong(a: ArmRows, b: ArmRows, scorer: str, *, voted: bool, seed: int) -> Paired | None:
    values = [one for arm in (a, b) for one in item_values(arm.items, scorer, voted=voted).values()]
    in_part = {one.category for one in values if one.value not in (None, 0, 1)}
    left, right = ([item for item in arm.items if item.category not in in_part] for arm in (a, b))
    if not {item.key for item in left} & {item.key for item in right}:
        return None
    return compare(left, right, scorer, voted=voted, intersect=True, names=(a.name, b.name), seed=seed).paired


def _by_difficulty(items: Sequence[ScoredItem]) -> list[ScoredItem]:
    return [msgspec.structs.replace(item, category=item.difficulty) for item in items]


def _noise(first: ArmRows, again: ArmRows, scorer: str, *, voted: bool, seed: int) -> Noise | None:
    both = _compared(first, again, scorer, voted=voted, seed=seed)
    if both is None:
        return None
    comparison = both[0]
    return Noise(
        arm=first.name,
        repeat=again.name,
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
    if paired.low is None or paired.high is None:
        return abs(paired.difference)
    return max(abs(paired.low), abs(paired.high))


def _gains(
    plain: ArmRows, with_tools: Sequence[ArmRows], scorer: str, noise: Noise | None, *, voted: bool, seed: int
) -> list[Gain]:
    floor = None if noise is None else noise.floor
    found = [(arm, _compared(plain, arm, scorer, voted=voted, seed=seed)) for arm in with_tools]
    compared = [
        (arm, *both, _right_wrong(plain, arm, scorer, voted=voted, seed=seed))
        for arm, both in found
        if both is not None
    ]
    corrected = iter(holm([decided.p for *_, decided in compared if decided is not None and decided.p is not None]))
    gains = []
    for arm, comparison, by_difficulty, decided in compared:
        paired = comparison.paired
        p_holm = next(corrected) if decided is not None and decided.p is not None else None
        verdict = verdict_on(comparison, None if paired.p is None else p_holm, floor)
        more = _more(plain.costs, arm.costs)
        net = None if paired.difference is None else paired.difference * paired.n
        gains.append(
            Gain(
                arm=arm.name,
                comparison=comparison,
                by_difficulty=by_difficulty,
                right_wrong=decided,
                p_holm=p_holm,
                more=more,
                net_items=net,
                a_net_item=_for_each(more, paired.n, net),
                verdict=verdict,
                sentence=sentence_on(arm.name, comparison, verdict, noise),
            )
        )
    return gains


def verdict_on(comparison: Comparison, p: float | None, floor: float | None) -> Verdict:
    """What a gain supports; `floor` is None if no noise floor was measured."""
    paired = comparison.paired
    if paired.difference is None:
        return Verdict.NOTHING
    decided = p is None or p <= SIGNIFICANT
    if paired.low is None or paired.high is None:  # no spread, or too few clusters for an interval
        above, below = (p is not None and paired.difference > 0), (p is not None and paired.difference < 0)
    else:
        above, below = paired.low > 0, paired.high < 0
    if decided and below:
        return Verdict.LOSS
    if not (decided and above):
        return Verdict.UNDECIDED
    return Verdict.SUPPORTED if floor is None or paired.difference > floor else Verdict.WITHIN_NOISE


def sentence_on(arm: str, comparison: Comparison, verdict: Verdict, noise: Noise | None) -> str:
    """What the result supports, in one plain sentence."""
    difference = comparison.paired.difference
    if difference is None:
        return f"{arm}: no item was answered by both arms."
    points = f"{100 * difference:+.1f} points"
    floor = None if noise is None or noise.floor is None else f"{100 * noise.floor:.1f} points"
    where = f" of the repeat of {noise.arm}" if noise is not None else ""
    match verdict:
        case Verdict.SUPPORTED if floor is None:
            return f"{arm}: the gain of {points} is larger than chance; no repeat was made, so its noise is not known."
        case Verdict.SUPPORTED:
            return f"{arm}: the gain of {points} exceeds the noise floor{where} ({floor})."
        case Verdict.WITHIN_NOISE:
            return f"{arm}: the gain of {points} does not exceed the noise floor{where} ({floor})."
        case Verdict.LOSS:
            return f"{arm}: the model does worse than without tools, by {points}."
        case _:
            least = comparison.detectable
            told = "" if least is None else f"; a difference under {100 * least:.1f} points could well be missed"
            return f"{arm}: the difference of {points} is not told apart from none{told}."


def _more(before: Sequence[Cost], after: Sequence[Cost]) -> Spent:
    """What an item costs more, over the items that both arms answered."""
    shared = {cost.key for cost in before} & {cost.key for cost in after}
    a, b = (spent(cost for cost in costs if cost.key in shared) for costs in (before, after))

    def more(left: float | None, right: float | None) -> float | None:
        return None if left is None or right is None else right - left

    return Spent(
        items=len(shared),
        turns=more(a.turns, b.turns),
        calls=more(a.calls, b.calls),
        prompt_tokens=more(a.prompt_tokens, b.prompt_tokens),
        completion_tokens=more(a.completion_tokens, b.completion_tokens),
    )


def _for_each(more: Spent, n: int, net: float | None) -> Spent | None:
    """The additional cost of all `n` items shared out over the net items gained."""
    if net is None or net <= 0:
        return None

    def shared_out(value: float | None) -> float | None:
        return None if value is None else value * n / net

    return Spent(
        items=more.items,
        turns=shared_out(more.turns),
        calls=shared_out(more.calls),
        prompt_tokens=shared_out(more.prompt_tokens),
        completion_tokens=shared_out(more.completion_tokens),
    )
