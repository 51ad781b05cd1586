"""A benchmark of one's own: the maker with its defaults, and which files may be run at all."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beholder import Item, own_benchmark
from beholder.benchmarks import benchmark, own
from beholder.benchmarks.benchmark import Benchmark, LoadOptions, MetricOptions
from beholder.benchmarks.own_items import item_of
from beholder.engine.answers import score_answers
from beholder.engine.scoring import score_with, scorer_code
from beholder.errors import DataError, Owner, UsageError
from beholder.sample import ChoiceTarget, Failure, ImagePart, NumberTarget, Response, Sample, TextPart
from beholder.score import Outcome, Score

ANIMAL = {"id": "a", "image": "1.png", "question": "Which?", "options": ["cat", "dog"], "answer": "B"}
COUNT = {"id": "b", "image": "1.png", "question": "How many?", "answer": 3, "category": "count"}
NAME = {"id": "c", "question": "Name it.", "answer": "Rex", "category": "name"}
TRUE = {"id": "d", "question": "Is it a dog?", "answer": True, "category": "name"}


@pytest.fixture(autouse=True)
def nobody_remembers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own.forget()
    yield
    own.forget()


def data(folder: Path, *records: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def samples(found: Benchmark, file: Path) -> list[Sample]:
    return list(found.load(file, LoadOptions()))


def test_records_with_the_usual_columns_need_nothing_but_a_name(tmp_path: Path) -> None:
    found = own_benchmark(name="pets")
    which, count, name, true = samples(found, data(tmp_path, ANIMAL, COUNT, NAME, TRUE))
    assert which.target == ChoiceTarget("B")
    assert count.target == NumberTarget("3")
    assert (which.cluster, count.cluster, which.images[0].path) == ("1.png", "1.png", str(tmp_path / "1.png"))
    assert name.cluster == name.key, "without a picture an item stands alone"
    assert found.prompt(which, found.template, ()) == (ImagePart(0), TextPart("Which?\nA. cat\nB. dog"))
    assert found.prompt(true, "{question} Yes or no?", ()) == (TextPart("Is it a dog? Yes or no?"),)
    for sample in (which, count, name, true):
        for response in found.gold(sample):
            assert {score.value for score in score_with(found.scorers)(sample, response).values()} == {1.0}, sample
    guesses = {found.guess(which, random.Random(seed)) for seed in range(20)}
    assert guesses == {"A", "B"}


SAID: list[tuple[dict[str, Any], str, float, float]] = [
    (ANIMAL, "B", 1, 1),
    (ANIMAL, "It is the dog, so B.", 1, 0),
    (ANIMAL, "dog", 1, 0),
    (ANIMAL, "A or B", 0, 0),
    (ANIMAL, "", 0, 0),
    (COUNT, "There are three of them: 3", 1, 0),
    (COUNT, "3.0", 1, 1),
    (COUNT, "30", 0, 0),
    (NAME, "The dog is called rex.", 0, 0),
    (NAME, "Rex", 1, 1),
    (TRUE, "Yes", 1, 1),
    (TRUE, "No, it is a cat.", 0, 0),
    ({**ANIMAL, "several": True, "answer": ["A", "dog"]}, "A and B", 1, 0),
    ({**ANIMAL, "several": True, "answer": "AB"}, "A", 0, 0),
]


@pytest.mark.parametrize(("record", "text", "lenient", "strict"), SAID, ids=[said for _, said, _, _ in SAID])
def test_answers_are_read_by_the_kind_of_gold(
    record: dict[str, Any], text: str, lenient: float, strict: float, tmp_path: Path
) -> None:
    found = own_benchmark(name="pets")
    (sample,) = samples(found, data(tmp_path, record))
    scores = score_with(found.scorers)(sample, Response(text=text, finish="stop"))
    assert (scores["lenient"].value, scores["strict"].value) == (lenient, strict), scores


FAILED = Response(failure=Failure(owner=Owner.PROVIDER, kind="timeout", message="no answer"))
RULED: list[tuple[Any, Response, float | None, Outcome]] = [
    (True, Response(text="x", finish="stop"), 1.0, Outcome.SCORED),
    (0.5, Response(text="x", finish="stop"), 0.5, Outcome.SCORED),
    (None, Response(text="x", finish="stop"), 0.0, Outcome.UNPARSED),
    (None, Response(text="x", finish="length"), 0.0, Outcome.TRUNCATED),
    (None, Response(text=None, finish="content_filter"), 0.0, Outcome.REFUSED),
    (True, FAILED, None, Outcome.FAILED),
    (7, Response(text="x", finish="stop"), None, Outcome.FAILED),
    (Score(0.25, Outcome.TIE), Response(text="x", finish="stop"), 0.25, Outcome.TIE),
]


@pytest.mark.parametrize(("said", "response", "value", "outcome"), RULED)
def test_a_rule_becomes_a_scorer(
    said: Any, response: Response, value: float | None, outcome: Outcome, tmp_path: Path
) -> None:
    found = own_benchmark(name="pets", scorers={"rule": lambda sample, text: said})
    (sample,) = samples(found, data(tmp_path, NAME))
    score = found.scorers["rule"](sample, response)
    assert (score.value, score.outcome) == (value, outcome)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda sample, text: 1 / 0, r"broke at test_own_benchmark.py:\d+: ZeroDivisionError"),
        (lambda sample: True, r"broke: TypeError"),
        (lambda sample, text: "yes", r"broke: ValueError"),
        (lambda sample, text: float("nan"), r"gave nan, which is not between 0 and 1"),
    ],
)
def test_a_rule_that_breaks_says_where_and_blames_nobody_else(rule: Any, words: str, tmp_path: Path) -> None:
    found = own_benchmark(name="pets", scorers={"rule": rule})
    (sample,) = samples(found, data(tmp_path, NAME))
    score = found.scorers["rule"](sample, Response(text="x", finish="stop"))
    assert (score.outcome, score.owner, "report it" in score.reason) == (Outcome.FAILED, Owner.US, False)
    assert re.search(words, score.reason), score.reason


@pytest.mark.parametrize("wrong", [lambda *given: 5, lambda *given: {}["x"]])
def test_a_gold_or_guess_that_is_no_text_is_told(wrong: Any, tmp_path: Path) -> None:
    found = own_benchmark(name="pets", gold=wrong, guess=wrong)
    (sample,) = samples(found, data(tmp_path, NAME))
    with pytest.raises(UsageError, match="`gold` of pets"):
        found.gold(sample)
    with pytest.raises(UsageError, match="`guess` of pets"):
        found.guess(sample, random.Random(0))


def test_an_item_without_a_picture_is_named_where_the_prompt_has_a_place_for_one(tmp_path: Path) -> None:
    found = own_benchmark(name="pets")
    (sample,) = samples(found, data(tmp_path, NAME))
    with pytest.raises(DataError, match=r"data.jsonl, line 1: there is no picture"):
        found.prompt(sample, found.template, ())


def test_what_the_data_writes_is_no_place_of_the_template(tmp_path: Path) -> None:
    found = own_benchmark(name="pets", template="{question} {options}")
    (sample,) = samples(found, data(tmp_path, {**ANIMAL, "question": "{options} {question} <image>", "image": None}))
    assert found.prompt(sample, found.template, ()) == (TextPart("{options} {question} <image> A. cat\nB. dog"),)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"answer": "x"}, "there is no 'question'; the columns are: answer"),
    ({"question": "?", "answer": ""}, "the answer must be text, a number, true or false"),
    ({"question": "?", "answer": {"x": 1}}, "Expected"),
    ({**ANIMAL, "answer": "C"}, "neither a letter to B nor the text of one option"),
    ({**ANIMAL, "answer": ["A", "B"]}, "say `several`"),
    ({**ANIMAL, "options": ["x"] * 27}, "there are 27 options"),
    ({**ANIMAL, "image": "../secret.png"}, "leaves the image folder"),
    ({**ANIMAL, "question": 3}, "Expected `str`"),
]


@pytest.mark.parametrize(("record", "words"), WRONG, ids=[words[:30] for _, words in WRONG])
def test_a_record_that_cannot_be_used_is_named(record: dict[str, Any], words: str, tmp_path: Path) -> None:
    file = data(tmp_path, NAME, record)
    with pytest.raises(DataError, match=r"data.jsonl, line 2") as caught:
        samples(own_benchmark(name="pets"), file)
    assert words in str(caught.value)
    apart: list[DataError] = []
    kept = list(own_benchmark(name="pets").load(file, LoadOptions(on_error=apart.append)))
    assert (len(kept), len(apart)) == (1, 1)


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2.*'c' is that of data.jsonl, line 1 too"):
        samples(own_benchmark(name="pets"), data(tmp_path, NAME, {**NAME, "question": "Another?"}))


def test_an_item_of_ones_own_may_lack_a_column(tmp_path: Path) -> None:
    found = own_benchmark(name="pets", item=lambda record: Item(question=record["ask"], answer="x"))
    with pytest.raises(DataError, match="there is no 'ask'"):
        samples(found, data(tmp_path, NAME))
    nothing: Any = lambda record: None  # noqa: E731
    with pytest.raises(DataError, match="line 1: `item` gave NoneType, not an Item"):
        samples(own_benchmark(name="pets", item=nothing), data(tmp_path, NAME))
    assert item_of(NAME).id == "c"


def test_intervals_are_by_picture_and_categories_have_their_own(tmp_path: Path) -> None:
    found = own_benchmark(name="pets")
    records = [{**COUNT, "id": str(i), "image": f"{i // 4}.png", "category": "xy"[i % 2]} for i in range(12)]
    answered = [
        {"key": str(i), "response": "3" if i < 6 else "4" if i < 11 else ""} for i in range(12)
    ]  # and one blank
    from beholder.engine.answers import read_plain

    (tmp_path / "answers").mkdir()
    lines = data(tmp_path / "answers", *answered)
    given = read_plain(lines, found, data(tmp_path, *records), LoadOptions())
    items = score_answers(given.answered, found.scorers)
    figures = found.metrics(items, MetricOptions())["lenient"]
    assert set(figures) == {"accuracy", "empty_rate", "accuracy/x", "accuracy/y"}
    assert (figures["accuracy"].value, figures["accuracy"].n) == (0.5, 12)
    assert figures["accuracy"].interval.startswith("cluster")
    assert figures["empty_rate"].value == pytest.approx(1 / 12)


# Which files are run ----------------------------------------------------------------------------------------------

FILE = "from beholder import own_benchmark\nMINE = own_benchmark(name='pets')\n"


def write(file: Path, text: str = FILE) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_file_is_known_by_the_name_of_its_benchmark_once_it_was_given(tmp_path: Path) -> None:
    file = write(tmp_path / "pets.py")
    with pytest.raises(UsageError, match="There is no benchmark 'pets'"):
        benchmark("pets")
    assert [one.name for one in own.give_benchmarks(f"{file}:MINE")] == ["pets"]
    own.forget()  # another process of the same person
    assert benchmark("pets").code == own.remembered().files[str(file)]
    assert own.list_file().stat().st_mode & 0o077 == 0


def test_a_second_variable_of_a_benchmark_is_no_second_benchmark(tmp_path: Path) -> None:
    file = write(tmp_path / "pets.py", FILE + "SAME = MINE\n")
    assert [one.name for one in own.give_benchmarks(str(file))] == ["pets"]
    assert own.remembered().benchmarks["pets"] == f"{file}:MINE"
    assert [one.name for one in own.give_benchmarks(f"{file}:SAME")] == ["pets"]


def test_a_class_is_given_only_what_the_person_gave_it(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.py")
    own.give(file, "weights/a")
    own.give(file)
    own.forget()
    with pytest.raises(UsageError, match="You have not given 'theirs' to a class of"):
        own.trusted(file, "theirs")
    assert own.trusted(file, "weights/a").path == file
    with pytest.raises(UsageError, match="You have not given 'theirs'"):
        own.trusted(file, "theirs")  # although the file has been run by now, for something else
    own.take(file)
    assert own.trusted(file, "theirs").path == file, "it was named in this command"


def test_a_changed_file_is_not_run_until_it_is_named_again(tmp_path: Path) -> None:
    file = write(tmp_path / "pets.py")
    own.give_benchmarks(str(file))
    own.forget()
    trace = tmp_path / "trace"
    write(file, f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n" + FILE)
    with pytest.raises(UsageError, match=r"has changed since you named it.*--own"):
        benchmark("pets")
    assert not trace.exists()
    before = own.remembered().files[str(file)]
    own.take(file)
    assert trace.exists()
    assert benchmark("pets").code != before


def test_a_file_that_has_moved_is_named_where_it_is(tmp_path: Path) -> None:
    file = write(tmp_path / "pets.py")
    own.give_benchmarks(str(file))
    own.forget()
    moved = file.rename(tmp_path / "moved.py")
    with pytest.raises(UsageError, match=r"is gone. Name the file where it is now"):
        benchmark("pets")
    own.take(moved)
    assert benchmark("pets").name == "pets"


def test_a_name_is_never_taken_for_a_file(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    evil = write(tmp_path / "evil.py", f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n" + FILE)
    for name in (str(evil), f"{evil}:MINE", "../evil.py", "evil", "PETS"):
        with pytest.raises(UsageError, match="There is no benchmark"):
            benchmark(name)
    with pytest.raises(UsageError, match="that you have not named yourself"):
        own.trusted(evil)
    assert not trace.exists()


BROKEN = [
    ("x = (", "line 1 cannot be run: SyntaxError"),
    ("x = 1\nboom", "line 2 cannot be run: NameError"),
    ("raise SystemExit", "line 1 cannot be run: SystemExit"),
    ("x = 1", "holds no benchmark: no variable"),
    ("from beholder.benchmarks.tfq import BENCHMARK", "'tfq' is a name of ours"),
    ("from beholder import own_benchmark\nM = own_benchmark(name='../x')", "cannot name a benchmark"),
    ("import nothing_of_this_name", "Install it: what lies beside the file cannot be imported"),
    ("from beholder import own_benchmark\nM = own_benchmark(name='x', votes=0)", "line 2 cannot be run: ValueError"),
    ("from beholder import own_benchmark\nM = own_benchmark(name='x', template='?')", "has no {question}"),
    ("from beholder import own_benchmark\nM = own_benchmark(name='x', scorers={'a': 3})", "is no function"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_a_file_that_cannot_be_used_is_told_in_a_line(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        own.give_benchmarks(str(write(tmp_path / "mine.py", text)))
    assert words in str(caught.value)


def test_the_code_of_the_scorers_is_that_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "pets.py")
    (first,) = own.give_benchmarks(str(file))
    own.forget()
    write(file, FILE + "# another\n")
    (second,) = own.give_benchmarks(str(file))
    assert scorer_code(first) != scorer_code(second)


def test_a_damaged_list_is_told(tmp_path: Path) -> None:
    own.list_file().parent.mkdir(parents=True)
    own.list_file().write_text("{")
    with pytest.raises(UsageError, match=r"damaged.*Delete it"):
        benchmark("pets")


def test_dataclasses_in_the_file_work(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass D:\n    x: int = 1\n"
    assert own.give(write(tmp_path / "mine.py", text + FILE.partition("\n")[0])).module.D().x == 1
