"""One run on a terminal: the figures, the failures, what to do next."""

from __future__ import annotations

import shlex
from contextlib import closing
from typing import Any

from rich.console import Console
from rich.text import Text

from beholder.engine.lifecycle import Result
from beholder.metrics.noise import Noise, between_within
from beholder.report.costs import cost_in_words
from beholder.report.details_report import print_details
from beholder.report.figures import count, counted, percent
from beholder.report.judged_report import failed_lines, judged_lines
from beholder.report.plain_text import plain
from beholder.report.run_facts import failure_counts, failures
from beholder.report.terminal import print_items_summary, print_metrics, say
from beholder.report.tool_use import tool_use
from beholder.report.trajectory_report import print_tool_use
from beholder.store import reading, schema
from beholder.store.folder import resume_command


def print_result(console: Console, result: Result, *, every: bool = False) -> None:
    """Prints a run's figures and state. With `every`, each figure of each scorer has a line of its own."""
    title = f"{result.found.title} · {plain(result.model, one_line=True)} · {counted(result.plan.n_samples, 'item')}"
    console.print()
    if result.metrics:
        print_metrics(console, result.found, result.metrics, title, every=every)
        for sentence in _notices(result):
            say(console, f"note: {sentence}", "dim")
        places = {item.key: item.index for item in result.items}
        print_details(console, result.details, result.found, result.metrics, result.judges, result.plan, places)
        look = f"beholder show {shlex.quote(str(result.folder))} KEY"
        print_items_summary(console, result.items, look, result.found.other_questions)
        _print_noise(console, result)
    else:
        console.print(Text(title, "bold"), soft_wrap=True)
        say(console, _no_figure(result), "red")
    for line in judged_lines(result.judged, unfinished=result.unjudged):
        say(console, line, "dim")
    for line in failed_lines(result.items, result.judged, result.folder):
        console.print(Text(plain(line, one_line=True), "red"), soft_wrap=True)
    use = tool_use(result)
    if use is not None:
        print_tool_use(console, use)
    console.print()
    if result.message:
        console.print(Text(plain(result.message, one_line=True)), style="red", soft_wrap=True)
    for words in failures(result.folder, answered=result.tally.answered):
        console.print(Text(plain(words, one_line=True)), style="red", soft_wrap=True)
    console.print(Text(f"{_counts(result)}. Folder: {plain(str(result.folder), one_line=True)}"), soft_wrap=True)
    command = how_to_resume(result)
    if command is not None and _missing(result) > 0:  # of judges, the message tells
        console.print(
            Text(
                f"Incomplete: {count(_missing(result))} of {count(result.plan.n_asks)} responses are missing. "
                f"Continue with: {plain(command, one_line=True)}"
            ),
            style="yellow",
            soft_wrap=True,
        )


def how_to_resume(result: Result) -> str | None:
    """The command that asks for what is missing; None if nothing is."""
    if result.complete or not (result.unjudged or result.tally.unscored or _missing(result) > 0):
        return None
    return resume_command(result.folder)


def _no_figure(result: Result) -> str:
    """Why there are no figures: nothing can be scored, or nothing is yet."""
    if result.tally.answered and not result.items:
        return (
            f"The responses have no scores yet: the run was stopped. They get them from {resume_command(result.folder)}"
        )
    return f"No response could be scored, so no figure is shown. {_broken_scorer(result)}".rstrip()


def _broken_scorer(result: Result) -> str:
    """What the first response says of a scorer that broke on it; "" if none did."""
    if not (result.folder / "run.db").is_file():
        return ""
    with closing(schema.open_to_read(result.folder / "run.db")) as db:
        for number in reading.response_numbers(db)[:1]:
            for score in reading.scores_of(db, number).values():
                if "scorer_error" in score.flags:
                    return score.reason
    return ""


def _missing(result: Result) -> int:
    return result.plan.n_asks - result.tally.answered - result.tally.failed


def _notices(result: Result) -> list[str]:
    """What the benchmark says about these very items, beyond what their number tells (that is said before a run)."""
    notices = result.found.notices
    if notices is None:
        return []
    db = schema.open_to_read(result.folder / "run.db")
    try:
        if len({item.index for item in result.items}) != result.plan.n_samples:
            return []
        known = notices(result.plan.n_samples)
        return [sentence for sentence in notices(reading.samples(db)) if sentence not in known]
    finally:
        db.close()


def _counts(result: Result) -> str:
    tally = result.tally
    parts = [f"{count(tally.answered)} answered, {count(tally.failed + tally.retryable)} failed"]
    if tally.prompt_tokens or tally.completion_tokens:
        parts.append(f"{count(tally.prompt_tokens)} tokens in, {count(tally.completion_tokens)} out")
    parts += cost_in_words(result.spending)
    if tally.cut:
        parts.append(f"{count(tally.cut)} cut by the token limit ({percent(tally.cut / max(tally.answered, 1))})")
    if tally.cached:
        parts.append(f"{count(tally.cached)} from cache")
    return "; ".join(parts)


def _noise(result: Result) -> Noise | None:
    """With several epochs: how much of the spread under the headline's scorer is the model's own sampling noise."""
    if result.plan.epochs < 2 or not result.metrics:
        return None
    scorer = result.found.headline_of(result.metrics)[0]
    values: dict[tuple[str, int], list[float | None]] = {}
    for item in result.items:
        values.setdefault((item.key, item.vote), []).append(item.scores[scorer].value)
    return between_within(values.values())


def _print_noise(console: Console, result: Result) -> None:
    words = noise_in_words(result)
    if words:
        say(console, words, "dim")


def noise_in_words(result: Result) -> str:
    """With several epochs, how scores vary between items and between repetitions; else ""."""
    noise = _noise(result)
    if noise is None:
        return ""
    scorer = result.found.headline_of(result.metrics)[0]
    return (
        f"{scorer} over {result.plan.epochs} epochs: variance between items {_number(noise.between)}, "
        f"between repetitions {_number(noise.within)} (sampling noise of the model)"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def result_summary(result: Result) -> dict[str, Any]:
    """What `--json` adds for a run: where it is, whether it is complete and why not, what it counted."""
    return {
        "model": result.model,
        "folder": str(result.folder),
        "complete": result.complete,
        "ending": result.ending.value,
        "message": result.message,
        "resume": how_to_resume(result),
        "failures": failure_counts(result.folder),
        "noise": _noise(result),
        "tally": result.tally,
        "spending": result.spending,
        "judges": result.judges,
        "judged": result.judged,
        "tools": tool_use(result),
    }
