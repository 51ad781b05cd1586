"""Metaphor annotations and the form that asks for them: one and the same content in two structures."""

from __future__ import annotations

import msgspec

from beholder.annotate.forms import LONGEST, LONGEST_PIECE, MOST_PIECES, Value
from beholder.annotation import SENTIMENTS, TEXTUAL, VISUAL, Annotation, Evidence, Explanation, is_inside
from beholder.report.plain_text import plain

EXPLANATION = ("evidence", "mapping", "justification")
"""The fields of the form `m3r` that hold the stages of the explanation; the others are the labels."""


def value_of(said: Annotation) -> Value:
    """An annotation as a value of the form `m3r`. Texts are cleaned and cut to what the form takes; a box that lies
    outside the picture, and a label that is unknown, are left out. A rule of the structure may still be broken."""
    value: Value = {}
    if isinstance(said.metaphor, bool):
        value["metaphor"] = "yes" if said.metaphor else "no"
    for name, slot in (("target", said.target), ("source", said.source)):
        if isinstance(slot, str):
            value[name] = plain(slot, one_line=True, limit=LONGEST["text"])
    if said.sentiment in SENTIMENTS:
        value["sentiment"] = said.sentiment
    if isinstance(said.explanation, Explanation):
        pieces = [_piece_of(piece) for piece in said.explanation.evidence[:MOST_PIECES]]
        value["evidence"] = [piece for piece in pieces if piece["text"]]
        value["mapping"] = plain(said.explanation.mapping, limit=LONGEST["longtext"]).strip()
        value["justification"] = plain(said.explanation.sentiment, limit=LONGEST["longtext"]).strip()
    return {name: filled for name, filled in value.items() if filled}


def _piece_of(piece: Evidence) -> dict[str, object]:
    kind = piece.kind if piece.kind in (VISUAL, TEXTUAL) else TEXTUAL
    told: dict[str, object] = {"kind": kind, "text": plain(piece.text, limit=LONGEST_PIECE).strip()}
    return told | {"box": list(piece.box)} if piece.box is not None and is_inside(piece.box) else told


def cleaned(said: Annotation) -> Annotation:
    """The same annotation with target and source as a page can show them: one line, bounded. The rest is as it was."""
    slots = {
        name: plain(slot, one_line=True, limit=LONGEST["text"])
        for name, slot in (("target", said.target), ("source", said.source))
        if isinstance(slot, str)
    }
    return msgspec.structs.replace(said, **slots)


def annotation_of(value: Value) -> Annotation:
    """A value of the form `m3r` as an annotation. Without a metaphor, target and source are None; what else is not
    filled in is UNSET. The value must be one that the form allows."""
    said: dict[str, object] = {}
    if "metaphor" in value:
        said["metaphor"] = value["metaphor"] == "yes"
        if value["metaphor"] == "no":
            said["target"] = said["source"] = None
    said |= {name: value[name] for name in ("target", "source", "sentiment") if name in value}
    if any(name in value for name in EXPLANATION):
        pieces = value.get("evidence", [])
        said["explanation"] = Explanation(
            evidence=tuple(
                Evidence(piece["kind"], piece["text"], tuple(piece["box"]) if piece.get("box") else None)
                for piece in pieces
            ),
            mapping=value.get("mapping", ""),
            sentiment=value.get("justification", ""),
        )
    return Annotation(**said)  # type: ignore[arg-type]
