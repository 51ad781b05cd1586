"""The figure of grouped bars: well-formed, every bar with its number and interval, text that is only text."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

from beholder.report.experiment_chart import COLOURS, grouped_bars
from beholder.score import Metric

SVG = "{http://www.w3.org/2000/svg}"


def drawn(groups, series, figures, title="Rotation"):
    return ET.fromstring(grouped_bars(groups, series, figures, title))


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_bars_are_as_high_as_their_values() -> None:
    half = Metric(value=0.5, n=20, low=0.3, high=0.7)
    root = drawn(["P1", "P2"], ["tool", "code"], [[half, Metric(value=1.0, n=20)], [None, Metric(value=0.0, n=20)]])
    bars = [one for group in root.iter(f"{SVG}g") for one in group.iter(f"{SVG}rect")]
    heights = [float(bar.get("height", "nan")) for bar in bars]
    assert heights[0] * 2 == heights[1]
    assert heights[2] == 0
    assert [bar.get("fill") for bar in bars] == [COLOURS[0], COLOURS[1], COLOURS[1]]
    assert len(list(root.iter(f"{SVG}path"))) == 1  # only one has an interval
    titles = [one.findtext(f"{SVG}title") for one in root.iter(f"{SVG}g")]
    assert titles[0] == "P1, tool: 50.0 % [30.0, 70.0] n=20"
    texts = [one.text for one in root.iter(f"{SVG}text")]
    for shown in ("P1", "P2", "tool", "code", "50", "100", "0", "–"):
        assert shown in texts


def test_everything_lies_inside_the_figure() -> None:
    root = drawn(list("abcdef"), ["one", "two", "three"], [[Metric(value=1.0, n=1, low=0.9, high=1.0)] * 3] * 6)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for one in root.iter(f"{SVG}text"):
        assert 0 <= float(one.get("x", "-1")) <= width
        assert 10 <= float(one.get("y", "-1")) <= height
    for bar in root.iter(f"{SVG}rect"):
        assert float(bar.get("x", "0")) + float(bar.get("width", "0")) <= width


def test_names_are_only_text() -> None:
    root = drawn(['<script>"'], ["a&b"], [[Metric(value=0.5, n=1)]], title='x" onload="alert(1)\x1b[2J')
    assert root.get("aria-label") == 'x" onload="alert(1)'
    assert '<script>"' in [one.text for one in root.iter(f"{SVG}text")]
    assert not list(root.iter(f"{SVG}script"))


def test_neighbouring_colours_differ_in_lightness() -> None:
    light = [luminance(colour) for colour in COLOURS]
    assert all(abs(a - b) > 60 for a, b in itertools.pairwise(light))
