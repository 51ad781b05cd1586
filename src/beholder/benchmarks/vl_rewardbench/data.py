"""The public records of VL-RewardBench (data card MMInstruction/VL-RewardBench, split `test`) as samples.

The group of an item is told by its id, as in the authors' code. Published sizes:
general 183, hallucination 749, reasoning 318. Ids repeat: 25 ids name two items each, with the same image
and question but different answers; both are kept, and share a cluster.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import Record, identifier, image_ref, kind_of, read_records, require
from beholder.errors import DataError
from beholder.sample import ImagePart, ImageRef, KeyMaker, PreferenceTarget, Sample, TextPart, content_digest

NAME = "vl-rewardbench"
SPLIT = "test"
GROUPS = ("general", "hallucination", "reasoning")
PUBLISHED_SIZES = {"general": 183, "hallucination": 749, "reasoning": 318}

SOURCES = (
    ("RLAIF-V", "rlaif-v", "hallucination"),
    ("RLHF-V", "rlhf-v", "hallucination"),
    ("hallucination_pair", "povid", "hallucination"),
    ("mathverse_", "reasoning_tasks", "reasoning"),
    ("mmmu_pro_", "reasoning_tasks", "reasoning"),
    ("wildvision", "wildvision-battle", "general"),
    ("", "vlfeedback", "general"),
)
"""(prefix of the id, collection the item comes from, group); the first prefix that fits decides."""

_PLACEHOLDER = re.compile(r"<image>\n?")
_FACTS = ("judge", "query_source", "ground_truth")


def load(path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples of a Parquet, JSON or JSONL file in the public layout, in file order.

    Image names are relative to `options.images`, or else to the folder of the data file. Raises
    `DataError` that names the record for a missing or empty id, a query or response that is not text,
    other than two responses, a ranking that is neither [0, 1] nor [1, 0], and an image that is no path or
    bytes.
    """
    folder = options.images or (path if path.is_dir() else path.parent)
    key = KeyMaker(NAME)
    for record in read_records(path):
        column = "image" if record.value.get("image") is not None else "image_path"
        image = image_ref(record, record.value.get(column), folder)
        identity, query, responses = comparison(record)
        yield make_sample(
            record,
            key=key(identity, query, *responses),
            ranking=ranking(record, "human_ranking"),
            image=image,
            sight=image.data or image.name,
        )


def make_sample(
    record: Record, *, key: str, ranking: tuple[int, int], image: ImageRef | None, sight: str | bytes
) -> Sample:
    """The sample of one record. `sight` stands for its image: equal sight and query make a cluster."""
    identity, query, responses = comparison(record)
    collection, group = provenance(identity)
    question = TextPart(_PLACEHOLDER.sub("", query))
    metadata: dict[str, Any] = {"responses": list(responses), "human_ranking": list(ranking)}
    models = record.value.get("models")
    if isinstance(models, list) and all(isinstance(model, str) for model in models):
        metadata["models"] = models
    metadata |= {fact: value for fact in _FACTS if isinstance(value := record.value.get(fact), str) and value}
    return Sample(
        key=key,
        index=record.index,
        benchmark=NAME,
        split=SPLIT,
        images=(image,) if image else (),
        parts=(ImagePart(0), question) if image else (question,),
        target=PreferenceTarget(preferred=ranking.index(0)),
        category=group,
        group=collection,  # no all-or-nothing metric here: it tells where the authors' per-source division fails
        cluster=content_digest((sight, query)).hex(),
        record_id=identity,
        source=record.where,
        metadata=metadata,
    )


def comparison(record: Record) -> tuple[str, str, tuple[str, str]]:
    """(id, query, the two stored responses) of a record; `DataError` if one of them cannot be used."""
    identity = identifier(record, "id")
    if not identity:
        raise DataError(
            "the column 'id' is missing or empty",
            where=record.where,
            mend="The id tells the group of an item: put the published id into the record.",
        )
    query = require(record, "query", str)
    responses = require(record, "response", list)
    if len(responses) != 2 or not all(isinstance(response, str) for response in responses):
        kinds = ", ".join(kind_of(response) for response in responses[:4]) or "nothing"
        raise DataError(
            f"'response' must hold exactly two texts but holds {len(responses)} value(s): {kinds}",
            where=record.where,
            mend="Put both stored answers into it, in their published order.",
        )
    return identity, query, (responses[0], responses[1])


def ranking(record: Record, *columns: str) -> tuple[int, int]:
    """The human ranking, from the first of `columns` that is there: value i is the rank of response i."""
    found = next((column for column in columns if record.value.get(column) is not None), columns[0])
    value = record.value.get(found)
    numbers = isinstance(value, list) and all(type(rank) is int for rank in value)
    if not numbers or value not in ([0, 1], [1, 0]):
        shown = str(value)[:40] if numbers else kind_of(value)
        raise DataError(
            f"{found!r} must be [0, 1] (the first response is preferred) or [1, 0] but is {shown}",
            where=record.where,
            mend="Write the rank of each response, 0 for the preferred one.",
        )
    return (0, 1) if value == [0, 1] else (1, 0)


def provenance(identity: str) -> tuple[str, str]:
    """(collection, group) of an item by its id.

    >>> provenance("RLAIF-V-19"), provenance("mathverse_1063"), provenance("svit-7")
    (('rlaif-v', 'hallucination'), ('reasoning_tasks', 'reasoning'), ('vlfeedback', 'general'))
    """
    return next((name, group) for prefix, name, group in SOURCES if identity.startswith(prefix))


def notices(samples: Iterable[Sample] | int) -> list[str]:
    """What a reader must know about this data: how far it is from the published set, and its order trap."""
    whole = sum(PUBLISHED_SIZES.values())
    if isinstance(samples, int):
        return [] if samples == whole else [_partial(samples, whole)]
    sizes: Counter[str] = Counter()
    first = 0
    for sample in samples:
        sizes[sample.category] += 1
        first += isinstance(sample.target, PreferenceTarget) and sample.target.preferred == 0
    n = sizes.total()
    said = [] if n == whole else [_partial(n, whole)]
    if n == whole and dict(sizes) != PUBLISHED_SIZES:
        found = ", ".join(f"{group} {sizes[group]} (published {PUBLISHED_SIZES[group]})" for group in GROUPS)
        said.append(f"The sizes of the groups differ from the published ones: {found}.")
    most = max(first, n - first)
    if most > 0.9 * n:
        side = "first" if 2 * first > n else "second"
        said.append(
            f"In {most} of {n} items the {side} stored answer is the preferred one; answers "
            "always shown in stored order reward position bias."
        )
    return said


def _partial(found: int, whole: int) -> str:
    return f"The published set has {whole} items, this data {found}: figures are not comparable with published ones."
