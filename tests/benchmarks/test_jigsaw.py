from __future__ import annotations

import json
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
from beholder.benchmarks.jigsaw import BENCHMARK
from beholder.benchmarks.jigsaw.metrics import chance
from beholder.errors import DataError, Owner, UsageError
from beholder.sample import (
    Failure,
    ImagePart,
    ImageRef,
    OrderedListTarget,
    Response,
    Sample,
    TextPart,
    Usage,
)
from beholder.score import Outcome, ScoredItem
from beholder.synth.dataset import write_dataset
from beholder.synth.jigsaw import generate

GOLD = (4, 1, 8, 9, 3, 6, 2, 7, 5)
SAMPLE = Sample(
    key="k-0",
    index=0,
    benchmark="jigsaw",
    images=(ImageRef(name="p.png", data=b"x"),),
    parts=(TextPart("as the data say"), ImagePart(0)),
    target=OrderedListTarget(GOLD),
    category="3x3",
    cluster="photo",
    metadata={"n": 3},
)
ROWS = "[4,1,8],[9,3,6],[2,7,5]"
ONES = str([1] * 9)

# name, text, (strict value, outcome), (lenient value, outcome), whether it is flagged as no permutation
CASES = [
    ("gold", f"<answer>{list(GOLD)}</answer>", (1, "scored"), (1, "scored"), False),
    (
        "gold after a thought",
        f"<think>7, 8</think>\n<answer>{list(GOLD)}</answer>",
        (1, "scored"),
        (1, "scored"),
        False,
    ),
    ("two swapped", "<answer>[1, 4, 8, 9, 3, 6, 2, 7, 5]</answer>", (7 / 9, "scored"), (7 / 9, "scored"), False),
    ("all wrong", "<answer>[1, 2, 3, 4, 5, 7, 6, 8, 9]</answer>", (0, "scored"), (0, "scored"), False),
    ("T94: all ones", f"<answer>{ONES}</answer>", (1 / 9, "scored"), (1 / 9, "scored"), True),
    ("T93: nested rows", ROWS, (0, "unparsed"), (1, "scored"), False),
    ("bare numbers", "4, 1, 8, 9, 3, 6, 2, 7, 5", (0, "unparsed"), (1, "scored"), False),
    ("a sentence", f"The answer is {list(GOLD)}.", (0, "unparsed"), (1, "scored"), False),
    ("one too few", f"<answer>{list(GOLD[:-1])}</answer>", (0, "unparsed"), (0, "unparsed"), False),
    ("one too many", f"<answer>{[*GOLD, 1]}</answer>", (0, "unparsed"), (0, "unparsed"), False),
    ("out of range", "<answer>[4, 1, 8, 9, 3, 6, 2, 7, 50]</answer>", (8 / 9, "scored"), (8 / 9, "scored"), True),
    ("words", "I cannot see the pieces well.", (0, "unparsed"), (0, "unparsed"), False),
    ("nothing", "", (0, "unparsed"), (0, "unparsed"), False),
]


@pytest.mark.parametrize(("text", "strict", "lenient", "flagged"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_scores(text, strict, lenient, flagged):
    for name, (value, outcome) in (("strict", strict), ("lenient", lenient)):
        score = BENCHMARK.scorers[name](SAMPLE, Response(text=text, finish="stop"))
        assert (score.value, score.outcome) == (pytest.approx(value), outcome), name
        assert ("not_a_permutation" in score.flags) == flagged, name
        if outcome == "scored":
            assert len(json.loads(score.extracted)) == 9


RESPONSES = [
    ("failed", Response(failure=Failure(Owner.PROVIDER, "timeout", "no reply")), None, "failed"),
    ("no text", Response(text=None, finish="stop"), 0, "unparsed"),
    ("cut off", Response(text="<answer>[4, 1,", finish="length"), 0, "truncated"),
    ("cut in a thought", Response(text="<think>4, 1, 8, 9, 3, 6, 2, 7, 5", finish="length"), 0, "truncated"),
    ("filtered", Response(text="", finish="content_filter"), 0, "refused"),
    ("limit hit", Response(text="", max_tokens=5, usage=Usage(completion_tokens=5)), 0, "truncated"),
]


@pytest.mark.parametrize("scorer", ["strict", "lenient"])
@pytest.mark.parametrize(("response", "value", "outcome"), [r[1:] for r in RESPONSES], ids=[r[0] for r in RESPONSES])
def test_responses_without_an_answer(scorer, response, value, outcome):
    score = BENCHMARK.scorers[scorer](SAMPLE, response)
    assert (score.value, score.outcome) == (value, outcome)
    assert score.owner == (Owner.PROVIDER if outcome == "failed" else None)


@given(st.permutations(range(1, 10)))
@settings(deadline=None, max_examples=50)
def test_strict_and_lenient_agree_on_the_asked_format(order):
    response = Response(text=f"<answer>{list(order)}</answer>", finish="stop")
    strict, lenient = (BENCHMARK.scorers[name](SAMPLE, response) for name in ("strict", "lenient"))
    right = sum(a == b for a, b in zip(order, GOLD, strict=True)) / 9
    assert (strict.value, strict.extracted) == (lenient.value, lenient.extracted) == (right, str(list(order)))


@given(st.text(max_size=200) | st.lists(st.integers(-5, 50), max_size=20).map(str))
@settings(deadline=None, max_examples=150)
def test_any_text_gets_a_score_in_range(text):
    for scorer in BENCHMARK.scorers.values():
        score = scorer(SAMPLE, Response(text=text, finish="stop"))
        assert score.value is not None
        assert 0 <= score.value <= 1
        assert score.outcome is Outcome.SCORED or score.value == 0


def test_gold_and_guess_of_generated_puzzles():
    rng = random.Random(3)
    for sample in generate(8, 2):
        gold = f"<answer>{list(sample.target.values)}</answer>"
        blind = BENCHMARK.guess(sample, rng)
        for scorer in BENCHMARK.scorers.values():
            assert scorer(sample, Response(text=gold, finish="stop")).value == 1
            guessed = scorer(sample, Response(text=blind, finish="stop"))
            assert guessed.outcome is Outcome.SCORED
            assert guessed.flags == ()


def test_a_guess_does_not_look_at_the_target():
    other = msgspec.structs.replace(SAMPLE, target=OrderedListTarget(tuple(range(1, 10))))
    assert BENCHMARK.guess(SAMPLE, random.Random(1)) == BENCHMARK.guess(other, random.Random(1))


def test_guesses_score_at_chance():
    rng = random.Random(0)
    values = [
        BENCHMARK.scorers["strict"](SAMPLE, Response(text=BENCHMARK.guess(SAMPLE, rng))).value for _ in range(2000)
    ]
    assert sum(values) / len(values) == pytest.approx(1 / 9, abs=0.01)


# -- the prompt --------------------------------------------------------------------------------------------------------


def test_prompt_asks_for_the_format_that_strict_reads():
    (question, image) = BENCHMARK.prompt(SAMPLE, BENCHMARK.template, ())
    assert image == ImagePart(0)
    assert "3×3 pieces" in question.text
    assert "from 1 to 9" in question.text
    assert "<answer>" in question.text
    assert "{" not in question.text


TEMPLATES = [
    ("{n} and {pieces}", (TextPart("3 and 9"), ImagePart(0))),
    ("Own: {question}", (TextPart("Own: as the data say"), ImagePart(0))),
    ("<image>{n}", (ImagePart(0), TextPart("3"))),
    ("look <image> now", (TextPart("look "), ImagePart(0), TextPart(" now"))),
    ('{"n": {n}, {x}} {0} {n.__class__}', (TextPart('{"n": 3, {x}} {0} {n.__class__}'), ImagePart(0))),
    ("", (ImagePart(0),)),
]


@pytest.mark.parametrize(("template", "parts"), TEMPLATES, ids=[t[0] or "empty" for t in TEMPLATES])
def test_templates(template, parts):
    assert BENCHMARK.prompt(SAMPLE, template, ()) == parts


def test_a_template_places_the_picture_once():
    with pytest.raises(UsageError, match="holds it 2 times"):
        BENCHMARK.prompt(SAMPLE, "<image> <image>", ())


# -- loading -----------------------------------------------------------------------------------------------------------

RECORD = {
    "id": 8,
    "task": "jigsaw",
    "prompt": "Put it together.",
    "answer": "[4, 1, 8, 9, 3, 6, 2, 7, 5]",
    "image_1": "data/jigsaw/3.png",
    "image_2": None,
    "meta_data": {"difficulty": 3},
}


def load_records(folder, records, name="jigsaw.jsonl"):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return list(BENCHMARK.load(folder, LoadOptions()))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"answer": "4, 1, 8, 9, 3, 6, 2, 7, 5"},
        {"answer": list(GOLD)},
        {"meta_data": {"difficulty": 3, "more": []}},
        {"id": "eight"},
    ],
    ids=["published", "no brackets", "list", "more meta data", "text id"],
)
def test_public_layouts(tmp_path, change):
    (sample,) = load_records(tmp_path, [RECORD | change])
    assert sample.target == OrderedListTarget(GOLD)
    assert (sample.category, sample.difficulty, sample.metadata) == ("3x3", "3", {"n": 3})
    assert sample.cluster == "data/jigsaw/3.png"
    assert sample.images[0].path == str(tmp_path / "data/jigsaw/3.png")
    assert sample.record_id == str(change.get("id", 8))
    assert sample.source == "jigsaw.jsonl, line 1"


def test_the_older_name_of_the_meta_data(tmp_path):
    record = {key: value for key, value in RECORD.items() if key != "meta_data"} | {"metadata": {"difficulty": 3}}
    assert load_records(tmp_path, [record])[0].metadata == {"n": 3}


def test_the_photograph_is_the_cluster(tmp_path):
    record = RECORD | {"meta_data": {"difficulty": 3, "photo": "cat.jpg"}}
    assert load_records(tmp_path, [record])[0].cluster == "cat.jpg"


def test_a_folder_without_our_name(tmp_path):
    assert len(load_records(tmp_path, [RECORD, RECORD], "tir.jsonl")) == 2


def test_repeated_records_get_different_keys(tmp_path):
    first, second = load_records(tmp_path, [RECORD, RECORD])
    assert first.key[:-1] == second.key[:-1]
    assert first.key != second.key


def without(column):
    return {key: value for key, value in RECORD.items() if key != column}


BAD = [
    ("no answer", without("answer"), "no column 'answer'"),
    ("no image", without("image_1"), "no column 'image_1'"),
    ("no prompt", without("prompt"), "no column 'prompt'"),
    ("no task", without("task"), "no column 'task'"),
    ("no meta data", without("meta_data"), "no column 'meta_data'"),
    ("corrupt", '{"id": 8, "task', "not valid JSON"),
    ("not an object", "[1, 2]", "must be an object"),
    ("another task", RECORD | {"task": "maze"}, "must be 'jigsaw' but is 'maze'.*Keep only the jigsaw records"),
    ("no size", RECORD | {"meta_data": {}}, "'difficulty'.*'None'.*Write the size"),
    ("size as text", RECORD | {"meta_data": {"difficulty": "3"}}, "'difficulty'.*'3'"),
    ("huge size", RECORD | {"meta_data": {"difficulty": 10**30}}, "'difficulty'"),
    ("size true", RECORD | {"meta_data": {"difficulty": True}}, "'difficulty'"),
    (
        "answer too short",
        RECORD | {"answer": "[1, 2, 3]"},
        "each number from 1 to 9 once but has 3 entries.*Mend the answer",
    ),
    ("answer of another size", RECORD | {"meta_data": {"difficulty": 4}}, "4×4.*1 to 16 once but has 9 entries"),
    ("answer repeats", RECORD | {"answer": str([1] * 9)}, "misses or repeats some"),
    ("answer from zero", RECORD | {"answer": str(list(range(9)))}, "misses or repeats some"),
    ("answer in words", RECORD | {"answer": "row by row"}, "but is 'row by row'"),
    ("answer of texts", RECORD | {"answer": ["1"] * 9}, "other than whole numbers"),
    ("answer empty", RECORD | {"answer": ""}, "but is ''"),
    ("answer a number", RECORD | {"answer": 418936275}, "'answer' must be"),
    ("answer endless", RECORD | {"answer": " " * 300_000 + "x"}, "1 to 9 once but is"),
    ("answer of long numbers", RECORD | {"answer": ",".join(["9" * 5000] * 9)}, "misses or repeats some"),
    ("image elsewhere", RECORD | {"image_1": "../secret.png"}, "leaves the image folder"),
    ("image null", RECORD | {"image_1": None}, "'image_1' must be text but is null"),
]


@pytest.mark.parametrize(("record", "says"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_records_are_named(tmp_path, record, says):
    with pytest.raises(DataError, match=f"(?s)^jigsaw.jsonl, line 2: .*{says}") as caught:
        load_records(tmp_path, [RECORD, record])
    assert "\n" not in str(caught.value)


def test_nothing_to_read(tmp_path):
    with pytest.raises(UsageError, match="holds no data file"):
        list(BENCHMARK.load(tmp_path, LoadOptions()))
    load_records(tmp_path, [RECORD])
    with pytest.raises(UsageError, match="image folder is not there"):
        list(BENCHMARK.load(tmp_path, LoadOptions(images=tmp_path / "nowhere")))


# -- figures -----------------------------------------------------------------------------------------------------------


def items(texts):
    samples = list(generate(len(texts), 4, sizes=(3, 4)))
    rows = []
    for index, (sample, text) in enumerate(zip(samples, texts, strict=True)):
        said = text.replace("GOLD", str(list(sample.target.values)))
        response = Response(text=said) if text else Response(failure=Failure(Owner.PROVIDER, "timeout", "no reply"))
        scores = {name: scorer(sample, response) for name, scorer in BENCHMARK.scorers.items()}
        rows.append(
            ScoredItem(index=index, key=sample.key, scores=scores, cluster=sample.cluster, category=sample.category)
        )
    return rows


def test_metrics():
    found = BENCHMARK.metrics(items(["<answer>GOLD</answer>", "GOLD", "<answer>GOLD</answer>", ""]), MetricOptions())
    strict, lenient = found["strict"], found["lenient"]
    assert (strict["position_accuracy"].value, strict["position_accuracy"].n) == (pytest.approx(2 / 3), 3)
    assert (strict["position_accuracy"].failed, strict["position_accuracy"].worst) == (1, 0.5)
    assert lenient["position_accuracy"].value == lenient["solved"].value == 1
    assert strict["solved/3x3"].value == 1
    assert strict["solved/4x4"].value == 0
    assert strict["position_accuracy/4x4"].failed == 1
    assert "a random arrangement scores 0.111" in strict["position_accuracy/3x3"].note
    assert "a random arrangement scores 0.087" in strict["position_accuracy"].note


def test_solved_counts_whole_puzzles_only():
    (row,) = items([f"<answer>{[1] * 9}</answer>"])
    found = BENCHMARK.metrics([row], MetricOptions())["strict"]
    assert found["position_accuracy"].value == pytest.approx(1 / 9)
    assert found["solved"].value == 0


def test_no_rows_no_figures():
    assert BENCHMARK.metrics([], MetricOptions()) == {}


@pytest.mark.parametrize(
    ("category", "level"),
    [("3x3", 1 / 9), ("6x6", 1 / 36), ("3x4", None), ("", None), ("x", None), ("²x²", None), ("0x0", None)],
)
def test_chance(category, level):
    assert chance(category) == level


def test_it_is_in_the_list_and_says_it_is_generated(tmp_path):
    assert benchmark("jigsaw") is BENCHMARK
    folder = write_dataset(generate(13, 1), tmp_path / "puzzles")
    samples = list(BENCHMARK.load(folder, LoadOptions()))
    notes = " ".join(BENCHMARK.notices(samples))
    assert "not comparable with the jigsaw task of TIR-Bench" in notes
    assert "13 puzzles are cut from 11 photographs" in notes
    assert BENCHMARK.headline[0] in BENCHMARK.scorers
