"""The folder that `gathered` data is written to:

records.jsonl     what is taken over, in the schema of `beholder run m3r`
images/           its pictures, named by the SHA-256 of their bytes, which are as published
kept_apart.jsonl  everything else, with the reason and the record as it was read
report.json       counts, duplicates whose labels differ, pairs with one picture and two texts, and the rules
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beholder.annotation import written
from beholder.audit import duplicates
from beholder.audit.gathered import REASONS, Gathered, Given, Kept
from beholder.errors import DataError, UsageError
from beholder.images import similar
from beholder.images.load import load
from beholder.report.as_json import dump

RECORDS, IMAGES, KEPT_APART, REPORT = "records.jsonl", "images", "kept_apart.jsonl", "report.json"
_EXTENSIONS = {"JPEG": "jpg", "TIFF": "tif"}
_OWN_COLUMNS = ("author", "licence", "emotion")


def check_new(folder: Path) -> None:
    """`UsageError` unless the folder is empty or not there yet."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and is not empty. Give another folder, or empty it.")


def write(gathered: Gathered, files: Sequence[Given], folder: Path) -> dict[str, Any]:
    """Writes the folder, which is whole or is not there, and gives what stands in its report.

    `DataError` for a picture that has changed meanwhile.
    """
    check_new(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".import-", dir=folder.parent))
    try:
        building.chmod(0o755)
        found = _write(gathered, files, building)
        building.rename(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return found


def _write(gathered: Gathered, files: Sequence[Given], folder: Path) -> dict[str, Any]:
    (folder / IMAGES).mkdir()
    for item in gathered.kept:
        _write_picture(item, folder)
    digest = _write_lines(folder / RECORDS, (record_of(item) for item in gathered.kept))
    _write_lines(folder / KEPT_APART, gathered.apart)
    found: dict[str, Any] = json.loads(dump(report(gathered, files) | {"records_sha256": digest}))
    (folder / REPORT).write_text(f"{json.dumps(found, indent=1)}\n", encoding="utf-8")
    return found


def record_of(item: Kept) -> dict[str, Any]:
    """An item in our schema; labels that its source does not give are left out."""
    record = item.record
    own = {name: record.metadata[name] for name in _OWN_COLUMNS if name in record.metadata}
    about = {name: value for name, value in record.metadata.items() if name not in own}
    return {
        "id": item.id,
        "image": f"{IMAGES}/{_file_name(item)}",
        "text": record.text,
        "language": record.language,
        "origin": record.origin,
        **({"split": record.split} if record.split else {}),
        **json.loads(written(record.annotation)),
        **own,
        "metadata": {**about, "from": record.where},
    }


def report(gathered: Gathered, files: Sequence[Given]) -> dict[str, Any]:
    """What became of all records, as plain data."""
    names = ("read", "kept", *REASONS)
    sources = [
        {"source": given.source, "file": given.path.name, **{name: counts[name] for name in names}}
        for given, counts in zip(files, gathered.counts, strict=True)
    ]
    return {
        "read": sum(counts["read"] for counts in gathered.counts),
        "kept": len(gathered.kept),
        "kept_apart": {reason: sum(one.reason == reason for one in gathered.apart) for reason in REASONS},
        "sources": sources,
        "label_conflicts": [
            {"id": one.id, "duplicate_of": one.duplicate_of, "how": one.how, "conflicts": one.conflicts}
            for one in gathered.apart
            if one.conflicts
        ],
        "same_picture_other_text": gathered.same_picture,
        "rules": {
            "look_bits": similar.NEAR,
            "look_correlation": similar.CORRELATED,
            "text_similarity": duplicates.SIMILAR,
            "text_contained": duplicates.CONTAINED,
        },
    }


def _write_picture(item: Kept, folder: Path) -> None:
    image = load(item.image)
    if image.sha256 != item.sha256:
        raise DataError("its picture changed while it was read", where=item.record.where, mend="Import again.")
    file = folder / IMAGES / _file_name(item)
    if not file.exists():  # several items may show one picture
        file.write_bytes(image.data)


def _file_name(item: Kept) -> str:
    return f"{item.sha256}.{_EXTENSIONS.get(item.format, item.format.lower())}"


def _write_lines(file: Path, rows: Iterable[Any]) -> str:
    """Writes rows as JSON lines and gives the SHA-256 of the file."""
    digest = hashlib.sha256()
    with file.open("xb") as lines:
        for row in rows:
            line = _line(row)
            digest.update(line)
            lines.write(line)
    return digest.hexdigest()


def _line(row: Any) -> bytes:
    try:
        return msgspec.json.encode(row) + b"\n"
    except UnicodeEncodeError:  # half a character, which only the escaped form can hold
        return f"{dump(row)}\n".encode()
