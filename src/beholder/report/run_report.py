"""One run on a terminal: the table, the failures, what to do next."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from beholder.engine.lifecycle import Result
from beholder.metrics.noise import between_within
from beholder.report.figures import count
from beholder.report.plain_text import plain
from beholder.report.terminal import metrics_table, notes, print_items_summary


def print_result(console: Console, result: Result) -> None:
    """Prints a run's figures and state."""
    tally = result.tally
    title = f"{result.found.title} · {plain(result.model, one_line=True)} · {count(result.plan.n_samples)} items"
    console.print()
    if result.metrics:
        console.print(metrics_table(result.found, result.metrics, title))
        for note in notes(result.metrics):
            console.print(Text(f"note: {plain(note, one_line=True)}"), style="dim", soft_wrap=True)
        print_items_summary(console, result.items)
        _print_noise(console, result)
    else:
        console.print(Text(title, "bold"))
        console.print(Text("No response could be scored, so no figure is shown."), style="red")
    if result.message:
        console.print(Text(plain(result.message, one_line=True)), style="red", soft_wrap=True)
    usage = f"{count(tally.prompt_tokens)} tokens in, {count(tally.completion_tokens)} out"
    state = f"{count(tally.answered)} answered, {count(tally.failed + tally.retryable)} failed"
    console.print(Text(f"{state}; {usage}; {count(tally.cached)} from cache. Folder: {result.folder}"), soft_wrap=True)
    if not result.complete and (tally.retryable or tally.answered + tally.failed < result.plan.n_asks):
        missing = result.plan.n_asks - tally.answered - tally.failed
        console.print(
            Text(f"Incomplete: {count(missing)} responses are missing. Continue with: beholder resume {result.folder}"),
            style="yellow",
            soft_wrap=True,
        )


def _print_noise(console: Console, result: Result) -> None:
    """With several epochs: how much of the spread is the model's own sampling noise."""
    if result.plan.epochs < 2:
        return
    scorer = result.found.headline[0]
    values: dict[tuple[str, int], list[float | None]] = {}
    for item in result.items:
        values.setdefault((item.key, item.vote), []).append(item.scores[scorer].value)
    noise = between_within(values.values())
    console.print(
        Text(
            f"{scorer} over {result.plan.epochs} epochs: variance between items {_number(noise.between)}, "
            f"between repetitions {_number(noise.within)} (sampling noise of the model)"
        ),
        style="dim",
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def result_summary(result: Result) -> dict[str, Any]:
    """What `--json` adds for a run: where it is, whether it is complete, what it counted."""
    return {
        "model": result.model,
        "folder": str(result.folder),
        "complete": result.complete,
        "ending": result.ending.value,
        "tally": result.tally,
    }
