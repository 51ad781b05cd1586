"""Published tables as data: that they are whole, as printed, and say what they were measured under."""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path

import msgspec
import pytest

from beholder.benchmarks import BENCHMARKS, benchmark
from beholder.benchmarks.tables import Line, Table, faults, figure_of, read, standard_error, table, tables, tables_of
from beholder.benchmarks.tir.prompt import TEMPLATE
from beholder.benchmarks.tir.tasks import TASKS

NAMES = [one.name for one in tables()]


@pytest.mark.parametrize("name", NAMES)
def test_each_table_names_its_source_and_belongs_to_a_scorer_that_there_is(name: str) -> None:
    found = table(name)
    assert found.benchmark in BENCHMARKS
    assert found.scorer in ("", *benchmark(found.benchmark).scorers)
    assert found.source
    assert found.title
    assert found.read.startswith("20")
    assert found.measured
    assert found.metrics


# table, model, metric, what is printed
PRINTED: list[tuple[str, str, str, float]] = [
    ("tir-table-2", "o3-TU", "all", 46.0),
    ("tir-table-2", "Random Guess", "task/spot_difference", 22.6),
    ("tir-table-2", "Gemini-2.5-Pro", "task/contrast", 42.0),
    ("tir-reproductions", "o3", "all", 23.34),
    ("vl-rewardbench-table-2", "GPT-4o (2024-08-06)", "overall_decided", 65.8),
    ("vl-rewardbench-table-2", "Pixtral-12B", "macro_decided", 40.4),
    ("vl-rewardbench-critics", "LLaVA-OneVision, pointwise critic", "macro_decided", 52.9),
    ("tfq-main", "MetaphorStar-32B", "group_accuracy", 74.0),
    ("tfq-ablations", "QwenVL-2.5-7B + TFQ-SFT", "group_accuracy", 42.0),
    ("m3r-known", "GPT-5.5", "visual_evidence", 29.66),
    ("m3r-known", "M3R-Reasoner (8B)", "visual_evidence", 58.11),
]


@pytest.mark.parametrize(("name", "model", "metric", "percent"), PRINTED)
def test_figures_are_as_printed(name: str, model: str, metric: str, percent: float) -> None:
    (row,) = [row for row in table(name).rows if row.model == model]
    assert row.figures[metric] == percent


def test_no_figure_has_changed() -> None:
    """How many figures a table has, and their sum: all were held against what is printed."""
    there = {one.name: [figure for row in one.rows for figure in row.figures.values()] for one in tables()}
    assert {name: (len(figures), round(math.fsum(figures), 2)) for name, figures in there.items()} == {
        "m3r-known": (3, 131.72),
        "tfq-ablations": (5, 236.0),
        "tfq-main": (25, 1084.0),
        "tir-reproductions": (28, 899.75),
        "tir-table-2": (321, 6797.6),
        "vl-rewardbench-critics": (12, 553.7),
        "vl-rewardbench-table-2": (80, 3664.0),
    }


def test_what_the_tables_hold() -> None:
    assert {name: len(table(name).rows) for name in NAMES} == {
        "m3r-known": 2,
        "tfq-ablations": 5,
        "tfq-main": 25,
        "tir-reproductions": 2,
        "tir-table-2": 23,
        "vl-rewardbench-critics": 3,
        "vl-rewardbench-table-2": 16,
    }
    assert [one.name for one in tables_of("tir")] == ["tir-reproductions", "tir-table-2"]
    assert tables_of("no such benchmark") == []


def test_the_page_lists_every_table_with_its_number_of_models() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "leaderboard.md").read_text()
    listed = dict(re.findall(r"^\| ([^|]+?) \| .*\| (\d+) models", page, re.MULTILINE))
    assert listed == {one.title: str(len(one.rows)) for one in tables()}


def test_sizes_are_those_of_the_benchmarks() -> None:
    sizes = table("tir-table-2").sizes
    assert {name: sizes[f"task/{name}"] for name in TASKS} == {name: task.n for name, task in TASKS.items()}
    assert sizes["all"] == sum(task.n for task in TASKS.values()) == 1215
    (random,) = [row for row in table("tir-table-2").rows if row.model == "Random Guess"]
    assert random.sizes == {"all": 1215 - TASKS["ocr"].n}
    assert "task/ocr" not in random.figures
    judged = table("vl-rewardbench-table-2").sizes
    groups = ("general_decided", "hallucination_decided", "reasoning_decided")
    assert sum(judged[name] for name in groups) == judged["overall_decided"] == 1250


def test_the_authors_prompt_is_known_by_its_digest_alone() -> None:
    assert table("tir-table-2").protocol.prompt_sha256 == hashlib.sha256(TEMPLATE.encode()).hexdigest()


def test_macro_follows_from_the_groups_as_printed() -> None:
    """Within rounding; two rows are cut and not rounded, which their marks say."""
    for name in ("vl-rewardbench-table-2", "vl-rewardbench-critics"):
        found = table(name)
        for row in found.rows:
            mean = sum(row.figures[part] for part in found.means["macro_decided"]) / 3
            assert abs(mean - row.figures["macro_decided"]) <= 0.1, row.model


def test_a_derived_figure_says_how() -> None:
    (row,) = [row for row in table("m3r-known").rows if row.derived]
    assert row.model == "M3R-Reasoner (8B)"
    assert "29.66" in row.derived["visual_evidence"]
    assert "28.45" in row.derived["visual_evidence"]


def test_a_share_has_wilsons_interval_over_its_own_denominator() -> None:
    found = table("tfq-main")
    (row,) = [row for row in found.rows if row.model == "LLaVA-1.5-7B"]
    figure = figure_of(found, row, "group_accuracy")
    assert figure is not None
    assert (figure.value, figure.n, figure.low, figure.interval) == (0.0, 50, 0.0, "wilson")
    assert figure.high == pytest.approx(0.0714, abs=1e-4)
    assert figure_of(found, row, "question_accuracy") is None
    assert standard_error(found, row, "group_accuracy") is None


def test_the_interval_of_a_mean_of_groups_follows_from_theirs() -> None:
    found = table("vl-rewardbench-table-2")
    (row,) = [row for row in found.rows if row.model.startswith("GPT-4o (")]
    parts = [(0.491, 183), (0.676, 749), (0.705, 318)]
    error = math.sqrt(sum(share * (1 - share) / n for share, n in parts)) / 3
    figure = figure_of(found, row, "macro_decided")
    assert figure is not None
    assert standard_error(found, row, "macro_decided") == pytest.approx(error)
    assert figure.high is not None
    assert figure.high - 0.624 == pytest.approx(1.96 * error, rel=1e-3)


GOOD = Table(
    benchmark="tfq",
    title="A",
    source="B",
    date="",
    read="2026",
    scorer="",
    sizes={"a": 5},
    rows=(Line(model="m", figures={"a": 20.0}),),
)
# a change, and a word of what is said of it
WRONG: list[tuple[dict[str, object], str]] = [
    ({"rows": ()}, "no line"),
    ({"rows": (*GOOD.rows, *GOOD.rows)}, "twice"),
    ({"sizes": {"a": 0}}, "above 0"),
    ({"sizes": {}}, "no denominator"),
    ({"rows": (Line(model="m", figures={"a": 101.0}),)}, "0..100"),
    ({"rows": (Line(model="m", figures={}, derived={"a": "1 + 1"}),)}, "to derive"),
    ({"means": {"a": ("b",)}}, "mean of"),
]


@pytest.mark.parametrize(("change", "word"), WRONG, ids=[word for _, word in WRONG])
def test_what_breaks_the_rules_is_named(change: dict[str, object], word: str) -> None:
    assert faults(GOOD) == []
    broken = msgspec.structs.replace(GOOD, **change)
    assert any(word in fault for fault in faults(broken))
    with pytest.raises(ValueError, match=r"tables/x\.json"):
        read(msgspec.json.encode(broken), "x")


def test_a_file_with_a_field_more_or_less_is_refused() -> None:
    plain = msgspec.to_builtins(GOOD)
    for broken in (plain | {"scorr": "official"}, {name: plain[name] for name in plain if name != "source"}):
        with pytest.raises(ValueError, match=r"tables/x\.json"):
            read(json.dumps(broken).encode(), "x")
