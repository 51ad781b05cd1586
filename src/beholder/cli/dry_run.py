"""`beholder run --dry-run`: ask about a few items, and reckon what all of them would take and cost."""

from __future__ import annotations

import heapq
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.plan import Plan
    from beholder.models.model import Model
    from beholder.sample import Response

ASKED = 20
"""Items that are asked."""


class Reckoned(msgspec.Struct, frozen=True):
    """A total over all items, as far as the items that were asked tell: twice its standard error to each side.

    None where no answer says it; without a spread where one item alone does.
    """

    total: float
    give_or_take: float | None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a whole run would use. `seconds` is requests times their mean time over requests at once, if the server
    keeps up; `cost` is in US dollars, by `price`. Judges are not in it."""

    model: str
    items: int
    responses: int
    asked: int
    failed: int
    prompt_tokens: Reckoned | None
    completion_tokens: Reckoned | None
    cost: Reckoned | None
    price: str | None
    seconds: float | None
    connections: int
    kept: bool = True
    """Whether the answers are in the response cache."""


def drawn(plan: Plan, n: int = ASKED) -> tuple[str, ...]:
    """The keys of `n` items of a plan, drawn by its seed, in data order; all of them where it has no more."""
    from beholder.seeds import seed_for

    placed = enumerate(plan.samples())
    numbered = ((seed_for(plan.seed, sample.key, "dry run"), place, sample.key) for place, sample in placed)
    return tuple(key for _, _, key in sorted(heapq.nsmallest(n, numbered), key=lambda entry: entry[1]))


async def dry_run(
    plan: Plan, model: Model, options: Any, settings: dict[str, Any], runs_dir: Path, console: Console
) -> Estimate:
    """Asks about the drawn items in a folder that is removed again; what was answered stays in the cache."""
    from contextlib import closing

    from beholder.cli.carry_out import carry_out_with_progress
    from beholder.engine import lifecycle
    from beholder.engine.pace import USUAL
    from beholder.engine.selection import Selection
    from beholder.store import reading, schema

    keys = drawn(plan)
    few = msgspec.structs.replace(plan, selection=Selection(ids=keys), n_samples=len(keys))
    with tempfile.TemporaryDirectory(prefix=".dry-run-", dir=runs_dir) as place:
        folder = lifecycle.begin(few, model, settings, Path(place))
        options = msgspec.structs.replace(options, judges=())
        await carry_out_with_progress(folder, few, model, options, console)
        with closing(schema.open_to_read(folder / "run.db")) as db:
            answered = [(stored.key, stored.response) for stored in reading.responses(db)]
    price = options.prices.get(model.name)
    at_once = options.concurrency or USUAL
    found = estimate(plan, model.name, answered, price.told if price is not None else None, at_once)
    return msgspec.structs.replace(found, kept=options.cache is not None and model.remote)


def estimate(
    plan: Plan, model: str, answered: Sequence[tuple[str, Response]], price: str | None, connections: int
) -> Estimate:
    """What all items of a plan would use, from the responses to some of them (each with its item's key)."""
    good = [(key, response) for key, response in answered if response.failure is None]
    latencies = [response.latency for _, response in good if response.latency is not None]
    at_once = min(connections, plan.n_asks)
    return Estimate(
        model=model,
        items=plan.n_samples,
        responses=plan.n_asks,
        asked=len({key for key, _ in answered}),
        failed=len(answered) - len(good),
        prompt_tokens=_reckoned(good, "prompt_tokens", plan.n_samples),
        completion_tokens=_reckoned(good, "completion_tokens", plan.n_samples),
        cost=_reckoned(good, "cost", plan.n_samples),
        price=price,
        seconds=plan.n_asks * fmean(latencies) / at_once if latencies else None,
        connections=at_once,
    )


def _reckoned(answered: Sequence[tuple[str, Response]], name: str, n_items: int) -> Reckoned | None:
    """A figure of usage over all items. An item counts with the sum over its votes and epochs."""
    by_item: dict[str, float] = {}
    for key, response in answered:
        value = getattr(response.usage, name)
        if value is not None:
            by_item[key] = by_item.get(key, 0.0) + value
    values = list(by_item.values())
    if not values:
        return None
    rest = max(0.0, 1 - len(values) / n_items)  # what was asked is known: of a small set little is left to reckon
    spread = 2 * stdev(values) / math.sqrt(len(values)) * math.sqrt(rest) * n_items if len(values) > 1 else None
    return Reckoned(fmean(values) * n_items, spread)


def say_estimates(
    plan: Plan,
    models: Sequence[Model],
    options: Any,
    settings_of: Callable[[Model], dict[str, Any]],
    runs_dir: Path,
    console: Console,
    *,
    as_json: bool,
) -> None:
    """Prints an estimate for each model: for a person, or one object for a program."""
    import asyncio

    import typer

    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console

    runs_dir.mkdir(parents=True, exist_ok=True)
    found = []
    for one in models:
        found.append(asyncio.run(dry_run(plan, one, options, settings_of(one), runs_dir, console)))
        if not as_json:
            print_estimate(make_console(), found[-1])
    if as_json:
        typer.echo(dump({"estimates": [msgspec.to_builtins(one) for one in found]}))


def print_estimate(console: Console, found: Estimate) -> None:
    """The estimate in a few lines."""
    from beholder.report.figures import count, counted, dollars, duration
    from beholder.report.terminal import say

    def about(one: Reckoned | None, unit: str = "") -> str:
        if one is None:
            return "not counted by the server"
        more = f" ± {one.give_or_take:,.0f}" if one.give_or_take is not None else ""
        return f"{one.total:,.0f}{more}{unit}"

    responses = f", {count(found.responses)} responses" if found.responses != found.items else ""
    failed = f"; {counted(found.failed, 'response')} of them failed" if found.failed else ""
    say(console, f"Estimate for {found.model}, {counted(found.items, 'item')}{responses}, from {found.asked}{failed}:")
    say(console, f"tokens in   {about(found.prompt_tokens)}")
    say(console, f"tokens out  {about(found.completion_tokens)}")
    if found.cost is not None:
        more = f" ± {dollars(found.cost.give_or_take)}" if found.cost.give_or_take is not None else ""
        say(console, f"cost        {dollars(found.cost.total)}{more} by {found.price}")
    else:
        say(console, "cost        not known: give --price IN,OUT, in dollars for a million tokens")
    if found.seconds is not None:
        said = duration(found.seconds)
        say(console, f"time        {said} with {counted(found.connections, 'request')} at once, if the server keeps up")
    kept = " The answers are kept in the cache." if found.kept else ""
    say(console, f"± is twice the standard error. Judges are not in it.{kept}", "dim")
