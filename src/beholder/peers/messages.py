"""Messages as Inspect writes them, and evalscope, whose form is the same: texts, thoughts, pictures, why it ended."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from beholder.peers.peer_log import a_text, an_object
from beholder.store.storable import storable

FINISHES = {"stop": "stop", "max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
"""Their stop reasons in the words of our `Response.finish`; the others have none."""
_TAKEN_OUT = "think"
_LARGEST_PICTURE = 64 << 20


def said_in(content: Any, where: str) -> tuple[str, str]:
    """(the text, the separate reasoning) of a message.

    Inspect takes a `<think>` block out of the text and marks the part it makes of it; here it is put back in front, so
    that the text is what the model said.
    """
    if not isinstance(content, list):
        return a_text(content, "the answer", where), ""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        piece = an_object(part, "a part of the answer", where)
        if piece.get("type") == "text":
            texts.append(a_text(piece.get("text"), "the answer", where))
        elif piece.get("type") == "reasoning" and piece.get("redacted") is not True:
            thought = a_text(piece.get("reasoning"), "the reasoning", where)
            if piece.get("internal") == _TAKEN_OUT:
                texts.append(f"<think>{thought}</think>")
            else:
                thoughts.append(thought)
    return "".join(texts), "\n".join(thoughts)


def words(value: Any) -> str:
    """`value` if it is text, "" for anything else."""
    return (storable(value) or "") if isinstance(value, str) else ""


def picture_in(address: str) -> Iterator[bytes]:
    """The bytes of a picture that stands in the log; nothing for a path or an address elsewhere."""
    head, mark, body = address.partition(";base64,")
    if mark and head.startswith("data:image/") and len(body) < _LARGEST_PICTURE:
        try:
            yield base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            return
