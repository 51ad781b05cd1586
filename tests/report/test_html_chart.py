"""The chart of a report: marks where the figures are, whiskers where the intervals are, and nothing but text in it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from beholder.report.html_chart import STEP, chart, mark
from beholder.score import Metric

HALF = Metric(value=0.5, n=10, low=0.25, high=0.8)
NAMES = ["first", "second"]


def tree(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def rows(drawn: ElementTree.Element) -> list[ElementTree.Element]:
    """The rows under the axis."""
    return drawn.findall("div[@class='row']")[1:]


def test_a_mark_and_a_whisker_stand_where_the_figure_is() -> None:
    (row,) = rows(tree(chart([("maze", [HALF])], NAMES[:1], "told")))
    plot = row.find("svg")
    assert plot is not None
    whisker = plot.find("g/line")
    place = plot.find("g/svg")
    assert whisker is not None
    assert place is not None
    assert (whisker.get("x1"), whisker.get("x2"), place.get("x")) == ("25%", "80%", "50%")
    assert [span.text for span in row.iterfind("div[@class='values']/span")] == ["50.0"]
    assert plot.findtext("g/title") == "50.0 % [25.0, 80.0] n=10"


def test_each_run_has_its_line_and_its_mark() -> None:
    (row,) = rows(tree(chart([("maze", [HALF, Metric(value=0.1, n=4)])], NAMES, "told")))
    plot = row.find("svg")
    assert plot is not None
    assert plot.get("height") == str(2 * STEP)
    assert [place.get("y") for place in plot.iterfind("g/svg")] == [f"{STEP / 2:g}", f"{1.5 * STEP:g}"]
    assert [title.text for title in plot.iterfind("g/title")] == [
        "first: 50.0 % [25.0, 80.0] n=10",
        "second: 10.0 % n=4",
    ]
    assert len(plot.findall("g/line")) == 1, "no interval, no whisker"


@pytest.mark.parametrize(
    ("figures", "drawn"),
    [
        ([], 0),
        ([None], 0),
        ([Metric(value=None, n=0)], 0),
        ([Metric(value=3.0, n=2, unit="words")], 0),
        ([None, HALF], 1),
        ([HALF, HALF], 2),
    ],
)
def test_only_shares_that_are_there_are_drawn(figures: list[Metric | None], drawn: int) -> None:
    markup = chart([("maze", figures)], NAMES, "told")
    assert bool(markup) == bool(drawn)
    assert markup.count("<title>") == drawn
    if drawn:
        values = [span.text for span in tree(markup).iterfind(".//div[@class='values']/span")]
        assert values.count("–") == len(figures) - drawn, (
            "a line for each run, so that figures stand beside their marks"
        )


def test_marks_differ_by_shape_and_by_colour() -> None:
    marks = [mark(run) for run in range(8)]
    assert len(set(marks)) == 8
    assert len({re.sub(r"run\d", "", one) for one in marks}) == 4
    assert mark(8) == mark(0)


def test_figures_beyond_the_scale_stay_on_it() -> None:
    drawn = chart([("maze", [Metric(value=1.2, n=1, low=-0.5, high=2.0)])], NAMES[:1], "told")
    places = [float(place) for place in re.findall(r'x\d?="([-\d.]+)%"', drawn)]
    assert places
    assert all(0 <= place <= 100 for place in places)


def test_names_and_titles_are_text() -> None:
    hostile = "<script>alert(1)</script>\" onload='x' \u202e\x00\ud83d"
    drawn = tree(chart([(hostile, [HALF, HALF])], [hostile, hostile], hostile))
    tags = {element.tag for element in drawn.iter()}
    assert tags <= {"div", "span", "svg", "text", "g", "title", "line", "circle", "rect", "path"}
    assert "<script>alert(1)</script>" in (drawn.findtext("div[@class='row']/div[@class='name']") or "")
    assert {name for element in drawn.iter() for name in element.attrib if name.startswith("on")} == set()


def test_long_names_are_cut_and_empty_ones_named() -> None:
    drawn = tree(chart([("long " * 100, [HALF]), ("", [HALF])], NAMES[:1], "told"))
    first, second = (row.findtext("div[@class='name']") or "" for row in rows(drawn))
    assert len(first) == 120
    assert first.endswith("…")
    assert second == "(none)"
