"""A real browser to look at report pages with; without one the tests that need it are skipped, but not in CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("chromium is not installed", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
Browser = playwright.Browser
expect = playwright.expect
QUIET = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Chromium, for as long as it is needed. Make all runs before: Playwright keeps an event loop of its own."""
    assert CHROMIUM is not None, "CI looks at pages with chromium: install it"
    with playwright.sync_playwright() as play:
        running = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@dataclass
class Seen:
    """A page that is open, and everything that it did which it should not do."""

    page: playwright.Page
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def count(self) -> str:
        return self.page.inner_text("#count")

    def keys(self) -> list[str]:
        """The keys of the samples that the filters leave, in their order; as for a printer, all of them are drawn."""
        self.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        return [str(key) for key in self.page.eval_on_selector_all(".sample", "all => all.map(e => e.dataset.key)")]


@contextmanager
def opening(browser: Browser) -> Iterator[Callable[..., Seen]]:
    """`open_page(address)` opens a page in a fresh profile; whatever a page says, asks for or breaks fails the test."""
    contexts, all_seen = [], []

    def open_page(address: str, **options: object) -> Seen:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        seen = Seen(context.new_page())
        all_seen.append(seen)
        seen.page.set_default_timeout(10_000)
        seen.page.add_init_script(QUIET)
        context.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("console", lambda message: seen.said.append(f"console: {message.text}"))
        seen.page.on("pageerror", lambda error: seen.said.append(f"error: {error}"))
        seen.page.on("dialog", lambda dialog: (seen.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        seen.page.goto(address)
        return seen

    yield open_page
    for seen in all_seen:
        assert seen.page.evaluate("window.violations || []") == []
        assert seen.said == []
    for context in contexts:
        context.close()
