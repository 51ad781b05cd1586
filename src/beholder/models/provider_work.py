"""What a provider tells of code that it ran for the model: calls, what they printed, the pictures that they made."""

from __future__ import annotations

from typing import Protocol

import msgspec

from beholder.sample import ToolCall
from beholder.trajectory import CallOutcome


class ProviderCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call that the provider ran.

    `text` is what it printed, and what is to be said of pictures that could not be had. `pictures` are their bytes as
    they came, in whatever format: nobody has looked whether they can be decoded.
    """

    call: ToolCall
    outcome: CallOutcome
    text: str = ""
    pictures: tuple[bytes, ...] = ()


class ProviderTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of what the model thought and said, and the calls that followed it."""

    text: str | None = None
    reasoning: str | None = None
    calls: tuple[ProviderCall, ...] = ()


class ProviderWork(msgspec.Struct, frozen=True):
    """All that happened inside one answer, in order. The last turn holds the answer itself, if there is one."""

    turns: tuple[ProviderTurn, ...]


class TellsOfItsWork(Protocol):
    """A model whose provider runs code for it (`Capabilities.provider_tools`)."""

    def turns_of(self, raw: bytes) -> ProviderWork:
        """What happened inside the answer whose body this is (`Response.raw`). Pure."""
        ...
