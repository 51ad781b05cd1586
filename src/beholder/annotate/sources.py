"""Items for people without models: the items of a benchmark, the answers of a run, or records of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from beholder.annotate.building import apart_of
from beholder.annotate.intake import TASK, record_of
from beholder.annotate.items import KeptApart, NewItem
from beholder.annotation import Explanation
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.benchmarks.records import Record, data_files, image_ref, read_records
from beholder.engine.lifecycle import benchmark_of, plan_of
from beholder.engine.plan import Plan
from beholder.errors import DataError
from beholder.report.annotation_words import labels_in_words
from beholder.sample import ImageRef, KeyMaker, MetaphorTarget, PreferenceTarget, Response, Sample
from beholder.score import Score
from beholder.store import reading, schema
from beholder.store.folder import Blobs, read_info
from beholder.store.reading import StoredResponse, target_text

_IMAGE_FIELDS = ("image", "images", "image_path", "image_paths", "img")
_STORED = "sha256:"


def items_of_benchmark(found: Benchmark, data: Path, images: Path | None, apart: list[KeptApart]) -> Iterator[NewItem]:
    """The items of a benchmark with their gold, for people to check, streamed. Records that cannot be used go to
    `apart` where the benchmark's loader passes over them."""
    return _items_of(found, data, images, apart, "", _checked)


def pairs_to_label(data: Path, images: Path | None, apart: list[KeptApart]) -> Iterator[NewItem]:
    """The items of M3R-Bench data for people to label: whether they have a gold or not, it is not shown."""
    return _items_of(find_benchmark("m3r"), data, images, apart, TASK, record_of)


def _items_of(
    found: Benchmark,
    data: Path,
    images: Path | None,
    apart: list[KeptApart],
    task: str,
    told: Callable[[Sample], dict[str, Any]],
) -> Iterator[NewItem]:
    options = LoadOptions(images=images, on_error=lambda error: apart.append(apart_of(error)), task=task)
    for sample in found.load(data, options):
        yield NewItem(
            key=sample.key, record=told(sample), images=sample.images, title=sample.question, where=sample.source
        )


def items_of_run(folder: Path, *, wrong: bool) -> Iterator[NewItem]:
    """The answers of a run with question and gold, without the model's name; only the wrong ones if `wrong`.

    Wrong is what the headline's scorer gives less than 1, or what stands in for it where it cannot score. Failed
    requests are left out: there is no answer.
    """
    info = read_info(folder)
    plan = plan_of(info)
    scorers = _deciding(benchmark_of(info, plan))
    pictures = _pictures_of(folder, plan)
    with closing(schema.open_to_read(folder / "run.db")) as db:
        samples = {sample.key: sample for sample in reading.samples(db)}
        several = len(samples) < db.execute("SELECT count(*) FROM responses").fetchone()[0]
        for stored in reading.responses(db):
            if stored.response.failure is not None:
                continue
            if wrong and not _is_wrong(reading.scores_of(db, stored.number), scorers):
                continue
            sample = samples[stored.key]
            yield NewItem(
                key=f"{stored.key}.{stored.epoch}.{stored.vote}" if several else stored.key,
                record=_checked(sample, stored.response.order) | _answered(stored.response),
                images=pictures(sample),
                title=sample.question,
                where=_place(stored),
            )


def items_of_records(data: Path, images: Path | None, apart: list[KeptApart]) -> Iterator[NewItem]:
    """Records of any schema: every field is shown as it is; `image` or `images` name pictures (paths, or bytes)."""
    folder = images or data_files(data)[0].parent
    make_key = KeyMaker("annotate")
    for record in read_records(data):
        try:
            pictures = _pictures(record, folder)
        except DataError as error:
            apart.append(apart_of(error, record.where))
            continue
        shown = {name: said for name, said in record.value.items() if name not in _IMAGE_FIELDS and _is_plain(said)}
        title = next((said for said in shown.values() if isinstance(said, str) and said.strip()), record.where)
        names = [ref.name for ref in pictures]
        yield NewItem(
            key=make_key(repr(sorted(shown.items(), key=lambda pair: pair[0])), *names),
            record=shown,
            images=pictures,
            title=title,
            where=record.where,
        )


def _checked(sample: Sample, order: Sequence[int] = ()) -> dict[str, Any]:
    """What a person needs to check an item: question, options, gold. Two answers that are compared stand in the `order`
    in which a model saw them."""
    told: dict[str, Any] = {
        "id": sample.record_id,
        "question": sample.question,
        "options": list(sample.options),
        **_gold(sample, order or (0, 1)),
        "category": sample.category,
    }
    return {name: said for name, said in told.items() if said not in ("", [])}


def _gold(sample: Sample, order: Sequence[int]) -> dict[str, Any]:
    """The answer of the data; of a comparison both answers, and which is the better one; of a metaphor the labels in
    words, and the stages of its explanation."""
    if isinstance(sample.target, PreferenceTarget):
        compared = {f"answer {place}": sample.metadata["responses"][stored] for place, stored in enumerate(order, 1)}
        return compared | {"answer": f"answer {order.index(sample.target.preferred) + 1} is better"}
    if not isinstance(sample.target, MetaphorTarget):
        return {"answer": target_text(sample)}
    said = sample.target.annotation
    told: dict[str, Any] = {"answer": labels_in_words(said)}
    if isinstance(said.explanation, Explanation):
        told["evidence"] = [f"{piece.kind}: {piece.text}" for piece in said.explanation.evidence]
        told |= {"mapping": said.explanation.mapping, "justification": said.explanation.sentiment}
    return told


def _answered(response: Response) -> dict[str, Any]:
    told = {"response": response.text or "", "reasoning": response.reasoning or ""}
    return {name: said for name, said in told.items() if said}


def _deciding(found: Benchmark) -> tuple[str, ...]:
    """The headline's scorer, and what stands in for it."""
    stand_in = found.second_headline
    return (found.headline[0],) if stand_in is None else (found.headline[0], stand_in[0])


def _is_wrong(scores: dict[str, Score], scorers: Sequence[str]) -> bool:
    values = [scores[name].value for name in scorers if name in scores]
    value = next((value for value in values if value is not None), None)
    return value is not None and value < 1


def _pictures_of(folder: Path, plan: Plan) -> Callable[[Sample], tuple[ImageRef, ...]]:
    """Gives the pictures of a run's sample: those that the run keeps, or those of its data where it keeps none, as a
    model of this machine is shown no picture. A picture that is in neither is told of when it is loaded."""
    blobs = Blobs(folder)
    of_data: dict[str, tuple[ImageRef, ...]] = {}

    def stored(ref: ImageRef) -> ImageRef | None:
        if ref.path is None or not ref.path.startswith(_STORED):
            return None
        try:
            path = blobs.path(ref.path.removeprefix(_STORED))
        except ValueError:  # not a hash
            return None
        return ImageRef(name=ref.name, path=str(path)) if path.is_file() else None

    def pictures(sample: Sample) -> tuple[ImageRef, ...]:
        kept = [stored(ref) for ref in sample.images]
        if any(ref is None for ref in kept) and not of_data:
            of_data.update((one.key, one.images) for one in plan.samples())
        given = of_data.get(sample.key, sample.images)
        return tuple(ref if ref is not None else other for ref, other in zip(kept, given, strict=True))

    return pictures


def _place(stored: StoredResponse) -> str:
    return f"response {stored.number}"


def _pictures(record: Record, folder: Path) -> tuple[ImageRef, ...]:
    given: list[Any] = []
    for name in _IMAGE_FIELDS:
        value = record.value.get(name)
        given += value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]
    return tuple(image_ref(record, one, folder) for one in given if one is not None and one != "")


def _is_plain(value: Any) -> bool:
    return not isinstance(value, bytes) and value is not None
