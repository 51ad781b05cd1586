"""Templates with a section for each language."""

from __future__ import annotations

import doctest

import pytest

from beholder.benchmarks import sections as module
from beholder.benchmarks.sections import section_of, sections
from beholder.errors import UsageError

BOTH = "[en]\nAnswer:\n{text}\n\n[zh] \n回答：{text}\n"

CASES = [
    (BOTH, "en", "Answer:\n{text}"),
    (BOTH, "zh", "回答：{text}"),
    (BOTH, "de", "Answer:\n{text}"),
    (BOTH.replace("\n", "\r\n"), "en", "Answer:\r\n{text}"),
    ("One for all: {text}\n", "zh", "One for all: {text}\n"),
    ("See [en] here\n[EN]\n", "en", "See [en] here\n[EN]\n"),
    ("\n[zh]\n问\n", "en", "问"),
    ("[en]\n", "en", ""),
]


@pytest.mark.parametrize(("template", "language", "asked"), CASES)
def test_what_is_asked_in_a_language(template: str, language: str, asked: str) -> None:
    assert section_of(template, language) == asked


def test_a_template_without_sections_has_none() -> None:
    assert sections("Is there a metaphor? {text}") == {}


@pytest.mark.parametrize(("template", "word"), [("Hello\n[en]\nx", "before"), ("[en]\nx\n[en]\ny", "two sections")])
def test_words_that_nobody_would_be_asked_are_refused(template: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        sections(template)


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(module).failed == 0
