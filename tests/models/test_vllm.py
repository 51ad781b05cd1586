"""`vllm/PATH` against a FAKE `vllm` module that records what it is called with. vLLM itself is not run here."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import PIL.Image
import pytest

from beholder.errors import Owner, UsageError
from beholder.models.local import LocalOptions
from beholder.models.vllm import VllmModel
from beholder.sample import Ask, BooleanTarget, ImagePart, ImageRef, Message, Response, Sample, Sampling, TextPart


@dataclass
class FakeSamplingParams:
    """Keeps what it is made with."""

    told: dict[str, Any]

    def __init__(self, **told: Any) -> None:
        self.told = told


@dataclass
class FakeCompletion:
    text: str
    token_ids: list[int]
    finish_reason: str | None


@dataclass
class FakeOutput:
    outputs: list[FakeCompletion]
    prompt_token_ids: list[int]


@dataclass
class FakeVllm:
    """What the fake module was called with."""

    made: list[dict[str, Any]] = field(default_factory=list)
    chats: list[tuple[list[Any], list[FakeSamplingParams]]] = field(default_factory=list)
    broken: str = ""
    unloadable: bool = False


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeVllm:
    record = FakeVllm()

    class FakeLLM:
        def __init__(self, **told: Any) -> None:
            if record.unloadable:
                raise RuntimeError("No GPU\n\nmany more lines")
            record.made.append(told)

        def chat(
            self, messages: list[Any], sampling_params: list[FakeSamplingParams], use_tqdm: bool
        ) -> list[FakeOutput]:
            assert not use_tqdm
            record.chats.append((messages, sampling_params))
            said = [conversation[-1]["content"][-1]["text"] for conversation in messages]
            if record.broken in said:
                raise ValueError("The prompt is too long")
            return [
                FakeOutput([FakeCompletion(f"to {words}", [1, 2], "length" if words == "b" else "stop")], [7] * 5)
                for words in said
            ]

    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = FakeLLM, FakeSamplingParams  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setattr("beholder.models.local_model.find_spec", lambda name: object())
    return record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    made.mkdir()
    (made / "config.json").write_text('{"text_config": {"torch_dtype": "bfloat16"}}')
    (made / "generation_config.json").write_text('{"repetition_penalty": 1.05, "top_k": 20}')
    return made


def asks_of(tmp_path: Path, texts: str, **sampling: Any) -> list[Ask]:
    file = tmp_path / "picture.png"
    PIL.Image.new("LA", (30, 20), (0, 0)).save(file)
    made = []
    for text in texts:
        parts = (TextPart("See"), ImagePart(0), TextPart(text))
        sample = Sample(
            key=text,
            index=0,
            benchmark="x",
            images=(ImageRef(name="p", path=str(file)),),
            parts=parts,
            target=BooleanTarget(True),
        )
        made.append(Ask(sample=sample, messages=(Message("user", parts),), sampling=Sampling(**sampling)))
    return made


def answers(model: VllmModel, asks: list[Ask]) -> list[Response]:
    async def scenario() -> list[Response]:
        try:
            await model.check()
            prepared = [model.prepare([ask])[0] for ask in asks]
            return await asyncio.gather(*map(model.send, prepared))
        finally:
            await model.close()

    return asyncio.run(scenario())


def test_what_vllm_is_asked_and_what_is_read(fake: FakeVllm, folder: Path, tmp_path: Path) -> None:
    model = VllmModel(f"vllm/{folder}", LocalOptions(dtype="float16", max_pixels=1000), 0)
    first, second = answers(model, asks_of(tmp_path, "ab", temperature=0.5, max_tokens=9))
    (made,) = fake.made
    assert made == {
        "model": str(folder),
        "dtype": "float16",
        "trust_remote_code": False,
        "limit_mm_per_prompt": {"image": 32},
        "mm_processor_kwargs": {"max_pixels": 1000},
    }
    ((conversations, settings),) = fake.chats  # both together: vLLM makes its own batches
    (message,) = conversations[0]
    before, picture, after = message["content"]
    assert (message["role"], before, after) == ("user", {"type": "text", "text": "See"}, {"type": "text", "text": "a"})
    assert picture["type"] == "image_pil"
    assert (picture["image_pil"].mode, picture["image_pil"].size) == ("RGB", (30, 20))
    assert picture["image_pil"].getpixel((0, 0)) == (255, 255, 255)  # transparent pixels over white
    told = settings[0].told
    assert told | {"seed": 0} == {
        "temperature": 0.5,
        "top_p": 1.0,
        "top_k": 20,
        "repetition_penalty": 1.05,
        "max_tokens": 9,
        "seed": 0,
    }
    assert told["seed"] != settings[1].told["seed"]
    assert (first.text, first.finish, second.text, second.finish) == ("to a", "stop", "to b", "length")
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (5, 2)
    assert json.loads(first.raw or b"")["tokens"] == [1, 2]
    assert first.served_model == "model"


def test_the_identity(fake: FakeVllm, folder: Path) -> None:
    identity = VllmModel(f"vllm/{folder}", LocalOptions(), 0).identity()
    assert identity | {"folder_digest": ""} == {
        "wire": "vllm",
        "model": "model",
        "folder_digest": "",
        "dtype": "bfloat16",
    }


def test_a_question_that_vllm_refuses_costs_the_others_nothing(fake: FakeVllm, folder: Path, tmp_path: Path) -> None:
    fake.broken = "c"
    responses = answers(VllmModel(f"vllm/{folder}", LocalOptions(), 0), asks_of(tmp_path, "abcd"))
    assert [one.text for one in responses] == ["to a", "to b", None, "to d"]
    failure = responses[2].failure
    assert failure is not None
    assert (failure.owner, failure.message) == (Owner.US, "vLLM failed (ValueError: The prompt is too long).")


def test_what_cannot_be_loaded_is_one_line(fake: FakeVllm, folder: Path, tmp_path: Path) -> None:
    fake.unloadable = True
    with pytest.raises(UsageError, match=r"cannot be loaded \(RuntimeError: No GPU\)\.$"):
        answers(VllmModel(f"vllm/{folder}", LocalOptions(), 0), asks_of(tmp_path, "a"))


def test_a_broken_installation_is_one_line(
    fake: FakeVllm, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(UsageError, match="vllm cannot be imported"):
        answers(VllmModel(f"vllm/{folder}", LocalOptions(), 0), asks_of(tmp_path, "a"))


def test_a_device_that_is_not_vllms_to_choose_is_refused(fake: FakeVllm, folder: Path) -> None:
    with pytest.raises(UsageError, match="--device cpu does not go with vllm/PATH"):
        VllmModel(f"vllm/{folder}", LocalOptions(device="cpu"), 0)
