"""Conversations with a real sandbox, closed at the end of each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The list of fonts is made in the tests' own folder, once for all of their processes."""
    with pytest.MonkeyPatch.context() as patch:
        base = tmp_path_factory.getbasetemp()
        folder: Path = base.parent if base.name.startswith("popen-") else base
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield
