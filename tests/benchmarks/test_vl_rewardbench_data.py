"""Records, result files, orders and prompt of VL-RewardBench."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.orders import answer_orders
from beholder.benchmarks.vl_rewardbench import data, official
from beholder.benchmarks.vl_rewardbench.data import load, notices, provenance
from beholder.benchmarks.vl_rewardbench.prompt import TEMPLATE, guess, prompt
from beholder.benchmarks.vl_rewardbench.results import read_results
from beholder.errors import DataError, UsageError
from beholder.sample import ImagePart, ImageRef, PreferenceTarget, TextPart


def record(**changes):
    base = {
        "id": "RLAIF-V-19",
        "query": "What stands on the table?",
        "response": ["A jug.", "A jug and two cups."],
        "image": "images/RLAIF-V-19.png",
        "human_ranking": [0, 1],
        "models": ["small", "large"],
        "judge": "human",
        "query_source": "COCO",
        "ground_truth": "",
    }
    return {**base, **changes}


def row(**changes):
    meta = {
        "filter_choice": "Overall Judgment: Answer 1 is better.",
        "random_number": 0,
        "flag_status": "reject",
    }
    base = {
        "id": "RLAIF-V-19",
        "query": "What stands on the table?",
        "response": ["A jug.", "A jug and two cups."],
        "ranking": [0, 1],
        "image_path": "images/rlaif-v/19.png",
        "meta": {**meta, **changes.pop("meta", {})},
    }
    return {**base, **changes}


def write(path, rows):
    path.write_text("\n".join(json.dumps(value) for value in rows) + "\n", encoding="utf-8")
    return path


def samples_of(path, **options):
    return list(load(path, LoadOptions(**options)))


def test_a_record_becomes_a_sample(tmp_path):
    (sample,) = samples_of(write(tmp_path / "d.jsonl", [record(query="<image>\nWhat stands there?")]))
    assert sample.parts == (ImagePart(0), TextPart("What stands there?"))
    assert sample.target == PreferenceTarget(0)
    assert (sample.category, sample.group, sample.record_id) == ("hallucination", "rlaif-v", "RLAIF-V-19")
    assert sample.images == (ImageRef("images/RLAIF-V-19.png", path=str(tmp_path / "images" / "RLAIF-V-19.png")),)
    assert sample.metadata["responses"] == ["A jug.", "A jug and two cups."]
    assert sample.metadata["models"] == ["small", "large"]
    assert sample.metadata["query_source"] == "COCO"
    assert sample.source == "d.jsonl, line 1"


def test_images_may_lie_elsewhere_or_in_the_record(tmp_path):
    path = write(tmp_path / "d.jsonl", [record()])
    assert samples_of(path, images=tmp_path / "pics")[0].images[0].path == str(
        tmp_path / "pics" / "images" / "RLAIF-V-19.png"
    )
    parquet = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    rows = [record(image={"bytes": b"\x89PNG", "path": "x.png"}), record(id="svit-1", human_ranking=[1, 0])]
    rows[1]["image"] = rows[0]["image"]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "test-00000-of-00001.parquet")
    first, second = samples_of(tmp_path / "test-00000-of-00001.parquet")
    assert first.images[0].data == b"\x89PNG"
    assert second.target == PreferenceTarget(1)
    assert first.cluster == second.cluster  # same bytes, same query


def test_t34_repeated_ids_are_kept_and_clustered(tmp_path):
    twice = [record(id="mathverse_1063"), record(id="mathverse_1063", response=["Six.", "Seven."])]
    first, second, again = samples_of(write(tmp_path / "d.jsonl", [*twice, twice[0]]))
    assert len({first.key, second.key, again.key}) == 3
    assert (first.key[:-2], again.key[-2:]) == (again.key[:-2], "-1")
    assert first.cluster == second.cluster
    assert first.category == "reasoning"


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ("RLAIF-V-19", ("rlaif-v", "hallucination")),
        ("RLHF-V-1", ("rlhf-v", "hallucination")),
        ("hallucination_pair-1003", ("povid", "hallucination")),
        ("mathverse_1063", ("reasoning_tasks", "reasoning")),
        ("mmmu_pro_test_Marketing_150", ("reasoning_tasks", "reasoning")),
        ("wildvision-battle-9", ("wildvision-battle", "general")),
        ("LRVInstruction-1", ("vlfeedback", "general")),
        ("mathverse-9", ("vlfeedback", "general")),
        ("anything", ("vlfeedback", "general")),
    ],
)
def test_the_id_tells_the_group(identity, expected):
    assert provenance(identity) == expected


BAD_RECORDS = {
    "no id": ({"id": None}, "id"),
    "id a list": ({"id": ["x"]}, "id"),
    "no query": ({"query": None}, "query"),
    "three responses": ({"response": ["a", "b", "c"]}, "3 value"),
    "one response": ({"response": ["a"]}, "1 value"),
    "null response": ({"response": ["a", None]}, "null"),
    "response text": ({"response": "ab"}, "response"),
    "ranking null": ({"human_ranking": None}, "[0, 1]"),
    "ranking tie": ({"human_ranking": [0, 0]}, "[0, 0]"),
    "ranking from one": ({"human_ranking": [1, 2]}, "[1, 2]"),
    "ranking of booleans": ({"human_ranking": [False, True]}, "[0, 1]"),
    "ranking text": ({"human_ranking": "[0, 1]"}, "text"),
    "ranking long": ({"human_ranking": [0, 1, 2]}, "[0, 1, 2]"),
    "no image": ({"image": None}, "image"),
    "image number": ({"image": 4}, "image"),
    "image outside": ({"image": "../../secret.png"}, "secret.png"),
}


@pytest.mark.parametrize(("changes", "said"), BAD_RECORDS.values(), ids=BAD_RECORDS.keys())
def test_a_bad_record_is_named_in_one_line(tmp_path, changes, said):
    path = write(tmp_path / "d.jsonl", [record(), record(**changes)])
    with pytest.raises(DataError) as caught:
        samples_of(path)
    message = str(caught.value)
    assert "d.jsonl, line 2" in message
    assert said in message
    assert "\n" not in message


def test_results_become_votes(tmp_path):
    rows = [
        row(),
        None,
        row(id="svit-1", ranking=[1, 0], meta={"random_number": 1}),
        row(meta={"random_number": 1, "filter_choice": None}),
        row(response=["A jug and two cups.", "A jug."], ranking=[1, 0]),
    ]
    answered = list(read_results(write(tmp_path / "r.jsonl", rows)))
    assert [(a.index, a.vote, a.response.order) for a in answered] == [
        (0, 0, (0, 1)),
        (2, 0, (1, 0)),
        (3, 1, (1, 0)),
        (4, 2, (0, 1)),
    ]
    assert answered[2].response.text is None
    assert answered[0].sample.key == answered[2].sample.key == answered[3].sample.key
    assert answered[3].sample.target == PreferenceTarget(1)
    same = samples_of(write(tmp_path / "d.jsonl", [record()]))[0]
    assert answered[0].sample.key == same.key


def test_results_may_be_wrapped_and_name_the_ranking_like_the_data(tmp_path):
    plain = row()
    plain["human_ranking"] = plain.pop("ranking")
    rows = [{"0": plain}, {"0": None}, {"0": row(id="svit-1")}]
    answered = list(read_results(write(tmp_path / "r.jsonl", rows)))
    assert [(a.index, a.sample.record_id) for a in answered] == [(0, "RLAIF-V-19"), (2, "svit-1")]


BAD_ROWS = {
    "no ranking": (row(ranking=None), "ranking"),
    "empty ranking": (row(ranking=[]), "ranking"),
    "no meta": (row() | {"meta": None}, "meta"),
    "no random_number": (row(meta={"random_number": None}), "random_number"),
    "random_number text": (row(meta={"random_number": "0"}), "random_number"),
    "random_number nan": (row(meta={"random_number": float("nan")}), "random_number"),
    "judgement a number": (row(meta={"filter_choice": 1}), "filter_choice"),
    "a list": ([1], "list"),
    "not wrapped": ({"0": row()}, "id"),
}


@pytest.mark.parametrize(("bad", "said"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_bad_row_is_named_in_one_line(tmp_path, bad, said):
    path = write(tmp_path / "r.jsonl", [row(), bad])
    with pytest.raises(DataError) as caught:
        list(read_results(path))
    message = str(caught.value)
    assert "r.jsonl, line 2" in message
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"", b"{\n", b'{"id": "\xff"}\n', b"[" * 100_000])
def test_a_broken_file_is_a_data_error(tmp_path, content):
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"r\.jsonl"):
        list(read_results(path))


@pytest.mark.parametrize("mode", ["random", "balanced"])
def test_t32_orders_do_not_depend_on_threads(mode):
    keys = [f"item-{number}" for number in range(200)]

    def draw(key):
        return answer_orders(7, key, 5, 2, mode)

    alone = [draw(key) for key in keys]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(draw, keys)) == alone
        assert list(pool.map(draw, reversed(keys))) == alone[::-1]
    swapped = sum(order == (1, 0) for orders in alone for order in orders)
    assert 400 < swapped < 600
    assert alone != [answer_orders(8, key, 5, 2, mode) for key in keys]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(),
    st.text(max_size=5),
    st.integers(0, 12),
    st.integers(0, 5),
    st.sampled_from(["random", "balanced"]),
)
def test_each_order_is_a_permutation_and_more_votes_change_none(seed, key, votes, answers, mode):
    orders = answer_orders(seed, key, votes, answers, mode)
    assert len(orders) == votes
    assert all(sorted(order) == list(range(answers)) for order in orders)
    assert answer_orders(seed, key, votes + 3, answers, mode)[:votes] == orders
    if mode == "balanced" and answers:
        for start in range(0, votes - answers + 1, answers):
            for place in zip(*orders[start : start + answers], strict=True):
                assert sorted(place) == list(range(answers))


def test_an_unknown_order_is_a_usage_error():
    with pytest.raises(UsageError, match="balanced"):
        answer_orders(0, "a", 5, 2, "shuffled")


HOSTILE = "{answer_2} {question} {0} {} %s {{answer_1}} \\g<1> \ud800 \x00"


def made_sample(tmp_path, **changes):
    return samples_of(write(tmp_path / "d.jsonl", [record(**changes)]))[0]


@pytest.mark.parametrize("order", [(), (0, 1), (1, 0)])
def test_the_prompt_shows_the_answers_in_order_and_data_stays_data(tmp_path, order):
    sample = made_sample(tmp_path, query=HOSTILE, response=["one " + HOSTILE, "two " + HOSTILE])
    image, text = prompt(sample, "Q {question} A {answer_1} B {answer_2} {other}", order)
    first, second = ("two ", "one ") if order == (1, 0) else ("one ", "two ")
    assert image == ImagePart(0)
    assert text == TextPart(f"Q {HOSTILE} A {first}{HOSTILE} B {second}{HOSTILE} {{other}}")


def test_the_template_asks_for_the_sentence_that_the_scorers_read(tmp_path):
    text = prompt(made_sample(tmp_path), TEMPLATE, (0, 1))[1].text
    assert text.endswith("Overall Judgment: Answer X is better.")
    assert text.index("A jug.") < text.index("A jug and two cups.")
    assert official.read_verdict(text).number is None  # an echo of the prompt is no verdict


def test_a_template_without_a_placeholder_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"\{answer_2\}"):
        prompt(made_sample(tmp_path), "{question} {answer_1}", (0, 1))
    with pytest.raises(ValueError, match="order"):
        prompt(made_sample(tmp_path), TEMPLATE, (0, 0))


def test_the_guesser_is_a_fair_coin(tmp_path):
    sample, rng = made_sample(tmp_path), random.Random(3)
    numbers = [official.read_verdict(guess(sample, rng)).number for _ in range(400)]
    assert set(numbers) == {1, 2}
    assert 150 < numbers.count(1) < 250


def test_notices_name_the_order_trap_and_partial_data(tmp_path):
    rows = [record(response=[str(number), "x"]) for number in range(40)]
    said = " ".join(notices(samples_of(write(tmp_path / "d.jsonl", rows))))
    assert "40 of 40" in said
    assert "1250 items, this data 40" in said
    assert notices(1250) == []
    assert sum(data.PUBLISHED_SIZES.values()) == 1250
