"""What else a report page tells: outcomes, comparisons on the same items, the published table, how it was made."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from beholder.engine.lifecycle import Result
from beholder.errors import UsageError
from beholder.report.comparable import differences, verdict
from beholder.report.comparison import Comparison, compare, headline_scorer
from beholder.report.costs import cost_in_words
from beholder.report.figures import count, counted, percent
from beholder.report.html_runs import Runs, named, text
from beholder.report.paired_tables import p_value, points, points_interval
from beholder.report.plain_text import plain
from beholder.report.run_differences import run_notes, side_of
from beholder.report.run_facts import failure_counts, plan_facts
from beholder.score import Outcome, Score
from beholder.store import schema
from beholder.store.folder import read_info

_RIGHT, _PARTLY, _WRONG = "right", "partly right", "wrong"
OUTCOMES = (
    _RIGHT,
    _PARTLY,
    _WRONG,
    *(outcome.value for outcome in Outcome if outcome is not Outcome.SCORED),
)
"""What can become of a response, in the order that it is shown in."""
_TONES = {_RIGHT: "right", _PARTLY: "partly", _WRONG: "wrong", "failed": "failed", "n/a": "failed"}
_REASONS = 5


def bucket(score: Score) -> str:
    """A verdict in one word: right, partly right, wrong, or the outcome where there is no verdict."""
    if score.outcome is not Outcome.SCORED or score.value is None:
        return score.outcome.value
    return _RIGHT if score.value == 1 else _WRONG if score.value == 0 else _PARTLY


def outcomes(runs: Runs) -> str:
    """A bar of outcomes for each run, and why responses failed."""
    parts = [f"<h2>What became of the responses, scorer {text(runs.scorer)}</h2>"]
    for run, result in enumerate(runs.results):
        counts = dict.fromkeys(OUTCOMES, 0)
        for item in result.items:
            if runs.scorer in item.scores:
                counts[bucket(item.scores[runs.scorer])] += 1
        parts.append(_bar({name: number for name, number in counts.items() if number}, named(runs, run)))
        parts += [f'<p class="warn">{text(words)}</p>' for words in _failures(result)]
    return "".join(parts)


def _failures(result: Result) -> list[str]:
    """Why responses failed, the most frequent reasons first. No paths: a page may go to other people."""
    rows = failure_counts(result.folder)
    said = [
        f"{count(row['count'])} failed (owner {row['owner']}, {row['kind']}): "
        f"{plain(str(row['message'] or ''), one_line=True, limit=200)}"
        for row in rows[:_REASONS]
    ]
    more = sum(row["count"] for row in rows[_REASONS:])
    return [*said, *([f"{count(more)} failed for other reasons."] if more else [])]


def _bar(counts: dict[str, int], name: str) -> str:
    total = sum(counts.values())
    if not total:
        return f'<p class="key"><span>{name}: no response yet</span></p>'
    begin, blocks, words = 0.0, [], []
    for outcome, number in counts.items():
        share, tone = 100 * number / total, _TONES.get(outcome, "none")
        blocks.append(
            f'<rect class="o-{tone}" x="{begin:.3f}%" width="{share:.3f}%" height="100%">'
            f"<title>{outcome}</title></rect>"
        )
        words.append(f'<span><i class="dot o-{tone}"></i>{outcome} {count(number)} ({percent(number / total)})</span>')
        begin += share
    bar = f'<svg class="bar" aria-hidden="true">{"".join(blocks)}</svg>'
    return f'{bar}<p class="key"><span>{name}:</span>{"".join(words)}</p>'


def comparisons(runs: Runs) -> str:
    """Each run against the first one, on the items that both answered."""
    rows, said = [], []
    for run in range(1, len(runs.results)):
        compared = _compared(runs, run)
        if isinstance(compared, str):
            rows.append(
                f'<tr><th scope="row">{named(runs, run)}</th><td class="text" colspan="6">{text(compared)}</td></tr>'
            )
            continue
        cells = "".join(f"<td>{cell}</td>" for cell in _compared_cells(compared))
        rows.append(f'<tr><th scope="row">{named(runs, run)}</th>{cells}</tr>')
        if warnings := _warnings(runs, run, compared):
            said.append(f"<li>{named(runs, run)} (B), {named(runs, 0)} (A): {text('; '.join(warnings))}.</li>")
    if not rows:
        return ""
    heads = ("difference", "scorer", "p", "items", "better on", "worse on")
    heading = "".join(f'<th scope="col">{head}</th>' for head in heads)
    notes = f'<ul class="notes">{"".join(said)}</ul>' if said else ""
    return (
        f"<h2>Against {text(runs.names[0])}, item by item</h2>"
        f'<div class="wide" tabindex="0"><table><thead><tr><th></th>{heading}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{notes}"
    )


def _compared(runs: Runs, run: int) -> Comparison | str:
    """The paired comparison with the first run, or why there is none."""
    first, result = runs.results[0], runs.results[run]
    try:
        compared = compare(
            first.items,
            result.items,
            headline_scorer(result.found, [*first.items, *result.items]),
            voted=result.found.answers_shown > 0,
            intersect=True,
            names=(runs.names[0], runs.names[run]),
            seed=result.plan.seed,
        )
    except UsageError as error:
        return str(error)
    return compared if compared.paired.difference is not None else f"No comparison: {compared.paired.note}."


def _compared_cells(compared: Comparison) -> tuple[str, ...]:
    paired = compared.paired
    interval = f"<br><small>{points_interval(paired)}</small>" if paired.interval else ""
    return (
        f"{points(paired.difference)} points{interval}",
        text(compared.scorer),
        p_value(paired.p_decides),
        count(paired.n),
        count(len(compared.gained)),
        count(len(compared.lost)),
    )


def _warnings(runs: Runs, run: int, compared: Comparison) -> list[str]:
    """What else differs between the two runs, and what limits the comparison."""
    sides = []
    for result in (runs.results[0], runs.results[run]):
        with contextlib.closing(schema.open_to_read(result.folder / "run.db")) as db:
            # The folder's name alone: a page may go to other people.
            sides.append(side_of(Path(result.folder.name), read_info(result.folder), result.plan, db, result.found))
    left_out = (
        f"{counted(compared.paired.failed, 'item')} left out: no answer on one side" if compared.paired.failed else ""
    )
    notes = run_notes(sides[0], sides[1], compared.scorer)
    return [*notes, *filter(None, (left_out, compared.paired.note))]


def published(runs: Runs) -> str:
    """The published table, if the runs are of data that it is about."""
    table = next((result.details["published"] for result in runs.results if "published" in result.details), None)
    if table is None:
        return ""
    tasks = list(table["rows"][0]["tasks"]) if table["rows"] else []
    heading = "".join(f'<th scope="col">{text(name)}</th>' for name in ("all", *tasks))
    rows = []
    for row in table["rows"]:
        values = (row["all"], *(row["tasks"].get(task) for task in tasks))
        cells = "".join("<td>–</td>" if value is None else f"<td>{value:.1f}</td>" for value in values)
        rows.append(f'<tr><th scope="row">{text(row["model"])}</th>{cells}</tr>')
    said = "".join(
        f'<p class="note">{named(runs, run)}: {text(_comparable(result))}</p>'
        for run, result in enumerate(runs.results)
        if "published" in result.details
    )
    return (
        "<details><summary>The published table</summary>"
        f'<p class="note">{text(table["source"])}. {text(table["note"])}</p>{said}'
        f'<div class="wide" tabindex="0"><table><thead><tr><th></th>{heading}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _comparable(result: Result) -> str:
    """Whether a run's figures may stand beside the published ones."""
    scorer = result.found.headline_of(result.metrics)[0]
    own = result.metrics.get(scorer, {})
    return verdict(differences(result.plan, result.judges, result.details["published"], own, scorer))


def facts(runs: Runs) -> str:
    """What each run asked and what it was made with."""
    parts = ["<h2>How this was made</h2>"]
    for run, result in enumerate(runs.results):
        rows = "".join(
            f'<tr><th scope="row">{text(name)}</th><td class="text">{text(fact)}</td></tr>'
            for name, fact in _about(result)
        )
        parts.append(
            f'<details><summary>{named(runs, run)}</summary><div class="wide"><table>{rows}</table></div></details>'
        )
    return "".join(parts)


def _about(result: Result) -> Iterator[tuple[str, str]]:
    plan, info, tally = result.plan, read_info(result.folder), result.tally
    yield "run", f"{result.folder.name}, begun {info.created}"
    yield from plan_facts(info, plan)
    readers = ", ".join(f"{name} ({count(number)})" for name, number in result.judges.items())
    if readers:
        yield "answers read by", readers
    if "extraction" in result.details:
        agreement = result.details["extraction"]
        share = percent(agreement["same_value"] / agreement["compared"])
        yield "agreement with our extraction", f"{share} of {count(agreement['compared'])} by official value"
    answered = f"{count(tally.answered)} answered, {count(tally.failed + tally.retryable)} failed"
    yield "responses", f"{answered}, {count(tally.cached)} from cache, {count(tally.cut)} cut by the token limit"
    yield "tokens", f"{count(tally.prompt_tokens)} in, {count(tally.completion_tokens)} out"
    for words in cost_in_words(result.spending):
        yield "cost", words.removeprefix("cost ")
    versions = info.environment.get("packages")
    packages = (
        ", ".join(f"{name} {version}" for name, version in versions.items()) if isinstance(versions, dict) else ""
    )
    yield "made with", f"Beholder {info.environment.get('beholder', '?')}; {packages}"
    notices = result.found.notices
    for sentence in notices(plan.n_samples) if notices is not None else []:
        yield "note", sentence
