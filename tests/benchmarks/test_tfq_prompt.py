"""The prompt: what is put where, and nothing in a statement that can break it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.benchmarks.tfq import BENCHMARK
from beholder.benchmarks.tfq.prompt import TEMPLATE, guess, prompt
from beholder.errors import UsageError
from beholder.sample import BooleanTarget, ImagePart, Part, Response, Sample, TextPart


def sample(*parts: Part, value: bool = True) -> Sample:
    return Sample(key="k", index=0, benchmark="tfq", images=(), parts=parts, target=BooleanTarget(value), metadata={})


STATEMENT = TextPart("\nA cat.")
PLACES = [
    ("S: {statement}!", (ImagePart(0), STATEMENT), (ImagePart(0), TextPart("S: A cat.!"))),
    ("S: {statement}", (STATEMENT,), (TextPart("S: A cat."),)),
    ("{statement}", (ImagePart(0), STATEMENT), (ImagePart(0), TextPart("A cat."))),
    (
        "A <image> B {statement}",
        (ImagePart(0), STATEMENT),
        (TextPart("A "), ImagePart(0), TextPart(" B A cat.")),
    ),
    ("{statement} C <image>", (ImagePart(0), STATEMENT), (TextPart("A cat. C "), ImagePart(0))),
    (
        "{statement}",
        (ImagePart(1), TextPart(" "), ImagePart(0), STATEMENT),
        (ImagePart(1), ImagePart(0), TextPart("A cat.")),
    ),
    (
        "S: {statement}",
        (TextPart("as in "), ImagePart(0), TextPart(", cats")),
        (TextPart("S: as in "), ImagePart(0), TextPart(", cats")),
    ),
]


@pytest.mark.parametrize(("template", "parts", "sent"), PLACES)
def test_places(template: str, parts: tuple[Part, ...], sent: tuple[Part, ...]) -> None:
    assert prompt(sample(*parts), template) == sent


@pytest.mark.parametrize(
    "template", ["", "no place", "{statement} {statement}", "<image> <image> {statement}", "{ statement }"]
)
def test_templates_that_cannot_work(template: str) -> None:
    with pytest.raises(UsageError, match="prompt template"):
        prompt(sample(STATEMENT), template)


@given(st.text() | st.sampled_from(["{statement}", "<image>", "{0}", "{", "}}{{", "%s {x!r:>{y}}", "\ud800\0"]))
def test_a_statement_is_put_in_as_it_is(statement: str) -> None:
    sent = prompt(sample(ImagePart(0), TextPart("x" + statement)), "a {braces} {statement} <image> %d")
    assert sent == (TextPart(f"a {{braces}} x{statement} "), ImagePart(0), TextPart(" %d"))


def test_our_template_asks_for_both_blocks_and_comes_after_the_image() -> None:
    sent = prompt(sample(ImagePart(0), STATEMENT), TEMPLATE)
    assert sent[0] == ImagePart(0)
    assert isinstance(sent[1], TextPart)
    assert sent[1].text.endswith("Statement: A cat.")
    for tag in ("<think>", "</think>", "<answer>", "</answer>"):
        assert tag in sent[1].text


def test_the_prompt_itself_is_no_answer_under_strict() -> None:
    """A model that repeats the prompt has not answered."""
    assert BENCHMARK.scorers["strict"](sample(), Response(text=TEMPLATE)).value == 0


def test_a_guess_is_readable_by_every_scorer_and_blind() -> None:
    said = [guess(sample(value=value), random.Random(seed)) for seed in range(50) for value in (True, False)]
    assert said[::2] == said[1::2]
    assert set(said) == {"<answer>T</answer>", "<answer>F</answer>"}
    for scorer in BENCHMARK.scorers.values():
        assert scorer(sample(), Response(text="<answer>T</answer>")).value == 1
