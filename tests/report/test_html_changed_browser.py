"""What an experiment gained and lost, in a real browser: links lead to samples, samples are filtered by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from browsing import Browser, Seen, expect, opening, running_browser
from html_pages import CONTRAST
from made_conversations import conversations, python

from beholder.report.changed_items import Change
from beholder.report.html_experiment import ExperimentPart
from beholder.report.html_report import write_html

ITEMS = 90
"""More cards than are drawn at once."""
LINES = 40


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    long = "\n".join(f"x{line} = {line}" for line in range(LINES - 1)) + "\nimage_1.show()"
    talks = [
        ("maze", [(f"Look {number}.", [python(long if number == 60 else "1")]), ("B", [])]) for number in range(ITEMS)
    ]
    result = conversations(folder, talks)
    keys = [item.key for item in result.items]
    part = ExperimentPart(
        "<h2>Experiment</h2>", [Change("python against none", "python", [keys[3], keys[60]], [keys[4], "gone"])]
    )
    return write_html([result], folder / "report.html", experiment=part).as_uri()


@pytest.fixture(scope="module")
def browser(page: str) -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Seen]]:
    with opening(browser) as open_page:
        yield open_page


AT_THE_TOP = """(item) => {
  const bar = document.getElementById("filters");
  const covered = getComputedStyle(bar).position === "sticky" ? bar.getBoundingClientRect().bottom : 0;
  const above = document.getElementById(`item-${item}`).getBoundingClientRect().top - covered;
  return above >= 0 && above < 30;
}"""
"""Whether the card stands right below whatever covers the upper edge of the window."""


@pytest.mark.parametrize("width", [390, 1200])
def test_a_link_leads_to_its_sample_wherever_that_is(opened: Callable[..., Seen], page: str, width: int) -> None:
    seen = opened(page, viewport={"width": width, "height": 800})
    seen.page.locator("summary", has_text="python against none: 2 gained, 2 lost").click()
    expect(seen.page.locator(".items").nth(1)).to_have_text("lost: item 4; 1 item not in this page: gone")
    for number in (60, 3, 3):
        seen.page.locator(f'a[href="#item-{number}"]').click()
        expect(seen.page.locator(f"#item-{number}")).to_be_focused()
        seen.page.wait_for_function(AT_THE_TOP, arg=number)
        seen.page.wait_for_timeout(300)  # until it has settled there
    seen.page.fill("#f-text", "item 7")
    expect(seen.page.locator("#item-60")).to_have_count(0)
    seen.page.locator('a[href="#item-60"]').click()
    expect(seen.page.locator("#item-60")).to_be_focused()


def test_an_address_with_a_sample_opens_at_it(opened: Callable[..., Seen], page: str) -> None:
    seen = opened(f"{page}#item-60")
    expect(seen.page.locator("#item-60")).to_be_focused()
    assert opened(f"{page}#item-900").count() == f"{ITEMS} of {ITEMS} samples"


def test_samples_are_filtered_by_what_was_gained_and_lost(opened: Callable[..., Seen], page: str) -> None:
    seen = opened(page)
    options = seen.page.locator("#f-changed option").all_inner_texts()
    assert options == ["all", "python against none: gained (2)", "python against none: lost (1)"]
    seen.page.select_option("#f-changed", index=1)
    expect(seen.page.locator("#count")).to_have_text(f"2 of {ITEMS} samples")
    seen.page.click("#clear")
    expect(seen.page.locator("#count")).to_have_text(f"{ITEMS} of {ITEMS} samples")


def test_long_code_scrolls_and_can_be_seen_whole(opened: Callable[..., Seen], page: str) -> None:
    seen = opened(f"{page}#item-60")
    card = seen.page.locator("#item-60")
    card.locator(".talk > summary").click()
    box = card.locator(".code")
    height = "box => [box.clientHeight, box.scrollHeight]"
    short, whole = box.evaluate(height)
    assert short < whole
    card.get_by_role("button", name=f"Show all {LINES} lines").click()
    shown, whole = box.evaluate(height)
    assert shown == whole > short
    expect(card.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lists_can_be_read(opened: Callable[..., Seen], page: str, scheme: str) -> None:
    seen = opened(page, color_scheme=scheme, viewport={"width": 390, "height": 800})
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert seen.page.evaluate(CONTRAST) == {}
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
