"""MET-Meme (github liaolianfoka/MET-Meme-…): memes, English and Chinese: label_E and label_C beside E_text and C_text.

Columns of the labels: file_name (label_C: images_name), sentiment category (an emotion, as `4(sorrow)`), sentiment
degree, intention detection, offensiveness detection, metaphor occurrence (1, 0), metaphor category, target domain,
source domain, target modality, source modality. Columns of the texts: the same name, and text. The seven emotions are
no sentiments: the sentiment stays missing. A cell with several targets (`me;food`) is kept as it is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.records import metaphor_of, refuse_contradictions, slot_of
from beholder.benchmarks.m3r.sources import record as source
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.benchmarks.m3r.sources.tables import read_rows
from beholder.benchmarks.records import Record
from beholder.errors import DataError, UsageError
from beholder.sample import ImageRef

ORIGIN = "met-meme"
PICTURE = ("file_name", "images_name")
METAPHOR, EMOTION, TEXT = "metaphor occurrence", "sentiment category", "text"
EMOTIONS = ("happiness", "love", "anger", "sorrow", "fear", "hate", "surprise")
"""Emotions 1 to 7, as the labels write them."""
_FACTS = (
    "sentiment degree",
    "intention detection",
    "offensiveness detection",
    "metaphor category",
    "target modality",
    "source modality",
)
_CODE = re.compile(r"([1-7])\s*(?:[(（]\s*([a-z]+)\s*[)）])?", re.IGNORECASE | re.ASCII)
_LABELS = re.compile(r"label_([ec])", re.IGNORECASE)
_LONGEST_FACT = 80


def read(path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of a file of labels, in file order, with the texts of the file beside it."""
    rows = read_rows(path, [PICTURE, (METAPHOR,), ("target domain",), ("source domain",)])
    texts = _texts(path)
    names = cache(lambda: _folded_names(images))
    return source.each(ORIGIN, rows, _name, lambda row: _record(row, path, _picture(row, images, names), texts))


def _name(row: Record) -> str:
    return source.cell(row, *PICTURE)


def _texts(path: Path) -> dict[str, str] | None:
    """Picture → text, of the file of texts that goes with these labels.

    None where the name of the labels tells of no such file: the texts are then in a column of their own.
    """
    found = _LABELS.fullmatch(path.stem)
    if found is None:
        return None
    names = [f"{found[1]}_text{suffix}" for suffix in dict.fromkeys((path.suffix, ".csv", ".xlsx"))]
    beside = next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)
    if beside is None:
        raise UsageError(f"{path} holds labels only. Put its texts beside it, as {names[0]}.")
    texts: dict[str, str] = {}
    for row in read_rows(beside, [PICTURE, (TEXT,)]):
        texts.setdefault(_name(row), source.cell(row, TEXT))
    return texts


def _record(row: Record, path: Path, image: ImageRef | None, texts: dict[str, str] | None) -> SourceRecord:
    metaphor = metaphor_of(source.cell(row, METAPHOR), row.where)
    gold = Annotation(
        metaphor=metaphor,
        target=slot_of(source.cell(row, "target domain"), metaphor, row.where, "target domain"),
        source=slot_of(source.cell(row, "source domain"), metaphor, row.where, "source domain"),
    )
    refuse_contradictions(gold, row.where)
    text = source.shown_text(row, TEXT) if texts is None else texts.get(_name(row), "")
    if "\N{REPLACEMENT CHARACTER}" in text:
        raise DataError("a character of its text cannot be read", where=row.where, mend="Save the texts as UTF-8.")
    facts = {fact.replace(" ", "_"): source.cell(row, fact)[:_LONGEST_FACT] for fact in _FACTS}
    return SourceRecord(
        origin=ORIGIN,
        name=_name(row),
        where=row.where,
        text=text,
        image=image,
        language=_language(path, text),
        annotation=gold,
        metadata={**_emotion(row), **{fact: said for fact, said in facts.items() if said}},
        record=row.value if texts is None else {**row.value, TEXT: text},
    )


def _language(path: Path, text: str) -> str:
    found = _LABELS.fullmatch(path.stem)
    return source.language_by_name(path, text) if found is None else {"e": "en", "c": "zh"}[found[1].lower()]


def _emotion(row: Record) -> dict[str, str]:
    said = source.cell(row, EMOTION)
    if not said:
        return {}
    found = _CODE.fullmatch(said)
    name = EMOTIONS[int(found[1]) - 1] if found else ""
    if found is None or (found[2] or name).lower() != name:
        mend = "The codes are 1(happiness) to 7(surprise)."
        raise DataError(f"{said[:40]!r} is no known code of {EMOTION!r}", where=row.where, mend=mend)
    return {"emotion": name, "emotion_code": found[1]}


def _picture(row: Record, images: Path, names: Callable[[], dict[str, str]]) -> ImageRef | None:
    """The picture by its name; where no file has it, the one file with the same letters and digits (OURS): unpacked
    archives write other blanks and signs between them than the labels do."""
    named = source.picture(row, _name(row), images)
    if named is None or named.path is None or os.path.exists(named.path):
        return named
    folded = names().get(_folded(named.name), "")
    return source.picture(row, folded, images) if folded else named


def _folded_names(folder: Path) -> dict[str, str]:
    """Letters and digits → file name, of the names in a folder that no other one there is like."""
    found: dict[str, list[str]] = {}
    for name in sorted(os.listdir(folder)) if folder.is_dir() else ():
        found.setdefault(_folded(name), []).append(name)
    return {folded: names[0] for folded, names in found.items() if len(names) == 1}


def _folded(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
