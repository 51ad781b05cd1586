"""Joint or alone: does a model label better if all four labels of M3R-Bench are asked for at once? OUR experiment.

The same items are asked in five arms: the joint question, and metaphor, target, source and sentiment each with a
question of its own. For every label the joint answers are compared with those of its own arm, item by item; p is
corrected for the four labels (Holm). An item is right in all four where its one joint answer is, or all of its four
answers alone. All of it is pure.

OUR assumptions: target and source are compared over the metaphors of the gold, as in the headline, so that finding the
metaphor is not counted once more; over all items, where saying that there is none can be right, they stand beside it
without a test. A label that the gold of an item does not give takes the item out. A box outside of the picture does not
spoil target and source here: answers to one label have no boxes. What differs between the arms is the
whole question: the joint one also asks for an explanation. Each arm is run once, so the model's own noise is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from beholder.annotation import BOX_OUTSIDE, LABELS, Annotation, structure_faults
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.benchmarks.m3r.label_metrics import OVER_ALL, OVER_METAPHORS, Row, rows_of
from beholder.benchmarks.m3r.labels import SLOTS, given, is_metaphor
from beholder.experiments.costs import Cost, Spent, spent
from beholder.experiments.verdicts import missed
from beholder.metrics.accuracy import share
from beholder.metrics.paired import holm_where_tested, told_apart
from beholder.report.comparison import Comparison, compare
from beholder.report.figures import percent
from beholder.score import Metric, Outcome, Score, ScoredItem

JOINT = "joint"
ALL_FOUR = "all four"


class JointArm(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm holds: its scored rows and the costs of its responses. `name` is `joint` or the label asked for."""

    name: str
    title: str
    items: Sequence[ScoredItem]
    costs: Sequence[Cost]


class ArmCost(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm took. `failed` responses are in no figure and not in `spent`, which has means over the others."""

    name: str
    title: str
    answered: int
    failed: int
    spent: Spent


class Price(msgspec.Struct, frozen=True):
    """What the four labels of one item take on average: requests, tokens in and out (None where not counted)."""

    requests: int
    prompt_tokens: float | None
    completion_tokens: float | None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A label asked for jointly and alone.

    `joint` and `alone` are the shares of right answers, each over all of its own arm's items; `comparison` is over the
    items that both answered, its difference is joint − alone. `p_holm` is the p that decides, corrected for the four
    labels; of `all four` it is its own p, and None where nothing is tested. `better` is 1 if jointly is told apart as
    better, -1 if alone is, else 0. `over` says which items count, where it is not all.
    """

    label: str
    over: str
    joint: Metric
    alone: Metric
    comparison: Comparison
    p_holm: float | None
    better: int
    sentence: str


class Contradictions(msgspec.Struct, frozen=True):
    """Of `n` items whose five answers give all that was asked for: how many joint answers, and how many sets of four
    answers put together, break a rule of the structure (such as no metaphor, and yet a target)."""

    n: int
    joint: int
    alone: int


class JointOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the experiment found. `labels` are the tested ones, `every_item` target and source over all
    items; `whole` and what follows are None until all five arms have begun. `sentence` says it all in one."""

    scorer: str
    arms: list[ArmCost]
    labels: list[Finding]
    every_item: list[Finding]
    whole: Finding | None
    contradictions: Contradictions | None
    price_joint: Price | None
    price_alone: Price | None
    sentence: str
    title: str = ""


def joint_outcome(arms: Mapping[str, JointArm], scorer: str, rules: SlotRules, seed: int = 0) -> JointOutcome:
    """What the arms that have begun show. `scorer` is one of labels (`lenient`, `strict`)."""
    spoiled_by = tuple(fault for fault in rules.spoiled_by if fault != BOX_OUTSIDE)
    rules = msgspec.structs.replace(rules, spoiled_by=spoiled_by)
    rows = {name: rows_of(arm.items, scorer, LABELS if name == JOINT else (name,), rules) for name, arm in arms.items()}
    pairs = [(label, rows[JOINT], rows[label]) for label in LABELS if JOINT in rows and label in rows]
    tested = [_compared(label, both, alone, _counted(label), seed) for label, both, alone in pairs]
    corrected = holm_where_tested([None if one is None else one.comparison.paired.p_decides for one in tested])
    labels = [_with_p(one, p) for one, p in zip(tested, corrected, strict=True) if one is not None]
    beside = [_compared(label, both, alone, OVER_ALL, seed) for label, both, alone in pairs if label in SLOTS]
    complete = len(pairs) == len(LABELS)
    whole = _whole(rows, seed) if complete else None
    price_joint = _price([arms[JOINT]]) if JOINT in arms else None
    price_alone = _price([arms[label] for label in LABELS]) if complete else None
    return JointOutcome(
        scorer=scorer,
        arms=[_cost(arm, rows[arm.name]) for arm in arms.values()],
        labels=labels,
        every_item=[one for one in beside if one is not None],
        whole=whole,
        contradictions=_contradictions(rows) if complete else None,
        price_joint=price_joint,
        price_alone=price_alone,
        sentence=_conclusion(labels, whole),
    )


def _counted(label: str) -> str:
    return OVER_METAPHORS if label in SLOTS else ""


def _compared(label: str, joint: Sequence[Row], alone: Sequence[Row], over: str, seed: int) -> Finding | None:
    """A label's figures in both arms; None if they have no item in common that counts."""
    both = [_values([row for row in rows if _counts(row, label, over)], label) for rows in (joint, alone)]
    return _finding(label, both[0], both[1], over, seed)


def _counts(row: Row, label: str, over: str) -> bool:
    return label in row.right and (over != OVER_METAPHORS or is_metaphor(row.gold) is True)


def _values(rows: Iterable[Row], label: str) -> list[ScoredItem]:
    """Rows whose only score is whether that label is right."""
    return [_scored(row, label, None if row.failed else row.right[label]) for row in rows]


def _scored(row: Row, label: str, right: bool | None) -> ScoredItem:
    score = Score(None, Outcome.FAILED) if right is None else Score(float(right), Outcome.SCORED)
    return msgspec.structs.replace(row.item, scores={label: score})


def _finding(
    label: str, joint: Sequence[ScoredItem], alone: Sequence[ScoredItem], over: str, seed: int
) -> Finding | None:
    if not {item.key for item in joint} & {item.key for item in alone}:
        return None
    comparison = compare(alone, joint, label, voted=False, intersect=True, names=("alone", JOINT), seed=seed)
    return Finding(
        label=label,
        over=over,
        joint=_share(joint, label, seed),
        alone=_share(alone, label, seed),
        comparison=comparison,
        p_holm=None,
        better=0,
        sentence="",
    )


def _share(items: Sequence[ScoredItem], label: str, seed: int) -> Metric:
    return share([item.scores[label].value for item in items], [item.cluster or item.key for item in items], seed=seed)


def _with_p(finding: Finding, p: float | None) -> Finding:
    """The same finding, decided."""
    better = told_apart(finding.comparison.paired, p)
    return msgspec.structs.replace(finding, p_holm=p, better=better, sentence=_sentence(finding, p, better))


def _sentence(finding: Finding, p: float | None, better: int) -> str:
    comparison = finding.comparison
    paired = comparison.paired
    if paired.difference is None:
        return f"{finding.label}: no item was answered both jointly and alone."
    shares = f"{percent(paired.mean_b)} jointly, {percent(paired.mean_a)} alone"
    if better:
        words = "jointly" if better > 0 else "alone"
        return f"{finding.label}: {shares}; asked {words}, the model does better (p = {p:.2g})."
    if not comparison.gained and not comparison.lost:
        return f"{finding.label}: {shares}; right on the very same items."
    return f"{finding.label}: {shares}; the difference is not told apart from none{missed(comparison)}."


def _whole(rows: Mapping[str, Sequence[Row]], seed: int) -> Finding | None:
    """All four labels right: of the one joint answer, and of the four answers alone."""
    alone = [_scored(row[0], ALL_FOUR, _all_right(row)) for row in _four_alone(rows) if _complete(row)]
    joint = [_scored(row, ALL_FOUR, _all_right([row])) for row in rows[JOINT] if _complete([row])]
    finding = _finding(ALL_FOUR, joint, alone, "", seed)
    return None if finding is None else _with_p(finding, finding.comparison.paired.p_decides)


def _four_alone(rows: Mapping[str, Sequence[Row]]) -> list[list[Row]]:
    """The rows of the four single arms, together for each item that all have."""
    by_key = [{row.item.key: row for row in rows[label]} for label in LABELS]
    return [[own[key] for own in by_key] for key in by_key[0] if all(key in own for own in by_key)]


def _complete(rows: Sequence[Row]) -> bool:
    return {label for row in rows for label in row.right} == set(LABELS)


def _all_right(rows: Sequence[Row]) -> bool | None:
    return None if any(row.failed for row in rows) else all(all(row.right.values()) for row in rows)


def _contradictions(rows: Mapping[str, Sequence[Row]]) -> Contradictions:
    joint = {row.item.key: row.said for row in rows[JOINT]}
    n = faulty = apart = 0
    for four in _four_alone(rows):
        said = [row.said for row in four if row.said is not None]
        together = joint.get(four[0].item.key)
        if together is None or set(given(together)) != set(LABELS) or len(said) < len(LABELS):
            continue
        labels = {label: getattr(one, label) for label, one in zip(LABELS, said, strict=True)}
        n += 1
        faulty += bool(structure_faults(msgspec.structs.replace(together, explanation=msgspec.UNSET)))
        apart += bool(structure_faults(Annotation(**labels)))
    return Contradictions(n, faulty, apart)


def _cost(arm: JointArm, rows: Sequence[Row]) -> ArmCost:
    failed = sum(row.failed for row in rows)
    return ArmCost(name=arm.name, title=arm.title, answered=len(rows) - failed, failed=failed, spent=spent(arm.costs))


def _price(arms: Sequence[JointArm]) -> Price:
    means = [spent(arm.costs) for arm in arms]

    def total(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    return Price(
        len(arms), total([one.prompt_tokens for one in means]), total([one.completion_tokens for one in means])
    )


def _conclusion(labels: Sequence[Finding], whole: Finding | None) -> str:
    """What was found, claiming no more than the tests do."""
    if not labels:
        return "Nothing can be compared yet: the joint arm and one of a single label are needed."
    better = {one.label: one.better for one in labels}
    if whole is not None:
        better["all four together"] = whole.better
    told = [
        f"{words} {_and([name for name, sign in better.items() if sign == own])}"
        for own, words in (
            (1, "asking jointly does better on"),
            (-1, "asking alone does better on"),
            (0, "no difference is told apart from none on"),
        )
        if own in better.values()
    ]
    return f"With this model and these prompts {'; '.join(told)}."


def _and(words: Sequence[str]) -> str:
    """
    >>> _and(["target", "source", "sentiment"]), _and(["target"])
    ('target, source and sentiment', 'target')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
