from __future__ import annotations

import numpy as np
import pytest

from beholder.metrics.accuracy import macro, rate, share
from beholder.metrics.intervals import wilson
from beholder.score import Metric

# id, values, clusters, expected fields
SHARES = [
    (
        "T21: right/all and right/scored",
        [1, 1, 0, 0, 0, 0, None, None],
        None,
        {"value": 1 / 3, "n": 6, "failed": 2, "worst": 0.25, "best": 0.5, "interval": "wilson", "note": ""},
    ),
    (
        "T17: 7 of 10 judged",
        [1, 1, 1, 1, 0, 0, 0, None, None, None],
        None,
        {"value": 4 / 7, "n": 7, "failed": 3, "worst": 0.4, "best": 0.7},
    ),
    (
        "nothing asked",
        [],
        None,
        {"value": None, "n": 0, "failed": 0, "worst": None, "best": None, "low": None},
    ),
    (
        "all failed: no figure",
        [None, None],
        None,
        {"value": None, "n": 0, "failed": 2, "worst": 0.0, "best": 1.0, "low": None, "high": None},
    ),
    ("clusters of one", [1, 0, 1], ["a", "b", "c"], {"interval": "wilson"}),
    ("rows without a cluster", [1, 0, 1], ["", "", ""], {"interval": "wilson"}),
    (
        "a failed row does not make a cluster",
        [1, None, 0],
        ["a", "a", "b"],
        {"interval": "wilson", "value": 0.5, "failed": 1},
    ),
    (
        "one cluster",
        [1, 0, 1],
        ["a"] * 3,
        {
            "value": 2 / 3,
            "low": None,
            "high": None,
            "interval": "",
            "note": "no interval: all items are in one cluster",
        },
    ),
    (
        "all right in clusters",
        [1] * 6,
        ["a", "a", "b", "b", "c", "c"],
        {"interval": "wilson over clusters", "low": wilson(3, 3)[0], "high": 1.0},
    ),
    (
        "all wrong in clusters",
        [0] * 4,
        ["a", "a", "b", "b"],
        {"interval": "wilson over clusters", "low": 0.0, "high": wilson(0, 2)[1]},
    ),
    (
        "equal partial credit",
        [0.5] * 30,
        None,
        {"value": 0.5, "low": None, "interval": "", "note": "no interval: the resamples do not differ"},
    ),
    ("partial credit", [0.25, 0.5, 1.0] * 10, None, {"interval": "bootstrap", "note": ""}),
    (
        "few clusters",
        [1, 0, 1, 1],
        ["a", "a", "b", "b"],
        {"interval": "cluster bootstrap", "note": "only 2 clusters: the interval is too narrow"},
    ),
    ("booleans are scores", [True, False], None, {"value": 0.5}),
]


@pytest.mark.parametrize("values, clusters, expected", [case[1:] for case in SHARES], ids=[case[0] for case in SHARES])
def test_share(values: list[float | None], clusters: list[str] | None, expected: dict[str, object]) -> None:
    metric = share(values, clusters)
    assert {name: getattr(metric, name) for name in expected} == pytest.approx(expected)


def test_dropped_rows_are_in_no_denominator() -> None:
    # Five items decided or failed, two undecided: the authors' decided-only accuracy.
    values = [1, 0, 1, 0, 0, None, None]
    counted = [True, True, True, False, False, True, False]
    metric = share(values, counted=counted)
    assert (metric.value, metric.n, metric.failed) == (pytest.approx(2 / 3), 3, 1)
    assert (metric.worst, metric.best) == (0.5, 0.75)
    assert share([1, 0], counted=[False, False]).value is None


@pytest.mark.parametrize("bad", [1.5, -0.1, float("nan"), float("inf")])
def test_scores_outside_the_range_are_refused(bad: float) -> None:
    with pytest.raises(ValueError):
        share([1.0, bad])
    with pytest.raises(ValueError):
        macro([1.0, bad], ["a", "b"])


def test_lengths_must_agree() -> None:
    for call in (
        lambda: share([1, 0], ["a"]),
        lambda: share([1, 0], counted=[True]),
        lambda: macro([1, 0], ["a"]),
        lambda: macro([1, 0], ["a", "b"], ["x"]),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("metric", [share, lambda values, clusters: macro(values, [c[0] for c in clusters], clusters)])
def test_order_of_rows_does_not_matter(metric) -> None:
    rng = np.random.default_rng(4)
    values = [
        None if lost else float(value) for value, lost in zip(rng.random(300), rng.random(300) < 0.1, strict=True)
    ]
    clusters = [f"{'abc'[row % 3]}{row % 90}" for row in range(300)]
    expected = metric(values, clusters)
    assert expected.low < expected.value < expected.high
    for shuffle in range(4):
        order = np.random.default_rng(shuffle).permutation(300)
        assert metric([values[i] for i in order], [clusters[i] for i in order]) == expected


def test_rate() -> None:
    metric = rate(3, 10, failed=2)
    assert (metric.value, metric.n, metric.failed, metric.interval) == (0.3, 10, 2, "wilson")
    assert (metric.worst, metric.best) == (0.25, pytest.approx(5 / 12))
    assert (metric.low, metric.high) == wilson(3, 10)
    assert rate(0, 0) == Metric(value=None, n=0, note="nothing could be scored")
    with pytest.raises(ValueError):
        rate(1, 2, failed=-1)


def test_macro_weighs_categories_alike() -> None:
    values = [1] * 90 + [0] * 10 + [1, 0, None]
    categories = ["big"] * 100 + ["small"] * 3
    metric = macro(values, categories)
    assert metric.value == pytest.approx((0.9 + 0.5) / 2)
    assert (metric.n, metric.failed) == (102, 1)
    assert metric.worst == pytest.approx((0.9 + 1 / 3) / 2)
    assert metric.best == pytest.approx((0.9 + 2 / 3) / 2)
    assert metric.interval == "stratified cluster bootstrap"
    # The small category decides the width: its mean alone moves from 0 to 1.
    assert metric.low == pytest.approx(0.45, abs=0.04)
    assert metric.high == pytest.approx(0.95, abs=0.04)


def test_macro_interval_against_the_delta_method() -> None:
    rng = np.random.default_rng(9)
    sizes, rates = (183, 749, 318), (0.5, 0.8, 0.6)
    values = [float(v) for n, p in zip(sizes, rates, strict=True) for v in rng.random(n) < p]
    categories = [name for name, n in zip("ghr", sizes, strict=True) for _ in range(n)]
    metric = macro(values, categories, resamples=4000)
    parts = [np.array([v for v, c in zip(values, categories, strict=True) if c == name]) for name in "ghr"]
    error = sum(part.var() / len(part) for part in parts) ** 0.5 / 3
    assert metric.value == pytest.approx(np.mean([part.mean() for part in parts]))
    assert (metric.low, metric.high) == pytest.approx(
        (metric.value - 1.96 * error, metric.value + 1.96 * error), abs=0.003
    )


def test_macro_does_not_leave_a_category_out_silently() -> None:
    metric = macro([1, 0, None], ["a", "a", "b"])
    assert (metric.value, metric.n, metric.failed) == (None, 2, 1)
    assert (metric.worst, metric.best) == (0.25, 0.75)
    assert "'b'" in metric.note
    undecided = macro([1, 0, 0], ["a", "a", "b"], counted=[True, True, False])
    assert (undecided.value, undecided.worst, undecided.best) == (None, None, None)
    assert macro([], []).value is None


def test_macro_of_decided_items() -> None:
    metric = macro([1, 0, 0, 1], ["a", "a", "a", "b"], counted=[True, True, False, True])
    assert (metric.value, metric.n) == (0.75, 3)


@pytest.mark.parametrize(
    "clusters, resamples, words",
    [
        (["x"] * 4, 1000, "too few clusters"),
        (None, 0, "too few clusters or resamples"),
        (None, 1000, "do not differ"),
    ],
)
def test_macro_says_why_it_has_no_interval(clusters: list[str] | None, resamples: int, words: str) -> None:
    metric = macro([1, 1, 0, 0], ["a", "a", "b", "b"], clusters, resamples=resamples)
    assert (metric.value, metric.low, metric.high, metric.interval) == (0.5, None, None, "")
    assert words in metric.note
