"""The figures of TIR-Bench, by hand: means, jigsaws, difficulties, agreement, and the published table beside them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.tir.data import SYNTHETIC
from beholder.benchmarks.tir.metrics import IOU_NOTE, details, metrics, overlap
from beholder.benchmarks.tir.published import BESIDE, beside, published
from beholder.benchmarks.tir.score import lenient
from beholder.benchmarks.tir.tasks import ITEMS, TASKS
from beholder.errors import Owner
from beholder.report.details_report import print_details
from beholder.sample import ChoiceTarget, Extracted, NumberSetTarget, OrderedListTarget, Response, Sample, TextPart
from beholder.score import Metric, Outcome, Score, ScoredItem

TIR = benchmark("tir")
OPTIONS = MetricOptions(seed=1, resamples=200)
NOT_READ = Score(None, Outcome.NOT_APPLICABLE)
FAILED = Score(None, Outcome.FAILED, owner=Owner.JUDGE)
NINE = (4, 1, 8, 9, 3, 6, 2, 7, 5)


def scored(value: float, extracted: str | None = None) -> Score:
    return Score(value, Outcome.SCORED, extracted)


def row(
    task: str, number: int = 0, *, difficulty: str = "", target: str = "", split: str = "", **scores: Score
) -> ScoredItem:
    named = {name.replace("det", "official(det)"): score for name, score in scores.items()}
    return ScoredItem(
        index=number,
        key=f"{task}{number}",
        scores=named,
        cluster=f"{task}{number}.png",
        category=task,
        difficulty=difficulty,
        target=target,
        split=split,
    )


def rows(task: str, *values: float | None, **more: Any) -> list[ScoredItem]:
    """One row for each value, under `lenient`; None is a failure."""
    return [
        row(task, number, lenient=FAILED if value is None else scored(value), **more)
        for number, value in enumerate(values)
    ]


def figures(items: list[ScoredItem], scorer: str = "lenient") -> dict[str, Metric]:
    return metrics(items, OPTIONS)[scorer]


# values by task; micro and macro mean
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


# the published table -----------------------------------------------------------------------------------------------


def public_items(official: bool = True, **sizes: int) -> list[ScoredItem]:
    """Rows of a set with the public sizes, or others; every second answer is right."""
    made = []
    for name, task in TASKS.items():
        for number in range(sizes.get(name, task.n)):
            score = scored(number % 2, "B")
            read = score if official else NOT_READ
            made.append(row(name, number, official=read, det=score, lenient=score, target="[1]"))
    return made


def test_the_whole_table_is_there_with_its_source() -> None:
    table = published()
    assert "arXiv 2511.01833" in table.source
    assert table.read
    assert len(table.rows) == 23
    assert all(set(one.tasks) == set(TASKS) for one in table.rows)
    assert set(BESIDE) <= {one.model for one in table.rows}
    by_name = {one.model: one for one in table.rows}
    assert by_name["Random Guess"].tasks["ocr"] is None
    assert (by_name["DeepEyes"].all, by_name["DeepEyes"].tasks["symbolic"]) == (17.3, 19.9)
    assert by_name["InternVL3-78B"].tasks["symbolic"] == 24.0
    assert by_name["o3-TU"].all == max(one.all or 0 for one in table.rows) == 46.0
    assert all(0 <= value <= 100 for one in table.rows for value in one.tasks.values() if value is not None)


# sizes that differ; tasks that may stand beside the table, tasks that may not
BESIDES: list[tuple[dict[str, int], list[str], list[str]]] = [
    ({}, list(TASKS), []),
    ({"maze": 119}, [name for name in TASKS if name != "maze"], ["maze"]),
    ({"maze": 121}, [name for name in TASKS if name != "maze"], ["maze"]),
    ({name: 0 for name in TASKS if name != "ocr"}, ["ocr"], []),
    (dict.fromkeys(TASKS, 1), [], list(TASKS)),
]


@pytest.mark.parametrize(("sizes", "complete", "partial"), BESIDES, ids=range(len(BESIDES)))
def test_a_task_stands_beside_the_table_only_whole(
    sizes: dict[str, int], complete: list[str], partial: list[str]
) -> None:
    found = details(public_items(**sizes), OPTIONS)["published"]
    assert (found["complete"], found["partial"]) == (complete, partial)
    assert len(found["rows"]) == 23
    assert json.loads(json.dumps(found))["source"] == published().source


def test_several_epochs_are_not_more_items() -> None:
    once = public_items()
    twice = [
        *once,
        *(ScoredItem(index=one.index, key=one.key, scores=one.scores, epoch=1, category=one.category) for one in once),
    ]
    assert details(twice, OPTIONS)["published"]["partial"] == []


def test_generated_items_never_stand_beside_it() -> None:
    items = [*rows("maze", 1, 0), row("maze", 7, lenient=scored(1), split=SYNTHETIC)]
    assert "published" not in details(items, OPTIONS)
    assert "published" in details(items[:2], OPTIONS)
    assert details([], OPTIONS) == {}
    assert beside([])["complete"] == []


def printed(items: list[ScoredItem], width: int = 110) -> str:
    sink = io.StringIO()
    console = Console(file=sink, width=width, markup=False, highlight=False, emoji=False)
    print_details(console, details(items, OPTIONS), TIR, metrics(items, OPTIONS), {"openai/reader": len(items)})
    return sink.getvalue()


def test_the_published_table_is_printed_beside_the_official_figures() -> None:
    lines = printed(public_items()).splitlines()
    words = [line.split() for line in lines]
    heading = next(line for line in lines if line.startswith("task (official)"))
    assert heading.split()[2:] == ["this", "run", "Random", "Guess", "GPT-4o", "Gemini-2.5-Pro", "o3", "o3-TU"]
    assert ["jigsaw", "50.0", "%", "5.8", "%", "6.2", "%", "10.4", "%", "10.8", "%", "16.4", "%"] in words
    ocr = next(line for line in words if line[:1] == ["ocr"])
    assert ocr[3] == "–", "the random guesser has no figure for it"
    whole = next(line for line in words if line[:1] == ["all"])
    assert whole[3:] == ["13.5", "%", "17.3", "%", "28.9", "%", "26.9", "%", "46.0", "%"]
    assert "Published: TIR-Bench, arXiv 2511.01833" in " ".join(lines)
    assert "Answers read by openai/reader (1,215)" in " ".join(lines)
    assert "Not comparable: how the model was asked is not known from the file; the answers were read by " in " ".join(
        " ".join(lines).split()
    )


def test_one_whole_task_alone_has_no_overall_line() -> None:
    only = {name: 0 for name in TASKS if name != "maze"}
    lines = printed(public_items(**only)).splitlines()
    assert any(line.startswith("maze") for line in lines)
    assert not any(line.startswith("all  ") for line in lines), "the published one is over thirteen tasks"


def test_with_a_task_cut_the_table_has_no_overall_line() -> None:
    lines = printed(public_items(maze=20)).splitlines()
    assert not any(line.startswith(("all", "maze")) for line in lines)
    assert any(line.startswith("jigsaw") for line in lines)
    none = printed(public_items(**dict.fromkeys(TASKS, 1)))
    assert "No task has as many items as the published one" in none
    assert "o3" not in none


def test_without_an_official_headline_nothing_published_is_printed() -> None:
    shown = printed(public_items(official=False))
    assert "ublished" not in shown
    assert "Answers read by" not in shown
