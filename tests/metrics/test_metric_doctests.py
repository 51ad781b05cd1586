"""The examples in the docstrings are run: what they print is what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = ("agreement", "intervals", "accuracy", "groups", "votes", "paired", "noise", "ranks", "table")


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"beholder.metrics.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
