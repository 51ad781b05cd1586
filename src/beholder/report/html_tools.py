"""How the runs of a page used their tools: figures side by side, outcomes of calls as bars, score against turns."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.report.figures import count, percent
from beholder.report.html_runs import Runs, named, text
from beholder.report.plain_text import plain
from beholder.report.run_facts import tools_in_words
from beholder.report.tool_use import ToolUse, tool_use
from beholder.report.trajectory_report import spaced, use_in_words
from beholder.tools.tally import TaskTurns
from beholder.trajectory import CallOutcome

_TONES = {
    CallOutcome.EXECUTED: "right",
    CallOutcome.ERROR: "wrong",
    CallOutcome.STOPPED: "partly",
    CallOutcome.MALFORMED: "malformed",
    CallOutcome.UNKNOWN_TOOL: "unknown",
    CallOutcome.NOT_RUN: "none",
    CallOutcome.BROKEN: "failed",
}
_TASKS = 40


def tools(runs: Runs, *, tasks: bool = True) -> str:
    """The section about tools; empty if no run had any. With `tasks`, the scores against turns by task are in it."""
    used = [(run, use) for run, result in enumerate(runs.results) if (use := tool_use(result)) is not None]
    if not used:
        return ""
    parts = ["<h2>Tools</h2>"]
    for run, use in used:
        parts.append(_bar(runs, run, use))
    return "".join([*parts, _figures(runs, used), _turns(runs, used) if tasks else ""])


def _bar(runs: Runs, run: int, use: ToolUse) -> str:
    """What became of a run's calls; the words under the bar say the same."""
    settings = runs.results[run].plan.tools
    told = f'<p class="soft">{named(runs, run)}: {text(tools_in_words(settings))}</p>' if settings is not None else ""
    total = use.tally.calls
    if not total:
        return f'{told}<p class="key"><span>No tool was called.</span></p>'
    begin, blocks, words = 0.0, [], []
    for outcome in CallOutcome:
        number = use.tally.outcomes.get(outcome.value, 0)
        if not number:
            continue
        share, tone = 100 * number / total, _TONES[outcome]
        name = spaced(outcome.value)
        blocks.append(
            f'<rect class="o-{tone}" x="{begin:.3f}%" width="{share:.3f}%" height="100%"><title>{name}</title></rect>'
        )
        words.append(f'<span><i class="dot o-{tone}"></i>{name} {count(number)} ({percent(number / total)})</span>')
        begin += share
    bar = f'<svg class="bar" aria-hidden="true">{"".join(blocks)}</svg>'
    return f'{told}{bar}<p class="key"><span>{count(total)} calls:</span>{"".join(words)}</p>'


def _figures(runs: Runs, used: Sequence[tuple[int, ToolUse]]) -> str:
    """The sentences of the terminal, a column for each run. Outcomes are left to the bars."""
    said = [dict(use_in_words(use)) for _, use in used]
    longest_first = sorted(said, key=len, reverse=True)
    names = [name for name in dict.fromkeys(name for one in longest_first for name in one) if name != "outcomes"]
    rows = "".join(
        f'<tr><th scope="row">{text(name)}</th>'
        + "".join(f'<td class="text">{text(one.get(name, "–"))}</td>' for one in said)
        + "</tr>"
        for name in names
    )
    return f'<div class="wide" tabindex="0"><table>{_heading(runs, used)}<tbody>{rows}</tbody></table></div>'


def _heading(runs: Runs, used: Sequence[tuple[int, ToolUse]]) -> str:
    if not runs.several:
        return ""
    cells = "".join(f'<th scope="col" class="run">{named(runs, run)}</th>' for run, _ in used)
    return f"<thead><tr><th></th>{cells}</tr></thead>"


def _turns(runs: Runs, used: Sequence[tuple[int, ToolUse]]) -> str:
    """Each task's mean turns and its score; tasks in the first run's order, fewest turns first."""
    by_run = [{row.task: row for row in use.tasks} for _, use in used]
    tasks = list(dict.fromkeys(row.task for _, use in used for row in use.tasks))
    if len(tasks) < 2:
        return ""
    scorers = " and ".join(dict.fromkeys(use.scorer for _, use in used))
    heads = "".join(
        f'<th scope="col">{named(runs, run) if runs.several else ""} turns</th><th>score</th><th>n</th>'
        for run, _ in used
    )
    rows = "".join(
        f'<tr><th scope="row">{text(plain(task, limit=80)) or "(none)"}</th>'
        + "".join(_cells(own.get(task)) for own in by_run)
        + "</tr>"
        for task in tasks[:_TASKS]
    )
    more = len(tasks) - _TASKS
    left = f'<p class="note">{count(more)} more tasks are left out.</p>' if more > 0 else ""
    return (
        f"<details><summary>Score against turns, by task</summary>"
        f'<p class="note">Mean score under {text(scorers)} against the mean number of the model’s messages; many turns '
        "and a low score can mean repeated failure, but do not prove that more calls cause errors.</p>"
        f'<div class="wide" tabindex="0"><table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        f"</div>{left}</details>"
    )


def _cells(row: TaskTurns | None) -> str:
    if row is None:
        return "<td>–</td><td>–</td><td>–</td>"
    return f"<td>{row.turns:.2f}</td><td>{percent(row.score)}</td><td>{count(row.n)}</td>"
