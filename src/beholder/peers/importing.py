"""Another tool's log as an ordinary run folder: its answers in our journal, under our scorers, its own scores beside.

The folder has one file more than others, `imported.json`: what the tool says of each answer, by key, epoch and vote.
The run's model is `imported/MODEL`; its wire is `imported`, so nobody can be asked again, and a resume says so. Its
prompt and its decoding are the tool's: what the log tells of them is kept and shown, and nothing is called comparable.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import Result, environment, finish
from beholder.engine.plan import Plan, digest, group_sizes
from beholder.engine.scoring import score_with, scorer_code
from beholder.engine.selection import Selection
from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.peers.matching import order_shown
from beholder.peers.peer_log import MOST_ANSWERS, PeerAnswer, PeerLog, PeerScore, failed
from beholder.sample import Sample, Sampling
from beholder.store import folder as folders
from beholder.store import schema
from beholder.store.journal import Entry, Journal
from beholder.store.storable import json_text, storable

FILE = "imported.json"
TEMPLATE = "(the other tool's own prompt; it is not known here)"
_LARGEST_FILE = 1 << 30


class Theirs(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the other tool recorded of one answer: where, the gold as it had it, and its scores by name."""

    key: str
    where: str
    scores: dict[str, PeerScore]
    gold: str = ""
    epoch: int = 0
    vote: int = 0


class Kept(msgspec.Struct, frozen=True):
    """imported.json: the tool, and what it recorded of each answer."""

    format: int
    peer: str
    items: list[Theirs]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where an imported run comes from, as run.json keeps it (`settings["imported"]`)."""

    peer: str
    file: str
    sha256: str
    model: str
    version: str = ""
    task: str = ""
    created: str = ""
    generation: dict[str, Any] = {}
    matched_by: str = ""

    @property
    def told(self) -> str:
        """In one line."""
        facts = [f"{self.peer} {self.version or '(version not known)'}", f"{self.file} (SHA-256 {self.sha256[:12]}…)"]
        facts += [f"task {self.task}"] if self.task else []
        settings = ", ".join(f"{name} {value}" for name, value in self.generation.items())
        facts += [f"decoding: {settings or 'not known'}"]
        facts += [f"matched by {self.matched_by}"] if self.matched_by else ["items made from the log"]
        return "; ".join(facts)


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written: a log whose answers have their items.

    `data` names the data (the log itself, without one) and `data_sha256` is its digest; `everything` are all samples of
    the data, for the sizes of its groups.
    """

    found: Benchmark
    log: PeerLog
    source: Source
    answers: list[tuple[Sample, list[PeerAnswer]]]
    data: str
    data_sha256: str
    everything: Sequence[Sample] = ()


def write_run(wanted: Import, runs_dir: Path) -> tuple[Result, int]:
    """Makes the run folder. Returns its figures, and for how many answers the order shown had to be assumed.

    The folder is there whole or not at all.
    """
    plan = _plan(wanted)
    source = msgspec.to_builtins(wanted.source)
    name = f"imported/{wanted.source.model}"
    identity = plan.identity({"wire": "imported", **source})
    now = datetime.now(UTC)
    info = folders.RunInfo(
        format=schema.FORMAT,
        plan=identity,
        plan_hash=digest(identity),
        settings={"plan": msgspec.to_builtins(plan), "model": name, "imported": source},
        environment=environment(wanted.found.name),
        created=now.isoformat(timespec="seconds"),
    )
    place = folders.new_folder_name(wanted.found.name, name, now.astimezone())
    folder = folders.create_run(runs_dir, place, info, fsync=False)
    try:
        with folders.locked(folder):
            assumed, kept = _journal(wanted, plan, folder)
            text = json_text(Kept(1, wanted.source.peer, kept)).encode()
            folders.write_atomically(folder / FILE, text)
            return finish(folder, info, plan, wanted.found), assumed
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def read_kept(folder: Path) -> Kept | None:
    """What the other tool said of the answers of an imported run; None of any other run.

    `UsageError` if the file is damaged: it may come from somebody else.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        facts = file.stat()
        if facts.st_size > _LARGEST_FILE:
            raise ValueError("it is too large")
        return _kept(file.resolve(), (facts.st_ino, facts.st_size, facts.st_mtime_ns))
    except (OSError, msgspec.DecodeError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} cannot be read ({error}). Import the log again.") from None


@lru_cache(maxsize=2)
def _kept(file: Path, state: tuple[int, ...]) -> Kept:
    """The file in that state. A reader of samples asks for it with each of them."""
    return msgspec.json.decode(file.read_bytes(), type=Kept)


def source_of(info: folders.RunInfo) -> Source | None:
    """Where a run was imported from; None if it was not, `UsageError` if run.json says something else there."""
    given = info.settings.get("imported")
    if given is None:
        return None
    try:
        return msgspec.convert(given, Source)
    except msgspec.ValidationError as error:
        raise UsageError(f"run.json says of an import what cannot be read ({error}). Import the log again.") from None


def refuse_imported(info: folders.RunInfo, folder: Path) -> None:
    """`UsageError` for a run that was imported: its model is not here to be asked."""
    source = source_of(info)
    if source is not None:
        raise UsageError(
            f"{folder} was imported from a log of {source.peer}: nobody can be asked again. Its answers can be scored "
            "again, and judged, with `beholder rescore`; to ask the model anew, start a run."
        )


def _plan(wanted: Import) -> Plan:
    """A plan that is complete with the log's answers. Repetitions are votes where the benchmark has votes."""
    repetitions = 1 + max((one.repetition for _, answers in wanted.answers for one in answers), default=0)
    if repetitions * len(wanted.answers) > MOST_ANSWERS:
        raise UsageError(
            f"{wanted.source.file}: {len(wanted.answers):,} items of {repetitions:,} repetitions each are more than "
            f"{MOST_ANSWERS:,} answers."
        )
    voted = wanted.found.votes > 1
    generation = wanted.log.generation
    complete = len(wanted.answers) == len(wanted.everything)
    chosen = () if complete or not wanted.everything else tuple(sample.key for sample, _ in wanted.answers)
    return Plan(
        benchmark=wanted.found.name,
        data=wanted.data,
        data_sha256=wanted.data_sha256,
        template=TEMPLATE,
        sampling=Sampling(
            temperature=_number(generation, "temperature"),
            top_p=_number(generation, "top_p"),
            max_tokens=_limit(generation),
        ),
        votes=repetitions if voted else 1,
        epochs=1 if voted else repetitions,
        order="random",
        seed=0,
        selection=Selection(ids=chosen),
        n_samples=len(wanted.answers),
        most_pictures=max((len(sample.images) for sample, _ in wanted.answers), default=0),
        group_sizes=group_sizes(wanted.everything) if wanted.found.grouped and wanted.everything else None,
    )


def _number(generation: dict[str, Any], name: str) -> float | None:
    value = generation.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _limit(generation: dict[str, Any]) -> int | None:
    values = [generation.get(name) for name in ("max_tokens", "max_new_tokens", "max_completion_tokens")]
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def _journal(wanted: Import, plan: Plan, folder: Path) -> tuple[int, list[Theirs]]:
    """Writes all answers; a place for which the log has none becomes a failure, not a wrong answer."""
    kept: list[Theirs] = []
    assumed = 0
    blobs = folders.Blobs(folder)
    with Journal(folder, scorer_code(wanted.found), score_with(wanted.found.scorers)) as journal:
        for sample, answers in wanted.answers:
            images = _keep_pictures(sample, blobs)
            there = {one.repetition: one for one in answers}
            for repetition in range(plan.votes * plan.epochs):
                answer = there.get(repetition)
                response = answer.response if answer is not None else _NOT_THERE
                order: tuple[int, ...] = ()
                if wanted.found.answers_shown:
                    known = order_shown(sample, answer.question) if answer is not None else None
                    assumed += answer is not None and known is None
                    order = known or tuple(range(wanted.found.answers_shown))
                vote, epoch = (repetition, 0) if plan.votes > 1 else (0, repetition)
                response = msgspec.structs.replace(
                    response, order=order, max_tokens=plan.sampling.max_tokens, text=storable(response.text)
                )
                journal.put(Entry(sample, vote, epoch, response, images=images))
                if answer is not None:
                    kept.append(Theirs(sample.key, answer.where, answer.scores, answer.gold[:2000], epoch, vote))
            if journal.waiting > 4096:
                journal.catch_up(2048)
    return assumed, kept


_NOT_THERE = failed("The log holds no answer to this repetition of the item.", "not_recorded")


def _keep_pictures(sample: Sample, blobs: folders.Blobs) -> tuple[str, ...]:
    """Copies an item's pictures into the run, all of them or none: answers do not fail for want of a picture."""
    try:
        loaded = [(load(ref), ref) for ref in sample.images]
    except DataError:
        return ()
    for image, ref in loaded:
        blobs.keep(image.sha256, image.data, ref.path)
    return tuple(image.sha256 for image, _ in loaded)
