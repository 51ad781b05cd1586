"""Every page of the viewer over runs that hold hostile text wherever text can be: nothing of it is more than text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from served_views import Viewed, hostile_runs, viewing

from report.html_pages import HOSTILE

pytestmark = pytest.mark.slow
FORBIDDEN = "script, iframe, object, embed, base, form:not(.mark-form), math, style, link, meta, video, foreignObject"
REFUSED = "console: Failed to load resource: the server responded with a status of 4"
ATTRIBUTES = r"""
[...document.body.querySelectorAll('*')].flatMap((element) => [...element.attributes]
  .filter(({ name, value }) => name.startsWith('on') || name === 'srcdoc' || name === 'style' && /url/i.test(value)
    || ['src', 'href', 'xlink:href', 'action'].includes(name) && !/^(#|images\/|\/assets\/)/.test(value))
  .map(({ name, value }) => `${element.tagName} ${name}=${value}`))
"""
TURNS = ("LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI", "FSI", "PDI")


@pytest.fixture(scope="module")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewed]:
    folder = tmp_path_factory.mktemp("hostile")
    with viewing(hostile_runs(folder), folder / "cache") as running:
        yield running


def names(viewed: Viewed) -> list[str]:
    """The first has all of the texts, the second is what it is compared with."""
    return sorted(viewed.library.folders(), key=lambda name: "<img" not in name)


def address(page: str, **params: Any) -> str:
    return f"{page}?{urlencode(params, doseq=True)}" if params else page


def check_only_text(page: Any, viewed: Viewed, requests: list[str]) -> None:
    """No element but ours, no handler, no address but the server's own; that nothing ran is checked by `opening`."""
    assert page.evaluate(f"document.body.querySelectorAll({FORBIDDEN!r}).length") == 0
    assert page.evaluate(ATTRIBUTES) == []
    assert [asked for asked in requests if not asked.startswith(f"{viewed.url}/")] == []
    seen = page.evaluate("document.body.innerText")
    assert {char for char in seen if unicodedata.bidirectional(char) in TURNS} == set()
    assert {char for char in seen if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t\r"} == set()


def bare(text: str) -> str:
    """The letters of a text that pages show as they are; what hides or turns text is named there: `⟦202E⟧`."""
    text = re.sub("⟦[^⟧]*⟧", "", text)
    return "".join(char for char in text if char.isascii() and char.isalnum())


def test_no_page_makes_more_than_text_of_it(viewed: Viewed, opened: Callable[..., Any]) -> None:
    first, second = names(viewed)
    pages = [
        address("", text="x"),
        address("run", run=first),
        address("run", run=second),
        address("samples", run=first, text=HOSTILE["query"], scorer=HOSTILE["script"]),
        address("samples", run=first),
        address("samples", run=first, against=second, change="gained"),
        address("compare", run=[first, second]),
        address("compare", run=[first, HOSTILE["image"]]),
        address("leaderboard", benchmark="tfq"),
        address("leaderboard", benchmark=HOSTILE["svg"], scorer=HOSTILE["link"], metric=HOSTILE["prototype"]),
        address("sample", run=HOSTILE["address"], key=HOSTILE["path"]),
        address("__proto__", run="constructor"),
    ]
    seen = opened(viewed.at(""))
    for page in pages:
        seen.page.goto(viewed.at(page))
        seen.page.wait_for_load_state("networkidle")
        check_only_text(seen.page, viewed, seen.requests)
    # Of what is not there, a browser says so in its console too.
    seen.said[:] = [line for line in seen.said if not line.startswith(REFUSED)]
    assert viewed.said == []


def test_each_text_is_shown_as_text_on_the_page_of_its_sample(viewed: Viewed, opened: Callable[..., Any]) -> None:
    first, _ = names(viewed)
    index = viewed.library.index(first, whole=True)
    assert index.n == len(HOSTILE) >= 30
    seen = opened(viewed.at(""))
    for place, (name, text) in enumerate(HOSTILE.items()):
        seen.page.goto(viewed.at(address("sample", run=first, key=index.key_at(place))))
        seen.page.wait_for_selector(".sample-said")
        for folded in seen.page.query_selector_all("details:not([open]) > summary"):
            folded.click()
        seen.page.wait_for_load_state("networkidle")
        check_only_text(seen.page, viewed, seen.requests)
        assert bare(text)[:200] in bare(seen.page.inner_text(".sample-main")), name


def test_a_mark_with_hostile_words_is_kept_and_shown(viewed: Viewed, opened: Callable[..., Any]) -> None:
    first, _ = names(viewed)
    key = viewed.library.index(first, whole=True).key_at(3)
    seen = opened(viewed.at(address("sample", run=first, key=key)))
    seen.page.wait_for_selector(".sample-said")
    seen.page.keyboard.press("m")
    seen.page.wait_for_selector("textarea:focus")
    seen.page.keyboard.type("<script>alert(99)</script> because")
    seen.page.keyboard.press("Control+Enter")
    seen.page.get_by_text("<script>alert(99)</script> because").wait_for()
    check_only_text(seen.page, viewed, seen.requests)
