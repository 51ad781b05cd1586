"""Taking image–text pairs into a project's folder before models are asked: pictures by hash, records without labels.

So the models are asked about the very bytes that people will see, nothing that a model or a person might copy from
stands beside them, and a record that cannot be used is known before a request is made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from beholder.annotate.building import IMAGES, apart_of, store_picture
from beholder.annotate.items import KeptApart
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import DataError, UsageError
from beholder.sample import Sample
from beholder.store.folder import write_atomically
from beholder.store.storable import json_text

RECORDS = "records.jsonl"
TASK = "annotate"
_KEPT = ("author", "licence", "example")


def take_in(folder: Path, data: Path, images: Path | None) -> tuple[int, list[KeptApart]]:
    """Writes the records of M3R-Bench data at `data` into `folder`, without their labels; the pictures beside them.

    Returns how many there are, and those that are kept apart (no text, no image, a picture that cannot be read).
    `UsageError` if none is left or nothing can be written.
    """
    apart: list[KeptApart] = []
    lines: list[str] = []
    found = find_benchmark("m3r")
    (folder / IMAGES).mkdir(parents=True, exist_ok=True)
    options = LoadOptions(images=images, on_error=lambda error: apart.append(apart_of(error)), task=TASK)
    for sample in found.load(data, options):
        try:
            lines.append(json_text(_record(folder, sample)))
        except DataError as error:
            apart.append(apart_of(error))
    if not lines:
        some = f" ({apart[0].place}: {apart[0].why})" if apart else ""
        raise UsageError(f"{data} holds no pair of image and text that can be annotated{some}.")
    write_atomically(folder / RECORDS, "".join(f"{line}\n" for line in lines).encode())
    return len(lines), apart


def _record(folder: Path, sample: Sample) -> dict[str, Any]:
    picture = store_picture(folder, sample.images[0], sample.source)
    record = {"id": sample.record_id, "image": f"{IMAGES}/{picture.sha256}", "text": sample.question}
    return {name: said for name, said in (record | about(sample)).items() if said != ""}


def about(sample: Sample) -> dict[str, Any]:
    """What a record of M3R-Bench says besides its text, image and labels."""
    facts = {name: sample.metadata[name] for name in _KEPT if name in sample.metadata}
    return {
        "language": sample.metadata.get("language", ""),
        "origin": sample.metadata.get("origin", ""),
        "split": sample.split,
        **facts,
    }


def record_of(sample: Sample) -> dict[str, Any]:
    """A record of M3R-Bench as a page shows it and a release begins with it: without image and labels."""
    record = {"id": sample.record_id, "text": sample.question} | about(sample)
    return {name: said for name, said in record.items() if said != ""}
