"""`transformers/PATH` with real torch and transformers, and a tiny model with random weights."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import PIL.Image
import pytest

from beholder.errors import DataError, Owner, UsageError
from beholder.models.local import LocalOptions
from beholder.models.model import Prepared
from beholder.sample import (
    Ask,
    BooleanTarget,
    ImagePart,
    ImageRef,
    Message,
    Response,
    Sample,
    Sampling,
    TextPart,
    ToolSpec,
)

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch: make test-models"),
]

GREEDY = Sampling(temperature=0, max_tokens=12)
DRAWN = Sampling(temperature=2, max_tokens=12, seed=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_model import write_tiny_model

    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[ImageRef]:
    """Four pictures of different sizes and colours."""
    made = tmp_path_factory.mktemp("pictures")
    refs = []
    for place, (size, colour) in enumerate(
        [((60, 40), "red"), ((33, 90), "blue"), ((64, 64), "green"), ((9, 9), "black")]
    ):
        path = made / f"{place}.png"
        PIL.Image.new("RGB", size, colour).save(path)
        refs.append(ImageRef(name=path.name, path=str(path)))
    return refs


def model_of(folder: Path, seed: int = 0, **options: Any) -> Any:
    from beholder.models.transformers import TransformersModel

    return TransformersModel(f"transformers/{folder}", LocalOptions(device="cpu", **options), seed)


def ask_of(text: str, refs: Sequence[ImageRef], sampling: Sampling = GREEDY, **ask: Any) -> Ask:
    parts = (*(ImagePart(place) for place in range(len(refs))), TextPart(text))
    sample = Sample(
        key=f"key of {text[:60]}", index=0, benchmark="x", images=tuple(refs), parts=parts, target=BooleanTarget(True)
    )
    return Ask(sample=sample, messages=(Message("user", parts),), sampling=sampling, **ask)


def some_asks(pictures: list[ImageRef], sampling: Sampling) -> list[Ask]:
    """Questions of very different lengths, with none, one and several pictures."""
    texts = ("Is it red?", "?", "A long question. " * 40, "Which of these pictures is on the left?", "Why?", "Both?")
    shown = ([0], [1], [2], [0, 1], [3], [2, 3, 1])
    return [
        ask_of(text, [pictures[place] for place in places], sampling) for text, places in zip(texts, shown, strict=True)
    ]


def answers(model: Any, asks: Sequence[Ask]) -> list[Response]:
    """All asked at once, as the engine does."""

    async def scenario() -> list[Response]:
        try:
            await model.check()
            prepared = [model.prepare([ask])[0] for ask in asks]
            return await asyncio.gather(*map(model.send, prepared))
        finally:
            await model.close()

    return asyncio.run(scenario())


@pytest.mark.parametrize("sampling", [GREEDY, DRAWN], ids=["greedy", "drawn"])
def test_a_batch_answers_as_its_questions_do_one_by_one(
    folder: Path, pictures: list[ImageRef], sampling: Sampling
) -> None:
    asks = some_asks(pictures, sampling)
    alone = answers(model_of(folder, batch_size=1), asks)
    together = answers(model_of(folder, batch_size=6), asks)
    mixed = answers(model_of(folder, batch_size=4), asks[::-1])[::-1]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.text for one in mixed] == [one.text for one in alone]
    assert [(one.finish, one.usage) for one in together] == [(one.finish, one.usage) for one in alone]
    assert len({one.text for one in alone}) >= 4  # else it would prove little


def test_without_the_mask_or_the_padding_a_batch_would_answer_otherwise(
    folder: Path, pictures: list[ImageRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the answers agree is no accident of a model that hears nothing: padded on the wrong side they do not."""
    asks = some_asks(pictures, GREEDY)
    alone = answers(model_of(folder, batch_size=1), asks)
    model = model_of(folder, batch_size=6)
    model.processor.tokenizer.padding_side = "right"
    assert [one.text for one in answers(model, asks)] != [one.text for one in alone]


def test_the_answer_is_what_transformers_gives_itself(folder: Path, pictures: list[ImageRef]) -> None:
    import torch
    import transformers

    (ours,) = answers(model_of(folder), [ask_of("Is it red?", pictures[:1])])
    processor = transformers.AutoProcessor.from_pretrained(folder)
    theirs = transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    content = [
        {"type": "image", "image": PIL.Image.open(str(pictures[0].path))},
        {"type": "text", "text": "Is it red?"},
    ]
    inputs = processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    made = theirs.generate(**inputs, max_new_tokens=12, do_sample=False)[0, inputs["input_ids"].shape[1] :]
    assert ours.text == processor.tokenizer.decode(made, skip_special_tokens=True)
    assert ours.usage.prompt_tokens == inputs["input_ids"].shape[1]
    assert ours.usage.completion_tokens == len(made)


def test_votes_and_epochs_differ_and_come_again(folder: Path, pictures: list[ImageRef]) -> None:
    asks = [
        ask_of("Is it red?", pictures[:1], DRAWN, vote=vote, epoch=epoch) for epoch in range(2) for vote in range(4)
    ]
    first = [one.text for one in answers(model_of(folder, batch_size=8), asks)]
    again = [one.text for one in answers(model_of(folder, batch_size=3), asks[::-1])][::-1]
    assert first == again
    assert len(set(first)) >= 6
    other = [msgspec.structs.replace(ask, sampling=Sampling(temperature=2, max_tokens=12, seed=6)) for ask in asks]
    assert [one.text for one in answers(model_of(folder, batch_size=8), other)] != first


def test_greedy_and_drawn_questions_may_share_a_batch(folder: Path, pictures: list[ImageRef]) -> None:
    asks = [ask_of("Is it red?", pictures[:1], GREEDY), ask_of("Is it red?", pictures[:1], DRAWN)]
    short = ask_of("Is it red?", pictures[:1], Sampling(temperature=0, max_tokens=2))
    greedy, drawn, cut = answers(model_of(folder, batch_size=3), [*asks, short])
    assert greedy.text == answers(model_of(folder), asks[:1])[0].text
    assert drawn.text == answers(model_of(folder), asks[1:])[0].text
    assert cut.usage.completion_tokens == 2
    assert cut.finish == "length"
    assert greedy.text is not None
    assert cut.text is not None
    assert greedy.text.startswith(cut.text)


def test_what_an_answer_tells(folder: Path, pictures: list[ImageRef]) -> None:
    responses = answers(model_of(folder, batch_size=6), some_asks(pictures, GREEDY))
    for one in responses:
        raw = json.loads(one.raw or b"")
        assert one.failure is None
        assert one.served_model == "tiny"
        assert one.usage.completion_tokens == len(raw["tokens"]) <= 12
        assert raw["text"].startswith(one.text)
        assert raw["text"].endswith("<end_of_utterance>") == (one.finish == "stop")
        assert one.latency is not None
        assert one.latency > 0
    assert {one.finish for one in responses} == {"stop", "length"}


def prepared_of(model: Any, *asks: Ask) -> list[Prepared]:
    prepared: list[Prepared] = model.prepare(list(asks))
    asyncio.run(model.close())
    return prepared


def test_what_is_journaled_of_a_request(folder: Path, pictures: list[ImageRef]) -> None:
    (prepared,) = prepared_of(model_of(folder), ask_of("Is it \ud800 red?", pictures[:2], DRAWN))
    record = json.loads(prepared.record)
    first, second = (one["sha256"] for one in prepared.images)
    assert record["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": f"sha256:{first}"}},
                {"type": "image_url", "image_url": {"url": f"sha256:{second}"}},
                {"type": "text", "text": "Is it \ufffd red?"},
            ],
        }
    ]
    assert record["prompt"] == ("<|begin|>User: <image><image>Is it \ufffd red?<end_of_utterance>\nAssistant:")
    assert record["decoding"]["temperature"] == 2
    assert [blob.sha256 for blob in prepared.blobs] == [first, second]


def test_the_hash_of_a_request_covers_what_decides_its_answer(folder: Path, pictures: list[ImageRef]) -> None:
    plain = ask_of("Is it red?", pictures[:1], DRAWN)
    others: list[Callable[[], Prepared]] = [
        lambda: prepared_of(model_of(folder), ask_of("Is it blue?", pictures[:1], DRAWN))[0],
        lambda: prepared_of(model_of(folder), ask_of("Is it red?", pictures[1:2], DRAWN))[0],
        lambda: prepared_of(model_of(folder), ask_of("Is it red?", pictures[:1], DRAWN, vote=1))[0],
        lambda: prepared_of(model_of(folder), ask_of("Is it red?", pictures[:1], GREEDY))[0],
        lambda: prepared_of(model_of(folder, dtype="bfloat16"), plain)[0],
    ]
    hashes = [make().request_hash for make in others]
    own = prepared_of(model_of(folder), plain)[0].request_hash
    assert len({own, *hashes}) == len(hashes) + 1
    assert prepared_of(model_of(folder, batch_size=7), plain)[0].request_hash == own
    greedy = prepared_of(model_of(folder, seed=1), ask_of("Is it red?", pictures[:1], GREEDY))[0]
    assert greedy.request_hash == hashes[3]  # nothing is drawn, so the seed plays no part


def test_versions_and_the_device_are_part_of_the_hash(
    folder: Path, pictures: list[ImageRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    ask = ask_of("Is it red?", pictures[:1])
    whole = metadata.version
    hashes = {prepared_of(model_of(folder), ask)[0].request_hash}
    for name in ("torch", "torchvision", "transformers", "tokenizers", "pillow"):
        with monkeypatch.context() as patch:
            patch.setattr(metadata, "version", lambda one, name=name: "9" if one == name else whole(one))
            model = model_of(folder)
            assert name in model.packages
            hashes.add(prepared_of(model, ask)[0].request_hash)
    elsewhere = model_of(folder)
    elsewhere.device = "cuda"
    hashes.add(prepared_of(elsewhere, ask)[0].request_hash)
    assert len(hashes) == 7


def test_the_identity_is_that_of_the_files(folder: Path, tmp_path: Path) -> None:
    import shutil

    own = model_of(folder).identity()
    assert own == {"wire": "transformers", "model": "tiny", "folder_digest": own["folder_digest"], "dtype": "float32"}
    moved = shutil.copytree(folder, tmp_path / "tiny")
    assert model_of(moved).identity() == own
    weights = bytearray((moved / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (moved / "model.safetensors").write_bytes(weights)
    assert model_of(moved).identity()["folder_digest"] != own["folder_digest"]


def test_pictures_come_as_they_are_seen(folder: Path, tmp_path: Path) -> None:
    """A turned JPEG (EXIF) and a transparent PNG are answered as their upright, flattened likes."""
    tall, flat = PIL.Image.new("RGB", (30, 60), "red"), PIL.Image.new("RGB", (40, 40), "white")
    tall.paste("blue", (0, 0, 30, 20))
    upright = tall.transpose(PIL.Image.Transpose.ROTATE_90)
    exif = PIL.Image.Exif()
    exif[0x0112] = 6  # to be seen, it is turned by 90 degrees clockwise
    upright.save(tmp_path / "turned.png", exif=exif)
    tall.save(tmp_path / "upright.png")
    PIL.Image.new("RGBA", (40, 40), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    flat.save(tmp_path / "white.png")
    asks = [
        ask_of("What is it?", [ImageRef(name=name, path=str(tmp_path / name))])
        for name in ("turned.png", "upright.png", "clear.png", "white.png")
    ]
    turned, straight, clear, white = answers(model_of(folder), asks)
    assert turned.raw == straight.raw
    assert clear.raw == white.raw
    assert turned.images[0]["reasons"] == ["the picture was turned (EXIF orientation 6)"]
    assert (turned.images[0]["width"], turned.images[0]["height"]) == (30, 60)


def test_one_question_that_cannot_be_asked_costs_the_others_nothing(folder: Path, pictures: list[ImageRef]) -> None:
    good = ask_of("Is it red?", pictures[:1])
    marked = ask_of("What does <image> mean?", pictures[:1])
    endless = ask_of("word " * 3000, pictures[:1])
    first, second, third, last = answers(model_of(folder, batch_size=4), [good, marked, endless, good])
    assert first.failure is None
    assert first.text == last.text
    assert second.failure is not None
    assert (second.failure.owner, second.failure.kind) == (Owner.DATA, "processor")
    assert "holds 2 marks <image> for 1 pictures" in second.failure.message
    assert third.failure is not None
    assert (third.failure.owner, third.failure.kind) == (Owner.PROVIDER, "context")
    assert "the model's context is 8192" in third.failure.message


def test_an_answer_ends_where_the_context_ends(tmp_path: Path, pictures: list[ImageRef]) -> None:
    from tiny_model import write_tiny_model

    small = write_tiny_model(tmp_path / "small", positions=120)
    ask = ask_of("x" * 50, pictures[:1], Sampling(temperature=1, max_tokens=500, seed=3))
    asks = [msgspec.structs.replace(ask, vote=vote) for vote in range(6)]
    told = [
        (one.usage.prompt_tokens or 0, one.usage.completion_tokens or 0, one.finish)
        for one in answers(model_of(small), asks)
    ]
    assert all(prompt + made <= 120 for prompt, made, _ in told)
    assert any(prompt + made == 120 and finish == "length" for prompt, made, finish in told)


def test_too_little_memory_makes_batches_smaller(
    folder: Path, pictures: list[ImageRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    import transformers

    whole = transformers.GenerationMixin.generate
    sizes = []

    def generate(self: Any, *, input_ids: Any, **rest: Any) -> Any:
        sizes.append(len(input_ids))
        if len(input_ids) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")
        return whole(self, input_ids=input_ids, **rest)

    asks = [ask_of(f"Number {number}?", pictures[:1]) for number in range(6)]
    expected = [one.text for one in answers(model_of(folder), asks)]
    monkeypatch.setattr(transformers.GenerationMixin, "generate", generate)
    assert [one.text for one in answers(model_of(folder, batch_size=6), asks)] == expected
    assert sizes == [6, 3, 1, 2, 3, 1, 2]

    def never(self: Any, **rest: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")

    monkeypatch.setattr(transformers.GenerationMixin, "generate", never)
    failures = [one.failure for one in answers(model_of(folder, batch_size=2), asks[:2])]
    assert [(one.owner, one.kind, one.retryable) for one in failures if one is not None] == [
        (Owner.US, "out_of_memory", True)
    ] * 2


def test_a_run_that_is_dropped_stops_generating(folder: Path, pictures: list[ImageRef]) -> None:
    async def scenario() -> float:
        model = model_of(folder)
        (first,) = model.prepare([ask_of("Is it red?", pictures[:1])])
        await model.send(first)  # the weights are there
        endless = ask_of("Go on.", pictures[:1], Sampling(temperature=1, max_tokens=8000, seed=1))
        tasks = [asyncio.create_task(model.send(one)) for one in model.prepare([endless] * 3)]
        await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()
        begun = asyncio.get_running_loop().time()
        await model.close()
        return asyncio.get_running_loop().time() - begun

    assert asyncio.run(scenario()) < 5


def changed_json(folder: Path, name: str, **values: Any) -> Path:
    file = folder / name
    file.write_text(json.dumps(json.loads(file.read_text()) | values))
    return folder


def test_only_settings_that_keep_an_answer_its_own_are_taken_from_the_folder(
    folder: Path, tmp_path: Path, pictures: list[ImageRef]
) -> None:
    """Not the clock (`max_time`), not another way to decode, which would not choose tokens by `Draws`."""
    odd = {
        "max_time": 1e-6,
        "prompt_lookup_num_tokens": 3,
        "penalty_alpha": 0.6,
        "num_beams": 3,
        "stop_strings": ["red"],
        "min_length": 400,
    }
    other = changed_json(without(folder, tmp_path / "odd"), "generation_config.json", **odd)
    asks = some_asks(pictures, DRAWN)
    assert [one.text for one in answers(model_of(other), asks)] == [one.text for one in answers(model_of(folder), asks)]


def test_padding_counts_for_no_penalty_on_what_was_said(tmp_path: Path, pictures: list[ImageRef]) -> None:
    """Where the token that pads is one that ends an answer, padded questions would end less readily."""
    from tiny_model import TEMPLATE, write_tiny_model

    end = "<end_of_utterance>"
    model = write_tiny_model(tmp_path / "penalty", template=TEMPLATE.replace(end, ""))
    changed_json(model, "generation_config.json", repetition_penalty=9.0)
    changed_json(model, "tokenizer_config.json", pad_token=end)
    asks = some_asks(pictures, DRAWN)
    alone = [one.text for one in answers(model_of(model), asks)]
    assert [one.text for one in answers(model_of(model, batch_size=6), asks)] == alone


@pytest.mark.parametrize(("top_k", "top_p"), [(0, 1.0), (0, 0.6), (5, 1.0), (5, 0.6), (1, 0.0), (90, 0.05)])
def test_what_may_be_drawn_is_what_transformers_leaves(top_k: int, top_p: float) -> None:
    """`top_k` first, then `top_p` of what is left; and the numbers at the ends of [0, 1) pick what is possible."""
    import torch
    import transformers

    from beholder.models.local import Decoding
    from beholder.models.transformers_generation import _drawn

    scores = 2 * torch.randn(50, generator=torch.Generator().manual_seed(1))
    scores[7:30] = float("-inf")
    left = scores[None] / 1.5
    if top_k:
        left = transformers.TopKLogitsWarper(top_k)(None, left)
    left = transformers.TopPLogitsWarper(top_p)(None, left)[0].softmax(dim=-1)
    how = Decoding(temperature=1.5, top_p=top_p, top_k=top_k, limit=1, seed=0)
    steps = 4000
    numbers = [*(step / steps for step in range(steps)), 1 - 2**-53]
    shares = torch.bincount(torch.tensor([int(_drawn(scores, how, number)) for number in numbers]), minlength=50)
    assert set(shares.nonzero().flatten().tolist()) <= set(left.nonzero().flatten().tolist())
    assert torch.allclose(shares / steps, left, atol=2 / steps)


def test_a_template_for_one_picture_is_known_before_the_run(tmp_path: Path, pictures: list[ImageRef]) -> None:
    from tiny_model import TEMPLATE, write_tiny_model

    many = "{% if messages[-1]['content'] | length > 2 %}{{ raise_exception('one picture only') }}{% endif %}"
    model = model_of(write_tiny_model(tmp_path / "one", template=many + TEMPLATE))
    (one,) = answers(model, [ask_of("Is it red?", pictures[:1])])
    assert one.text
    assert model.capabilities.most_pictures == 1


def test_a_template_without_a_system_role_is_known_before_the_run(tmp_path: Path, folder: Path) -> None:
    from tiny_model import WITHOUT_SYSTEM, write_tiny_model

    strict = model_of(write_tiny_model(tmp_path / "strict", template=WITHOUT_SYSTEM))
    asyncio.run(strict.check())
    assert not strict.capabilities.system_role
    message = Message("system", (TextPart("Be brief."),))
    ask = ask_of("?", [])
    with pytest.raises(DataError, match="no system role"):
        strict.prepare([msgspec.structs.replace(ask, messages=(message, *ask.messages))])
    usual = model_of(folder)
    asyncio.run(usual.check())
    assert usual.capabilities.system_role
    assert not usual.capabilities.tools


def test_a_conversation_with_tools_in_text(folder: Path, pictures: list[ImageRef]) -> None:
    """System message, a tool's picture, several turns: written by the template and answered."""
    from beholder.tools.exchange import TextExchange

    spec = ToolSpec("zoom", "enlarges", {"type": "object", "properties": {}})
    first = TextExchange().open(ask_of("Is it red?", pictures[:1]), (spec,))
    more = (
        Message("assistant", (TextPart("I look closer."),)),
        Message("user", (TextPart("Result:"), ImagePart(1))),
    )
    second = msgspec.structs.replace(first, messages=(*first.messages, *more), made=(pictures[1],))
    one, two = answers(model_of(folder, batch_size=2), [first, second])
    assert one.failure is None
    assert two.failure is None
    assert len(two.images) == 2
    (alone,) = answers(model_of(folder), [second])
    assert alone.text == two.text


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_other_number_formats(folder: Path, pictures: list[ImageRef], dtype: str) -> None:
    model = model_of(folder, dtype=dtype)
    (one,) = answers(model, [ask_of("Is it red?", pictures[:1])])
    assert one.failure is None
    assert one.text
    assert model.identity()["dtype"] == dtype


def without(folder: Path, target: Path, *names: str) -> Path:
    import shutil

    return Path(shutil.copytree(folder, target, ignore=shutil.ignore_patterns(*names)))


def changed_config(folder: Path, target: Path, **values: Any) -> Path:
    return changed_json(without(folder, target), "config.json", **values)


def with_template(folder: Path, target: Path, template: str) -> Path:
    copy = without(folder, target)
    (copy / "chat_template.jinja").write_text(template)
    return copy


RAISING = "{{ raise_exception('never') }}"
BLIND = "{% for message in messages %}{{ message['role'] }}{% endfor %}"


WRONG: list[tuple[str, Callable[[Path, Path], Path], dict[str, Any], str]] = [
    ("no template", lambda own, new: without(own, new, "chat_template.jinja"), {}, "holds no chat template"),
    ("broken template", lambda own, new: with_template(own, new, "{% for %}"), {}, "its chat template fails"),
    ("raising template", lambda own, new: with_template(own, new, RAISING), {}, r"fails \(TemplateError: never\)"),
    ("blind template", lambda own, new: with_template(own, new, BLIND), {}, "leaves pictures out"),
    ("broken tokenizer", lambda own, new: broken(own, new, "tokenizer.json"), {}, "cannot be loaded"),
    ("broken weights", lambda own, new: broken(own, new, "model.safetensors"), {}, "cannot be loaded"),
    ("no processor", lambda own, new: without(own, new, "p*config.json"), {}, "processor|cannot be loaded"),
    ("text only", lambda own, new: changed_config(own, new, model_type="llama"), {}, "llama, which takes no pictures"),
    ("code of its own", lambda own, new: with_code(own, new), {}, "If you trust them, give --trust-remote-code"),
    ("unknown kind", lambda own, new: changed_config(own, new, model_type="nonsense"), {}, "cannot be loaded"),
    ("no bounds on pixels", lambda own, new: without(own, new), {"max_pixels": 9}, "Leave --max-pixels out"),
    ("no such device", lambda own, new: without(own, new), {"device": "cuda"}, "Use --device cpu"),
    ("unknown device", lambda own, new: without(own, new), {"device": "tpu"}, "'tpu' is not known"),
    ("no weights", lambda own, new: without(own, new, "*.safetensors"), {}, "cannot be loaded"),
    ("weights missing", lambda own, new: lacking_weights(own, new), {}, "lack 1 weights, such as lm_head.weight"),
]


def with_code(folder: Path, target: Path) -> Path:
    return changed_config(folder, target, model_type="nonsense", auto_map={"AutoConfig": "code.Config"})


def broken(folder: Path, target: Path, name: str) -> Path:
    copy = without(folder, target)
    (copy / name).write_bytes((folder / name).read_bytes()[:500])
    return copy


def lacking_weights(folder: Path, target: Path) -> Path:
    from safetensors.torch import load_file, save_file

    copy = without(folder, target)
    weights = load_file(copy / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    return copy


@pytest.mark.parametrize(("make", "options", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_folder_or_an_option_that_cannot_work_is_one_line(
    folder: Path,
    tmp_path: Path,
    pictures: list[ImageRef],
    make: Callable[[Path, Path], Path],
    options: dict[str, Any],
    message: str,
) -> None:
    from beholder.models.transformers import TransformersModel

    made = make(folder, tmp_path / "wrong")
    with pytest.raises(UsageError, match=message) as caught:
        answers(TransformersModel(f"transformers/{made}", LocalOptions(**options), 0), [ask_of("?", pictures[:1])])
    assert "\n" not in str(caught.value)


def test_bounds_on_pixels_reach_a_processor_that_knows_them() -> None:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from beholder.models.transformers_generation import bounded

    own = Qwen2VLImageProcessorPil()
    large = PIL.Image.new("RGB", (1000, 700), "red")
    usual = own(images=[large], return_tensors="pt")["pixel_values"]
    eyes = bounded("transformers/x", own, {"min_pixels": 28 * 28, "max_pixels": 28 * 28 * 16})
    smaller = eyes(images=[large], return_tensors="pt")["pixel_values"]
    assert len(smaller) <= 16 * 4 < len(usual)
    assert own.size != eyes.size


def test_a_missing_torchvision_is_one_line(tmp_path: Path) -> None:
    """Processors of Qwen-VL and its like prepare videos with it, and are not made without."""
    from beholder.models.transformers_generation import _unloadable

    error = ImportError("\nQwen2VLVideoProcessor requires the Torchvision library but it was not found.\n")
    assert "needs torchvision: pip install torchvision" in str(_unloadable("transformers/x", error))
