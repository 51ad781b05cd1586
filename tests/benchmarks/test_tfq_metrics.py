"""The figures of TFQ-Bench from rows of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.tfq import BENCHMARK
from beholder.benchmarks.tfq.metrics import MOST_CATEGORIES, details, metrics
from beholder.benchmarks.tfq.results import read_results
from beholder.errors import Owner
from beholder.sample import BooleanTarget, Failure, Response, Sample
from beholder.score import Metric, ScoredItem

OPTIONS = MetricOptions(seed=1, resamples=200)
FAILED = Response(failure=Failure(owner=Owner.PROVIDER, kind="http_500", message="no"))


def item(index: int, gold: str, text: str | None, group: str = "g", **more: Any) -> ScoredItem:
    sample = Sample(
        key=f"k{index}",
        index=index,
        benchmark="tfq",
        images=(),
        parts=(),
        target=BooleanTarget(gold == "T"),
        metadata={"gold": gold},
    )
    response = FAILED if text is None else Response(text=text)
    scores = {name: scorer(sample, response) for name, scorer in BENCHMARK.scorers.items()}
    return ScoredItem(
        index=index,
        key=sample.key,
        scores=scores,
        group=group,
        cluster=more.pop("cluster", group),
        target=gold,
        **more,
    )


def tagged(letter: str) -> str:
    return f"<think>a</think><answer>{letter}</answer>"


def figures(items: list[ScoredItem], scorer: str = "official") -> dict[str, Metric]:
    return metrics(items, OPTIONS)[scorer]


def values(items: list[ScoredItem], scorer: str = "official") -> dict[str, float | None]:
    return {name: metric.value for name, metric in figures(items, scorer).items()}


@pytest.mark.parametrize("scorer", BENCHMARK.scorers)
def test_golden_four_rows_two_images_three_right(scorer: str) -> None:
    items = [item(n, "T", tagged(letter), group) for n, (letter, group) in enumerate(["Ta", "Ta", "Tb", "Fb"])]
    found = values(items, scorer)
    assert (found["question_accuracy"], found["group_accuracy"]) == (0.75, 0.5)


@pytest.mark.parametrize("scorer", BENCHMARK.scorers)
def test_t77_four_items_on_one_image(scorer: str) -> None:
    found = values([item(n, "T", tagged(letter)) for n, letter in enumerate("TTTF")], scorer)
    assert (found["question_accuracy"], found["group_accuracy"]) == (0.75, 0)


def test_t21_failures_are_outside_the_denominator() -> None:
    texts = [tagged("T")] * 2 + [tagged("F")] * 4 + [None] * 2
    metric = figures([item(n, "T", text, f"g{n}") for n, text in enumerate(texts)])["question_accuracy"]
    assert (metric.n, metric.failed) == (6, 2)
    assert metric.value == pytest.approx(1 / 3)
    assert (metric.worst, metric.best) == (0.25, 0.5)
    assert figures([item(0, "T", None)])["question_accuracy"].value is None


def test_empty_answers_and_bias() -> None:
    items = [
        item(0, "T", tagged("T"), "a"),
        item(1, "F", tagged("T"), "b"),
        item(2, "F", tagged("F"), "c"),
        item(3, "T", "maybe", "d"),
        item(4, "T", "<answer>True</answer>", "e"),
        item(5, "F", None, "f"),
    ]
    official = figures(items)
    assert official["empty_rate"].value == pytest.approx(1 / 5)
    assert official["empty_rate"].failed == 1
    assert (official["answered_true"].value, official["answered_true"].n) == (pytest.approx(2 / 3), 3)
    assert (official["gold_true"].value, official["gold_true"].n) == (pytest.approx(3 / 5), 5)
    assert official["answered_true"].worst is None
    assert official["true_accuracy"].value == pytest.approx(1 / 3)
    assert official["false_accuracy"].value == pytest.approx(1 / 2)
    assert figures(items, "lenient")["answered_true"].value == pytest.approx(3 / 4)
    confusion = details(items)["confusion"]
    assert confusion["official"] == {"T": {"T": 1, "F": 0, "none": 2}, "F": {"T": 1, "F": 1, "none": 0}}
    assert confusion["lenient"] == {"T": {"T": 2, "F": 0, "none": 1}, "F": {"T": 1, "F": 1, "none": 0}}


def test_always_true_shows_in_the_bias_not_in_the_accuracy() -> None:
    found = values([item(n, gold, tagged("T"), str(n)) for n, gold in enumerate("TTTF")])
    assert (found["question_accuracy"], found["answered_true"], found["gold_true"]) == (0.75, 1, 0.75)
    assert (found["true_accuracy"], found["false_accuracy"]) == (1, 0)


def test_categories_and_difficulties() -> None:
    items = [
        item(0, "T", tagged("T"), "a", category="perception", difficulty="easy"),
        item(1, "T", tagged("F"), "b", category="implication", difficulty="hard"),
        item(2, "T", tagged("T"), "c", category="implication", difficulty="easy"),
        item(3, "T", tagged("F"), "d"),
    ]
    found = values(items)
    assert found["question_accuracy/perception"] == 1
    assert found["question_accuracy/implication"] == 0.5
    assert found["question_accuracy/difficulty easy"] == 1
    assert found["question_accuracy/difficulty hard"] == 0
    assert "question_accuracy/" not in found


def test_too_many_categories_are_pooled_not_dropped() -> None:
    items = [item(n, "T", tagged("T"), str(n), category=f"c{n}") for n in range(100)]
    by_category = {name: metric.n for name, metric in figures(items).items() if "/" in name}
    assert len(by_category) == MOST_CATEGORIES
    assert by_category["question_accuracy/(other)"] == 100 - MOST_CATEGORIES + 1


def test_rows_without_a_group_are_one_group_as_in_the_authors_code() -> None:
    right = [item(n, "T", tagged("T"), "") for n in range(3)]
    group = figures(right)["group_accuracy"]
    assert (group.value, group.n) == (1, 1)
    assert "no Image_URL" in group.note
    assert figures([*right, item(3, "T", tagged("F"), "")])["group_accuracy"].value == 0
    assert "no Image_URL" not in figures([*right, item(3, "T", tagged("T"), "u")])["group_accuracy"].note


def test_each_epoch_has_its_own_groups() -> None:
    """One image, right throughout in one epoch and not in the other: half, not none."""
    items = [
        item(0, "T", tagged("T"), epoch=0),
        item(1, "T", tagged("T"), epoch=0),
        item(0, "T", tagged("T"), epoch=1),
        item(1, "T", tagged("F"), epoch=1),
    ]
    group = figures(items)["group_accuracy"]
    assert (group.value, group.n) == (0.5, 2)


SIZES = MetricOptions(seed=1, resamples=200, group_sizes={"a": 3, "b": 2})
T, F = tagged("T"), tagged("F")
PARTS = [  # (group, answer, epoch, vote) of each row, gold T → value, n, failed, incomplete
    ("two of three right", [("a", T, 0, 0), ("a", T, 0, 0)], (None, 0, 1), 1),
    ("wrong, but not all there", [("a", T, 0, 0), ("a", F, 0, 0)], (None, 0, 1), 1),
    ("one image whole, one begun", [("b", T, 0, 0), ("b", T, 0, 0), ("a", T, 0, 0)], (1.0, 1, 1), 1),
    ("an image of one statement", [("c", T, 0, 0)], (1.0, 1, 0), 0),
    ("the second vote is half there", [("b", T, 0, 0), ("b", T, 0, 0), ("b", T, 0, 1)], (1.0, 1, 1), 1),
    ("the second epoch is half there", [("b", T, 0, 0), ("b", F, 0, 0), ("b", T, 1, 0)], (0.0, 1, 1), 1),
]


@pytest.mark.parametrize(("rows", "counted", "incomplete"), [p[1:] for p in PARTS], ids=[p[0] for p in PARTS])
def test_an_image_whose_statements_are_not_all_there_is_undecided(
    rows: list[tuple[str, str, int, int]], counted: tuple[float | None, int, int], incomplete: int
) -> None:
    items = [item(n, "T", text, group, epoch=epoch, vote=vote) for n, (group, text, epoch, vote) in enumerate(rows)]
    for scorer in BENCHMARK.scorers:
        metric = metrics(items, SIZES)[scorer]["group_accuracy"]
        assert (metric.value, metric.n, metric.failed) == counted
        assert ("incomplete" in metric.note) is bool(incomplete)
    assert metrics(items, OPTIONS)["official"]["group_accuracy"].failed == 0, "without sizes all is there"


def test_rows_without_a_group_have_a_size_too() -> None:
    options = MetricOptions(group_sizes={"": 3})
    metric = metrics([item(n, "T", T, "") for n in range(2)], options)["official"]["group_accuracy"]
    assert (metric.value, metric.failed) == (None, 1)


def test_intervals_are_repeatable_and_by_cluster() -> None:
    texts = [tagged("TF"[(n * n) % 3 == 0]) for n in range(60)]
    items = [item(n, "T", text, f"g{n // 4}") for n, text in enumerate(texts)]
    first = metrics(items, OPTIONS)
    assert first == metrics(items, OPTIONS)
    metric = first["official"]["question_accuracy"]
    assert metric.interval == "cluster bootstrap"
    assert metric.low is not None
    assert metric.high is not None
    assert metric.value is not None
    assert metric.low < metric.value < metric.high


def test_no_items() -> None:
    assert metrics([], OPTIONS) == {}
    assert details([]) == {"confusion": {}}


def test_the_headline_is_among_the_figures(tmp_path: Path) -> None:
    scorer, name = BENCHMARK.headline
    assert name in metrics([item(0, "T", tagged("T"))], OPTIONS)[scorer]


def test_a_result_file_from_end_to_end(tmp_path: Path) -> None:
    """The authors' example: 4 rows, 2 images, 3 right; a record more that names no answer."""
    path = tmp_path / "results.jsonl"
    path.write_text(
        "\n".join(
            f'{{"Model_Output": "<answer>{said}</answer>", "Ground_Truth": "{gold}", "Image_URL": "{url}"}}'
            for said, gold, url in ["TTa", "FFa", "TTb", "TFb"]
        )
    )
    items = [
        ScoredItem(
            index=one.index,
            key=one.sample.key,
            scores={name: scorer(one.sample, one.response) for name, scorer in BENCHMARK.scorers.items()},
            group=one.sample.group,
            cluster=one.sample.cluster,
            target=one.sample.metadata["gold"],
        )
        for one in read_results(path)
    ]
    found = values(items)
    assert (found["question_accuracy"], found["group_accuracy"]) == (0.75, 0.5)
