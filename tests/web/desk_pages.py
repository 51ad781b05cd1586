"""The annotation page in a browser, and what tests do with it again and again."""

from __future__ import annotations

from typing import Any

from served_projects import Served

from report.browsing import Seen, expect


def begin(seen: Seen, name: str = "Ada") -> Any:
    """The page once the name is given and the first item is there."""
    page = seen.page
    page.fill("#author", name)
    page.keyboard.press("Enter")
    expect(page.locator("main .item-head")).to_be_visible()
    return page


def at_item(page: Any, number: int) -> None:
    expect(page.locator(".item-head h2")).to_have_text(f"Item {number}")


def shown_state(page: Any, state: str) -> None:
    expect(page.locator(".item-head .state").first).to_contain_text(state)


def at_rest(page: Any) -> None:
    """Waits until nothing is asked for any more, before the server of the page ends."""
    page.wait_for_load_state("networkidle")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def decided(served: Served, key: str) -> Any:
    """(value, note, state, revision) of an item as the database has it."""
    found = served.project.item(key, "Ada")
    return found.value, found.note, found.state, found.revision
