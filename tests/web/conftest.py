"""A served project, and a browser to look at it; imported only where a test asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from report.browsing import expect, running_browser

    expect.set_options(timeout=20_000)  # a machine that does much else at once is no fault of the page
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """`opened(address)` opens a page; see `opening`. Ask for the server first, so that it outlives the page."""
    from report.browsing import opening

    with opening(browser) as open_page:
        yield open_page


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Any]:
    """A project of four items, served on loopback."""
    from served_projects import made, serving

    with serving(made(tmp_path / "project")) as running:
        yield running
