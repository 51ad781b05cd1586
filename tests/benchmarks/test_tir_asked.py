"""What a model and an extractor are asked about an item of TIR-Bench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tir_records import LIST, NINE, OPTIONS, PLACE, SEVERAL, TARGETS, one, record

from beholder.benchmarks.records import Record
from beholder.benchmarks.tir.data import make_sample
from beholder.benchmarks.tir.extractor import extraction_prompt, needs_extraction
from beholder.benchmarks.tir.prompt import TEMPLATE, guess, prompt
from beholder.benchmarks.tir.tasks import TASKS
from beholder.errors import UsageError
from beholder.sample import (
    ChoiceTarget,
    Failure,
    ImagePart,
    KeyMaker,
    NumberSetTarget,
    NumberTarget,
    PlaceTarget,
    Response,
    Sample,
    TextPart,
)
from beholder.seeds import rng_for


def test_the_question_alone_is_asked_and_a_template_may_place_the_pictures(tmp_path: Path) -> None:
    sample = one(tmp_path, task="spot_difference", prompt=LIST, answer="7", image_1="a_left.png", image_2="a_right.png")
    own, pictures = TextPart(LIST), (ImagePart(0), ImagePart(1))
    assert prompt(sample, TEMPLATE) == (own, *pictures)
    assert prompt(sample, "<image>{question}") == (*pictures, own)
    assert prompt(sample, "Look: <image> {question} Think.") == (
        TextPart("Look: "),
        *pictures,
        TextPart(f" {LIST} Think."),
    )
    for template in ("Think.", "{question} <image> <image>", ""):
        with pytest.raises(UsageError, match=r"\{question\}, and <image> at most once"):
            prompt(sample, template)


def test_the_guesser_answers_in_kind_and_never_looks_at_the_gold(tmp_path: Path) -> None:
    for number, (task, question, answer, target) in enumerate(TARGETS):
        sample = one(tmp_path, task=task, prompt=question, answer=answer)
        said = {guess(sample, rng_for(1, str(number), draw, "guess")) for draw in range(30)}
        assert said
        if isinstance(target, ChoiceTarget) and not target.several:
            assert said <= set("ABCD")
        if isinstance(target, NumberSetTarget):
            assert all(set(json.loads(text)) <= set(range(1, 21)) for text in said)
        if isinstance(target, NumberTarget | PlaceTarget):
            assert all(isinstance(json.loads(text), int | list) for text in said)
        assert len(said) > 1
    jigsaw = one(tmp_path, task="jigsaw", answer=NINE, meta_data={"difficulty": 3})
    assert sorted(json.loads(guess(jigsaw, rng_for(1, "j", "guess")))) == list(range(1, 10))


def test_everything_but_ocr_is_read_by_an_extractor(tmp_path: Path) -> None:
    answers: dict[str, Any] = {"jigsaw": [2, 1, 4, 3], "spot_difference": "1"}
    said, failed = Response(text="x"), Response(failure=Failure(owner="provider", kind="http_500", message="x"))  # type: ignore[arg-type]
    for task in TASKS:
        sample = one(tmp_path, task=task, answer=answers.get(task, "B"), meta_data={"difficulty": 2})
        assert needs_extraction(sample, said) is (task != "ocr")
        assert not needs_extraction(sample, failed)


FORMS_ASKED = [
    ("maze", OPTIONS, "B", "such as B."),
    ("math", SEVERAL, "AC", "such as ACD."),
    ("instrument", "What does it read?", "72", "without its unit"),
    ("word_search", PLACE, "[2, 3]", "[row, column]"),
    ("spot_difference", LIST, "7", "list of numbers"),
    ("ocr", "What is written?", "B", "the words"),
]


@pytest.mark.parametrize(("task", "question", "answer", "words"), FORMS_ASKED)
def test_the_question_to_the_extractor_names_the_form_and_not_the_gold(
    tmp_path: Path, task: str, question: str, answer: str, words: str
) -> None:
    sample = one(tmp_path, task=task, prompt=question, answer=answer)
    asked = extraction_prompt(sample, Response(text="I say {form} {question}."))
    assert words in asked
    assert question in asked
    assert "I say {form} {question}." in asked, "what a model wrote is not filled in"
    assert extraction_prompt(sample, Response(text=None), "[{response}]{other}") == "[]{other}"
    turned = make_sample_with(sample, task, question)
    assert extraction_prompt(turned, Response(text="x")) == extraction_prompt(sample, Response(text="x"))


def make_sample_with(sample: Sample, task: str, question: str) -> Sample:
    """The same item with another gold of the same kind."""
    other = {"maze": "C", "math": "BD", "instrument": "5", "word_search": "[9, 9]", "spot_difference": "3", "ocr": "X"}
    row = record(task, prompt=question, answer=other[task])
    return make_sample(Record(sample.source, 0, row), KeyMaker("tir"), None)
