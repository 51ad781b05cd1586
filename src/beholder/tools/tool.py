"""What a tool gives back, and what a set of tools is to the loop that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
import PIL.Image

from beholder.sample import ToolSpec
from beholder.trajectory import CallOutcome


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one call brought: text for the model, new pictures (RGB), flags (see `Observation`), and the outcome."""

    text: str = ""
    pictures: tuple[PIL.Image.Image, ...] = ()
    flags: tuple[str, ...] = ()
    outcome: CallOutcome = CallOutcome.EXECUTED


class Toolset(Protocol):
    """The tools of one conversation. Made when it begins, closed when it ends; state lasts in between.

    `pictures` are all pictures of the conversation so far: `image_1` is the first.
    """

    specs: tuple[ToolSpec, ...]

    @property
    def waited(self) -> float:
        """Seconds that calls have waited for a free sandbox so far."""
        ...

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        """Runs one call. `arguments` is the JSON text as the model wrote it. Never raises for what the model did."""
        ...

    async def close(self) -> None:
        """Frees what the tools hold (a sandbox). May be called more than once."""
        ...
