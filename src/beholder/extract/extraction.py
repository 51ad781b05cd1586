"""What an extractor found in a text, and where."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

V = TypeVar("V")


class Extraction(msgspec.Struct, Generic[V], frozen=True):
    """The answer read out of a text, or None with the reason why there is none.

    `value` is None when no answer, or no single answer, could be read. `span` holds (start, end) character offsets
    into the text that was given; `text[start:end]` contains the answer. `flags` are short words (`ambiguous`,
    `abstained`, `unit_ignored`, …); `reason` is one plain sentence for a reader.
    """

    value: V | None
    span: tuple[int, int] | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""

    def moved(self, by: int) -> Extraction[V]:
        """The same, found in a text that begins `by` characters earlier."""
        span = None if self.span is None else (self.span[0] + by, self.span[1] + by)
        return Extraction(self.value, span, self.flags, self.reason)
