"""`transformers/PATH`: an image-text-to-text model in a local folder, run in this process by torch and transformers.

Nothing is fetched, and no code of the folder is run unless the user says so. Prompts are written by the folder's own
chat template. What one answer is never depends on what else is in its batch, as far as arithmetic allows (see
docs/local-models.md): draws are seeded for each question, and shorter questions are padded on the left under a mask.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from beholder.errors import DataError
from beholder.models.local import LocalOptions
from beholder.models.local_model import LocalModel
from beholder.sample import ImagePart, Message

if TYPE_CHECKING:
    from beholder.models.transformers_generation import Processor, Weights


class TransformersModel(LocalModel):
    """One model of a local folder. Questions are worked on one by one unless `batch_size` says otherwise."""

    wire = "transformers"
    needed = ("torch", "transformers")
    heeded = ("torchvision", "tokenizers", "pillow")  # the first prepares pictures where it is there
    install = (
        "pip install torch torchvision, in the builds that your machine wants, then "
        "pip install 'beholder[transformers]'"
    )

    def __init__(self, name: str, options: LocalOptions, seed: int) -> None:
        super().__init__(name, options, seed, at_once=1)
        self._lock = threading.Lock()
        self._processor: Processor | None = None

    @property
    def processor(self) -> Processor:
        """The folder's processor, loaded when it is first needed. `UsageError` if there is none that can be used."""
        with self._lock:
            if self._processor is None:
                from beholder.models.transformers_generation import Processor

                self._processor = Processor(self.name, self.folder, self.options)
            return self._processor

    @cached_property
    def device(self) -> str:
        """Where it runs, `auto` decided."""
        from beholder.models.transformers_generation import chosen_device

        return chosen_device(self.options.device)

    async def check(self) -> None:
        """Loads the processor, not the weights."""
        await asyncio.to_thread(self._check)

    def _check(self) -> None:
        self.capabilities = msgspec.structs.replace(
            self.capabilities,
            system_role=self.processor.takes_system_messages,
            most_pictures=self.processor.most_pictures,
        )
        assert self.device

    def written(self, messages: Sequence[Message]) -> str:
        from beholder.models.transformers_generation import Unprocessable

        told = [{"role": message.role, "content": _content(message)} for message in messages]
        try:
            return self.processor.render(told)
        except Unprocessable as error:
            raise DataError(f"the model cannot be asked this: {error}", where=self.name) from None

    def load(self) -> Weights:
        from beholder.models.transformers_generation import Weights

        return Weights(self.name, self.folder, self.options, self.processor, self.own_decoding.repetition_penalty)


def _content(message: Message) -> list[dict[str, str]]:
    return [
        {"type": "image"} if isinstance(part, ImagePart) else {"type": "text", "text": part.text}
        for part in message.parts
    ]
