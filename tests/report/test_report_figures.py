"""Figures in words: each with its unit, interval, denominator and bounds."""

from __future__ import annotations

import pytest

from beholder.report.figures import bounds_of, count, denominator_of, duration, interval_of, percent, value_of
from beholder.score import Metric

ROWS = [
    (Metric(value=0.7123, n=492, low=0.671, high=0.75), "71.2 %", "[67.1, 75.0]", "n=492", ""),
    (Metric(value=None, n=0), "–", "", "n=0", ""),
    (Metric(value=0.0, n=1, low=0.0, high=0.7934), "0.0 %", "[0.0, 79.3]", "n=1", ""),
    (
        Metric(value=1 / 3, n=6, failed=2, worst=0.25, best=0.5),
        "33.3 %",
        "",
        "n=6, 2 failed (25.0 to 50.0 % if those were wrong or right)",
        "25.0 to 50.0 %",
    ),
    (Metric(value=0.5, n=12_345, failed=1_000), "50.0 %", "", "n=12,345, 1,000 failed", ""),
    (Metric(value=3.14159, n=2, low=1.0, high=5.25, unit="votes"), "3.14 votes", "[1.0, 5.2]", "n=2", ""),
]


@pytest.mark.parametrize(("metric", "value", "interval", "denominator", "bounds"), ROWS)
def test_a_metric_in_words(metric: Metric, value: str, interval: str, denominator: str, bounds: str) -> None:
    assert value_of(metric) == value
    assert interval_of(metric) == interval
    assert denominator_of(metric) == denominator
    assert bounds_of(metric) == bounds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599.6, "1 h 00 min"), (86_400, "24 h 00 min")],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_percent_and_count() -> None:
    assert [percent(value) for value in (0, 1, 0.9996, None)] == ["0.0 %", "100.0 %", "100.0 %", "–"]
    assert count(1_234_567) == "1,234,567"
