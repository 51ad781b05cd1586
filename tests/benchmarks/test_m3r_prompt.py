"""What is asked of a model, in two languages and for each task; the blind guesser and the perfect model."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest
from m3r_rows import GUN, PLAIN, drawn, sample
from msgspec import UNSET

from beholder.annotation import Annotation, Evidence, Explanation
from beholder.benchmarks.m3r import BENCHMARK
from beholder.benchmarks.m3r.prompt import TASKS, TEMPLATE, prompt
from beholder.benchmarks.sections import sections
from beholder.errors import UsageError
from beholder.extract import metaphor
from beholder.sample import ImagePart, ImageRef, Sample, TextPart

ALL = {"joint": TEMPLATE, **TASKS}
PICTURED = msgspec.structs.replace(
    sample(GUN), images=(ImageRef("1.png", path="1.png"),), parts=(ImagePart(0), TextPart("Smoking kills."))
)


def in_language(language: str) -> Sample:
    return msgspec.structs.replace(PICTURED, metadata={**PICTURED.metadata, "language": language})


@pytest.mark.parametrize("task", ALL)
def test_each_task_is_asked_in_english_and_in_chinese(task: str) -> None:
    assert list(sections(ALL[task])) == ["en", "zh"]
    texts = {}
    for language in ("en", "zh", "de"):
        picture, text = prompt(in_language(language), ALL[task])
        assert picture == ImagePart(0)
        assert isinstance(text, TextPart)
        assert text.text.count("Smoking kills.") == 1
        assert "{text}" not in text.text
        texts[language] = text.text
    assert "JSON object" in texts["en"]
    assert "JSON 对象" in texts["zh"]
    assert texts["de"] == texts["en"], "the first section is for languages that have none"


@pytest.mark.parametrize("task", [task for task in ALL if task not in ("joint", "annotate")])
def test_a_task_for_one_label_names_no_key_of_the_others(task: str) -> None:
    keys = {f'"{name}"' for name in ("metaphor", "target", "source", "sentiment", "explanation")}
    assert {key for key in keys if key in ALL[task]} == {f'"{task}"'}


@pytest.mark.parametrize("task", ALL)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_that_repeats_the_prompt_has_answered_nothing(task: str, language: str) -> None:
    _, text = prompt(in_language(language), ALL[task])
    assert isinstance(text, TextPart)
    assert metaphor.strict(text.text, task).value is None


def test_nothing_in_an_items_text_is_taken_for_a_placeholder() -> None:
    text = "{text} <image> [zh]\n[en] {metaphor}"
    own = msgspec.structs.replace(PICTURED, parts=(ImagePart(0), TextPart(text)))
    assert prompt(own, "Say: {text}!") == (ImagePart(0), TextPart(f"Say: {text}!"))
    assert prompt(own, "{text}<image>?") == (TextPart(text), ImagePart(0), TextPart("?"))


BAD = [
    ("No place.", "must hold {text} exactly once"),
    ("{text} {text}", "it holds it 2 times"),
    ("<image> <image> {text}", "may hold <image> once"),
    ("[en]\n{text}\n[zh]\nnothing", r"The section \[zh\] of the prompt template must hold {text}"),
    ("Hello\n[en]\n{text}", "words before its section"),
]


@pytest.mark.parametrize(("template", "problem"), BAD)
def test_a_template_that_cannot_be_filled_is_refused(template: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        prompt(PICTURED, template)


@pytest.mark.parametrize("task", ALL)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_blind_guess_is_in_the_form_asked_for_and_does_not_look_at_the_gold(task: str, language: str) -> None:
    answers = []
    for gold in (GUN, PLAIN):
        one = sample(gold, task, language=language)
        answers.append([BENCHMARK.guess(one, random.Random(seed)) for seed in range(300)])
    assert answers[0] == answers[1]
    read = [metaphor.strict(text, task).value for text in answers[0]]
    assert None not in read
    said = [one for one in read if one is not None]
    if task in ("joint", "annotate", "metaphor"):
        assert 110 < sum(one.metaphor is True for one in said) < 190
    if task in ("joint", "annotate", "sentiment"):
        assert min(Counter(one.sentiment for one in said).values()) > 70


EXPLAINED = Explanation(
    (Evidence("visual", "a cigarette as a barrel", (0.1, 0.2, 0.5, 0.9)), Evidence("textual", "kills")),
    "Smoking is seen as a gun.",
    "It warns.",
)


@pytest.mark.parametrize("task", ALL)
def test_a_perfect_model_says_the_gold(task: str) -> None:
    gold = msgspec.structs.replace(GUN, explanation=EXPLAINED)
    (response,) = BENCHMARK.gold(sample(gold, task))
    read = metaphor.strict(response.text or "", task).value
    expected = gold if task in ("joint", "annotate") else Annotation(**{task: getattr(gold, task)})
    assert read == expected


@pytest.mark.parametrize("seed", range(40))
def test_what_the_gold_does_not_give_is_filled_so_that_no_rule_is_broken(seed: int) -> None:
    rng = random.Random(seed)
    gold = drawn(rng, whole=False)
    for task in ALL:
        (response,) = BENCHMARK.gold(sample(gold, task))
        for scorer in ("strict", "lenient"):
            score = BENCHMARK.scorers[scorer](sample(gold, task), response)
            assert score.value in (1.0, None)
            assert "structure" not in score.flags


def test_gold_of_a_target_alone_is_a_metaphor() -> None:
    (response,) = BENCHMARK.gold(sample(Annotation(target="smoking", source=UNSET)))
    read = metaphor.strict(response.text or "", "joint").value
    assert read is not None
    assert (read.metaphor, read.target) == (True, "smoking")
    assert isinstance(read.source, str)
