"""The table of published data sets says what the loaders expect, and claims no revision that nobody has seen."""

from __future__ import annotations

import pytest

from beholder.benchmarks import BENCHMARKS
from beholder.benchmarks.published import NOT_PUBLIC, data_set, nearest, published
from beholder.benchmarks.tfq.data import FULL_ROWS, LITE_ROWS, LITE_TRAINING_ROWS, TRAINING_ROWS
from beholder.benchmarks.tir.tasks import ITEMS, TASKS
from beholder.benchmarks.vl_rewardbench.data import PUBLISHED_SIZES
from beholder.errors import UsageError


def test_the_table_agrees_with_the_loaders() -> None:
    counts = {name: one.records for name, one in published().items()}
    tfq = {"tfq": LITE_ROWS, "tfq-full": FULL_ROWS, "tfq-data": TRAINING_ROWS, "tfq-data-lite": LITE_TRAINING_ROWS}
    assert counts == {**tfq, "vl-rewardbench": sum(PUBLISHED_SIZES.values()), "tir": ITEMS}
    assert data_set("vl-rewardbench").categories == PUBLISHED_SIZES
    assert set(data_set("tir").categories) == set(TASKS)
    for one in published().values():
        assert one.benchmark in BENCHMARKS
        assert not one.categories or sum(one.categories.values()) == one.records
        assert not one.archive or one.archive in one.files
        assert one.licence


def test_each_benchmark_has_a_data_set_of_its_name_or_says_why_not() -> None:
    assert set(BENCHMARKS) <= set(published()) | set(NOT_PUBLIC)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("m3r", "is not public"),
        ("hvqr", "not among those"),
        ("TIR_", "Did you mean tir?"),
        ("x" * 90, "Known: tfq"),
    ],
)
def test_a_name_that_cannot_be_fetched_is_told(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        data_set(name)
    assert "x" * 50 not in str(caught.value)


@pytest.mark.parametrize(
    ("benchmark", "records", "name"),
    [
        ("tfq", 14_099, "tfq-full"),
        ("tfq", 984, "tfq-data-lite"),
        ("tfq", 7, "tfq"),
        ("tir", 7, "tir"),
        ("m3r", 7, None),
    ],
)
def test_the_published_set_that_some_records_would_be(benchmark: str, records: int, name: str | None) -> None:
    found = nearest(benchmark, records)
    assert (found.name if found is not None else None) == name
