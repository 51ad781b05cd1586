"""`vllm/PATH`: a local folder, run in this process by vLLM's offline engine.

vLLM needs a GPU: this adapter is tested against a stand-in that records what it is called with, not against vLLM. It
makes batches of its own out of all that it is handed, so as many questions as wait are handed over together.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from beholder.errors import Owner, UsageError
from beholder.images.load import load, pixels
from beholder.models.capabilities import Capabilities
from beholder.models.local import Generated, LocalOptions, Row, first_line
from beholder.models.local_model import LocalModel
from beholder.models.transformers_batching import in_halves
from beholder.sample import Failure, ImagePart, ImageRef, Message

MOST_PICTURES = 32
"""Pictures that one question may hold; vLLM wants a number, and keeps memory for it."""


class VllmModel(LocalModel):
    """One model of a local folder, with the chat template that vLLM finds in it."""

    wire = "vllm"
    capabilities = Capabilities(seed=True, most_pictures=MOST_PICTURES)
    needed = ("vllm",)
    heeded = ("torch", "transformers", "pillow")
    install = "pip install vllm, on a machine with a GPU"

    def __init__(self, name: str, options: LocalOptions, seed: int) -> None:
        super().__init__(name, options, seed, at_once=256)
        if options.device not in ("auto", "cuda"):
            raise UsageError(f"--device {options.device} does not go with vllm/PATH, which chooses by itself.")

    async def check(self) -> None:
        """Imports vLLM: a broken installation shows before the data is read."""
        await asyncio.to_thread(_imported, self.name)

    def written(self, messages: Sequence[Message]) -> str:
        return ""

    def load(self) -> _Engine:
        return _Engine(self)


class _Engine:
    """vLLM's engine with the weights in it."""

    def __init__(self, model: VllmModel) -> None:
        self._vllm = _imported(model.name)
        self._penalty = model.own_decoding.repetition_penalty or 1.0
        options = model.options
        try:
            self._llm = self._vllm.LLM(
                model=str(model.folder),
                dtype=options.dtype,
                trust_remote_code=options.trust_remote_code,
                limit_mm_per_prompt={"image": MOST_PICTURES},
                **({"mm_processor_kwargs": options.pixels} if options.pixels else {}),
            )
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the folder, it is told in one line
            raise UsageError(f"--model {model.name} cannot be loaded ({first_line(error)}).") from None

    def answer(self, rows: Sequence[Row], unwanted: Callable[[], bool]) -> list[Generated | Failure]:
        """The answers of a batch; what cannot be answered becomes a failure of its own."""
        return in_halves(rows, self._attempt, _failure)

    def _attempt(self, rows: Sequence[Row]) -> list[Generated | Failure]:
        started = time.monotonic()
        outputs = self._llm.chat(
            [_conversation(row) for row in rows], [self._sampling(row) for row in rows], use_tqdm=False
        )
        seconds = time.monotonic() - started
        return [_generated(one, seconds) for one in outputs]

    def _sampling(self, row: Row) -> Any:
        how = row.decoding
        return self._vllm.SamplingParams(
            temperature=how.temperature,
            top_p=how.top_p,
            top_k=how.top_k or -1,
            repetition_penalty=self._penalty,
            max_tokens=how.limit,
            seed=how.seed % 2**31,
        )


def _imported(name: str) -> Any:
    try:
        import vllm
    except Exception as error:  # noqa: BLE001 - its compiled parts fail to load in many ways
        raise UsageError(f"--model {name}: vllm cannot be imported ({first_line(error)}).") from None
    return vllm


def _conversation(row: Row) -> list[dict[str, Any]]:
    """The messages as `LLM.chat` takes them, pictures decoded: upright, in RGB."""
    data = iter(row.pictures)
    return [
        {"role": message.role, "content": [_part(part, data) for part in message.parts]} for message in row.messages
    ]


def _part(part: Any, data: Any) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        return {"type": "image_pil", "image_pil": pixels(load(ImageRef(name="picture", data=next(data))))}
    return {"type": "text", "text": part.text}


def _generated(output: Any, seconds: float) -> Generated:
    (one,) = output.outputs
    return Generated(
        text=one.text,
        marked="",
        tokens=tuple(one.token_ids),
        finish="length" if one.finish_reason == "length" else "stop",
        prompt_tokens=len(output.prompt_token_ids),
        seconds=seconds,
    )


def _failure(error: Exception) -> Failure:
    return Failure(owner=Owner.US, kind="generation", message=f"vLLM failed ({first_line(error)}).", retryable=True)
