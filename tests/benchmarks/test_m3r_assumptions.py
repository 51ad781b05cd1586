"""The file of what is ours to choose: what it may hold, and how a wrong one is told."""

from __future__ import annotations

import doctest
import importlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.errors import UsageError

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> str:
    made: dict[str, Any] = json.loads(shipped())
    change(made)
    return json.dumps(made)


ALLOWED: list[Change] = [
    lambda made: made.update(shown_from=75),
    lambda made: made.update(answers={"yes": 100, "partly": 25, "no": 0}),
    lambda made: made["criteria"].pop(),
    lambda made: made["criteria"][0]["questions"].pop(),
    lambda made: made["criteria"][0].update(weight=0.5),
    lambda made: made["slots"].update(articles=False),
]
REFUSED: list[tuple[Change, str]] = [
    (lambda made: made.update(shown_form=50), "shown_form"),
    (lambda made: made.update(shown_from=101), "100"),
    (lambda made: made.update(overlap_from=0), "overlap_from"),
    (lambda made: made.update(criteria=[]), "criteria"),
    (lambda made: made["criteria"][1]["questions"].__delitem__(slice(0, 2)), "questions"),  # two are left
    (lambda made: made["criteria"][0]["questions"].extend(made["criteria"][0]["questions"][:2]), "questions"),  # six
    (lambda made: made["criteria"][2]["questions"][0].update(id="ve_names"), "ve_names"),
    (lambda made: made["criteria"][2]["questions"][0].update(id="visual_evidence"), "visual_evidence"),
    (lambda made: made["criteria"][0].update(id="Visual Evidence"), "id"),
    (lambda made: made["criteria"][0].update(weight=0), "weight"),
    (lambda made: made["criteria"][0].update(weight=1e308), "weight"),  # its points would not be finite
    (lambda made: made["criteria"][0].update(weight=1e-320), "weight"),
    (lambda made: made["criteria"][0].update(id="rubric"), "rubric"),  # the figure of the whole is called that
    (lambda made: made["criteria"][0].update(title="  "), "title"),
    (lambda made: made["criteria"][0]["questions"][0].update(asks=""), "asks"),
    (lambda made: made["answers"].update(yes=-1), "yes"),
    (lambda made: made.pop("criteria"), "criteria"),
]


@pytest.mark.parametrize("change", ALLOWED)
def test_what_may_be_changed(change: Change) -> None:
    assert assumptions_of(changed(change)) != assumptions_of(shipped())


@pytest.mark.parametrize(("change", "word"), REFUSED)
def test_a_wrong_file_is_one_line_that_names_what_is_wrong(change: Change, word: str) -> None:
    with pytest.raises(UsageError, match=word) as error:
        assumptions_of(changed(change))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"\\ud800"', "[" * 100_000])
def test_what_is_no_such_file(text: str) -> None:
    with pytest.raises(UsageError, match="Begin with a copy of ours"):
        assumptions_of(text)


@pytest.mark.parametrize("name", ["wording", "rubric", "equivalence"])
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"beholder.benchmarks.m3r.{name}"))
    assert (result.attempted > 0, result.failed) == (True, 0)
