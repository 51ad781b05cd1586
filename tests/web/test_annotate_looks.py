"""How the annotation page looks in a browser, and that whatever anybody wrote stays text on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk_pages import at_item, at_rest, begin, decided, press
from served_projects import AGREED, Served, item, made, serving

from beholder.annotate.items import NewItem, Proposal
from report.browsing import Seen, expect
from report.html_pages import CONTRAST, HOSTILE

pytestmark = pytest.mark.slow

# -- hostile text --------------------------------------------------------------------------------------------------

MORE = {
    "markdown image": "![x](https://example.invalid/leak.png)",
    "data link": "<a href='data:text/html,<script>window.ran=1</script>'>x</a>",
    "form": "<form action=//example.invalid><button>x</button></form>",
    "object": "<object data=x></object><embed src=x><base href=//example.invalid>",
    "math": "<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>",
    "css": "</style><style>@import '//example.invalid/x.css'</style>",
    "null": "a\x00b<\x00script>window.ran=1</script>",
    "osc": "\x1b]0;title\x07\x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x1b\\",
    "rlo": "\u202e\u202e\u202e" + "txt.exe " * 20,
    "zalgo": "Z" + "\u0301\u0327\u0489" * 200,
    "wide": "𒐫" * 80,
    "huge": "<b>" + "long " * 40_000,
    "proto": "__proto__",
}
PAYLOADS = {**HOSTILE, **MORE}
assert len(PAYLOADS) >= 30


def clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def hostile_items() -> list[NewItem]:
    """Each payload as text, field name, title, proposal and draft of an item."""
    made_of = []
    for name, text in PAYLOADS.items():
        record = item(name, text, AGREED, **{clean(text)[:200]: text, "nested": {"deep": [text]}})
        value = AGREED[0] | {"target": clean(text)[:400], "mapping": clean(text)[:9_000]}
        value["evidence"] = [{"kind": "visual", "text": clean(text)[:900], "box": [0.1, 0.1, 0.5, 0.5]}]
        proposals = tuple(Proposal(number, value, faults=(name.replace(" ", "_"),)) for number in range(5))
        made_of.append(
            NewItem(
                key=f"{name}/../?#%2f",
                record=record.record,
                images=record.images,
                title=text,
                proposals=proposals,
                consensus=record.consensus,
                draft=value,
            )
        )
    return made_of


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = made(tmp_path_factory.mktemp("hostile") / "project", hostile_items())
    with serving(folder) as running:
        for record, text in zip(hostile_items(), PAYLOADS.values(), strict=True):
            value = record.draft | {"target": " ".join(record.draft["target"].replace("\0", "").split()) or "x"}
            value |= {"mapping": value["mapping"].replace("\0", ""), "evidence": []}
            author = "A" + clean(text).replace("\0", "")[:50]
            running.project.save(
                record.key, author=author, value=value, note=clean(text)[:1_900], revision=0, action="skip"
            )
        yield running


CLEAN = """() => ({
  ran: window.ran ?? null,
  elements: document.querySelectorAll(
    "iframe, object, embed, base, a, form, svg, math, style, body script, body link, body meta"
  ).length,
  pictures: [...document.images].filter((one) => !one.src.startsWith(location.origin + "/images/")).length,
  handlers: [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames()).filter((n) => /^on/.test(n)),
  wide: document.documentElement.scrollWidth - innerWidth,
})"""


@pytest.mark.parametrize("width", [390, 1200])
def test_whatever_is_written_stays_text(hostile: Served, opened: Callable[..., Seen], width: int) -> None:
    seen = opened(hostile.url, viewport={"width": width, "height": 844})
    page = begin(seen, "<img src=x onerror=window.ran=1>\u202e")
    for number in range(len(PAYLOADS)):
        page.locator(".record").wait_for()
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        if number == 0:
            press(page, "w")
        assert page.evaluate(CLEAN) == {"ran": None, "elements": 0, "pictures": 0, "handlers": [], "wide": 0}
        assert "\u202e" not in page.inner_text("main")
        before = page.url
        press(page, "j")
        if number < len(PAYLOADS) - 1:
            page.wait_for_function("before => location.href !== before", arg=before)
    assert [url for url in seen.requests if not url.startswith(hostile.url)] == []
    page.goto(f"{hostile.url}/#{'script/../?#%2f'.replace('%', '%25').replace('#', '%23')}")
    page.reload()
    expect(page.locator(".leading")).to_have_text(HOSTILE["script"])
    expect(page.locator("#field-target")).to_have_value(HOSTILE["script"])
    expect(page.locator("#note")).to_have_value(HOSTILE["script"])


def test_a_huge_text_is_cut_until_one_asks_for_all(hostile: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(hostile.url))
    page.goto(f"{hostile.url}/#huge%2F..%2F%3F%23%252f")
    leading = page.locator(".leading")
    expect(leading).to_contain_text("<b>long long")
    assert len(leading.inner_text()) < 2_200
    leading.get_by_role("button").click()
    assert len(leading.inner_text()) > 190_000


# -- how it looks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1000, 1440])
def test_it_can_be_read_and_is_no_wider_than_the_screen(
    served: Served, opened: Callable[..., Seen], width: int, scheme: str
) -> None:
    seen = opened(served.url, viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    page = begin(seen)
    press(page, "j")
    at_item(page, 1)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) == {}
    red = re.findall(r"\d+", str(page.evaluate("getComputedStyle(document.body).backgroundColor")))[0]
    assert (int(red) > 128) == (scheme == "light")
    press(page, "?")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("dialog").bounding_box()["width"] <= width


def test_on_a_phone_an_item_is_decided_by_touch(served: Served, opened: Callable[..., Seen]) -> None:
    seen = opened(served.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = begin(seen)
    page.get_by_role("button", name="List").tap()
    page.locator(".queue-row").nth(2).tap()
    at_item(page, 3)
    expect(page.locator("#queue")).to_be_hidden()
    page.get_by_text("neutral", exact=True).last.tap()
    page.get_by_role("button", name="Save and next").tap()
    at_item(page, 4)
    assert decided(served, "three-0")[0]["sentiment"] == "neutral"


EARLY = """new MutationObserver(() => document.getElementById("author")?.focus())
  .observe(document, {childList: true, subtree: true})"""


def test_one_may_begin_to_write_before_the_page_is_drawn(served: Served, opened: Callable[..., Seen]) -> None:
    page = opened(served.url).page
    expect(page.locator("#author")).to_be_focused()
    page.add_init_script(EARLY)
    page.reload()
    expect(page.locator("#author")).to_be_focused()
    page.wait_for_timeout(200)  # a complaint of the browser, which would fail the test, comes with the first drawing


FAULTS = "window.faults = []; addEventListener('error', (event) => window.faults.push(event.message));"


def test_the_picture_is_fitted_without_a_loop(served: Served, opened: Callable[..., Seen]) -> None:
    page = opened(served.url).page
    page.add_init_script(FAULTS)
    page.reload()
    page.fill("#author", "Ada")
    press(page, "Enter")
    for number, width in ((2, 1200), (1, 700), (3, 390)):
        page.set_viewport_size({"width": width, "height": 800})
        at_item(page, number)
        page.locator(".picture img").evaluate("image => image.decode()")
        page.wait_for_timeout(100)
        press(page, "j")
    assert page.evaluate("window.faults") == []


NAMELESS = """() => [...document.querySelectorAll("button, input, select, textarea")].filter((one) => {
  const label = one.getAttribute("aria-label") || one.labels?.[0]?.innerText || one.innerText;
  return !label?.trim();
}).map((one) => one.outerHTML)"""


def test_everything_that_can_be_worked_has_a_name_and_shows_its_focus(
    served: Served, opened: Callable[..., Seen]
) -> None:
    page = begin(opened(served.url))
    press(page, "j")
    at_item(page, 1)
    assert page.evaluate(NAMELESS) == []
    assert page.locator("[role=status]").get_attribute("aria-live") == "polite"
    page.evaluate("document.activeElement.blur()")
    for _ in range(25):
        press(page, "Tab")
        outlined = page.evaluate(
            "() => [document.activeElement, document.activeElement.closest('label')].some("
            "(one) => one && getComputedStyle(one).outlineStyle !== 'none')"
        )
        assert outlined, page.evaluate("document.activeElement.outerHTML")


def test_a_token_in_the_address_lets_in_and_does_not_stay_there(opened: Callable[..., Seen], tmp_path: Path) -> None:
    with serving(made(tmp_path / "project"), token="let-me-in") as served:
        seen = opened(f"{served.url}/?token=let-me-in")
        page = begin(seen)
        at_item(page, 2)
        assert "let-me-in" not in page.url
        page.reload()
        at_item(page, 2)
        assert page.evaluate("document.cookie") == ""
        at_rest(page)
