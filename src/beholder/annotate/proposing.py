"""Models that annotate: one ordinary run for each of them, and the project that is made from their answers.

    PROJECT/
      annotators.json   who is asked what; the records that are kept apart
      records.jsonl     the pairs as they are asked, and images/
      runs/             a run folder for each annotator

So the asking can be killed at any time and goes on with the same command; the project is made when all have answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from beholder.annotate import project_db
from beholder.annotate.consensus import CONFIRM, Consensus, Same, agrees_with, settle, with_equivalences
from beholder.annotate.equivalence import Asked
from beholder.annotate.forms import Value, form_of
from beholder.annotate.intake import RECORDS, TASK, record_of
from beholder.annotate.items import Annotator, KeptApart, NewItem, Proposal
from beholder.annotate.metaphors import cleaned, value_of
from beholder.annotate.people import normaliser
from beholder.annotate.project import FILE as PROJECT
from beholder.annotate.project import Project
from beholder.annotation import Annotation, Explanation, structure_faults
from beholder.engine.plan import Plan
from beholder.errors import UsageError
from beholder.experiments.experiment import Arm
from beholder.extract import outcome
from beholder.extract.metaphor import lenient
from beholder.sample import Response, Sample
from beholder.score import Outcome
from beholder.seeds import rng_for
from beholder.store import reading, schema
from beholder.store.folder import write_atomically

FORMAT = 1
FILE = "annotators.json"
RUNS = "runs"


class Proposing(msgspec.Struct, frozen=True, kw_only=True):
    """annotators.json. `data` is the path that was given and `data_sha256` its digest; `agree` 0 is the usual majority.

    `arms` has an entry for each annotator, in the order in which they were named; `people` is how many persons are to
    decide on each item, all of them together if it is 1.
    """

    format: int = FORMAT
    created: str = ""
    data: str
    data_sha256: str
    agree: int
    people: int
    seed: int
    arms: tuple[Arm, ...]
    kept_apart: tuple[KeptApart, ...] = ()

    @property
    def names(self) -> list[str]:
        """The annotators by name."""
        return [arm.model for arm in self.arms]


class Answer(msgspec.Struct, frozen=True):
    """What an annotator said of an item; without an annotation, `missing` is a word for why."""

    said: Annotation | None
    missing: str = ""


def begin(folder: Path, asked: Proposing) -> None:
    """Writes annotators.json. `UsageError` if it cannot be written."""
    made = msgspec.structs.replace(asked, created=datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FILE, msgspec.json.format(msgspec.json.encode(made), indent=2))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror or error}). Choose another --out.") from None


def read(folder: Path) -> Proposing | None:
    """annotators.json of a folder; None if there is none yet. `UsageError` if it is damaged."""
    try:
        found = msgspec.json.decode((folder / FILE).read_bytes(), type=Proposing)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"{folder / FILE} cannot be read ({error}).") from None
    if found.format > FORMAT:
        raise UsageError(f"{folder} was written by a newer Beholder (format {found.format}). Upgrade Beholder.")
    return found


def is_finished(folder: Path) -> bool:
    """Whether the project has been made from the answers."""
    return (folder / PROJECT).is_file() and (folder / project_db.FILE).is_file()


def differences(stored: Proposing, asked: Proposing) -> list[str]:
    """In what a command differs from the one that began, in words; [] if it may go on."""
    told = []
    if stored.names != asked.names:
        told.append(f"the annotators were {', '.join(stored.names)}")
    told += [
        f"{what} was {before!r}"
        for what, before, now in (
            ("--agree", stored.agree, asked.agree),
            ("--people", stored.people, asked.people),
            ("--seed", stored.seed, asked.seed),
        )
        if before != now
    ]
    if stored.data_sha256 != asked.data_sha256:
        told.append(f"the data of {stored.data} was another")
    before, now = (
        [msgspec.structs.replace(arm.plan, data="", data_sha256="", n_samples=0).identity({}) for arm in one.arms[:1]]
        for one in (stored, asked)
    )
    return told if told or before == now else ["the prompt, the selection or the sampling was another"]


def answers_of(run: Path) -> dict[str, Answer]:
    """What the annotator of a run said, by the key of the item; what is not there was not asked."""
    with closing(schema.open_to_read(run / "run.db")) as db:
        return {stored.key: _read(stored.response) for stored in reading.responses(db)}


def _read(response: Response) -> Answer:
    found = lenient(response.text or "", TASK)
    became = outcome.settle(response, found)[0]
    if became is Outcome.SCORED and found.value is not None:
        return Answer(cleaned(found.value))
    return Answer(None, became.value)


def items_of(folder: Path, asked: Proposing) -> list[tuple[Sample, NewItem]]:
    """The samples in the order of the data, and each as an item with what the annotators said and settled of it."""
    plan: Plan = asked.arms[0].plan
    answers = [answers_of(folder / RUNS / arm.name) for arm in asked.arms]
    same = same_slots()
    agree = asked.agree or None
    return [
        (sample, _item(sample, [one.get(sample.key) for one in answers], same, agree, asked.seed))
        for sample in plan.samples()
    ]


def same_slots() -> Same:
    """When two targets, or two sources, count as the same."""
    normalise = normaliser(form_of("m3r"))
    return lambda one, other: normalise(one) == normalise(other)


def _item(sample: Sample, answers: Sequence[Answer | None], same: Same, agree: int | None, seed: int) -> NewItem:
    there = [one if one is not None else Answer(None, Outcome.FAILED.value) for one in answers]
    made = settle([one.said for one in there], same, agree)
    draft, drafted_by = draft_of(sample.key, there, made, same, seed)
    return NewItem(
        key=sample.key,
        record=record_of(sample),
        images=sample.images,
        title=sample.question,
        where=sample.source,
        proposals=tuple(_proposal(number, one) for number, one in enumerate(there)),
        consensus=made,
        draft=draft,
        drafted_by=drafted_by,
    )


def _proposal(number: int, answer: Answer) -> Proposal:
    if answer.said is None:
        return Proposal(number, missing=answer.missing)
    return Proposal(number, value_of(answer.said), faults=structure_faults(answer.said))


def draft_of(key: str, answers: Sequence[Answer], made: Consensus, same: Same, seed: int) -> tuple[Value, int | None]:
    """What a page fills in before a person has decided: the settled labels, and the explanation of one annotator whose
    labels are those, drawn by the item's key. Where people have to decide there is no explanation to begin with."""
    labels = made.labels
    if made.state != CONFIRM:
        return value_of(labels), None
    fit = [
        (number, one.said.explanation)
        for number, one in enumerate(answers)
        if one.said is not None
        and isinstance(one.said.explanation, Explanation)
        and not one.said.explanation.blank
        and agrees_with(one.said, labels, same)
    ]
    if not fit:
        return value_of(labels), None
    number, explanation = rng_for(seed, key, "draft").choice(fit)
    return value_of(msgspec.structs.replace(labels, explanation=explanation)), number


def make_project(
    folder: Path, asked: Proposing, items: Sequence[tuple[Sample, NewItem]], equivalences: Sequence[Asked] = ()
) -> Project:
    """Makes the project in its folder. `equivalences` are what judges proposed; they settle nothing."""
    form = form_of("m3r")
    if asked.people > 1:
        form = msgspec.structs.replace(form, mode="each")
    proposed: dict[str, list[Asked]] = {}
    for one in equivalences:
        if one.same:
            proposed.setdefault(one.key, []).append(one)

    def with_proposed(item: NewItem) -> NewItem:
        if item.consensus is None or item.key not in proposed:
            return item
        made = with_equivalences(item.consensus, [one.pairs for one in proposed[item.key]])
        return msgspec.structs.replace(item, consensus=made)

    data = Path(asked.data).resolve().name
    return Project.create(
        folder,
        form,
        [with_proposed(item) for _, item in items],
        annotators=[Annotator(arm.model, f"{RUNS}/{arm.name}") for arm in asked.arms],
        apart=asked.kept_apart,
        people=asked.people,
        agree=items[0][1].consensus.agree if items and items[0][1].consensus is not None else 0,
        seed=asked.seed,
        source={
            "benchmark": "m3r",
            "data": data,
            "data_sha256": asked.data_sha256,
            "task": TASK,
        },
    )


def records_path(folder: Path) -> Path:
    """The records that the annotators are asked about."""
    return folder / RECORDS
