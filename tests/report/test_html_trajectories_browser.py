"""Conversations with tools in a real browser: folded, opened by keyboard, filtered, readable, and only text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import Browser, Seen, expect, opening, running_browser
from html_pages import CONTRAST, HOSTILE
from made_conversations import CODE, TALKS, conversations

from beholder.engine.lifecycle import Result
from beholder.report.html_report import write_html
from beholder.report.html_trajectories import FILTERS
from beholder.tools.settings import Budget

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses: `one` of a run of every kind of talk; `two` with the same talks probed; `long` of a very long one."""
    folder = tmp_path_factory.mktemp("pages")
    one: Result = conversations(folder / "one")
    two = conversations(folder / "two", name="probed", probe=True)
    turns = [(f"Part {number}.", [("crop", f'{{"part": {number}}}')]) for number in range(40)]
    long = conversations(folder / "long", [("maze", turns)], budget=Budget(turns=40))
    written = {"one": [one], "two": [one, two], "long": [long]}
    return {name: write_html(runs, folder / f"{name}.html").as_uri() for name, runs in written.items()}


@pytest.fixture(scope="module")
def browser(pages: dict[str, str]) -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Seen]]:
    with opening(browser) as open_page:
        yield open_page


def test_a_conversation_is_folded_and_opens_by_keyboard(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["one"])
    card = seen.page.locator(".sample").nth(1)
    summary = card.locator(".talk > summary")
    assert summary.inner_text().startswith("3 turns, 2 calls: python ✗ error, python ✓")
    assert "answers C → B" in summary.inner_text()
    assert card.locator(".turns").count() == 0, "not drawn before it is asked for"
    summary.focus()
    seen.page.keyboard.press("Enter")
    expect(card.locator(".turns > li")).to_have_count(3)
    assert card.locator(".code").nth(1).text_content() == CODE
    assert card.locator(".code").first.get_attribute("aria-label") == "code of call 1"
    assert "NameError" in card.locator(".output").first.inner_text()
    assert card.locator(".so-far").inner_text() == "states the answer C"
    assert card.locator(".turns figcaption").all_inner_texts() == [
        "before: image_1",
        "after: image_2, 400x300",
        "after: image_3, 120x500",
    ]
    seen.page.keyboard.press("Enter")
    seen.page.keyboard.press("Enter")
    expect(card.locator(".turns > li")).to_have_count(3)


def test_pictures_stand_side_by_side_and_open_large(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    for width in (390, 1200):
        seen = opened(pages["one"], viewport={"width": width, "height": 900})
        card = seen.page.locator(".sample").nth(0)
        card.locator(".talk > summary").click()
        expect(card.locator(".turns figure")).to_have_count(2)
        before, after = (figure.bounding_box() for figure in card.locator(".turns figure").all())
        assert before["y"] == after["y"]
        assert before["x"] + before["width"] <= after["x"]
        card.locator(".turns figure button").nth(1).click()
        large = seen.page.locator("#large-image")
        large.evaluate("image => image.decode()")
        assert large.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [240, 180]
        assert seen.page.inner_text("#large-note") == "image_2 of item 0, after"
        seen.page.keyboard.press("Escape")


FITS = {"used": [0, 1, 3, 4, 5, 6, 7, 8], "none": [2], "failed": [1, 4], "budget": [3, 5], "stale": [3, 7]}


@pytest.mark.parametrize("name", FITS)
def test_conversations_are_filtered_by_what_became_of_them(
    opened: Callable[..., Seen], pages: dict[str, str], name: str
) -> None:
    seen = opened(pages["one"])
    everything = seen.keys()
    seen.page.select_option("#f-tools", label=FILTERS[name])
    expect(seen.page.locator("#count")).to_have_text(f"{len(FITS[name])} of {len(TALKS)} samples")
    assert seen.keys() == [everything[item] for item in FITS[name]]
    seen.page.click("#clear")
    expect(seen.page.locator("#count")).to_have_text(f"{len(TALKS)} of {len(TALKS)} samples")


def test_what_was_said_run_and_printed_can_be_searched(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["one"])
    for words, number in (("closer at the sign", 1), ("autocontrast", 1), ("mean 127.4", 1), ("zoom_in", 1)):
        seen.page.fill("#f-text", words)
        expect(seen.page.locator("#count")).to_have_text(f"{number} of {len(TALKS)} samples")


def test_an_ending_without_an_answer_shows_before_it_is_opened(
    opened: Callable[..., Seen], pages: dict[str, str]
) -> None:
    card = opened(pages["one"]).page.locator(".sample").nth(3)
    expect(card.locator(".talk > summary")).to_contain_text("ended: the same call came too often")
    expect(card.locator(".response")).to_contain_text("no answer; the last that it said:")
    card.locator(".talk > summary").click()
    labels = ["clamped", "repeated", "no new evidence"]
    expect(card.locator(".call").nth(1).locator(".labels li")).to_have_text(labels)
    expect(card.locator(".talk > .labels li")).to_have_text(["never stopped"])


def test_probes_show_how_the_answer_changed(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["two"])
    card = seen.page.locator(".sample").nth(0)
    second = card.locator(".response").nth(1)
    expect(second.locator(".talk > summary")).to_contain_text("answers A → B")
    second.locator(".talk > summary").click()
    expect(second.locator(".so-far")).to_have_text("asked for its answer so far, read as A")
    asked_often = seen.page.locator(".sample").nth(5).locator(".response").nth(1)
    asked_often.locator(".talk > summary").click()
    changes = ["answer changed", "answer unchanged", "answer unchanged", "answer unchanged"]
    expect(asked_often.locator(".call .labels li", has_text="answer")).to_have_text(changes)


def test_turns_that_are_left_out_are_counted_where_they_were(
    opened: Callable[..., Seen], pages: dict[str, str]
) -> None:
    card = opened(pages["long"]).page.locator(".sample").first
    card.locator(".talk > summary").click()
    turns = card.locator(".turns > li")
    expect(turns).to_have_count(25)
    assert turns.nth(16).inner_text() == "16 turns, not in this page"
    assert turns.nth(17).locator("b").first.inner_text() == "turn 33"


def test_whatever_is_said_run_or_printed_stays_text(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["one"])
    card = seen.page.locator(".sample").nth(6)
    card.locator(".talk > summary").click()
    expect(card.locator(".turns > li")).to_have_count(2)
    assert seen.page.locator("script").count() == 2
    assert card.locator("svg, style, a, iframe, meta, [style], img:not(.pictures img)").count() == 0
    texts = "\n".join(card.locator(".said, .code, .output").all_text_contents())
    for name in ("script", "script-end", "comment", "image", "svg", "attribute", "style", "title"):
        assert texts.count(HOSTILE[name]) == 3, name
    folder = pages["one"].rpartition(".")[0]
    assert [url for url in seen.requests if not url.startswith(("data:", f"{folder}_images/"))] == [pages["one"]]


@pytest.mark.parametrize("page", ["one", "two"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_an_open_conversation_is_no_wider_than_the_screen(
    opened: Callable[..., Seen], pages: dict[str, str], page: str, width: int
) -> None:
    seen = opened(pages[page], viewport={"width": width, "height": 800})
    seen.page.evaluate(OPEN_ALL)
    expect(seen.page.locator(".turns").first).to_be_visible()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = seen.page.locator(".code, .output, .turns figure").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect().right)"
    )
    assert boxes
    assert max(boxes) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_conversations_can_be_read_in_light_and_in_dark(
    opened: Callable[..., Seen], pages: dict[str, str], scheme: str
) -> None:
    seen = opened(pages["two"], color_scheme=scheme)
    seen.page.evaluate(OPEN_ALL)
    expect(seen.page.locator(".turns").first).to_be_visible()
    assert seen.page.evaluate(CONTRAST) == {}


def test_everything_to_press_has_a_name(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["two"])
    seen.page.evaluate(OPEN_ALL)
    expect(seen.page.locator(".turns").first).to_be_visible()
    nameless = """() => [...document.querySelectorAll("button, summary, select, input, [tabindex='0'][role]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.querySelector("img[alt]")
        || (e.labels && e.labels.length))).map((e) => e.outerHTML.slice(0, 80))"""
    assert seen.page.evaluate(nameless) == []


def test_a_printed_page_keeps_open_conversations(opened: Callable[..., Seen], pages: dict[str, str]) -> None:
    seen = opened(pages["one"])
    seen.page.evaluate(OPEN_ALL)
    assert seen.page.pdf()[:5] == b"%PDF-"


def test_a_page_stays_small(pages: dict[str, str]) -> None:
    assert Path(pages["two"].removeprefix("file://")).stat().st_size < 300_000
