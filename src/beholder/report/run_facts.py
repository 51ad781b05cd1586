"""What a run asked, and what a person has noted about it: the lines above and below the figures of `beholder show`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from beholder.benchmarks import benchmark as find_benchmark
from beholder.engine.plan import Plan
from beholder.errors import Owner
from beholder.peers.importing import source_of
from beholder.report.figures import count, counted
from beholder.report.plain_text import plain
from beholder.report.run_list import status_of
from beholder.store import schema
from beholder.store.folder import RunInfo, resume_command
from beholder.store.marks import all_marks
from beholder.tools.settings import Arm, ToolSettings

_REASONS_SHOWN = 5
_BAD_REQUEST = 400


def print_facts(console: Console, folder: Path, info: RunInfo, plan: Plan) -> None:
    """Model, data, prompt, decoding, votes and versions, as run.json has them."""
    endpoint = info.settings.get("endpoint")
    server = f" at {endpoint.get('base_url')}" if isinstance(endpoint, dict) else ""
    prompt, decoding = str(info.plan.get("prompt_sha256", ""))[:12], _decoding(plan) or "server's decoding"
    facts = {
        "model": f"{info.settings.get('model', '')}{server}",
        "data": f"{plan.data} (SHA-256 {plan.data_sha256[:12]}…)" + "".join(f", {words}" for words in _chosen(plan)),
        "asked": f"prompt {prompt}…, {decoding}, {_repetitions(plan)}, seed {plan.seed}",
        **_tools(plan),
        **({"replay": plan.replay.told} if plan.replay is not None else {}),
        **_judges(info),
        **_imported(info),
        **({"task": plan.task} if plan.task else {}),
        **({"price": str(info.settings["price"])} if "price" in info.settings else {}),
        **({"under": f"assumptions {own}"} if (own := _assumptions(info)) else {}),
        "made": f"{info.created}, Beholder {info.environment.get('beholder', '?')}, {status_of(folder, info)}",
    }
    notices = find_benchmark(plan.benchmark).notices
    facts |= {"note": " ".join(notices(plan.n_samples))} if notices is not None and notices(plan.n_samples) else {}
    for name, fact in facts.items():
        console.print(Text(f"{name:6} {plain(fact, one_line=True)}"), style="dim", soft_wrap=True)


def plan_facts(info: RunInfo, plan: Plan) -> list[tuple[str, str]]:
    """How a run was asked, as (name, words), for a page: no paths, for a page may go to other people."""
    prompt, source, own = str(info.plan.get("prompt_sha256", ""))[:16], source_of(info), _assumptions(info)
    facts = [
        ("data", f"{Path(plan.data).name}, SHA-256 {plan.data_sha256[:16]}…, {counted(plan.n_samples, 'item')}"),
        ("items chosen", ", ".join(_chosen(plan))),
        ("task", plan.task),
        ("prompt", f"SHA-256 {prompt}…"),
        ("decoding", _decoding(plan) or "the server's own"),
        ("votes, epochs, seed", f"{plan.votes}, {plan.epochs}, {plan.seed}"),
        ("order of answers", plan.order if find_benchmark(plan.benchmark).answers_shown else ""),
        ("tools", tools_in_words(plan.tools) if plan.tools is not None else ""),
        ("imported from", source.told if source is not None else ""),
        ("replay", plan.replay.told if plan.replay is not None else ""),
        ("price", str(info.settings.get("price", ""))),
        ("assumptions", own),
        *_judges(info).items(),
    ]
    return [(name, words) for name, words in facts if words]


def _chosen(plan: Plan) -> list[str]:
    """Which items of the data were chosen; empty for all."""
    chosen = [f"limit {plan.selection.limit}"] if plan.selection.limit is not None else []
    chosen += [f"{one.field}{'=' if one.equal else '!='}{one.value}" for one in plan.selection.where]
    return chosen + ([f"{count(len(plan.selection.ids))} ids"] if plan.selection.ids else [])


def _tools(plan: Plan) -> dict[str, str]:
    """Which tools the model had, and within which budgets."""
    return {"tools": tools_in_words(plan.tools)} if plan.tools is not None else {}


def tools_in_words(settings: ToolSettings) -> str:
    """The tools of a run in a line: which, how they are called, and every budget that is set."""
    if settings.arm is Arm.PROVIDER:
        return "provider: its own code interpreter, within its own limits"
    budget = settings.budget
    limits = {
        "turns": budget.turns,
        "tokens": budget.tokens,
        "seconds": budget.seconds,
        "repeats": budget.repeats,
        "malformed": budget.malformed,
        "calls a turn": budget.calls,
        "pictures": budget.pictures,
    }
    extras = [word for word in ("ocr", "probe", "placebo") if getattr(settings, word)]
    sandbox = [f"sandbox {settings.sandbox}"] if settings.needs_sandbox else []
    at_most = ", ".join(f"{name} {value:g}" for name, value in limits.items() if value is not None)
    given = [settings.arm.value, f"{settings.protocol.value} calls", *extras, *sandbox]
    return f"{', '.join(given)}; at most: {at_most}"


def _judges(info: RunInfo) -> dict[str, str]:
    """Who reads answers out of the responses and who judges them, if the run has an extractor or judges."""
    extractor, judges = info.settings.get("extractor"), info.settings.get("judges")
    rows = [row for row in judges if isinstance(row, dict)] if isinstance(judges, list) else []
    named = ", ".join(f"{row.get('model', '?')} ({row.get('purpose', '?')})" for row in rows)
    read = {"read": f"by {extractor.get('model', '?')}"} if isinstance(extractor, dict) else {}
    return read | ({"judged": f"by {named}"} if named else {})


def _imported(info: RunInfo) -> dict[str, str]:
    """Which other tool's log the run was made from."""
    source = source_of(info)
    return {"from": f"imported from {source.told}"} if source is not None else {}


def _assumptions(info: RunInfo) -> str:
    """That the run is scored under other choices than ours, with their hash; "" if it is not."""
    text = info.settings.get("assumptions")
    if text is None:
        return ""
    digest = hashlib.sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()
    return f"of a file of its own (SHA-256 {digest[:12]}…)"


def _decoding(plan: Plan) -> str:
    sampling = plan.sampling
    given: dict[str, Any] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }
    return ", ".join(f"{name} {value:g}" for name, value in given.items() if value is not None)


def _repetitions(plan: Plan) -> str:
    votes = f"{plan.votes} votes in {plan.order} order" if plan.votes > 1 else "1 vote"
    return votes + (f", {plan.epochs} epochs" if plan.epochs > 1 else "")


def failure_counts(folder: Path) -> list[dict[str, Any]]:
    """Why responses failed, the most frequent reason first: owner, kind, HTTP status, count, and one message."""
    db = schema.open_to_read(folder / "run.db")
    try:
        rows = db.execute(
            "SELECT json_extract(record, '$.failure.owner'), json_extract(record, '$.failure.kind'), "
            "json_extract(record, '$.failure.status'), count(*), min(json_extract(record, '$.failure.message')) "
            "FROM responses WHERE state != ? GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3",
            (schema.ANSWERED,),
        ).fetchall()
    finally:
        db.close()
    return [dict(zip(("owner", "kind", "status", "count", "message"), row, strict=True)) for row in rows]


def failures(folder: Path, *, answered: int) -> list[str]:
    """`failure_counts` in words: who has to mend it, how often, an example; then what the user can do about it.

    A failure of the data is the user's to mend, and a resume tries it again. If nothing was `answered` because the
    server refuses a decoding option, the options that leave it out are named.
    """
    rows = failure_counts(folder)
    said = [
        f"{count(row['count'])} failed (owner {row['owner']}, {row['kind']}): "
        f"{plain(row['message'] or '', one_line=True, limit=200)}"
        for row in rows[:_REASONS_SHOWN]
    ]
    more = sum(row["count"] for row in rows[_REASONS_SHOWN:])
    said += [f"{count(more)} failed for other reasons"] if more else []
    if any(row["owner"] == Owner.DATA for row in rows):
        said.append(f"Mend the data, then try those again with: {resume_command(folder)}")
    if rows and not answered and all(row["status"] == _BAD_REQUEST for row in rows):
        said += _decoding_hints(" ".join(str(row["message"]) for row in rows))
    return said


def _decoding_hints(messages: str) -> list[str]:
    """How to leave out what the server's messages name."""
    messages = messages.replace("max_completion_tokens", "max_tokens")  # what is asked for instead of it
    ways = {
        "temperature": "--temperature default",
        "top_p": "--top-p default",
        "max_tokens": "--max-tokens-field max_completion_tokens, or --max-tokens default",
    }
    return [
        f"The server seems to refuse {name}. Start a new run with {way}."
        for name, way in ways.items()
        if name in messages
    ]


def print_marks(console: Console, folder: Path) -> None:
    """What people marked, each with its item."""
    db = schema.open_to_read(folder / "run.db")
    try:
        rows = all_marks(db)
    finally:
        db.close()
    for key, mark in rows:
        console.print(Text(plain(f"marked: {key}: {mark.told}", one_line=True)), style="yellow", soft_wrap=True)
