"""What is decided without torch: how an answer is decoded, what a folder is known by, which options go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.cli.local_options import kept_of, local_again, local_options
from beholder.errors import UsageError
from beholder.models import make_model
from beholder.models.local import (
    USUAL_LIMIT,
    Decoding,
    LocalOptions,
    OwnDecoding,
    decoding,
    folder_digest,
    json_of,
    model_folder,
    own_decoding,
)
from beholder.sample import Ask, BooleanTarget, Message, Sample, Sampling, TextPart


def ask_of(sampling: Sampling, *, key: str = "k", vote: int = 0, epoch: int = 0, turns: int = 1) -> Ask:
    sample = Sample(key=key, index=0, benchmark="x", images=(), parts=(), target=BooleanTarget(True))
    messages = (Message("user", (TextPart("?"),)),) * turns
    return Ask(sample=sample, messages=messages, sampling=sampling, vote=vote, epoch=epoch)


QWEN = {"do_sample": True, "temperature": 0.7, "top_p": 0.8, "top_k": 20, "max_new_tokens": 99}
DECODINGS: list[tuple[dict[str, Any], Sampling, tuple[float, float, int, int]]] = [
    # what the folder says, what the plan says, (temperature, top_p, top_k, limit)
    ({}, Sampling(), (0, 1, 0, USUAL_LIMIT)),
    ({}, Sampling(temperature=0, max_tokens=5), (0, 1, 0, 5)),
    ({}, Sampling(temperature=0.5, top_p=0.9), (0.5, 0.9, 0, USUAL_LIMIT)),
    (QWEN, Sampling(), (0.7, 0.8, 20, 99)),
    (QWEN, Sampling(temperature=0), (0, 0.8, 20, 99)),
    (QWEN, Sampling(temperature=1, top_p=1.0, max_tokens=7), (1, 1, 20, 7)),
    ({"do_sample": True}, Sampling(), (1, 1, 0, USUAL_LIMIT)),
    ({"do_sample": False, "temperature": 0.7}, Sampling(), (0, 1, 0, USUAL_LIMIT)),
    ({"temperature": None, "top_k": None, "do_sample": True}, Sampling(), (1, 1, 0, USUAL_LIMIT)),
    ({"temperature": 0.0, "top_k": -1, "do_sample": True}, Sampling(), (0, 1, 0, USUAL_LIMIT)),
]


@pytest.mark.parametrize(("own", "sampling", "expected"), DECODINGS)
def test_decoding(own: dict[str, Any], sampling: Sampling, expected: tuple[float, float, int, int]) -> None:
    how = decoding(ask_of(sampling), msgspec.convert(own, OwnDecoding), 0)
    assert (how.temperature, how.top_p, how.top_k, how.limit) == expected


def test_each_question_has_draws_of_its_own() -> None:
    base: dict[str, Any] = {"sampling": Sampling(temperature=1)}
    asks = [
        ask_of(**base),
        ask_of(**base, vote=1),
        ask_of(**base, epoch=1),
        ask_of(**base, turns=3),
        ask_of(**base, key="other"),
        ask_of(Sampling(temperature=1, seed=9)),
    ]
    seeds = [decoding(ask, OwnDecoding(), 0).seed for ask in asks]
    assert len(set(seeds)) == len(seeds)
    assert seeds == [decoding(ask, OwnDecoding(), 0).seed for ask in asks]
    assert decoding(asks[0], OwnDecoding(), 9).seed == seeds[-1]  # the run's seed is the plan's, said or not
    assert isinstance(decoding(asks[0], OwnDecoding(), 0), Decoding)


def a_folder(where: Path) -> Path:
    where.mkdir()
    (where / "config.json").write_text('{"dtype": "bfloat16"}')
    (where / "chat_template.jinja").write_text("hello")
    (where / "model.safetensors").write_bytes(bytes(9 << 20))
    (where / "README.md").write_text("read me")
    return where


@pytest.mark.parametrize(
    ("file", "place", "seen"),
    [
        ("config.json", 3, True),
        ("chat_template.jinja", 0, True),
        ("model.safetensors", 0, True),  # the first piece that is read
        ("model.safetensors", -1, True),  # and the last
        ("model.safetensors", 70_000, False),  # between two pieces: the docstring says so
        ("README.md", 0, False),
    ],
)
def test_which_changes_the_digest_of_a_folder_sees(tmp_path: Path, file: str, place: int, seen: bool) -> None:
    folder = a_folder(tmp_path / "m")
    before = folder_digest(folder)
    data = bytearray((folder / file).read_bytes())
    data[place] ^= 1
    (folder / file).write_bytes(data)
    assert (folder_digest(folder) != before) is seen


def test_a_training_changes_the_digest_and_a_copy_does_not(tmp_path: Path) -> None:
    one, other = a_folder(tmp_path / "one"), a_folder(tmp_path / "other")
    assert folder_digest(one) == folder_digest(other)
    (other / "model.safetensors").write_bytes(b"\x01" * (9 << 20))
    assert folder_digest(one) != folder_digest(other)
    (one / "tokenizer.json").write_text("{}")
    assert folder_digest(one) != folder_digest(a_folder(tmp_path / "third"))


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"[1]", "is not a JSON object"), (b"{", "cannot be read"), (b"\xff", "cannot be read")],
)
def test_a_broken_file_of_a_folder_is_named(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "config.json").write_bytes(text)
    with pytest.raises(UsageError, match=message):
        json_of(tmp_path, "config.json")
    assert json_of(tmp_path, "absent.json") == {}


@pytest.mark.parametrize(
    "text",
    [
        '{"temperature": "hot"}',
        '{"temperature": -1}',
        '{"top_p": 3}',
        '{"top_k": [1]}',
        '{"max_new_tokens": 0}',
        '{"repetition_penalty": 0}',
    ],
)
def test_a_generation_config_that_cannot_be_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "generation_config.json").write_text(text)
    setting = text.split('"')[1]
    with pytest.raises(UsageError, match=rf"generation_config\.json: Expected .*\$\.{setting}"):
        own_decoding(tmp_path)


def test_a_folder_that_is_no_models_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        model_folder(f"transformers/{tmp_path}/absent")
    with pytest.raises(UsageError, match=r"holds no config\.json"):
        model_folder(f"transformers/{tmp_path}")


@pytest.mark.parametrize(
    ("kind", "package", "mend"),
    [("transformers", "torch", r"beholder\[transformers\]"), ("vllm", "vllm", "on a machine with a GPU")],
)
def test_a_missing_package_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, package: str, mend: str
) -> None:
    monkeypatch.setattr("beholder.models.local_model.find_spec", lambda name: None)
    folder = a_folder(tmp_path / "m")
    with pytest.raises(UsageError, match=f"needs {package}: pip install .*{mend}") as caught:
        make_model(f"{kind}/{folder}", benchmark("tfq"), seed=0, endpoint=None)
    assert "\n" not in str(caught.value)


GIVEN: dict[str, Any] = {
    "dtype": "auto",
    "device": "auto",
    "batch_size": None,
    "min_pixels": None,
    "max_pixels": None,
    "trust_remote_code": False,
}


def test_options_go_with_a_model_that_runs_here() -> None:
    given = GIVEN | {"dtype": "bfloat16", "batch_size": 4, "max_pixels": 1000}
    made = local_options(["openai/x", "transformers/x"], given)
    assert made == LocalOptions(dtype="bfloat16", batch_size=4, max_pixels=1000)
    assert made.pixels == {"max_pixels": 1000}
    assert local_options(["openai/x"], GIVEN) == LocalOptions()
    assert kept_of("openai/x", made) == {}
    assert kept_of("transformers/x", made)["local"]["batch_size"] == 4


@pytest.mark.parametrize(
    ("models", "given", "message"),
    [
        (["openai/x"], {"batch_size": 4}, "go with transformers/PATH"),
        (["random"], {"trust_remote_code": True}, "go with transformers/PATH"),
        (["vllm/x"], {"dtype": "int4"}, "--dtype 'int4' is not known"),
        (["vllm/x"], {"min_pixels": 9, "max_pixels": 8}, "--min-pixels 9 is above --max-pixels 8"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(models: list[str], given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        local_options(models, GIVEN | given)


def test_a_resume_takes_over_what_is_not_given_again() -> None:
    stored = LocalOptions(dtype="float16", device="cuda", batch_size=8, max_pixels=99)
    nothing = {"batch_size": None, "device": None, "trust_remote_code": False}
    assert local_again(stored, nothing) == stored
    moved = local_again(stored, nothing | {"batch_size": 2, "device": "cpu"})
    assert moved == LocalOptions(dtype="float16", device="cpu", batch_size=2, max_pixels=99)


def test_a_run_json_alone_never_has_code_of_a_folder_run() -> None:
    nothing = {"batch_size": None, "device": None, "trust_remote_code": False}
    with pytest.raises(UsageError, match="If you trust it, give that again"):
        local_again(LocalOptions(trust_remote_code=True), nothing)
    assert local_again(LocalOptions(trust_remote_code=True), nothing | {"trust_remote_code": True}).trust_remote_code
    assert not local_again(LocalOptions(), nothing | {"trust_remote_code": True}).trust_remote_code
