"""A release is what people have decided, frozen: records, pictures, where each label comes from, and hashes of it all.

    RELEASE/
      records.jsonl       an item a line; of the form m3r in the schema that `beholder run m3r` reads
      images/             the pictures
      provenance.jsonl    for each item: how each label came about, and its history
      release.json        the form, counts, the SHA-256 of each file, and one over all of that

The same project gives the same bytes.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import beholder
from beholder.annotate.agreement import saved_by_item
from beholder.annotate.decisions import InForce
from beholder.annotate.forms import check_value
from beholder.annotate.items import Picture
from beholder.annotate.people import Normalise, Outcome, normaliser, outcome
from beholder.annotate.project import Project
from beholder.annotate.provenance import provenance_of
from beholder.errors import DataError, UsageError
from beholder.images.header import EXTENSIONS, MIME
from beholder.sample import MetaphorTarget

FORMAT = 1
RECORDS, PROVENANCE, RELEASE, IMAGES = "records.jsonl", "provenance.jsonl", "release.json", "images"
_SUFFIX = {MIME[kind]: extension for extension, kind in reversed(EXTENSIONS.items())}


class Decided(msgspec.Struct, frozen=True):
    """An item that goes into a release: what people decided of it, and their decisions."""

    key: str
    outcome: Outcome
    decisions: list[InForce]


def release(project: Project, out: Path, *, only_reviewed: bool = False) -> dict[str, Any]:
    """Writes a release into a new folder and returns what release.json holds.

    Every item must have been decided by as many people as it needs; of the form m3r, they must also agree on labels.
    `only_reviewed` leaves the others out. `UsageError` says how many are missing, or that the folder is there already.
    """
    if out.exists():
        raise UsageError(f"{out} is there already. A release is never written over: choose another --out.")
    normalise = normaliser(project.form)
    ready, waiting = reviewed(project, normalise)
    if waiting and not only_reviewed:
        raise UsageError(_told(project, waiting, len(ready)))
    if not ready:
        raise UsageError("Nobody has decided an item yet: there is nothing to release.")
    out.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".release-", dir=out.parent))
    try:
        building.chmod(0o755)
        facts = _write(project, building, ready, len(waiting), normalise)
        building.rename(out)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return facts


def reviewed(project: Project, normalise: Normalise) -> tuple[list[Decided], dict[str, str]]:
    """The items that are ready for a release, and of the others, key → why not."""
    ready, waiting = [], {}
    decisions = saved_by_item(project)
    for key in project.item_keys():
        saved = decisions.get(key, [])
        found = outcome(project.form, saved, normalise)
        if found is None or len(saved) < project.info.people:
            waiting[key] = f"{len(saved)} of {project.info.people} people have decided"
        elif found.undecided and project.form.name == "m3r":
            waiting[key] = f"people do not agree on {', '.join(found.undecided)}"
        else:
            ready.append(Decided(key, found, saved))
    return ready, waiting


def disputed(project: Project) -> dict[str, tuple[str, ...]]:
    """Items that as many people as it takes have decided without agreeing: key → the labels on which they differ."""
    if project.form.mode == "shared":
        return {}
    normalise = normaliser(project.form)
    enough = {key: saved for key, saved in saved_by_item(project).items() if len(saved) >= project.info.people}
    found = {key: outcome(project.form, saved, normalise) for key, saved in enough.items()}
    return {key: one.undecided for key, one in found.items() if one is not None and one.undecided}


def check_release(folder: Path) -> list[str]:
    """What in a release is no longer what was written, a sentence each; [] if all is as it was."""
    try:
        facts = msgspec.json.decode((folder / RELEASE).read_bytes(), type=dict[str, Any])
        files = msgspec.convert(facts["files"], dict[str, str])
        whole = facts.pop("sha256")
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError, KeyError) as error:
        raise UsageError(f"{folder} is no release that can be read ({error}).") from None
    wrong = [] if _whole(facts) == whole else [f"{RELEASE} itself was changed."]
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {RELEASE}
    wrong += [f"{name} is missing." for name in sorted(files.keys() - there)]
    wrong += [f"{name} does not belong to the release." for name in sorted(there - files.keys())]
    both = sorted(files.keys() & there)
    return wrong + [f"{name} was changed." for name in both if _digest((folder / name).read_bytes()) != files[name]]


def _write(project: Project, folder: Path, ready: list[Decided], left_out: int, normalise: Normalise) -> dict[str, Any]:
    files: dict[str, str] = {}
    records, told = [], []
    came_about: dict[str, Counter[str]] = {}
    (folder / IMAGES).mkdir()
    for number, one in enumerate(ready, start=1):
        _check(project, one)
        record, pictures = project.record(one.key)
        names = [_keep_picture(project, folder, picture, files) for picture in pictures]
        made = provenance_of(project, one.key, one.outcome, one.decisions, normalise)
        for name, how in made["labels"].items():
            came_about.setdefault(name, Counter())[how["how"]] += 1
        records.append(_record(project, one, record, names))
        told.append({"line": number, "id": record.get("id", one.key), "key": one.key} | made)
    files[RECORDS] = _write_lines(folder / RECORDS, records)
    files[PROVENANCE] = _write_lines(folder / PROVENANCE, told)
    if project.form.name == "m3r":
        _check_read(folder / RECORDS, ready)
    facts: dict[str, Any] = {
        "format": FORMAT,
        "beholder": beholder.__version__,
        "form": msgspec.to_builtins(project.form),
        "annotators": [one.name for one in project.annotators()],
        "agree": project.info.agree,
        "people": sorted({saved.author for one in ready for saved in one.decisions}),
        "people_needed": project.info.people,
        "source": project.info.source,
        "items": len(ready),
        "left_out": left_out,
        "kept_apart": [msgspec.to_builtins(one) for one in project.kept_apart()],
        "labels": {name: dict(sorted(counts.items())) for name, counts in came_about.items()},
        "files": dict(sorted(files.items())),
    }
    facts["sha256"] = _whole(facts)
    (folder / RELEASE).write_bytes(msgspec.json.format(msgspec.json.encode(facts), indent=2) + b"\n")
    return facts


def _record(project: Project, one: Decided, record: dict[str, Any], pictures: list[str]) -> dict[str, Any]:
    """A line of records.jsonl."""
    value = one.outcome.value
    if project.form.name == "m3r":
        from beholder.annotate.metaphors import annotation_of

        labels = msgspec.to_builtins(annotation_of(value))
        return record | {"image": pictures[0] if pictures else None} | labels  # type: ignore[no-any-return]
    people = [{"person": saved.author, "value": saved.value, "note": saved.note} for saved in one.decisions]
    undecided = {"undecided": list(one.outcome.undecided)} if one.outcome.undecided else {}
    return {"key": one.key, "record": record, "images": pictures, "decided": value, **undecided, "people": people}


def _check(project: Project, one: Decided) -> None:
    """What was saved kept the rules of the form; a database that somebody else has written may hold anything."""
    wrong = [fault for saved in one.decisions for fault in check_value(project.form, saved.value)]
    wrong += check_value(project.form, one.outcome.value, complete=not one.outcome.undecided)
    if wrong:
        raise UsageError(f"The decision about {one.key} breaks a rule of the form: {wrong[0]}")


def _check_read(records: Path, ready: Sequence[Decided]) -> None:
    """The benchmark must read from the records what people decided, or the release is none."""
    from beholder.annotate.metaphors import annotation_of
    from beholder.benchmarks import benchmark
    from beholder.benchmarks.benchmark import LoadOptions

    try:
        samples = list(benchmark("m3r").load(records, LoadOptions()))
    except DataError as error:
        raise UsageError(f"M3R-Bench could not read this release: {error}") from None
    for one, sample in zip(ready, samples, strict=True):
        if sample.target != MetaphorTarget(annotation_of(one.outcome.value)):
            raise UsageError(f"M3R-Bench would read something else of {one.key} than people decided. Look at it again.")


def _keep_picture(project: Project, folder: Path, picture: Picture, files: dict[str, str]) -> str:
    suffix = _SUFFIX.get(picture.mime)
    if suffix is None:
        raise UsageError(f"The project's database names a picture of the kind {picture.mime!r:.40}, which is none.")
    name = f"{IMAGES}/{picture.sha256}.{suffix}"
    if name not in files:
        data, _ = project.picture(picture.sha256)
        (folder / name).write_bytes(data)
        files[name] = picture.sha256
    return name


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> str:
    data = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    path.write_bytes(data)
    return _digest(data)


def _whole(facts: dict[str, Any]) -> str:
    """The hash over everything that release.json says, the hashes of the files among it."""
    return _digest(msgspec.json.encode(facts, order="deterministic"))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _told(project: Project, waiting: dict[str, str], ready: int) -> str:
    total = len(waiting) + ready
    key, why = next(iter(waiting.items()))
    return (
        f"{len(waiting):,} of {total:,} items are not reviewed yet (the first is {key}: {why}). Every item needs a "
        f"person's decision before a release: `beholder annotate open {shlex.quote(str(project.folder))}`. "
        "--only-reviewed leaves them out."
    )
