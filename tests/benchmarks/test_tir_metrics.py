"""The figures of TIR-Bench, by hand: means, jigsaws, difficulties and agreement."""

from __future__ import annotations

from typing import Any

import pytest
from tir_rows import FAILED, NINE, NOT_READ, OPTIONS, TIR, figures, row, rows, scored

from beholder.benchmarks.tir.metrics import IOU_NOTE, details, metrics, overlap
from beholder.benchmarks.tir.published import published
from beholder.benchmarks.tir.score import lenient
from beholder.benchmarks.tir.tasks import ITEMS, TASKS
from beholder.sample import ChoiceTarget, Extracted, NumberSetTarget, OrderedListTarget, Response, Sample, TextPart
from beholder.score import Metric, Score, ScoredItem

MEANS: list[tuple[dict[str, list[float]], float, float]] = [
    ({"maze": [1, 0.5, 0]}, 0.5, 0.5),
    ({"maze": [1], "jigsaw": [0.5], "ocr": [0]}, 0.5, 0.5),
    ({"maze": [1, 1, 1], "ocr": [0]}, 0.75, 0.5),
    ({"maze": [1, 0, 0, 0], "ocr": [1], "color": [1, 0]}, 3 / 7, (1 / 4 + 1 + 1 / 2) / 3),
    ({"jigsaw": [7 / 9, 0, 1 / 9], "spot_difference": [2 / 3, 0, 1 / 3]}, 17 / 54, (8 / 27 + 1 / 3) / 2),
    ({"maze": [0, 0]}, 0, 0),
]


@pytest.mark.parametrize(("values", "micro", "macro"), MEANS, ids=lambda value: str(value)[:30])
def test_all_weighs_items_and_macro_weighs_tasks(values: dict[str, list[float]], micro: float, macro: float) -> None:
    found = figures([one for task, own in values.items() for one in rows(task, *own)])
    assert found["all"].value == pytest.approx(micro, abs=1e-12)
    assert found["macro"].value == pytest.approx(macro, abs=1e-12)
    assert found["all"].n == found["macro"].n == sum(map(len, values.values()))
    for task, own in values.items():
        assert found[f"task/{task}"].value == pytest.approx(sum(own) / len(own), abs=1e-12)
        assert found[f"task/{task}"].n == len(own)
    assert {name for name in found if name.startswith("task/")} == {f"task/{task}" for task in values}


def test_tasks_stand_in_the_order_of_the_paper() -> None:
    found = figures([one for task in reversed(TASKS) for one in rows(task, 1, target="[1]")])
    assert [name.removeprefix("task/") for name in found if name.startswith("task/")] == list(TASKS)
    assert next(iter(found)) == "all"


def test_published_figures_of_a_real_row_follow_from_its_tasks() -> None:
    """o3: the printed shares of its tasks, in whole right answers, give the printed `All` (26.9)."""
    o3 = next(one for one in published().rows if one.model == "o3")
    items = []
    for name, task in TASKS.items():
        share = (o3.tasks[name] or 0) / 100
        items += rows(name, *[share] * task.n, target="[1]")
    found = figures(items)
    assert found["all"].value == pytest.approx(0.269, abs=0.001)
    assert found["all"].n == ITEMS
    assert found["macro"].value == pytest.approx(sum(v or 0 for v in o3.tasks.values()) / 1300, abs=1e-9)


def test_failures_are_outside_the_means_and_in_the_bounds() -> None:
    found = figures([*rows("maze", 1, None, 0, None), *rows("ocr", 1)])
    whole = found["all"]
    assert (whole.value, whole.n, whole.failed) == (pytest.approx(2 / 3), 3, 2)
    assert (whole.worst, whole.best) == (pytest.approx(2 / 5), pytest.approx(4 / 5))
    assert found["macro"].value == pytest.approx((1 / 2 + 1) / 2)
    assert found["task/maze"].failed == 2
    lost = figures([*rows("maze", 1), *rows("ocr", None)])
    assert lost["all"].value == 1
    assert lost["macro"].value is None
    assert "'ocr'" in lost["macro"].note


def test_a_scorer_that_could_not_judge_every_row_has_no_overall_figure() -> None:
    items = [
        row("maze", 0, official=NOT_READ, lenient=scored(1)),
        row("maze", 1, official=scored(1), lenient=scored(0)),
        row("ocr", 0, official=scored(0), lenient=scored(0)),
    ]
    found = metrics(items, OPTIONS)
    assert found["official"]["all"] == Metric(
        value=None, n=0, note="1 of 3 responses have no extracted answer, so there is no figure"
    )
    assert "macro" not in found["official"]
    assert found["official"]["task/maze"].n == 1
    assert found["official"]["task/ocr"].value == 0
    assert TIR.headline_of(found) == ("lenient", "all")
    assert found["lenient"]["all"].value == pytest.approx(1 / 3)
    read = metrics(items[1:], OPTIONS)
    assert read["official"]["all"].value == 0.5
    assert TIR.headline_of(read) == ("official", "all")


def test_nothing_but_rows_that_nobody_read() -> None:
    found = metrics([row("maze", 0, official=NOT_READ)], OPTIONS)
    assert list(found["official"]) == ["all"]
    assert metrics([], OPTIONS) == {}


# jigsaws -----------------------------------------------------------------------------------------------------------


def jigsaw(number: int, value: float, extracted: str | None, target: tuple[int, ...] = NINE, **more: Any) -> ScoredItem:
    score = scored(value, extracted)
    return row("jigsaw", number, target=str(list(target)), lenient=score, official=score, difficulty="3", **more)


def test_solved_and_overlap_of_jigsaws() -> None:
    swapped = (1, 4, *NINE[2:])
    items = [
        jigsaw(0, 1, str(list(NINE))),
        jigsaw(1, 7 / 9, str(list(swapped))),
        jigsaw(2, 1 / 9, str([1] * 9)),
        jigsaw(3, 0, None),
    ]
    found = metrics(items, OPTIONS)
    for scorer in ("lenient", "official"):
        assert found[scorer]["task/jigsaw"].value == pytest.approx((1 + 7 / 9 + 1 / 9) / 4)
        assert found[scorer]["jigsaw_solved"].value == 0.25
    assert found["lenient"]["jigsaw_iou"].value == pytest.approx((1 + 1 + 1 / 9 + 0) / 4)
    assert found["lenient"]["jigsaw_iou"].note == IOU_NOTE
    assert "jigsaw_iou" not in found["official"], "its extracted text is not the list"
    assert "jigsaw_solved" not in figures(rows("maze", 1))


def test_golden_values_of_lists_and_sets() -> None:
    """Values that the authors' program gives; ours agree where the answer is a plain list."""
    order = OrderedListTarget(NINE)
    cases: list[tuple[Any, str, float]] = [
        (order, str([1, 4, *NINE[2:]]), 7 / 9),
        (order, "I cannot see the pieces.", 0),
        (order, str([1] * 9), 1 / 9),
        (NumberSetTarget((2, 6)), "[2, 6, 12]", 2 / 3),
        (NumberSetTarget((2, 6)), "[3, 4]", 0),
        (NumberSetTarget((2, 6)), "[2, 7]", 1 / 3),
    ]
    for target, text, value in cases:
        sample = Sample(
            key="k",
            index=0,
            benchmark="tir",
            images=(),
            parts=(TextPart("List the numbers."),),
            target=target,
            metadata={"task": "jigsaw" if target is order else "spot_difference", "n": 3},
        )
        assert lenient(sample, Response(text=text, finish="stop")).value == pytest.approx(value), text


# extracted answer, gold, overlap
OVERLAPS: list[tuple[Score, str, float | None]] = [
    (scored(1, "[1, 2, 3, 4]"), "[4, 3, 2, 1]", 1.0),
    (scored(0, "[1, 2, 5, 6]"), "[4, 3, 2, 1]", 2 / 6),
    (scored(0, "[1, 1, 1, 1]"), "[4, 3, 2, 1]", 1 / 4),
    (scored(0, "[9, 9]"), "[1, 2]", 0.0),
    (scored(0, None), "[1, 2]", 0.0),
    (scored(0, ""), "[1, 2]", 0.0),
    (scored(0, "no list"), "[1, 2]", 0.0),
    (scored(0, "[]"), "[1, 2]", 0.0),
    (scored(0, "7"), "[7]", 0.0),
    (scored(0, '{"1": 2}'), "[1, 2]", 0.0),
    (scored(0, '["1", null, 1.5, [2], 2]'), "[1, 2]", 1 / 2),
    (scored(0, "[" * 10_000), "[1, 2]", 0.0),
    (scored(0, "[1" + ",1" * 20_000 + "]"), "[1]", 0.0),
    (scored(0, "[1" + "0" * 5_000 + "]"), "[1]", 0.0),
    (FAILED, "[1, 2]", None),
]


@pytest.mark.parametrize(("score", "gold", "value"), OVERLAPS, ids=lambda value: str(value)[:40])
def test_overlap_of_any_text(score: Score, gold: str, value: float | None) -> None:
    assert overlap(score, gold) == (None if value is None else pytest.approx(value))


# difficulty --------------------------------------------------------------------------------------------------------


def test_each_difficulty_of_a_task_that_has_several() -> None:
    items = [
        *(
            row("jigsaw", number, difficulty=level, target="[1]", lenient=scored(value))
            for number, (level, value) in enumerate([("10", 1), ("3", 1), ("3", 0), ("4", 0)])
        ),
        *rows("maze", 1, 0, difficulty="5"),
        *rows("ocr", 1),
    ]
    found = figures(items)
    parts = {name: metric for name, metric in found.items() if name.startswith("difficulty/")}
    assert list(parts) == ["difficulty/jigsaw 3", "difficulty/jigsaw 4", "difficulty/jigsaw 10"]
    assert [metric.value for metric in parts.values()] == [0.5, 0, 1]
    assert [metric.n for metric in parts.values()] == [2, 1, 1]


# agreement of the extractor with our own extraction ----------------------------------------------------------------


def read_by(theirs: Score, ours: Score, task: str = "maze", number: int = 0) -> ScoredItem:
    return row(task, number, official=theirs, det=ours)


# compared, same text, same value, unread by us
AGREEMENT: list[tuple[str, ScoredItem, tuple[int, int, int, int]]] = [
    ("the same", read_by(scored(1, "B"), scored(1, "B")), (1, 1, 1, 0)),
    ("other text, same value", read_by(scored(0, "B"), scored(0, "C")), (1, 0, 1, 0)),
    ("other text, other value", read_by(scored(1, "B"), scored(0, "C")), (1, 0, 0, 0)),
    ("words for a letter, same value", read_by(scored(1, "blue"), scored(1, "B")), (1, 0, 1, 0)),
    ("only written otherwise", read_by(scored(1, "[1, 2]"), scored(1, "(1,2)")), (1, 1, 1, 0)),
    ("letters in another case", read_by(scored(1, "b."), scored(1, "B")), (1, 1, 1, 0)),
    ("with marks and a label", read_by(scored(1, "Extracted answer: **B**"), scored(1, "B")), (1, 1, 1, 0)),
    ("both nothing", read_by(scored(0, None), scored(0, "")), (1, 1, 1, 1)),
    ("both nothing, in a word", read_by(scored(0, "None."), scored(0, None)), (1, 1, 1, 1)),
    ("only the extractor read it", read_by(scored(1, "B"), scored(0, None)), (1, 0, 0, 1)),
    ("only we read it", read_by(scored(0, ""), scored(1, "B")), (1, 0, 0, 0)),
    ("nobody read it", read_by(NOT_READ, scored(1, "B")), (0, 0, 0, 0)),
    ("the extractor failed", read_by(FAILED, scored(1, "B")), (0, 0, 0, 0)),
    ("rotated OCR has no extraction", read_by(scored(1, "B"), scored(1, "B"), task="ocr"), (0, 0, 0, 0)),
    ("another set of scorers", row("maze", 0, official=scored(1, "B")), (0, 0, 0, 0)),
]
COUNTED = ("compared", "same_text", "same_value", "unread_by_us")


@pytest.mark.parametrize(("item", "counts"), [case[1:] for case in AGREEMENT], ids=[case[0] for case in AGREEMENT])
def test_agreement(item: ScoredItem, counts: tuple[int, int, int, int]) -> None:
    found = details([item]).get("extraction")
    assert found == (dict(zip(COUNTED, counts, strict=True)) if counts[0] else None)


def test_agreement_counts_responses() -> None:
    items = [case[1] for case in AGREEMENT]
    sums = (sum(case[2][place] for case in AGREEMENT) for place in range(4))
    assert details(items, OPTIONS)["extraction"] == dict(zip(COUNTED, sums, strict=True))


COLORS = "Which colour is the hat?\nA. Red\nB. Blue\nC. Green\nD. Black"

# task, gold, question, extracted → what `official` read, and the beginning of its reason
TAKEN: list[tuple[str, str, str, str | None, str]] = [
    ("color", "B", COLORS, "B", "The letter as extracted."),
    ("color", "B", COLORS, "**B**", "The letter as extracted."),
    ("color", "B", COLORS, "Blue", "Taken as D: The search for the answer in the prompt"),
    ("color", "B", COLORS, "Extracted answer: B", "Taken as B: The letter as extracted."),
    ("color", "B", COLORS, "", "Taken as A: The search"),
    ("color", "B", COLORS, None, "Taken as A: The search"),
    ("contrast", "4", "How many?", "4 cars", "Taken as 4: Without letters"),
    ("contrast", "4", "How many?", "a lot", "Neither the number"),
    ("word_search", "[5, 6]", "Where?", "[5, 6]", "The first pair is the gold's."),
    ("word_search", "[5, 6]", "Where?", "in [5, 6]", "Taken as (5, 6): The first pair"),
    ("spot_difference", "3, 7", "Which patches?", "[3, 7]", "2 numbers in common"),
    ("spot_difference", "3, 7", "Which patches?", "3 and 7", "Taken as 3, 7: 2 numbers in common"),
    ("spot_difference", "3, 7", "Which patches?", "x" * 5_000, "0 numbers in common"),
    ("maze", "b, c", COLORS, "**B**", "The authors' program would stop"),
    ("color", "AB", COLORS, "B, A", "Its characters are not"),
    ("color", "AB", COLORS, "B" * 5_000, "Its characters are not"),
]


@pytest.mark.parametrize(("task", "gold", "question", "said", "reason"), TAKEN)
def test_the_authors_scorer_shows_what_was_read_and_what_it_was_taken_for(
    task: str, gold: str, question: str, said: str | None, reason: str
) -> None:
    sample = Sample(
        key="k",
        index=0,
        benchmark="tir",
        images=(),
        parts=(TextPart(question),),
        target=OrderedListTarget(NINE),
        metadata={"task": task, "answer": gold},
    )
    found = TIR.scorers["official"](sample, Response(text="Well.", extracted=Extracted(said, "m")))
    assert found.extracted == (said if said is None else said[:4000])
    assert found.reason.startswith(reason), found.reason


def test_of_our_own_extraction_it_shows_what_that_read() -> None:
    sample = Sample(
        key="k",
        index=0,
        benchmark="tir",
        images=(),
        parts=(TextPart(COLORS),),
        target=ChoiceTarget("A"),
        options=("Red", "Blue", "Green", "Black"),
        metadata={"task": "color", "answer": "A"},
    )
    ours = TIR.scorers["official(det)"]
    assert ours(sample, Response(text="It is blue.", finish="stop")).extracted == "B"
    nothing = ours(sample, Response(text="I wonder.", finish="stop"))
    assert (nothing.value, nothing.extracted) == (1.0, None)
    assert nothing.reason.startswith("Taken as A: ")
