"""What a record of metaphor data says, whatever its columns are called: names of fields, and how labels are written.

The file schema of the paper's 1,000 items is not public. Ours (docs/m3r-data.md) is the first name of each field; the
others are those that public data of this kind uses. A field that is not there, or empty, is not given (UNSET); a target
or source of null, or the word `None`, says that there is none. So does an empty one where there is no metaphor.

A label is never guessed: a value that is no known code is a `DataError`.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from beholder.annotation import (
    BOX_OUTSIDE,
    METAPHOR_WITHOUT_SLOTS,
    SLOTS_WITHOUT_METAPHOR,
    TEXTUAL,
    VISUAL,
    Annotation,
    Box,
    Evidence,
    Explanation,
    structure_faults,
    written,
)
from beholder.benchmarks.records import kind_of
from beholder.errors import DataError

Label = TypeVar("Label")

FIELDS: dict[str, tuple[str, ...]] = {
    "image": ("image", "images", "imagepath", "imagefile", "imagename", "img", "imgpath", "imgname", "picture", "pic",
              "picid", "imgid", "imageid", "filename", "图像", "图片"),
    "id": ("id", "recordid", "itemid", "sampleid", "picid", "imgid", "imageid", "编号"),
    "text": ("text", "caption", "ocr", "ocrtext", "imagetext", "文本", "文字"),
    "language": ("language", "lang", "语言"),
    "origin": ("origin", "dataset", "datasource"),
    "split": ("split",),
    "metaphor": ("metaphor", "ismetaphor", "metaphoroccurrence", "metaphorical", "metaphorlabel", "metaphorornot",
                 "是否为隐喻", "是否隐喻", "隐喻"),
    "target": ("target", "targetdomain", "metaphortarget", "目标域"),
    "source": ("source", "sourcedomain", "metaphorsource", "源域"),
    "sentiment": ("sentiment", "sentimentcategory", "sentimentlabel", "sentimentpolarity", "emotionpolarity",
                  "polarity", "情感", "情感类型"),
    "explanation": ("explanation", "rationale", "reasoning", "explanations", "解释"),
    "author": ("author", "authors", "annotator"),
    "licence": ("licence", "license"),
    "emotion": ("emotion", "emotioncategory"),
    "example": ("example",),
    "provenance": ("provenance",),
    "metadata": ("metadata",),
}  # fmt: skip
"""Field → the names it may have, folded (letters and digits, small); the first that a record has is read."""

STAGES: dict[str, tuple[str, ...]] = {
    "evidence": ("evidence", "evidences"),
    VISUAL: ("visual", "visualevidence", "imageevidence"),
    TEXTUAL: ("textual", "textualevidence", "textevidence"),
    "mapping": ("mapping", "mappingestablishment", "metaphormapping"),
    "sentiment": ("sentiment", "sentimentinference", "sentimentjustification", "sentimentreasoning"),
}
"""Stages of an explanation, inside it; outside it (`visual_evidence`, …) under any of these but `sentiment`."""

METAPHOR = {"true": True, "1": True, "yes": True, "是": True, "false": False, "0": False, "no": False, "否": False}
SENTIMENT = {
    "positive": "positive", "1": "positive", "积极": "positive", "正面": "positive",
    "neutral": "neutral", "0": "neutral", "中性": "neutral",
    "negative": "negative", "-1": "negative", "消极": "negative", "负面": "negative",
}  # fmt: skip
"""How labels may be written, in small letters. A number that is whole counts as written without its point."""
NONE_WORDS = frozenset({"none", "null", "无", "没有"})
_EMPTY = frozenset({"", "nan"})
_KINDS = {"visual": VISUAL, "image": VISUAL, "textual": TEXTUAL, "text": TEXTUAL}
_CORNERS = ("left", "top", "right", "bottom")
_LONGEST_VALUE = 40
_FAULTS = {
    SLOTS_WITHOUT_METAPHOR: (
        "it is no metaphor but has a target or a source",
        "Without a metaphor both are null; correct one of the labels.",
    ),
    METAPHOR_WITHOUT_SLOTS: (
        "it is a metaphor, but its target or source is said to be none",
        "Name both, or leave out what is not known.",
    ),
    BOX_OUTSIDE: (
        "a box of its evidence is no part of the picture",
        "Write left, top, right, bottom as shares of width and height, 0 to 1.",
    ),
}


class Columns(msgspec.Struct, frozen=True):
    """Which column of a record holds which field; `unused` are those that hold none, in their order."""

    fields: dict[str, str]
    stages: dict[str, str]
    unused: tuple[str, ...]

    def value(self, record: dict[str, Any], field: str) -> Any:
        """A field's value; None where the record has no such column."""
        return record.get(self.fields[field]) if field in self.fields else None


def columns_of(record: dict[str, Any]) -> Columns:
    """Where a record holds what, by the names of its columns.

    >>> columns_of({"Pic_id": "6.jpg", "MetaphorOccurrence": 1, "Colour": "red"}).unused
    ('Colour',)
    """
    folded: dict[str, str] = {}
    for name in record:
        folded.setdefault(_folded(name), name)
    fields = _found(FIELDS, folded)
    stages = _found({stage: names for stage, names in STAGES.items() if stage != "sentiment"}, folded)
    said = next((folded[name] for name in STAGES["sentiment"][1:] if name in folded), None)
    if said is not None:
        stages["sentiment"] = said
    used = {*fields.values(), *stages.values()}
    return Columns(fields, stages, tuple(name for name in record if name not in used))


def annotation_of(record: dict[str, Any], columns: Columns, where: str) -> Annotation:
    """The labels and explanation that a record gives.

    `DataError` for a value that is no known code, and for labels that contradict each other (`structure_faults`).
    """
    metaphor = metaphor_of(columns.value(record, "metaphor"), where)
    slots = {field: _slot_of_record(record, columns, field, metaphor, where) for field in ("target", "source")}
    made = Annotation(
        metaphor=metaphor,
        target=slots["target"],
        source=slots["source"],
        sentiment=sentiment_of(columns.value(record, "sentiment"), where),
        explanation=_explanation(record, columns, where),
    )
    refuse_contradictions(made, where)
    try:
        written(made)
    except UnicodeEncodeError as error:
        raise DataError("its labels hold half a character", where=where, mend="Write them as UTF-8 text.") from error
    return made


def refuse_contradictions(annotation: Annotation, where: str) -> None:
    """`DataError` for the first rule of the structure that an annotation breaks."""
    for fault in structure_faults(annotation):
        message, mend = _FAULTS[fault]
        raise DataError(message, where=where, mend=mend)


def metaphor_of(value: Any, where: str) -> bool | UnsetType:
    """Whether there is a metaphor, as a label says it; UNSET where it is empty."""
    code = _code(value)
    return UNSET if code in _EMPTY else _known(code, value, METAPHOR, "metaphor", where)


def sentiment_of(value: Any, where: str) -> str | UnsetType:
    """The sentiment that a label says; UNSET where it is empty."""
    code = _code(value)
    return UNSET if code in _EMPTY else _known(code, value, SENTIMENT, "sentiment", where)


def slot_of(value: Any, metaphor: bool | UnsetType, where: str, field: str) -> str | UnsetType | None:
    """A target or source: its text; None where it says that there is none, or is empty without a metaphor."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"{field!r} must be text or null but is {kind_of(value)}", where=where, mend=f"Mend {field!r}.")
    text = str(value).strip()
    if text.lower() in NONE_WORDS:
        return None
    if text.lower() in _EMPTY:
        return None if metaphor is False else UNSET
    return text


def text_of(value: Any, where: str, field: str) -> str:
    """A field that is text, or a number read as text; "" where it is null. Any other type is a `DataError`."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"{field!r} must be text but is {kind_of(value)}", where=where, mend=f"Mend {field!r}.")
    return str(value)


def _found(wanted: dict[str, tuple[str, ...]], folded: dict[str, str]) -> dict[str, str]:
    """Field → column. A column belongs to the first field that it is a name of."""
    found: dict[str, str] = {}
    for field, names in wanted.items():
        column = next((folded[name] for name in names if name in folded and folded[name] not in found.values()), None)
        if column is not None:
            found[field] = column
    return found


def _folded(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _code(value: Any) -> str:
    """A label's value as its code is written: `1.0` and `1` are "1", True is "true", null is ""."""
    if value is None:
        return ""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    text = str(value).strip().lower() if isinstance(value, str | int | float) else f"({kind_of(value)})"
    return text[:-2] if text.endswith(".0") else text.removeprefix("+")


def _known(code: str, value: Any, codes: dict[str, Label], field: str, where: str) -> Label:
    if code not in codes:
        shown = repr(str(value)[:_LONGEST_VALUE]) if isinstance(value, str | int | float) else kind_of(value)
        mend = f"Write one of {', '.join(codes)}."
        raise DataError(f"{shown} is no known code of {field!r}", where=where, mend=mend)
    return codes[code]


def _slot_of_record(
    record: dict[str, Any], columns: Columns, field: str, metaphor: bool | UnsetType, where: str
) -> str | UnsetType | None:
    return slot_of(columns.value(record, field), metaphor, where, field) if field in columns.fields else UNSET


def unused_stages(record: dict[str, Any], columns: Columns) -> tuple[str, ...]:
    """What an explanation holds that is no stage, and one that is a single text beside a mapping of its own."""
    given = columns.value(record, "explanation")
    if isinstance(given, dict):
        known = set(_found(STAGES, {_folded(name): name for name in given}).values())
        return tuple(f"{columns.fields['explanation']}.{name}" for name in given if name not in known)
    twice = isinstance(given, str) and "mapping" in columns.stages
    return (columns.fields["explanation"],) if twice else ()


def _explanation(record: dict[str, Any], columns: Columns, where: str) -> Explanation | UnsetType:
    """The stages of an explanation. One text without stages is taken as the mapping (OURS): it has no other place."""
    given = columns.value(record, "explanation")
    stages = {stage: record[column] for stage, column in columns.stages.items()}
    if isinstance(given, str):
        stages.setdefault("mapping", given)
    elif isinstance(given, dict):
        folded = {_folded(name): name for name in given}
        stages |= {stage: given[column] for stage, column in _found(STAGES, folded).items()}
    elif given is not None:
        raise DataError(
            f"'explanation' must be an object or text but is {kind_of(given)}",
            where=where,
            mend="Write evidence, mapping and sentiment into it.",
        )
    evidence = [
        *_pieces(stages.get("evidence"), "", where),
        *_pieces(stages.get(VISUAL), VISUAL, where),
        *_pieces(stages.get(TEXTUAL), TEXTUAL, where),
    ]
    made = Explanation(
        evidence=tuple(evidence),
        mapping=text_of(stages.get("mapping"), where, "mapping"),
        sentiment=text_of(stages.get("sentiment"), where, "sentiment of the explanation"),
    )
    return UNSET if made.blank else made


def _pieces(given: Any, kind: str, where: str) -> list[Evidence]:
    """The pieces of evidence in a value: a list of them, one alone, or an object with some for each kind."""
    if given is None or given == "":
        return []
    if isinstance(given, dict) and not kind:
        parts = _found({part: STAGES[part] for part in (VISUAL, TEXTUAL)}, {_folded(name): name for name in given})
        if parts:
            return [piece for part, name in parts.items() for piece in _pieces(given[name], part, where)]
    return [_piece(one, kind, where) for one in (given if isinstance(given, list) else [given])]


def _piece(given: Any, kind: str, where: str) -> Evidence:
    if isinstance(given, str) and kind:
        return Evidence(kind, given)
    said = _KINDS.get(str(given.get("kind", kind)).strip().lower()) if isinstance(given, dict) else None
    if not isinstance(given, dict) or said is None:
        raise DataError(
            "a piece of evidence does not say what kind it is",
            where=where,
            mend='Write {"kind": "visual" or "textual", "text": …}.',
        )
    return Evidence(said, text_of(given.get("text"), where, "text of evidence"), _box(given.get("box"), where))


def _box(given: Any, where: str) -> Box | None:
    """A box: a list of four numbers, or an object that names its sides. Where it lies is for `structure_faults`."""
    if given is None:
        return None
    sides = [given.get(corner) for corner in _CORNERS] if isinstance(given, dict) else given
    numbers = [float(side) for side in sides if type(side) in (int, float)] if isinstance(sides, list) else []
    if not isinstance(sides, list) or len(numbers) != 4 or len(sides) != 4:
        raise DataError(
            "a box of its evidence is no list of four numbers",
            where=where,
            mend="Write left, top, right, bottom as shares of width and height, 0 to 1.",
        )
    return numbers[0], numbers[1], numbers[2], numbers[3]
