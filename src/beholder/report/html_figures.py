"""The figures of a report page: headlines, the chart of their parts, every metric under every scorer."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.engine.lifecycle import Result
from beholder.report.figures import count, denominator_of, interval_of, value_of
from beholder.report.html_chart import chart
from beholder.report.html_runs import Runs, breakable, dot, named, text
from beholder.report.parts import drawn, part_label
from beholder.report.terminal import notes
from beholder.score import Metric
from beholder.store.judge_calls import EXTRACTION


def headlines(runs: Runs) -> str:
    """A card for each run: the headline with interval and denominator, another scorer's beside it, what is missing."""
    cards = "".join(_card(runs, run) for run in range(len(runs.results)))
    scorer, metric = runs.found.headline
    told = ""
    if (scorer, metric) != (runs.scorer, runs.metric):
        lacking = (
            "needs answers that an extractor model has read (--extractor)"
            if any(task.purpose == EXTRACTION for task in runs.found.judge_tasks)
            else "is not there in every run"
        )
        why = (
            f"The benchmark's own headline, “{metric}” by {scorer}, {lacking}. "
            f"Shown here is “{runs.metric}” by {runs.scorer}."
        )
        told = f'<p class="note">{text(why)}</p>'
    return f'<div class="cards">{cards}</div>{told}'


def _card(runs: Runs, run: int) -> str:
    result = runs.results[run]
    metric = runs.figures(runs.metric)[run]
    parts = [f"<h2>{named(runs, run)}</h2>"]
    if metric is None or metric.value is None:
        parts.append(f'<p class="warn">{text(_nothing(result))}</p>')
    else:
        interval = f"95 % {interval_of(metric)} · " if interval_of(metric) else ""
        parts.append(f'<p class="big">{text(value_of(metric))}</p>')
        parts.append(f'<p class="soft">{text(interval + denominator_of(metric))}</p>')
        parts.append(f'<p class="soft">{text(f"“{runs.metric}” by {runs.scorer}{_beside(runs, run)}")}</p>')
    if not result.complete and result.metrics:
        parts.append(f'<p class="warn">{text(_incomplete(result))}</p>')
    return f'<section class="card">{"".join(parts)}</section>'


def _beside(runs: Runs, run: int) -> str:
    """`lenient` always stands beside the headline; where it is the headline, `strict` does."""
    other = "strict" if runs.scorer == "lenient" else "lenient"
    metric = runs.figures(runs.metric, other)[run]
    return f" · {value_of(metric)} by {other}" if metric is not None and metric.value is not None else ""


def _nothing(result: Result) -> str:
    tally = result.tally
    failed = tally.failed + tally.retryable
    if result.metrics:
        return "There is no such figure."
    return f"Nothing could be scored: {count(tally.answered)} answered, {count(failed)} failed."


def _incomplete(result: Result) -> str:
    missing = result.plan.n_asks - result.tally.answered - result.tally.failed
    if missing > 0:
        return f"Incomplete: {count(missing)} of {count(result.plan.n_asks)} responses are missing."
    return "Incomplete: some answers have not been read by the extractor."


def parts_chart(runs: Runs) -> str:
    """The parts of the headline as a chart, or the figures that the benchmark draws; empty if there are none."""
    there = [name for name in runs.metric_names() if any(runs.figures(name))]
    names, title = drawn(runs.found, runs.metric, there)
    picture = chart(
        [(part_label(runs.metric, name), runs.figures(name)) for name in names],
        runs.names,
        f"Chart: {title.lower()} ({runs.metric}) by {runs.scorer} in percent, with 95 % intervals. "
        "The table after it holds the figures.",
    )
    if not picture:
        return ""
    legend = "".join(f"<span>{named(runs, run)}</span>" for run in range(len(runs.results))) if runs.several else ""
    key = f'<p class="key">{legend}<span>percent, with 95 % intervals</span></p>'
    return f"<h2>{title}, scorer {text(runs.scorer)}</h2>{key}{picture}"


def tables(runs: Runs) -> str:
    """Each metric under each scorer, the headline first; then every part of a metric; then the notes."""
    names = runs.metric_names()
    if not names:
        return ""
    whole = [name for name in names if "/" not in name]
    parts = [name for name in names if "/" in name]
    more = f"<details><summary>Every part, under each scorer</summary>{_table(runs, parts)}</details>" if parts else ""
    return f"<h2>Scorers side by side</h2>{_table(runs, whole)}{more}{_notes(runs)}"


def _table(runs: Runs, names: Sequence[str]) -> str:
    scorers = list(runs.found.scorers)
    own = '<th scope="col" class="run">run</th>' if runs.several else ""
    heading = own + "".join(f'<th scope="col">{text(scorer)}</th>' for scorer in scorers)
    rows = "".join(_rows(runs, name, scorers) for name in names)
    return f'<div class="wide" tabindex="0"><table><thead><tr><th></th>{heading}</tr></thead>{rows}</table></div>'


def _rows(runs: Runs, name: str, scorers: Sequence[str]) -> str:
    """One metric: a line for each run that has it."""
    by_scorer = {scorer: runs.figures(name, scorer) for scorer in scorers}
    present = [run for run in range(len(runs.results)) if any(own[run] is not None for own in by_scorer.values())]
    lines = []
    for run in present:
        cells = "".join(
            _cell(own[run], headline=(scorer, name) == (runs.scorer, runs.metric)) for scorer, own in by_scorer.items()
        )
        first = f'<th scope="row" rowspan="{len(present)}">{breakable(name)}</th>' if run == present[0] else ""
        which = f'<td class="run">{named(runs, run)}</td>' if runs.several else ""
        lines.append(f"<tr>{first}{which}{cells}</tr>")
    return f"<tbody>{''.join(lines)}</tbody>"


def _cell(metric: Metric | None, *, headline: bool) -> str:
    if metric is None:
        return "<td></td>"
    if metric.value is None and metric.n == 0 and not metric.failed:
        return "<td><small>n/a</small></td>"
    failed = f", {count(metric.failed)} failed" if metric.failed else ""
    small = "".join(
        f"<small>{words}</small> " for words in (interval_of(metric), f"n={count(metric.n)}{failed}") if words
    )
    return f"<td{' class=lead' if headline else ''}>{text(value_of(metric))}<br>{small.rstrip()}</td>"


def _notes(runs: Runs) -> str:
    """What the metrics say of themselves, each sentence once with the runs it is about."""
    said: dict[str, list[int]] = {}
    for run, result in enumerate(runs.results):
        for note in notes(result.metrics):
            said.setdefault(note, []).append(run)
    if not said:
        return ""
    lines = []
    for note, who in said.items():
        whom = "" if len(who) == len(runs.results) else "".join(dot(run) for run in who)
        lines.append(f"<li>{whom}{text(note)}</li>")
    return f'<details><summary>Notes on these figures</summary><ul class="notes">{"".join(lines)}</ul></details>'
