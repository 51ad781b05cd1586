"""The models that ship for work offline: deterministic, blind to the gold, and strict about the files they play."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import PIL.Image
import pytest

import made_runs
from beholder.benchmarks import benchmark
from beholder.errors import Owner, UsageError
from beholder.models import KINDS, make_model
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import Fake, constant, random_guesser, replay, scripted
from beholder.models.model import Model
from beholder.sample import Ask, BooleanTarget, ImageRef, Response, Sample, Sampling, TextPart

PARTS = (TextPart("The lamp stands for hope."),)
SAMPLES = [
    Sample(
        key=f"k{index}-0",
        index=index,
        benchmark="tfq",
        images=(),
        parts=PARTS,
        target=BooleanTarget(True),
        record_id=f"r{index}",
    )
    for index in range(40)
]


def ask_for(sample: Sample, vote: int = 0, epoch: int = 0, order: tuple[int, ...] = ()) -> Ask:
    sampling = Sampling(max_tokens=9)
    return Ask(sample=sample, messages=(), vote=vote, epoch=epoch, order=order, sampling=sampling)


def answers(model: Model, asks: list[Ask]) -> list[Response]:
    async def all_of_them() -> list[Response]:
        await model.check()
        given = [await model.send(model.prepare([ask])[0]) for ask in asks]
        await model.close()
        return given

    return asyncio.run(all_of_them())


def replay_file(tmp_path: Path) -> Path:
    lines = [{"key": sample.key, "response": f"<answer>{'TF'[sample.index % 2]}</answer>"} for sample in SAMPLES]
    return made_runs.write_lines(tmp_path / "replay.jsonl", lines)


def script_file(tmp_path: Path) -> Path:
    file = tmp_path / "script.json"
    file.write_text(json.dumps(["<answer>T</answer>", "<answer>F</answer>", {"error": "overloaded"}]))
    return file


def make(kind: str, tmp_path: Path) -> Fake:
    if kind == "replay":
        return replay(replay_file(tmp_path))
    if kind == "scripted":
        return scripted(script_file(tmp_path))
    if kind == "constant":
        return constant("<answer>T</answer>")
    return random_guesser(benchmark("tfq").guess, 3)


@pytest.mark.parametrize("kind", ["replay", "scripted", "random", "constant"])
def test_they_never_look_at_the_gold_and_never_change_their_mind(kind: str, tmp_path: Path) -> None:
    asks = [ask_for(sample) for sample in SAMPLES]
    turned = [
        ask_for(msgspec.structs.replace(sample, target=BooleanTarget(False), metadata={"gold": "F"}))
        for sample in SAMPLES
    ]
    first = answers(make(kind, tmp_path), asks)
    assert answers(make(kind, tmp_path), asks) == first
    assert answers(make(kind, tmp_path), asks[::-1])[::-1] == first
    assert answers(make(kind, tmp_path), turned) == first


@pytest.mark.parametrize("name", ["tfq", "vl-rewardbench"])
def test_random_draws_anew_for_each_item_vote_epoch_and_seed(name: str) -> None:
    guess = benchmark(name).guess
    places = [(epoch, vote) for epoch in range(2) for vote in range(2)]
    drawn = {
        (seed, *place): [
            response.text
            for response in answers(random_guesser(guess, seed), [ask_for(sample, *place) for sample in SAMPLES])
        ]
        for seed in (1, 2)
        for place in places
    }
    assert len({tuple(texts) for texts in drawn.values()}) == len(drawn)
    assert all(10 < texts.count(texts[0]) < 30 for texts in drawn.values())  # 20 of 40 are expected


def test_a_fake_says_which_order_and_limit_it_was_given() -> None:
    (response,) = answers(constant("x"), [ask_for(SAMPLES[0], order=(1, 0))])
    assert (response.order, response.max_tokens, response.finish, response.text) == ((1, 0), 9, "stop", "x")


def test_a_fakes_request_hash_tells_votes_and_texts_apart() -> None:
    asks = [ask_for(SAMPLES[0], vote, epoch) for vote in range(2) for epoch in range(2)]
    hashes = {made.request_hash for text in "ab" for made in constant(text).prepare(asks)}
    assert len(hashes) == 8


def test_replay_finds_answers_by_key_record_id_or_index(tmp_path: Path) -> None:
    lines = [
        {"key": "k0-0", "response": "by key", "finish": "length", "reasoning": "hm"},
        {"key": "r1", "response": "by record id"},
        {"index": 2, "response": "by index"},
        {"key": "k3-0", "response": None},
        {"key": "k4-0", "vote": 1, "epoch": 2, "response": "second vote of the third epoch"},
        {"key": "k5-0", "response": "cut \ud83d"},
    ]
    model = replay(made_runs.write_lines(tmp_path / "answers.jsonl", lines))
    given = answers(model, [*map(ask_for, SAMPLES[:4]), ask_for(SAMPLES[4], 1, 2), ask_for(SAMPLES[5])])
    assert [response.text for response in given] == [line["response"] for line in lines]
    assert (given[0].finish, given[0].reasoning) == ("length", "hm")
    assert all(response.failure is None for response in given)


def test_replay_without_an_answer_is_a_failure_of_the_data(tmp_path: Path) -> None:
    model = replay(made_runs.write_lines(tmp_path / "answers.jsonl", [{"key": "k0-0", "response": "T"}]))
    for ask in (ask_for(SAMPLES[1]), ask_for(SAMPLES[0], vote=1), ask_for(SAMPLES[0], epoch=1)):
        (response,) = answers(model, [ask])
        assert response.failure is not None
        assert (response.failure.owner, response.failure.kind) == (Owner.DATA, "not_recorded")
        assert ask.sample.key in response.failure.message


def test_a_script_is_played_by_position(tmp_path: Path) -> None:
    model = scripted(script_file(tmp_path))
    given = answers(model, [ask_for(SAMPLES[index]) for index in (0, 1, 2, 3, 31)])
    assert [response.text for response in given] == [
        "<answer>T</answer>",
        "<answer>F</answer>",
        None,
        "<answer>T</answer>",
        "<answer>F</answer>",
    ]
    assert given[2].failure is not None
    assert given[2].failure.message == "overloaded"
    (second_vote,) = answers(model, [ask_for(SAMPLES[0], vote=1)])
    assert second_vote.text == "<answer>F</answer>"


def test_a_script_may_be_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text('"one"\n\n{"text": "two", "reasoning": "r", "finish": "length"}\n{"text": "cut \\ud83d"}\n')
    one, two, cut = answers(scripted(file), list(map(ask_for, SAMPLES[:3])))
    assert (one.text, two.text, two.reasoning, two.finish) == ("one", "two", "r", "length")
    assert cut.text == "cut \ud83d"


BAD_REPLAYS = [
    ("not JSON", '{"key": "a", "response": "x"}\n{"key"\n', "line 2"),
    ("not an object", "[1]\n", "line 1"),
    ("no response", '\n{"key": "a"}\n', "line 2"),
    ("response is a number", '{"key": "a", "response": 5}\n', "line 1"),
    ("neither key nor index", '{"response": "x"}\n', "line 1"),
    (
        "the same vote twice",
        '{"key":"a","response":"x"}\n{"key":"b","response":"x"}\n{"key":"a","response":"y"}\n',
        "1 and 3",
    ),
    ("no UTF-8", b'{"key": "a", "response": "\xff"}\n', "line 1"),
    ("nested without end", '{"key": "a", "response": ' + "[" * 100_000 + "\n", "line 1"),
]


@pytest.mark.parametrize(("text", "place"), [row[1:] for row in BAD_REPLAYS], ids=[row[0] for row in BAD_REPLAYS])
def test_a_bad_recording_names_file_line_and_mend(text: str | bytes, place: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=place) as caught:
        replay(file)
    words = str(caught.value)
    assert "answers.jsonl" in words
    assert "\n" not in words
    assert words.endswith(("response`.", "one of them.", "number the votes."))


BAD_SCRIPTS = [
    ("empty", "", "is empty"),
    ("an empty list", "[]", "is empty"),
    ("a number in a list", '["x", 5]', r"\$\[1\]"),
    ("another field", '{"text": "x"}\n{"response": "y"}', "line 2.*response"),
    ("not JSON", '"x"\n"y\n', "line 2"),
    ("a list that breaks off", '["x", ', "script"),
    ("nested without end", "[" * 100_000, "script"),
]


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in BAD_SCRIPTS], ids=[row[0] for row in BAD_SCRIPTS])
def test_a_bad_script_names_file_place_and_mend(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text(text)
    with pytest.raises(UsageError, match=words) as caught:
        scripted(file)
    assert "A script is a JSON list" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make_one", [replay, scripted])
def test_a_file_that_is_not_there(make_one: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.json cannot be read"):
        make_one(tmp_path / "gone.json")


def test_another_recording_is_another_model(tmp_path: Path) -> None:
    file = replay_file(tmp_path)
    before = replay(file).identity()
    assert replay(file).identity() == before
    file.write_text(file.read_text().replace("T", "F"))
    assert replay(file).identity() != before


NAMES = [
    ("opena/gpt", "Did you mean openai"),
    ("gpt-4o", r"openai/NAME"),
    ("scriptd/x.json", "Did you mean scripted"),
    ("openai", "incomplete"),
    ("openai/", "incomplete"),
    ("replay", "incomplete"),
    ("constant/", "incomplete"),
    ("openai/m", "--base-url"),
    ("classical", "it knows tir"),
    ("static", "it knows tir"),
    ("", "no kind of model"),
]


@pytest.mark.parametrize(("name", "words"), NAMES)
def test_model_names_that_cannot_work(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_model(name, benchmark("tfq"), seed=0, endpoint=None)


def weights(folder: Path) -> str:
    """As much of a model's folder as is looked at before its weights are."""
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return f"/{folder}"


REMOTE = ("openai", "openai-responses", "anthropic", "google", "transformers", "vllm")
"""Whose answers cost money or time: they are kept in the response cache."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_made(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.models.local_model.find_spec", lambda package: True)  # torch is not loaded yet
    rest = {
        "openai": lambda: "/org/model",
        "openai-responses": lambda: "/gpt-5",
        "anthropic": lambda: "/claude-opus-4-5",
        "google": lambda: "/gemini-2.5-pro",
        "transformers": lambda: weights(tmp_path / "weights"),
        "vllm": lambda: weights(tmp_path / "weights"),
        "replay": lambda: f"/{replay_file(tmp_path)}",
        "scripted": lambda: f"/{script_file(tmp_path)}",
        "constant": lambda: "/Overall Judgment: Answer 1 is better.",
        "bad-tools": lambda: "/useless",
    }
    name = kind + rest.get(kind, str)()
    found = benchmark("tir" if kind in ("classical", "static", "classical-tools") else "tfq")
    model = make_model(name, found, seed=0, endpoint=Endpoint(base_url="http://h/v1"))
    assert model.name == name
    assert model.remote is (kind in REMOTE)
    assert model.identity() == make_model(name, found, seed=0, endpoint=Endpoint(base_url="http://h/v1")).identity()


def test_recorded_answers_keep_the_pictures_that_they_are_about(tmp_path: Path) -> None:
    """Whoever gave them has seen the pictures, so that a report can show them; blind baselines keep none."""
    picture = tmp_path / "a.png"
    PIL.Image.new("RGB", (4, 3), "red").save(picture)
    there = msgspec.structs.replace(SAMPLES[0], images=(ImageRef("a.png", str(picture)),))
    gone = msgspec.structs.replace(SAMPLES[1], images=(*there.images, ImageRef("b.png", str(tmp_path / "b.png"))))
    for fake in (replay(replay_file(tmp_path)), scripted(script_file(tmp_path))):
        (kept,) = fake.prepare([ask_for(there)])
        assert [blob.data for blob in kept.blobs] == [picture.read_bytes()]
        (none,) = fake.prepare([ask_for(gone)])
        assert none.blobs == ()
    (blind,) = constant("T").prepare([ask_for(there)])
    assert blind.blobs == ()
