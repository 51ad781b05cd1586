"""Metaphors on a report page, as data and in a real browser: boxes, labels, judges, filters; and only ever text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, Seen, expect, opening, running_browser
from html_pages import CONTRAST, Parsed
from made_metaphor_pages import CASES, HOSTILE_WORDS, MAPPING, metaphor_run

from beholder.benchmarks.m3r import BENCHMARK
from beholder.engine.lifecycle import Result
from beholder.report.html_metaphors import FILTERS
from beholder.report.html_pictures import Images
from beholder.report.html_report import write_html

NAMES = list(CASES)
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`one` of a run, `two` of it and the same again, `bare` without pictures."""
    folder = tmp_path_factory.mktemp("pages")
    result: Result = metaphor_run(folder)
    return {
        "one": write_html([result], folder / "one.html"),
        "two": write_html([result, result], folder / "two.html"),
        "bare": write_html([result], folder / "bare.html", images=Images.NONE),
    }


@pytest.fixture(scope="module")
def browser(pages: dict[str, Path]) -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Seen]]:
    with opening(browser) as open_page:
        yield open_page


def card(seen: Seen, name: str) -> Any:
    """The card of a case. What is out of view has no text in a browser that leaves it out: all of it is shown."""
    seen.page.evaluate(
        "document.querySelectorAll('.sample').forEach((one) => { one.style.contentVisibility = 'visible'; })"
    )
    return seen.page.locator(f"#item-{NAMES.index(name)}")


def test_the_page_is_told_only_of_boxes_that_can_be_drawn(pages: dict[str, Path]) -> None:
    samples = Parsed(pages["one"]).data["samples"]
    (answer,) = samples[NAMES.index("hostile")]["r"]
    boxes = [box for _, _, _, box in answer["mp"]["st"]["e"]]
    assert boxes == [[0, 10, 100, 40], [], [10, 50, 30, 40]]
    assert answer["mp"]["f"] == ["wrong_metaphor", "wrong_target", "wrong_source", "structure"]
    assert [one["r"][0].get("dis", 0) for one in samples] == [0] * len(NAMES)


def test_the_labels_are_drawn_beside_the_headline(pages: dict[str, Path]) -> None:
    page = pages["one"].read_text(encoding="utf-8")
    assert "<h2>Figures beside the headline, scorer lenient</h2>" in page
    assert all(f'<div class="name">{name}</div>' in page for name in BENCHMARK.charted)


def test_boxes_lie_where_they_are_said_to_be(opened: Callable[..., Seen], pages: dict[str, Path]) -> None:
    for width in (390, 1200):
        seen = opened(pages["one"].as_uri(), viewport={"width": width, "height": 900})
        box = card(seen, "hostile")
        box.locator(".explained > summary").first.click()
        frame = box.locator(".frame").bounding_box()
        picture = box.locator(".frame img")
        picture.evaluate("image => image.decode()")
        assert picture.evaluate("image => image.naturalWidth") == 400, "the large picture"
        drawn = box.locator(".frame rect.answer-box")
        expect(drawn).to_have_count(2)
        place = drawn.nth(1).bounding_box()
        inside = {"x": frame["x"] + 1, "y": frame["y"] + 1, "width": frame["width"] - 2, "height": frame["height"] - 2}
        for side, length, share, extent in (("x", "width", 0.1, 0.3), ("y", "height", 0.5, 0.4)):
            assert place[side] == pytest.approx(inside[side] + share * inside[length], abs=3)
            assert place[length] == pytest.approx(extent * inside[length], abs=5)
        assert box.locator(".frame text").all_text_contents() == ["G1", "A1", "A3"]
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_labels_are_set_side_by_side_and_marked_by_more_than_colour(
    opened: Callable[..., Seen], pages: dict[str, Path]
) -> None:
    rows = card(opened(pages["one"].as_uri()), "other words").locator(".pairs tbody tr")
    assert [row.split() for row in rows.all_inner_texts()] == [
        ["metaphor", "yes", "yes", "✓", "right"],
        ["target", "cigarette", "smoking", "✗", "wrong"],
        ["source", "bomb", "The", "Bomb", "✓", "right"],
        ["the", "same", "as", "“bomb”"],
        ["sentiment", "negative", "negative", "✓", "right"],
    ]


def test_judges_open_by_keyboard_and_say_what_they_quote(opened: Callable[..., Seen], pages: dict[str, Path]) -> None:
    seen = opened(pages["one"].as_uri())
    box = card(seen, "other words")
    summary = box.locator(".explained > summary").nth(1)
    assert summary.inner_text() == "judges of the explanation: 83.3, 66.7"
    summary.focus()
    seen.page.keyboard.press("Enter")
    asked = box.locator(".asked", has_text="mc_direction")
    expect(asked.locator("li")).to_have_text(
        [f"◐ partly judge 1 “{MAPPING}” at centre", f"✗ no judge 2 “{MAPPING}” at centre"]
    )
    failed = card(seen, "judge failed")
    failed.locator(".explained > summary").nth(1).click()
    expect(failed.locator(".judges .warn")).to_contain_text("failed (owner judge, judge_unreadable)")


FITS = {
    "mapping_without_evidence": ["unseen"],
    "evidence_without_mapping": ["other words"],
    "right_labels_wrong_mapping": [],
    "structure": ["hostile"],
    "differ": ["other words"],
    "failed": ["judge failed"],
    "wrong_metaphor": ["hostile"],
    "wrong_target": ["hostile", "other words"],
    "wrong_source": ["hostile"],
    "wrong_sentiment": [],
}


def test_answers_are_filtered_by_mismatch_structure_judges_and_labels(
    opened: Callable[..., Seen], pages: dict[str, Path]
) -> None:
    assert FITS.keys() == FILTERS.keys()
    seen = opened(pages["one"].as_uri())
    everything = seen.keys()
    offered = seen.page.locator("#f-metaphor option").all_inner_texts()
    assert offered == ["all", *(FILTERS[name] for name, names in FITS.items() if names)]
    for name, names in FITS.items():
        if names:
            seen.page.select_option("#f-metaphor", label=FILTERS[name])
            expect(seen.page.locator("#count")).to_have_text(f"{len(names)} of {len(NAMES)} samples")
            assert seen.keys() == [everything[NAMES.index(one)] for one in names]
    seen.page.click("#clear")
    assert seen.keys() == everything
    assert not seen.page.is_visible("#f-tools")


def test_the_mismatch_leads_to_its_items(opened: Callable[..., Seen], pages: dict[str, Path]) -> None:
    seen = opened(pages["one"].as_uri())
    seen.page.locator("summary", has_text="mapping met, visual evidence not: 1 item").click()
    link = seen.page.locator(".items a")
    seen.page.locator("details[open] .items a").click()
    assert link.first.get_attribute("href") == f"#item-{NAMES.index('unseen')}"
    expect(card(seen, "unseen")).to_be_focused()
    for words in ("rubric, 100 points are 100 %", "mean over judges", "A judge failed (owner judge) on item 4."):
        assert words in seen.page.inner_text("main")


def test_hostile_words_stay_words(opened: Callable[..., Seen], pages: dict[str, Path]) -> None:
    for name in ("one", "two"):
        seen = opened(pages[name].as_uri())
        box = card(seen, "hostile")
        seen.page.evaluate(OPEN_ALL)
        expect(box.locator(".pieces li").first).to_be_visible()
        assert "<img src=x onerror=alert(4)>" in box.inner_text()
        assert "\u202e" not in box.inner_text()
        assert box.locator("img[src='x'], svg a, iframe, b > script").count() == 0
        assert HOSTILE_WORDS[:20] in box.locator(".answers").first.inner_text()
        assert all(address.startswith(("file:", "data:")) for address in seen.requests)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_everything_can_be_read(opened: Callable[..., Seen], pages: dict[str, Path], scheme: str, width: int) -> None:
    seen = opened(pages["two"].as_uri(), viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen.page.evaluate(OPEN_ALL)
    expect(card(seen, "blank").locator(".stages").first).to_be_attached()
    # The names of boxes stand on their own white ground.
    seen.page.evaluate("document.querySelectorAll('.over').forEach((one) => one.remove())")
    assert seen.page.evaluate(CONTRAST) == {}
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_a_picture_the_boxes_are_drawn_alone(opened: Callable[..., Seen], pages: dict[str, Path]) -> None:
    box = card(opened(pages["bare"].as_uri()), "all right")
    box.locator(".explained > summary").first.click()
    expect(box.locator(".frame .blank")).to_be_visible()
    expect(box.locator("figcaption")).to_contain_text("picture not here, its boxes alone")
    expect(box.locator("rect.gold-box")).to_have_count(1)
