"""Reads M3R-Bench records: one object for each pair of image and text (JSON, JSON lines or Parquet).

Our own schema, because the paper's is not public (docs/m3r-data.md):

    id, image, text, language, origin, split, metaphor, target, source, sentiment,
    explanation {evidence: [{kind, text, box}], mapping, sentiment}, author, licence

Names that public data uses for the same fields are understood (`records.FIELDS`); columns that are none are named in
the notices. Records are kept that lack some labels; what is missing is UNSET in the gold and is scored by nobody.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, written
from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.m3r.records import Columns, annotation_of, columns_of, text_of, unused_stages
from beholder.benchmarks.records import Record, data_files, image_ref, read_records
from beholder.errors import DataError, UsageError
from beholder.sample import ImagePart, ImageRef, KeyMaker, MetaphorTarget, Sample, TextPart

NAME = "m3r"
JOINT, ANNOTATE = "joint", "annotate"
"""What is asked where no task is named, and the task that needs no labels."""
EXAMPLE = "example"
"""`Sample.metadata` holds it for the items of our example set, which is not the benchmark."""
LANGUAGES = {
    "en": "en", "english": "en", "eng": "en", "英文": "en", "英语": "en",
    "zh": "zh", "chinese": "zh", "cn": "zh", "ch": "zh", "zh-cn": "zh", "zh-hans": "zh", "中文": "zh", "汉语": "zh",
}  # fmt: skip
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.ASCII)
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_UNUSED_KEPT = 20
_LONGEST_NAME = 40


def load(path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples at `path`, in file order. Image names are relative to `options.images`, or to the data file's folder.

    `UsageError` if there is no such data. `DataError` names file and record for a record without text or image, with an
    unknown label code, with labels that contradict each other, or, except under the task `annotate`, with no label at
    all. Such a record is passed over where the options have somebody to tell.
    """
    folder = options.images or data_files(path)[0].parent
    if not folder.is_dir():
        raise UsageError(f"{folder}: the image folder is not there.")
    return _samples(path, folder, options)


def _samples(path: Path, folder: Path, options: LoadOptions) -> Iterator[Sample]:
    make_key = KeyMaker(NAME)
    for record in read_records(path):
        try:
            sample = make_sample(record, make_key, picture_of(record, folder), options.task)
        except DataError as error:
            if options.on_error is None:
                raise
            options.on_error(error)
        else:
            yield sample


def picture_of(record: Record, folder: Path) -> ImageRef:
    """The picture that a record names or embeds, not opened. `DataError` where there is none (a text-only record)."""
    given = given_picture(record, columns_of(record.value))
    if given is None or given == "":
        raise DataError("there is no image", where=record.where, mend="A text alone cannot be asked: add its image.")
    return image_ref(record, given, folder)


def make_sample(record: Record, make_key: KeyMaker, image: ImageRef | None, task: str = "") -> Sample:
    """The item of a record. Without an image (a result file) it has no picture, only its name in the key."""
    columns = columns_of(record.value)
    text = text_of(columns.value(record.value, "text"), record.where, "text")
    if not text.strip():
        raise DataError("there is no text", where=record.where, mend="An image alone cannot be asked: add its text.")
    gold = annotation_of(record.value, columns, record.where)
    if not labels_of(gold) and task != ANNOTATE:
        raise DataError(
            "it has no label",
            where=record.where,
            mend="Label it, or ask for labels with the task annotate.",
        )
    language, language_from = language_said(record, columns, text)
    identity = _identity(image, given_picture(record, columns))
    name = text_of(columns.value(record.value, "id"), record.where, "id")
    return Sample(
        key=make_key(text, written(gold), identity),
        index=record.index,
        benchmark=NAME,
        split=text_of(columns.value(record.value, "split"), record.where, "split"),
        images=(image,) if image is not None else (),
        parts=(ImagePart(0), TextPart(text)) if image is not None else (TextPart(text),),
        target=MetaphorTarget(gold),
        category=language,
        cluster=identity,
        record_id=name or (identity if isinstance(given_picture(record, columns), str) else ""),
        source=record.where,
        metadata={
            "language": language,
            "language_from": language_from,
            "origin": text_of(columns.value(record.value, "origin"), record.where, "origin"),
            "task": task or JOINT,
            **facts_of(record, columns),
        },
    )


def labels_of(gold: Annotation) -> tuple[str, ...]:
    """The labels that a gold gives; a target of None is given, one that is UNSET is not."""
    return tuple(label for label in LABELS if getattr(gold, label) is not UNSET)


def language_of(text: str) -> str:
    """`zh` for a text with a Chinese character in it, else `en` (OUR rule, for records that do not say).

    >>> language_of("same fuel."), language_of("OPPO 充电五分钟")
    ('en', 'zh')
    """
    return "zh" if _HAN.search(text) else "en"


def notices(samples: Iterable[Sample] | int) -> list[str]:
    """What the user must know about this data: what it is not, what it lacks, and which columns were not used."""
    if isinstance(samples, int):
        return []
    said = _Counted()
    for sample in samples:
        said.add(sample)
    return said.sentences() if said.rows else []


class _Counted:
    """What the notices count, in one pass."""

    def __init__(self) -> None:
        self.rows = self.examples = self.guessed = self.unstaged = 0
        self.missing: Counter[str] = Counter()
        self.unused: dict[str, None] = {}

    def add(self, sample: Sample) -> None:
        self.rows += 1
        about = sample.metadata
        self.examples += about.get(EXAMPLE) is True
        self.guessed += about.get("language_from") == "script"
        self.unused |= dict.fromkeys(about.get("unused_columns", ()))
        if isinstance(sample.target, MetaphorTarget):
            gold = sample.target.annotation
            self.missing.update(field for field in gold.__struct_fields__ if getattr(gold, field) is UNSET)
            self.unstaged += about.get("explanation_form") == "text"

    def sentences(self) -> list[str]:
        notes = [
            "The file schema of the paper's 1,000 items is not public: this data is read in our own, and figures are "
            "not comparable with published ones."
        ]
        if self.examples == self.rows:
            notes.insert(0, "This is our example set, not the benchmark.")
        elif self.examples:
            notes.insert(
                0, f"Items of {self.rows:,} from our example set, which is not the benchmark: {self.examples:,}."
            )
        fields = [field for field in (*LABELS, "explanation") if self.missing[field]]
        if fields:
            lacking = ", ".join(f"{field} {self.missing[field]:,}" for field in fields)
            notes.append(f"Items of {self.rows:,} that lack a part of the gold, which is not scored there: {lacking}.")
        if self.guessed:
            notes.append(
                f"Items that do not say their language, which the script of their text tells: {self.guessed:,}."
            )
        if self.unstaged:
            notes.append(f"Explanations in one text without stages, which is taken as the mapping: {self.unstaged:,}.")
        if self.unused:
            notes.append(f"Columns that were not used: {', '.join(self.unused)}.")
        return notes


def given_picture(record: Record, columns: Columns) -> Any:
    """What the record says of its picture; a list of one picture is that picture."""
    given = columns.value(record.value, "image")
    if isinstance(given, list):
        if len(given) > 1:
            raise DataError(
                f"there are {len(given)} images", where=record.where, mend="An item has one image: make it several."
            )
        return given[0] if given else None
    return given


def _identity(image: ImageRef | None, given: Any) -> str:
    """What tells a picture from others: the hash of embedded bytes, else its path as the record writes it."""
    if image is not None and image.data is not None:
        return hashlib.sha256(image.data).hexdigest()
    name = image.name if image is not None else given if isinstance(given, str) else ""
    return posixpath.normpath(name.replace("\\", "/")) if name else ""


def language_said(record: Record, columns: Columns, text: str) -> tuple[str, str]:
    """(language, how it is known: `record` or `script`)."""
    said = text_of(columns.value(record.value, "language"), record.where, "language").strip().lower()
    if not said:
        return language_of(text), "script"
    code = said.replace("_", "-")
    if code not in LANGUAGES and not _LANGUAGE.fullmatch(code):
        raise DataError(
            f"{said[:_LONGEST_NAME]!r} is no language code", where=record.where, mend="Write en, zh or another code."
        )
    return LANGUAGES.get(code, code), "record"


def facts_of(record: Record, columns: Columns) -> dict[str, Any]:
    """Plain facts that go with an item: whose it is, and what of the record was not used."""
    value = record.value
    about: dict[str, Any] = {
        field: said
        for field in ("author", "licence", "emotion")
        if isinstance(said := columns.value(value, field), str | int | float) and not isinstance(said, bool)
    }
    if columns.value(value, "example") is True:
        about[EXAMPLE] = True
    if isinstance(columns.value(value, "explanation"), str):
        about["explanation_form"] = "text"
    unused = (*columns.unused, *unused_stages(value, columns))
    if unused:
        about["unused_columns"] = [name[:_LONGEST_NAME] for name in unused[:_UNUSED_KEPT]]
    return about
