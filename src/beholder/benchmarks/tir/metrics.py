"""The figures of TIR-Bench, each computed from the rows of one scorer.

`all` is the mean over items (the published `All`), `macro` the mean of the tasks' means, `task/NAME` one task,
`difficulty/NAME D` one difficulty of a task that has more than one. Jigsaw has two more: `jigsaw_solved`, the share of
puzzles that are right entirely, and `jigsaw_iou`, the intersection over union that the paper's text names. The authors'
code counts places, and so do all scorers here; see `IOU_NOTE`.

A scorer that could not judge some rows (`official` without an extracted answer) has no `all` and no `macro`: a figure
over Rotated OCR alone must not look like one over thirteen tasks. Intervals redraw pictures (or, where items say so,
the photographs they were made from), within each task for macro.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.tir.data import SYNTHETIC
from beholder.benchmarks.tir.published import beside
from beholder.benchmarks.tir.tasks import TASKS
from beholder.metrics.accuracy import macro, share
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem

IOU_NOTE = (
    "the paper's text scores jigsaw by intersection over union, which is 1 for every two arrangements of the same "
    "pieces, but its code and the figures that it reports count places, as all figures but this one do"
)
_LONGEST = 20_000


def metrics(items: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
    """Scorer name → metric name → figure, for each scorer that any row has a score of."""
    names = dict.fromkeys(name for item in items for name in item.scores)
    return {name: _of_scorer(items, name, options) for name in names}


def details(items: Sequence[ScoredItem], options: MetricOptions | None = None) -> dict[str, Any]:
    """`extraction`: how often the extractor and our own extraction agree. `published`: the paper's table, if it fits.

    `published` is there only for items of the public set. The options change nothing here.
    """
    found: dict[str, Any] = {}
    agreement = _agreement(items)
    if agreement["compared"]:
        found["extraction"] = agreement
    if items and all(item.split != SYNTHETIC for item in items):
        found["published"] = beside(list({item.key: item.category for item in items}.values()))
    return found


def _of_scorer(items: Sequence[ScoredItem], name: str, options: MetricOptions) -> dict[str, Metric]:
    rows = [item for item in items if name in item.scores]
    judged = [item for item in rows if item.scores[name].outcome is not Outcome.NOT_APPLICABLE]
    figures: dict[str, Metric] = {}
    if len(judged) == len(rows):
        figures["all"] = _share(judged, name, options)
        figures["macro"] = macro(
            _values(judged, name),
            [item.category for item in judged],
            [item.cluster for item in judged],
            seed=options.seed,
            resamples=options.resamples,
        )
    else:
        note = f"{len(rows) - len(judged):,} of {len(rows):,} responses have no extracted answer, so there is no figure"
        figures["all"] = Metric(value=None, n=0, note=note)
    figures |= _jigsaw(judged, name, options)
    for task in TASKS:
        own = [item for item in judged if item.category == task]
        if own:
            figures[f"task/{task}"] = _share(own, name, options)
    for task in TASKS:
        own = [item for item in judged if item.category == task and item.difficulty]
        levels = sorted({item.difficulty for item in own}, key=lambda level: (len(level), level))
        for level in levels if len(levels) > 1 else []:
            part = [item for item in own if item.difficulty == level]
            figures[f"difficulty/{task} {level}"] = _share(part, name, options)
    return figures


def _jigsaw(judged: Sequence[ScoredItem], name: str, options: MetricOptions) -> dict[str, Metric]:
    own = [item for item in judged if item.category == "jigsaw"]
    if not own:
        return {}
    solved = [None if value is None else float(value == 1) for value in _values(own, name)]
    figures = {"jigsaw_solved": _share(own, name, options, solved)}
    if name in ("strict", "lenient"):  # the others keep the extracted text, not the list
        overlaps = [overlap(item.scores[name], item.target) for item in own]
        figures["jigsaw_iou"] = msgspec.structs.replace(_share(own, name, options, overlaps), note=IOU_NOTE)
    return figures


def overlap(score: Score, target: str) -> float | None:
    """Intersection over union of the piece numbers said and those of the gold; 0 without an answer, None if failed."""
    if score.value is None:
        return None
    said, gold = _numbers(score.extracted), _numbers(target)
    return len(said & gold) / len(said | gold) if said and gold else 0.0


def _numbers(text: str | None) -> set[int]:
    try:
        found = json.loads(text) if text and len(text) < _LONGEST else []
    except (ValueError, RecursionError):
        return set()
    return {number for number in found if isinstance(number, int)} if isinstance(found, list) else set()


def _agreement(items: Sequence[ScoredItem]) -> dict[str, int]:
    """Over responses that an extractor read: same answer read as ours, and same value by the authors' matcher.

    What was read is compared as written, but for blanks, case and the marks around it; the word `None` is nothing.
    `unread_by_us` counts those where ours read nothing. Rotated OCR has no extraction and is left out.
    """
    same_text = same_value = compared = unread = 0
    for item in items:
        theirs, ours = item.scores.get("official"), item.scores.get("official(det)")
        if theirs is None or ours is None or item.category == "ocr" or theirs.value is None or ours.value is None:
            continue
        compared += 1
        same_text += _plainly(theirs.extracted) == _plainly(ours.extracted)
        same_value += theirs.value == ours.value
        unread += not _plainly(ours.extracted)
    return {"compared": compared, "same_text": same_text, "same_value": same_value, "unread_by_us": unread}


def _plainly(text: str | None) -> str:
    bare = "".join((text or "").split()).replace("*", "").lower().removeprefix("extractedanswer:").strip("[]().")
    return "" if bare == "none" else bare


def _values(items: Sequence[ScoredItem], name: str) -> list[float | None]:
    return [item.scores[name].value for item in items]


def _share(
    items: Sequence[ScoredItem], name: str, options: MetricOptions, values: Sequence[float | None] | None = None
) -> Metric:
    return share(
        _values(items, name) if values is None else values,
        [item.cluster for item in items],
        seed=options.seed,
        resamples=options.resamples,
    )
