"""What a run asks: a plan that can be made again from run.json, and that says exactly where another plan differs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.benchmarks.orders import answer_orders
from beholder.benchmarks.records import file_digest
from beholder.engine import replay as replaying
from beholder.engine.selection import Selection
from beholder.errors import DataError, UsageError
from beholder.models.capabilities import Needs
from beholder.sample import Ask, BooleanTarget, Message, Sample, Sampling
from beholder.store.storable import storable
from beholder.tools.settings import Arm, Protocol, ToolSettings

# Attention: what stands in `identity` decides whether a resume is refused. Scorer code and package versions do not.


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides which requests a run makes, except the model.

    `data` is the path as given and `data_sha256` the digest of the data files; `template` is the prompt template.
    `categories_sha256` is the digest of the categories file (None in plans made before it was kept). `group_sizes`, for
    a benchmark with groups, is how many items of the whole data each group has, whatever was selected; groups of one
    are left out. It changes no request and is not part of the identity; None in plans made before it was kept. `tools`
    are those that the model may use; None: it answers at once. With `keep_apart`, records that cannot be used are left
    out; without it there is no plan of such data. `replay` says which conversations of another run are shown to the
    model again, up to the answer (see `engine.replay`); their items are those of `selection`. `task` is one of the
    benchmark's `tasks`, "" for its own question. `most_pictures` is how many the chosen item with the most has.
    """

    benchmark: str
    task: str = ""
    data: str
    data_sha256: str
    images: str | None = None
    categories: str | None = None
    categories_sha256: str | None = None
    template: str
    sampling: Sampling
    votes: int
    epochs: int
    order: str
    seed: int
    selection: Selection = Selection()
    tools: ToolSettings | None = None
    replay: replaying.Replay | None = None
    keep_apart: bool = False
    n_samples: int
    most_pictures: int = 0
    group_sizes: dict[str, int] | None = None

    def identity(self, model: dict[str, Any]) -> dict[str, Any]:
        """What two runs must share to be the same run; plain data, for run.json and for naming differences."""
        categories = {"categories_sha256": self.categories_sha256} if self.categories_sha256 is not None else {}
        task = {"task": self.task} if self.task else {}
        tools = {"tools": _tools_identity(self.tools)} if self.tools is not None else {}
        replay = {"replay": self.replay.identity()} if self.replay is not None else {}
        return {
            "benchmark": self.benchmark,
            **task,
            "data_sha256": self.data_sha256,
            **categories,
            "n_samples": self.n_samples,
            "prompt_sha256": hashlib.sha256(self.template.encode("utf-8", "surrogatepass")).hexdigest(),
            "sampling": msgspec.to_builtins(self.sampling),
            "votes": self.votes,
            "epochs": self.epochs,
            "order": self.order,
            "seed": self.seed,
            "selection": msgspec.json.decode(msgspec.json.encode(self.selection)),  # lists, as run.json gives them back
            **tools,
            **replay,
            **({"keep_apart": True} if self.keep_apart else {}),
            "model": model,
        }

    def samples(self) -> Iterator[Sample]:
        """The chosen samples, streamed from the data."""
        return self.selection.choose(self.all_samples())

    def all_samples(self, on_error: Callable[[DataError], None] | None = None) -> Iterator[Sample]:
        """All samples of the data, streamed, whatever the selection. `on_error` is told what is kept apart."""
        options = LoadOptions(
            images=Path(self.images) if self.images else None,
            categories=Path(self.categories) if self.categories else None,
            task=self.task,
            on_error=(on_error or _told_before) if self.keep_apart else None,
        )
        found = find_benchmark(self.benchmark)
        found.template_of(self.task)  # a run.json of somebody else may name any
        return found.load(Path(self.data), options)

    def asks(self, sample: Sample, skip: set[tuple[str, int, int]]) -> list[Ask]:
        """The questions still to be put about one sample: epochs × votes, less those in `skip`."""
        found = find_benchmark(self.benchmark)
        orders: list[tuple[int, ...]] = []
        if found.answers_shown:
            orders = answer_orders(self.seed, sample.key, self.votes * self.epochs, found.answers_shown, self.order)
        asks = []
        for epoch in range(self.epochs):
            for vote in range(self.votes):
                if (sample.key, epoch, vote) in skip:
                    continue
                order = orders[epoch * self.votes + vote] if orders else ()
                message = Message("user", found.prompt(sample, self.template, order))
                asks.append(
                    Ask(
                        sample=sample,
                        messages=(message,),
                        sampling=self.sampling,
                        vote=vote,
                        epoch=epoch,
                        order=order,
                    )
                )
        if self.replay is not None:
            return replaying.replayed(asks, self.replay)
        return asks if self.tools is None else _with_tools(asks, self.tools)

    @property
    def needs(self) -> Needs:
        """What a model must be able to do to carry it out."""
        calls = self.tools if self.tools is not None and self.tools.arm is not Arm.PROVIDER else None
        return Needs(
            tools=calls is not None and calls.protocol is Protocol.NATIVE,
            provider_tools=self.tools is not None and calls is None,
            system_role=calls is not None and calls.protocol is Protocol.TEXT,
            seed=self.sampling.seed is not None,
            pictures=self.most_pictures,
        )

    @property
    def n_asks(self) -> int:
        """How many responses a complete run holds."""
        if self.replay is not None:
            return self.replay.n_asks
        return self.n_samples * self.votes * self.epochs


def make_plan(
    found: Benchmark,
    data: Path,
    *,
    images: Path | None,
    categories: Path | None,
    template: str | None,
    sampling: Sampling,
    votes: int | None,
    epochs: int,
    order: str,
    seed: int,
    selection: Selection,
    tools: ToolSettings | None = None,
    task: str = "",
    keep_apart: Callable[[DataError], None] | None = None,
) -> Plan:
    """Reads the data once, so that every bad record is found before the first request; `keep_apart` is told of each,
    and the plan leaves them out.

    With --limit it is read no further than needed, except where the benchmark has groups: then it is read to its end,
    because a group is as large as it is in the whole data.

    Raises `DataError` or `UsageError` naming file, record and mend.
    """
    plan = Plan(
        benchmark=found.name,
        task=task,
        data=str(data),
        data_sha256=file_digest(data),
        images=str(images) if images else None,
        categories=str(categories) if categories else None,
        categories_sha256=_categories_digest(categories) if categories else None,
        template=template if template is not None else found.template_of(task),
        sampling=sampling,
        votes=votes if votes is not None else found.votes,
        epochs=epochs,
        order=order,
        seed=seed,
        selection=selection,
        tools=tools,
        keep_apart=keep_apart is not None,
        n_samples=0,
    )
    count = most = 0
    unmatched = set(selection.ids)
    sizes: Counter[str] = Counter()
    everything = plan.all_samples(keep_apart)
    if found.grouped:
        everything = _sizing(everything, sizes)
    for sample in selection.choose(everything):
        if count == 0:
            plan.asks(sample, set())  # a template that cannot be filled shows itself at the first sample
        count += 1
        most = max(most, len(sample.images))
        unmatched -= {sample.key, sample.record_id}
    if unmatched and selection.limit is None and not selection.where:
        some = ", ".join(sorted(unmatched)[:3])
        raise UsageError(f"--ids names {len(unmatched)} items that {data} does not hold: {some}. Correct the list.")
    if count == 0:
        raise UsageError(f"No item of {data} is left by --limit, --where and --ids. Widen the selection.")
    if not found.grouped:
        return msgspec.structs.replace(plan, n_samples=count, most_pictures=most)
    for _ in everything:  # what --limit left: it belongs to groups too
        pass
    return msgspec.structs.replace(plan, n_samples=count, most_pictures=most, group_sizes=_larger(sizes))


def _with_tools(asks: list[Ask], settings: ToolSettings) -> list[Ask]:
    from beholder.tools.loop import opening
    from beholder.tools.settings import specs_of

    if settings.arm is Arm.PROVIDER:
        return [msgspec.structs.replace(ask, provider_tools=True) for ask in asks]
    specs = specs_of(settings)
    return [opening(ask, settings, specs) for ask in asks]


def _tools_identity(settings: ToolSettings) -> dict[str, Any]:
    """The settings, and a digest of what the model is told of its tools."""
    from beholder.tools.loop import opening
    from beholder.tools.settings import specs_of

    nothing = Sample(key="", index=0, benchmark="", images=(), parts=(), target=BooleanTarget(True))
    told = opening(Ask(sample=nothing, messages=()), settings, specs_of(settings))
    words = msgspec.json.encode((told.messages, told.tools), order="deterministic")
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settings))
    return {**plain, "told_sha256": hashlib.sha256(words).hexdigest()}


def _told_before(error: DataError) -> None:
    """A record that was told of when the plan was made."""


def group_sizes(samples: Iterable[Sample]) -> dict[str, int]:
    """How many of the samples each group has; groups of one are left out, any row makes them complete."""
    return _larger(Counter(sample.group for sample in samples))


def _sizing(samples: Iterator[Sample], sizes: Counter[str]) -> Iterator[Sample]:
    """The same samples; each is counted in its group as it passes."""
    for sample in samples:
        # run.db holds a lone surrogate in its escaped form: the names in the rows and those in the plan must agree.
        sizes[storable(sample.group) or ""] += 1
        yield sample


def _larger(sizes: Counter[str]) -> dict[str, int]:
    return {group: size for group, size in sizes.items() if size > 1}


def _categories_digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"--categories {file} cannot be read ({error.strerror or error}).") from None


def remake_plan(plan: Plan) -> Plan:
    """The plan as its data stands now, for a resume: the digests are taken again, so that changed data shows,
    and a changed run that is replayed."""
    try:
        digest = file_digest(Path(plan.data))
    except DataError as error:
        raise UsageError(f"{error} The data of this run must be where it was.") from None
    if plan.replay is not None:
        plan = msgspec.structs.replace(plan, replay=replaying.as_it_stands(plan.replay, plan.selection.ids))
    if plan.categories is None or plan.categories_sha256 is None:
        return msgspec.structs.replace(plan, data_sha256=digest)
    return msgspec.structs.replace(
        plan, data_sha256=digest, categories_sha256=_categories_digest(Path(plan.categories))
    )


def digest(identity: dict[str, Any]) -> str:
    """The plan hash: 16 hex digits over the identity."""
    return hashlib.blake2b(msgspec.json.encode(identity, order="deterministic"), digest_size=8).hexdigest()


def differences(stored: Any, asked: Any, name: str = "") -> list[str]:
    """Where two identities differ, in words, each with its dotted name and both values.

    >>> differences({"votes": 5, "model": {"model": "a"}}, {"votes": 3, "model": {"model": "a"}})
    ['votes: 5 in the run, 3 now']
    """
    if isinstance(stored, dict) and isinstance(asked, dict):
        names = [*stored, *(key for key in asked if key not in stored)]
        found = []
        for key in names:
            found += differences(stored.get(key), asked.get(key), f"{name}.{key}" if name else str(key))
        return found
    if stored == asked:
        return []
    return [f"{name}: {_shown(stored)} in the run, {_shown(asked)} now"]


def _shown(value: Any) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "…"
