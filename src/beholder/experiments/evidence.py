"""Experiment 2: what is it in the observations that the answers rest on? The arms replay the conversations of a run.

Turns and talk are the same in all arms (`engine.replay`); what the tools brought is shown, withheld in part, or taken
from another item. The arms are about the items of which at least one call was run and whose pictures are still there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import benchmark_of, plan_of
from beholder.engine.plan import Plan, differences, remake_plan
from beholder.engine.replay import (
    Condition,
    Conversation,
    Replay,
    as_it_stands,
    check_pictures,
    conversations,
    kept_turns,
    printed,
    run_observations,
    turns_digest,
)
from beholder.engine.selection import Selection
from beholder.errors import DataError, UsageError
from beholder.report.stated_answers import answer_reader
from beholder.sample import Sample
from beholder.seeds import rng_for
from beholder.store import reading, schema
from beholder.store.folder import Blobs, RunInfo, read_info
from beholder.tools.settings import Arm, Protocol

SOURCE = "source"
PLACEBO = "placebo"
LENIENT = "lenient"
_MOST = 1000
"""Votes, and epochs: as many as `beholder run` takes. A run.json may be somebody else's."""
NO_PICTURE = "the item has no picture of its own"


class Source(msgspec.Struct, frozen=True):
    """The run whose conversations are replayed."""

    folder: Path
    info: RunInfo
    plan: Plan
    found: Benchmark


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation that is replayed, and what in it the conditions can change.

    `pictures` and `prints`: whether a call that was run brought pictures, or printed text. `stated`: whether a turn
    that is kept states the very answer that the conversation ended with, as `stated_answers.answer_reader` reads both;
    it does not read code and arguments of calls.
    """

    key: str
    epoch: int
    vote: int
    turns: int
    calls: int
    pictures: bool
    prints: bool
    stated: bool
    category: str
    cluster: str

    def is_changed_by(self, condition: Condition) -> bool:
        """Whether the condition shows anything else than the source run did."""
        return (
            condition is Condition.SWAPPED
            or (condition.withholds_pictures and self.pictures)
            or (condition.withholds_text and self.prints)
        )


class Survey(msgspec.Struct, frozen=True):
    """What a run holds to be replayed, in data order; `left_out` counts items by why they cannot be."""

    replayed: list[Replayed]
    left_out: dict[str, int]

    @property
    def keys(self) -> tuple[str, ...]:
        """The items, each once."""
        return tuple(dict.fromkeys(one.key for one in self.replayed))


class Conducted(msgspec.Struct, frozen=True):
    """How many conversations a run held, and their turns and calls on average; None if there were none."""

    n: int
    turns: float | None
    calls: float | None


def open_source(folder: Path) -> Source:
    """The run that is to be replayed. `UsageError` if it had no tools, or if what it asked is no longer there."""
    info = read_info(folder)
    plan = plan_of(info)
    if plan.tools is None:
        raise UsageError(f"{folder} is a run without tools: there are no observations to withhold.")
    if plan.tools.arm is Arm.PROVIDER:
        raise UsageError(f"{folder} used the provider's own tools: what they brought is not ours to withhold.")
    if not (1 <= plan.votes <= _MOST and 1 <= plan.epochs <= _MOST):
        raise UsageError(f"{folder / 'run.json'} asks for {plan.votes} votes in {plan.epochs} epochs. Not opened.")
    asked = remake_plan(plan).identity(info.plan.get("model", {}))
    changed = [
        words
        for words in differences(info.plan, asked)
        # Only the text protocol says in the conversation itself which tools there are.
        if plan.tools.protocol is Protocol.TEXT or not words.startswith("tools.told_sha256")
    ]
    if changed:
        raise UsageError(f"{folder} cannot be replayed: {'; '.join(changed)}. Restore what it used.")
    return Source(folder, info, plan, benchmark_of(info, plan))


def source_again(plan: Plan) -> Source:
    """The source run of a replay. `UsageError` if it is no longer what it was when the replay was planned."""
    assert plan.replay is not None
    now = as_it_stands(plan.replay, plan.selection.ids)
    changed = differences(plan.replay.identity(), now.identity())
    if changed:
        raise UsageError(f"{plan.replay.run} has changed since it was replayed: {'; '.join(changed)}. Restore it.")
    return open_source(Path(plan.replay.run))


def survey(source: Source, *, keys: Sequence[str] | None = None) -> Survey:
    """Goes through the items of the source run: all, with their pictures checked, or only those named, as they are.

    An item is left out as a whole if one of its conversations cannot be shown again.
    """
    wanted = None if keys is None else set(keys)
    found: list[Replayed] = []
    left_out: Counter[str] = Counter()
    blobs = Blobs(source.folder)
    with closing(schema.open_to_read(source.folder / "run.db")) as db, schema.told_plainly(source.folder):
        for sample in source.plan.samples():
            if wanted is not None and sample.key not in wanted:
                continue
            try:
                own = list(conversations(db, sample.key))
                if own and not sample.images:
                    raise DataError(NO_PICTURE)
                if wanted is None:
                    for one in own:
                        check_pictures(one, blobs)
            except DataError as error:
                left_out[error.message] += 1
                continue
            if own:
                orders = {(one.epoch, one.vote): one.response.order for one in reading.responses(db, key=sample.key)}
                found += [_facts(source.found, sample, one, orders[one.epoch, one.vote]) for one in own]
    return Survey(found, dict(left_out))


def _facts(found: Benchmark, sample: Sample, one: Conversation, order: tuple[int, ...]) -> Replayed:
    turns = one.trajectory.turns
    brought = run_observations(one.trajectory)
    read = answer_reader(found, sample, one.trajectory, order)
    final = read(turns[-1].said) if read is not None else None
    said = [turn.said for turn in kept_turns(one.trajectory)]
    return Replayed(
        key=sample.key,
        epoch=one.epoch,
        vote=one.vote,
        turns=len(turns),
        calls=sum(len(turn.observations) for turn in turns),
        pictures=any(seen.images for seen in brought),
        prints=any(printed(seen).strip() for seen in brought),
        stated=read is not None and final is not None and any(read(words) == final for words in said if words.strip()),
        category=sample.category,
        cluster=sample.cluster,
    )


def partners(items: Sequence[Replayed], seed: int) -> dict[str, str]:
    """Gives each item another one of its category that shows another picture: a one-to-one swap, drawn from the seed.

    Where items that share a cluster are more than half of a category, some of them find no partner, and are not in it.
    """
    by_category: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for key, one in {one.key: one for one in items}.items():
        by_category[one.category][one.cluster or key].append(key)
    given: dict[str, str] = {}
    for category, clusters in sorted(by_category.items()):
        rng = rng_for(seed, category, "evidence: partners")
        groups = [sorted(keys) for _, keys in sorted(clusters.items())]
        for group in groups:
            rng.shuffle(group)
        rng.shuffle(groups)
        others = sum(map(len, groups)) - max(map(len, groups))
        groups = [group[:others] for group in groups]
        # Clusters lie side by side; a turn by the size of the largest one takes every item out of its own.
        row = [key for group in groups for key in group]
        turn = max(map(len, groups))
        given |= {key: row[(place + turn) % len(row)] for place, key in enumerate(row)}
    return given


def replay_plans(source: Source, surveyed: Survey, conditions: Sequence[Condition], seed: int) -> dict[Condition, Plan]:
    """A plan for each condition. `swapped` is left out if no item has a partner."""
    plans = {}
    with closing(schema.open_to_read(source.folder / "run.db")) as db, schema.told_plainly(source.folder):
        for condition in conditions:
            swap = partners(surveyed.replayed, seed) if condition is Condition.SWAPPED else {}
            keys = [key for key in surveyed.keys if key in swap or condition is not Condition.SWAPPED]
            if keys:
                plans[condition] = _replay_plan(source, surveyed, condition, keys, swap, turns_digest(db, keys))
    return plans


def _replay_plan(
    source: Source, surveyed: Survey, condition: Condition, keys: Sequence[str], swap: dict[str, str], digest: str
) -> Plan:
    assert source.plan.tools is not None
    chosen = set(keys)
    replay = Replay(
        run=str(source.folder.resolve()),
        plan_hash=source.info.plan_hash,
        tools=source.plan.tools,
        turns_sha256=digest,
        condition=condition,
        n_asks=sum(one.key in chosen for one in surveyed.replayed),
        partners=swap,
    )
    selection = Selection(ids=tuple(keys))
    return msgspec.structs.replace(source.plan, tools=None, replay=replay, selection=selection, n_samples=len(keys))


def placebo_plan(source: Source, keys: Sequence[str]) -> Plan:
    """The source run's own plan on these items, with tools that bring nothing."""
    assert source.plan.tools is not None
    tools = msgspec.structs.replace(source.plan.tools, placebo=True)
    return msgspec.structs.replace(source.plan, tools=tools, selection=Selection(ids=tuple(keys)), n_samples=len(keys))


def served_names(folder: Path) -> list[str]:
    """The models that answered a run, as their server named them."""
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        rows = db.execute("SELECT DISTINCT json_extract(record, '$.served_model') FROM responses").fetchall()
    return sorted(str(name) for (name,) in rows if name is not None)


def other_models(source: Sequence[str], arms: Mapping[str, Sequence[str]]) -> str | None:
    """One sentence if an arm was answered by a model of another served name than the source run."""
    others = sorted({name for names in arms.values() for name in names} - set(source))
    if not source or not others:
        return None
    return (
        f"The source run was answered by {', '.join(source)}, the arms by {', '.join(others)}: the conversations are "
        "not the model's own."
    )


def conducted(folder: Path, places: Container[tuple[str, int, int]]) -> Conducted:
    """How the conversations of a run at these (key, epoch, vote) went."""
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        held = [one.response.conduct for one in reading.responses(db) if (one.key, one.epoch, one.vote) in places]
    return conducted_in([(conduct.turns, conduct.calls) for conduct in held if conduct is not None])


def conducted_in(conversations_held: Sequence[tuple[int, int]]) -> Conducted:
    """The same from (turns, calls) of each conversation.

    >>> conducted_in([(2, 1), (3, 4)])
    Conducted(n=2, turns=2.5, calls=2.5)
    """
    n = len(conversations_held)
    if not n:
        return Conducted(0, None, None)
    return Conducted(n, *(sum(numbers) / n for numbers in zip(*conversations_held, strict=True)))
