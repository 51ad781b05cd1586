"""A report page in a real browser: it filters, opens pictures, and whatever a model says stays text."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsing import Browser, Seen, expect, opening, running_browser
from html_pages import (
    CONTRAST,
    HOSTILE,
    chosen,
    constant_run,
    hostile_answer,
    hostile_statements,
    is_right,
    result_of,
    same,
    served_run,
    statements,
    true_or_unsure,
)

from beholder.engine.lifecycle import Result
from beholder.report.html_pictures import Images
from beholder.report.html_report import write_html
from beholder.report.terminal import disagree
from beholder.score import Outcome

SAMPLES = 45


@dataclass
class Written:
    """Pages in one folder, and the runs that `both.html` shows."""

    folder: Path
    results: list[Result]

    def address(self, name: str) -> str:
        return (self.folder / name).as_uri()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """`both.html` and `embedded.html` of two runs; `lost.html` whose large pictures are gone; `hostile.html`.

    All runs are made before any browser runs: Playwright keeps an event loop of its own.
    """
    folder = tmp_path_factory.mktemp("pages")
    data = statements(folder / "data", SAMPLES, category=["lamps", "roads, long", "(other)"] * (SAMPLES // 3))
    runs = [
        served_run(data, folder / "runs", true_or_unsure),
        constant_run(data, folder / "runs", "<think>seen</think><answer>T</answer>"),
    ]
    results = [result_of(run) for run in runs]
    write_html(results, folder / "both.html")
    write_html(results, folder / "lost.html")
    shutil.rmtree(folder / "lost_images")
    write_html(results, folder / "embedded.html", images=Images.EMBEDDED)
    model = HOSTILE["image"]
    hostile = served_run(hostile_statements(folder / "hostile"), folder / "runs", hostile_answer, name=model)
    write_html([result_of(hostile)] * 2, folder / "hostile.html")
    return Written(folder, results)


@pytest.fixture(scope="module")
def browser(pages: Written) -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Seen]]:
    """`opened(address)` opens a page; see `opening`."""
    with opening(browser) as open_page:
        yield open_page


FILTERS: dict[str, tuple[dict[str, str], Callable[[list[Result]], list[str]]]] = {
    "none": ({}, lambda results: chosen(results, lambda item: True)),
    "category": ({"category": "lamps"}, lambda results: chosen(results, lambda item: item.category == "lamps")),
    "wrong": (
        {"outcome": "wrong"},
        lambda results: chosen(
            results, lambda item: item.scores["recipe"].outcome is Outcome.SCORED and item.scores["recipe"].value == 0
        ),
    ),
    "not right in one run": (
        {"outcome": "not right", "run": "openai/test-model"},
        lambda results: chosen(results[:1], lambda item: not is_right(item, "recipe")),
    ),
    "unparsed by another scorer": (
        {"outcome": "unparsed", "scorer": "strict"},
        lambda results: chosen(results, lambda item: item.scores["strict"].outcome is Outcome.UNPARSED),
    ),
    "scorers disagree": ({"disagree": "on"}, lambda results: chosen(results, disagree)),
    "runs differ": (
        {"differ": "on", "scorer": "lenient"},
        lambda results: [
            item.key
            for item in results[0].items
            if len({own.scores["lenient"].value for own in same(results, item)}) == 2
        ],
    ),
    "search in questions": ({"text": "statement 17:"}, lambda results: [results[0].items[17].key]),
    "search in answers": (
        {"text": "IT DEPENDS"},
        lambda results: [item.key for item in results[0].items if item.index % 5 == 2],
    ),
    "all at once": (
        {"category": "lamps", "outcome": "right", "disagree": "on", "run": "openai/test-model", "scorer": "lenient"},
        lambda results: chosen(
            results[:1], lambda item: item.category == "lamps" and is_right(item, "lenient") and disagree(item)
        ),
    ),
    "nothing left": ({"text": "no such words"}, lambda results: []),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_leave_the_samples_that_fit(opened: Callable[..., Seen], pages: Written, name: str) -> None:
    settings, fitting = FILTERS[name]
    expected = fitting(pages.results)
    assert len(expected) < SAMPLES or name == "none", "the filter would not be tested"
    assert expected or name == "nothing left"
    seen = opened(pages.address("both.html"))
    assert seen.count() == f"{SAMPLES} of {SAMPLES} samples"
    for key, value in settings.items():
        if value == "on":
            seen.page.check(f"#f-{key}")
        elif key == "text":
            seen.page.fill("#f-text", value)
        else:
            seen.page.select_option(f"#f-{key}", label=value)
    wanted = f"{len(expected)} of {SAMPLES} samples"
    expect(seen.page.locator("#count")).to_have_text(wanted)
    assert seen.keys() == expected
    assert seen.page.is_visible("#clear") == (name != "none")
    assert seen.page.is_visible("text=No sample fits") == (not expected)
    if settings:
        seen.page.click("#clear")
        expect(seen.page.locator("#count")).to_have_text(f"{SAMPLES} of {SAMPLES} samples")


def test_cards_are_drawn_as_the_reader_comes_near_them(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("both.html"))
    assert seen.page.locator(".sample").count() == 40
    seen.page.locator("#end").scroll_into_view_if_needed()
    expect(seen.page.locator(".sample")).to_have_count(SAMPLES)
    assert seen.keys() == [item.key for item in pages.results[0].items]


def test_another_filter_begins_at_the_first_sample_and_still_leads_to_the_last(
    opened: Callable[..., Seen], pages: Written
) -> None:
    seen = opened(pages.address("both.html"))
    seen.page.locator("#end").scroll_into_view_if_needed()
    expect(seen.page.locator(".sample")).to_have_count(SAMPLES)
    seen.page.fill("#f-text", "statement")
    expect(seen.page.locator(".sample")).to_have_count(40)
    expect(seen.page.locator(".sample").first).to_be_in_viewport()
    seen.page.locator("#end").scroll_into_view_if_needed()
    expect(seen.page.locator(".sample")).to_have_count(SAMPLES)


def test_a_card_tells_who_read_what(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("both.html"))
    card = seen.page.locator(".sample").nth(1)
    card.scroll_into_view_if_needed()
    expect(card.locator("mark").first).to_have_text("True", use_inner_text=True)
    assert card.locator("h3").text_content() == "item 1 roads, long"
    expect(card.locator(".gold")).to_be_visible()
    assert card.locator(".gold").text_content() == "gold: F"
    free, proper = card.locator(".response").all()
    assert free.locator("b").inner_text() == "openai/test-model"
    assert free.locator("mark").inner_text() == "True"
    assert "wrong by lenient · read “T”" in free.locator(".verdicts").inner_text()
    assert proper.locator("li").all_inner_texts() == ["✗ wrong by every scorer · read “T”"]
    assert not free.locator(".why div").first.is_visible()
    free.locator("summary", has_text="why").click()
    assert "strict: There is no complete <answer>…</answer>" in free.locator(".why").inner_text()


# -- pictures ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(pages: Written) -> Iterator[str]:
    """The folder of the pages, served on this machine."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    handler = functools.partial(Handler, directory=str(pages.folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("page", ["both.html", "embedded.html"])
@pytest.mark.parametrize("over_http", [False, True])
def test_a_picture_opens_large_and_closes_again(
    opened: Callable[..., Seen], pages: Written, served: str, page: str, over_http: bool
) -> None:
    base = served if over_http else pages.folder.as_uri()
    seen = opened(f"{base}/{page}")
    dialog, large = seen.page.locator("#large"), seen.page.locator("#large-image")
    first = seen.page.locator(".pictures button").first
    first.scroll_into_view_if_needed()
    assert first.locator("img").evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 192
    for close in ("Escape", "button", "outside"):
        first.focus()
        seen.page.keyboard.press("Enter")
        large.evaluate("image => image.decode()")
        assert dialog.is_visible()
        assert large.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [400, 300]
        assert seen.page.inner_text("#large-note") == "picture of item 0"
        if close == "Escape":
            seen.page.keyboard.press("Escape")
        elif close == "button":
            seen.page.keyboard.press("Space")  # the focus is on Close
        else:
            seen.page.mouse.click(20, 880)
        expect(dialog).to_be_hidden()
        assert first.evaluate("button => button === document.activeElement")
    beside = [f"{base}/both_images/"] if page == "both.html" else []
    assert [url for url in seen.requests if not url.startswith(("data:", *beside))] == [f"{base}/{page}"]


def test_full_size_is_full_size(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("both.html"), viewport={"width": 390, "height": 500})
    seen.page.locator(".pictures button").first.click()
    large = seen.page.locator("#large-image")
    large.evaluate("image => image.decode()")
    assert large.bounding_box()["width"] <= 390
    seen.page.click("#large-size")
    assert large.bounding_box()["width"] == 400
    assert seen.page.inner_text("#large-size") == "Fit to window"
    large.click()
    assert large.bounding_box()["width"] <= 390


def test_the_small_picture_stands_in_for_a_lost_large_one(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("lost.html"))
    seen.page.locator(".pictures button").first.click()
    expect(seen.page.locator("#large-note")).to_contain_text("was not found in the folder beside the page")
    assert seen.page.locator("#large-image").evaluate("image => image.naturalWidth") == 192
    assert all("ERR_FILE_NOT_FOUND" in said for said in seen.said)
    seen.said.clear()


# -- hostile text --------------------------------------------------------------------------------------------------


def test_whatever_a_model_says_stays_text(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("hostile.html"))
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.keys()
    assert seen.page.locator("script").count() == 2
    assert (
        seen.page.locator("a, iframe, object, embed, form, link:not(head link), base, style:not(head style)").count()
        == 0
    )
    assert seen.page.locator("img:not(.pictures img):not(#large-image)").count() == 0
    assert seen.page.locator("#samples svg, #samples style, #samples [style]").count() == 0
    on = "[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith('on'))"
    assert seen.page.evaluate(on) == []
    texts = "\n".join(seen.page.locator("#samples .said").all_text_contents())
    for name in ("script", "script-end", "comment", "cdata", "image", "svg", "link", "attribute", "style", "title"):
        assert texts.count(HOSTILE[name]) >= 2, name
    assert seen.page.title().startswith("TFQ-Bench: true/false statements")
    assert HOSTILE["image"] in seen.page.inner_text(".card >> nth=0")
    assert HOSTILE["script-end"] in seen.page.locator("#f-category").inner_text()
    seen.page.fill("#f-text", HOSTILE["svg"])
    seen.page.select_option(
        "#f-category", label=HOSTILE["svg"][:79] + "…" if len(HOSTILE["svg"]) > 80 else HOSTILE["svg"]
    )
    expect(seen.page.locator("#count")).to_have_text(f"1 of {len(HOSTILE)} samples")
    assert [url for url in seen.requests if not url.startswith("data:")] == [pages.address("hostile.html")]


def test_an_answer_among_astral_characters_is_marked(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("hostile.html"))
    seen.page.fill("#f-text", HOSTILE["astral"])
    expect(seen.page.locator(".sample")).to_have_count(1)
    assert seen.page.locator("mark").first.inner_text() in ("T", "F")


# -- how it looks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["both.html", "hostile.html"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_the_page_is_no_wider_than_the_screen(
    opened: Callable[..., Seen], pages: Written, page: str, width: int
) -> None:
    seen = opened(pages.address(page), viewport={"width": width, "height": 800})
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.keys()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.evaluate("Math.max(...[...document.querySelectorAll('.said')].map((e) => e.scrollWidth))") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_in_dark(opened: Callable[..., Seen], pages: Written, scheme: str) -> None:
    seen = opened(pages.address("both.html"), color_scheme=scheme)
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert seen.page.evaluate(CONTRAST) == {}
    red = re.findall(r"\d+", str(seen.page.evaluate("getComputedStyle(document.body).backgroundColor")))[0]
    assert (int(red) > 128) == (scheme == "light")


def test_figures_are_there_without_javascript(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("both.html"), java_script_enabled=False)
    text = seen.page.inner_text("main")
    for metric in pages.results[0].metrics["recipe"].values():
        assert metric.value is not None
    accuracy = pages.results[0].metrics["lenient"]["question_accuracy"].value
    assert accuracy is not None
    assert f"{100 * accuracy:.1f} %" in text
    assert "The samples need JavaScript" in text
    assert seen.page.is_visible(".chart")
    assert not seen.page.is_visible("#filters")


def test_printing_shows_every_sample_that_fits(opened: Callable[..., Seen], pages: Written) -> None:
    seen = opened(pages.address("both.html"))
    assert seen.page.pdf()[:5] == b"%PDF-"
    assert seen.page.locator(".sample").count() == SAMPLES
