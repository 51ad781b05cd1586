"""Experiment 1: what tools are worth. The same items with and without them, and what the difference supports.

Each tool arm is compared with the arm without tools, item by item. One arm is run twice: what differs between two runs
of the very same arm is noise, and a gain that is no larger shows nothing. What a gain supports is in `verdicts`; its p
is that of the test that holds for the scores (`Paired.p_decides`), corrected for the number of tool arms (Holm). All of
it is pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from beholder.experiments.costs import Cost, Spent, Whole, for_each, more_spent, spent
from beholder.experiments.verdicts import Noise, Repeat, Verdict, noise_of, sentence_on, verdict_on
from beholder.metrics.accuracy import share
from beholder.metrics.paired import Paired, holm_where_tested
from beholder.report.comparison import Comparison, compare, item_values, right_wrong, with_difficulties
from beholder.score import Metric, ScoredItem
from beholder.tools.tally import TaskTurns, score_against_turns


class ArmRows(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm holds: its scored rows, the costs of its responses, and the whole spending. `title` is for tables."""

    name: str
    title: str
    model: str
    items: Sequence[ScoredItem]
    costs: Sequence[Cost]
    whole: Whole | None = None


class ArmFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One arm in figures, over all its items: its score under each scorer that is shown, under the first by task and
    difficulty too; what an item cost and what was spent in all; score against turns by task."""

    name: str
    title: str
    model: str
    scores: dict[str, Metric]
    by_task: dict[str, Metric]
    by_difficulty: dict[str, Metric]
    spent: Spent
    whole: Whole | None
    turns: tuple[TaskTurns, ...]


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """An arm against the one without tools, under one scorer.

    `comparison` has the difference with its interval, test, four cells, the keys of the items gained and lost, the
    smallest detectable difference, and the categories (Holm-corrected); `by_difficulty` is the same by difficulty.
    `right_wrong` is the comparison over the items of the categories without credit in part, with the four cells and the
    exact McNemar p; None if there are none. `p_holm` is the p that decides, over all items, corrected for the number of
    tool arms. `more` is the additional cost an item; where the gain is supported, a net item gained (`net_items`: the
    difference times the items, partial credit in part) costs `a_net_item` more.
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


class ToolsOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that experiment 1 found. `scorers` are the headline's and `lenient` (once if they are the same);
    `gains` and `noise` are keyed by scorer; `repeat` says whether there is noise to tell of. `plain_model` is set if
    another model answered without tools."""

    scorers: list[str]
    arms: list[ArmFigures]
    gains: dict[str, list[Gain]]
    noise: dict[str, Noise]
    repeat: Repeat
    plain_model: str = ""
    notes: list[str] = []
    title: str = ""


def tools_outcome(
    plain: ArmRows | None,
    with_tools: Sequence[ArmRows],
    repeat: tuple[str, ArmRows | None] | None,
    scorers: Sequence[str],
    *,
    partial_credit: Collection[str] = (),
    voted: bool = False,
    seed: int = 0,
) -> ToolsOutcome:
    """What the arms support. `plain` is the arm without tools, `repeat` names the arm that is run twice, with its
    second run or None if that has not begun. Any other arm that has not begun is left out. `partial_credit` names
    categories whose scores may lie between right and wrong."""
    ways = _Ways(frozenset(partial_credit), voted, seed)
    again = None if repeat is None else repeat[1]
    first = None if repeat is None else next((arm for arm in with_tools if arm.name == repeat[0]), None)
    noise: dict[str, Noise] = {}
    for scorer in scorers:
        both = None if first is None or again is None else _compared(first, again, scorer, ways)
        if both is not None and first is not None and again is not None:
            noise[scorer] = noise_of(first.name, again.name, both[0])
    state = Repeat.NOT_ASKED_FOR if repeat is None else Repeat.MEASURED if noise else Repeat.NOT_BEGUN
    arms = [arm for arm in (plain, *with_tools, again) if arm is not None]
    other = {arm.model for arm in with_tools} - ({plain.model} if plain is not None else set())
    return ToolsOutcome(
        scorers=list(scorers),
        arms=[_figures(arm, scorers, ways) for arm in arms],
        gains={}
        if plain is None
        else {scorer: _gains(plain, with_tools, scorer, noise.get(scorer), state, ways) for scorer in scorers},
        noise=noise,
        repeat=state,
        plain_model=plain.model if plain is not None and other else "",
        notes=_notes(plain, with_tools),
    )


class _Ways(msgspec.Struct, frozen=True):
    """How all comparisons of an outcome are made."""

    partial_credit: frozenset[str]
    voted: bool
    seed: int


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


def _figures(arm: ArmRows, scorers: Sequence[str], ways: _Ways) -> ArmFigures:
    values = item_values(arm.items, scorers[0], voted=ways.voted)
    rows = [(values[cost.key].category, cost.turns, values[cost.key].value) for cost in arm.costs if cost.key in values]
    return ArmFigures(
        name=arm.name,
        title=arm.title,
        model=arm.model,
        scores={scorer: _score(arm.items, scorer, ways) for scorer in scorers},
        by_task=_parts(arm.items, scorers[0], ways),
        by_difficulty=_parts(with_difficulties(arm.items), scorers[0], ways),
        spent=spent(arm.costs),
        whole=arm.whole,
        turns=score_against_turns(rows),
    )


def _parts(items: Sequence[ScoredItem], scorer: str, ways: _Ways) -> dict[str, Metric]:
    """The score of each category; nothing where there is but one."""
    names = sorted({item.category for item in items})
    if len(names) < 2:
        return {}
    return {name: _score([item for item in items if item.category == name], scorer, ways) for name in names}


def _score(items: Sequence[ScoredItem], scorer: str, ways: _Ways) -> Metric:
    values = item_values(items, scorer, voted=ways.voted).values()
    return share([one.value for one in values], [one.cluster for one in values], seed=ways.seed)


def _compared(a: ArmRows, b: ArmRows, scorer: str, ways: _Ways) -> tuple[Comparison, Comparison] | None:
    """The comparisons by category and by difficulty, over the items that both arms have; None if there are none."""
    if not {item.key for item in a.items} & {item.key for item in b.items}:
        return None

    def compared(left: Sequence[ScoredItem], right: Sequence[ScoredItem]) -> Comparison:
        names = (a.name, b.name)
        return compare(left, right, scorer, voted=ways.voted, intersect=True, names=names, seed=ways.seed)

    return compared(a.items, b.items), compared(with_difficulties(a.items), with_difficulties(b.items))


def _gains(
    plain: ArmRows, with_tools: Sequence[ArmRows], scorer: str, noise: Noise | None, repeat: Repeat, ways: _Ways
) -> list[Gain]:
    found = [(arm, _compared(plain, arm, scorer, ways)) for arm in with_tools]
    compared = [(arm, *both) for arm, both in found if both is not None]
    corrected = holm_where_tested([comparison.paired.p_decides for _, comparison, _ in compared])
    gains = []
    for (arm, comparison, by_difficulty), p_holm in zip(compared, corrected, strict=True):
        paired = comparison.paired
        verdict = verdict_on(comparison, p_holm, None if noise is None else noise.floor)
        more = more_spent(plain.costs, arm.costs)
        net = None if paired.difference is None else paired.difference * paired.n
        gains.append(
            Gain(
                arm=arm.name,
                comparison=comparison,
                by_difficulty=by_difficulty,
                right_wrong=right_wrong(
                    plain.items,
                    arm.items,
                    scorer,
                    ways.partial_credit,
                    voted=ways.voted,
                    names=(plain.name, arm.name),
                    seed=ways.seed,
                ),
                p_holm=p_holm,
                more=more,
                net_items=net,
                a_net_item=for_each(more, paired.n, net) if verdict is Verdict.SUPPORTED and net else None,
                verdict=verdict,
                sentence=sentence_on(arm.name, comparison, verdict, noise, repeat),
            )
        )
    return gains
