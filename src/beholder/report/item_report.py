"""One item as a reader wants it: question, gold, each response with the part that was read, and every verdict."""

from __future__ import annotations

import sqlite3
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.plan import Plan
from beholder.errors import UsageError
from beholder.report.annotation_words import in_words
from beholder.report.item_words import (
    gold_in_words,
    options_in_words,
    order_in_words,
    question_in_words,
    sent_in_words,
    stored_answers,
)
from beholder.report.judged_report import again
from beholder.report.plain_text import plain
from beholder.report.sent_prompt import Sent, made_again, sent_messages, written
from beholder.report.stored_votes import stored_choice, votes_of
from beholder.report.terminal import bare_table, cell
from beholder.report.tool_use import Conversation, conversation_of
from beholder.report.trajectory_report import abandoned_in_words, print_trajectory
from beholder.report.trajectory_view import view_of
from beholder.sample import MetaphorTarget, Response, Sample
from beholder.score import Score
from beholder.store import reading
from beholder.store.marks import Mark, marks
from beholder.trajectory import Ended

_LONGEST_POSITION = 9
_REASONING_SHOWN = 2000


class Judged(msgspec.Struct, frozen=True):
    """One response of the item with its scores. `request` is the body as it was sent, images by hash.

    `conversation` is how it came about where the model could use tools; `request` is then the last one.
    """

    vote: int
    epoch: int
    response: Response
    scores: dict[str, Score]
    request: Any = None
    conversation: Conversation | None = None


class Item(msgspec.Struct, frozen=True):
    """Everything the journal holds about one sample."""

    sample: Sample
    target: str
    responses: list[Judged]
    marks: list[Mark]


def find_item(db: sqlite3.Connection, name: str) -> str:
    """The key of the one item that `name` names: a position, the beginning of a key, or a record id.

    A short number is a position first: keys are hex digits, and too many of them begin with `2`.
    """
    if name.isascii() and name.isdecimal() and len(name) <= _LONGEST_POSITION:
        at_position = db.execute("SELECT key FROM samples WHERE position = ?", (int(name),)).fetchone()
        if at_position is not None:
            return str(at_position[0])
    keys = reading.find_keys(db, name) if len(name) <= 1000 else []
    if len(keys) > 1:
        raise UsageError(f"{name!r} names several items: {', '.join(keys[:5])}. Give more of the key.")
    if not keys:
        some = [row[0] for row in db.execute("SELECT key FROM samples ORDER BY position LIMIT 3")]
        known = f" Answered items are {', '.join(some)}, … (positions count from 0)." if some else ""
        raise UsageError(f"The run holds no answered item {name[:80]!r}.{known}")
    return keys[0]


def item_object(db: sqlite3.Connection, key: str, found: Benchmark, *, most: int | None = None) -> Item:
    """Collects one item from the database of a run of that benchmark, with at most so many of its responses.

    `UsageError` if the run holds no answered item of that key.
    """
    sample = reading.sample(db, key)
    if sample is None:
        raise UsageError(f"The run holds no answered item {key[:80]!r}.")
    responses = []
    for stored in islice(reading.responses(db, key=key), most):
        record = reading.request_record(db, stored.response.request_hash)
        scores = reading.scores_of(db, stored.number)
        responses.append(
            Judged(
                vote=stored.vote,
                epoch=stored.epoch,
                response=stored.response,
                scores=scores,
                request=_decoded(record),
                conversation=conversation_of(db, found, sample, stored, scores),
            )
        )
    return Item(sample, reading.target_text(sample), responses, marks(db, key))


def _decoded(record: bytes | None) -> Any:
    """A request as plain data; None if there is none, or it cannot be read: nothing but showing it hangs on it."""
    try:
        return msgspec.json.decode(record) if record else None
    except (msgspec.DecodeError, RecursionError):
        return None


def print_item(
    console: Console, item: Item, folder: Path, plan: Plan, found: Benchmark, *, prompt: bool = False
) -> None:
    """Prints one item. All text from data and models is shown as text, never as markup or control codes.

    `folder` is the run's (or its packed file), for the paths of its images; `found` is the benchmark that it was scored
    under. With `prompt`, each response is preceded by what was sent.
    """
    _print_question(console, item, folder)
    for judged in item.responses:
        console.print()
        _print_response(console, item, judged, plan, found, prompt=prompt)
        if isinstance(item.sample.target, MetaphorTarget):
            _print_metaphor(console, item.sample, judged, found, folder)
    _print_majority(console, item, plan)
    for mark in item.marks:
        _line(console, f"marked {mark.created}: {mark.told}", "yellow")


def _line(console: Console, text: str, style: str = "", *, one_line: bool = True, before: str = "") -> None:
    """A line of plain text that the terminal, not we, breaks: it can be copied whole. `before` is ours, kept as is."""
    console.print(Text(before + plain(text, one_line=one_line)), style=style, soft_wrap=True)


def _print_question(console: Console, item: Item, folder: Path) -> None:
    sample = item.sample
    _line(console, f"Item {sample.index}: {sample.source}", "bold")
    facts = {
        "key": sample.key,
        "id": sample.record_id,
        "category": sample.category,
        "difficulty": sample.difficulty,
        "group": sample.group,
    }
    shown = [f"{name} {plain(value, one_line=True, limit=120)}" for name, value in facts.items() if value]
    _line(console, " · ".join(shown), "dim")
    sent = next((judged.response.images for judged in item.responses if judged.response.images), ())
    for place, image in enumerate(sample.images):
        _line(console, f"image {place + 1}: {image.name}{_whereabouts(image.path, folder)}", "dim")
        if place < len(sent):
            _line(console, sent_in_words(sent[place]), "dim", before="  ")
    console.print()
    _line(console, question_in_words(sample), one_line=False)
    for option in options_in_words(sample):
        _line(console, option, before="  ")
    for place, answer in enumerate(stored_answers(sample)):
        _line(console, f"stored answer {place + 1}: {answer}", one_line=False)
    _line(console, f"gold: {gold_in_words(sample)}", "bold")


def _whereabouts(path: str | None, folder: Path) -> str:
    """Where the image can be opened: the run's own copy, or the data's file."""
    if path is None:
        return ""
    kind, colon, digest = path.partition(":")
    if kind == "sha256" and colon and len(digest) == 64 and set(digest) <= set("0123456789abcdef"):
        return f" → {folder / 'blobs' / digest[:2] / digest}"
    return f" → {path}"


def _print_response(
    console: Console, item: Item, judged: Judged, plan: Plan, found: Benchmark, *, prompt: bool
) -> None:
    response = judged.response
    facts = [
        f"vote {judged.vote}" if plan.votes > 1 else "",
        f"epoch {judged.epoch}" if plan.epochs > 1 else "",
        order_in_words(response.order),
        response.served_model or "",
        f"finish {response.finish}" if response.finish else "",
        f"{response.latency:.1f} s" if response.latency is not None else "",
        # With tools, each turn has at least one.
        f"{response.attempts} attempts"
        if response.attempts > (response.conduct.turns if response.conduct is not None else 1)
        else "",
        "from cache" if response.cached else "",
    ]
    words = " · ".join(plain(fact, one_line=True) for fact in facts if fact)
    _line(console, f"— response{f' · {words}' if words else ''}", "dim")
    if prompt:
        _print_prompt(console, item.sample, judged, plan, found)
    if response.failure is not None:
        failure = response.failure
        _line(console, f"failed (owner {failure.owner.value}, {failure.kind}): {failure.message}", "red")
    if response.reasoning:
        _line(console, f"reasoning: {plain(response.reasoning, limit=_REASONING_SHOWN)}", "dim italic", one_line=False)
    if judged.conversation is not None:
        _print_conversation(console, item.sample, judged.conversation)
    if response.text is not None:
        if response.conduct is not None:
            answered = response.conduct.ended == Ended.ANSWERED
            _line(console, "the answer:" if answered else "no answer; the last that it said:", "dim")
        console.print(_marked(response.text, judged.scores), soft_wrap=True)
    if (read := response.extracted) is not None:
        said = repr(read.answer) if read.failure is None else f"failed: {read.failure.message}"
        _line(console, f"read by {read.by}: {said}", "dim", before="  ")
    width = max(map(len, judged.scores), default=0)
    for name, score in judged.scores.items():
        told = score if name not in found.other_questions else msgspec.structs.replace(score, extracted=None)
        _line(console, _verdict(told, response), before=f"  {name:{width}} ")


def _print_metaphor(console: Console, sample: Sample, judged: Judged, found: Benchmark, folder: Path) -> None:
    # Imported here: M3R-Bench needs packages that runs of other benchmarks do without.
    from beholder.benchmarks.m3r.assumptions import assumptions_of
    from beholder.report.metaphor_item import print_metaphor
    from beholder.report.metaphor_view import view_of

    made = assumptions_of(found.assumptions)
    view = view_of(sample, judged.response, judged.scores, made)
    print_metaphor(console, view, made, lambda retryable: again(folder, retryable))


def _print_conversation(console: Console, sample: Sample, talk: Conversation) -> None:
    if talk.trajectory is not None and talk.diagnosis is not None:
        view = view_of(talk.trajectory, talk.diagnosis, talk.stated, len(sample.images))
        print_trajectory(console, view, talk.abandoned)
        return
    for attempt in talk.abandoned:
        _line(console, abandoned_in_words(attempt), "dim")


def _verdict(score: Score, response: Response) -> str:
    value = "–" if score.value is None else f"{score.value:.3g}"
    read = "" if score.extracted is None else f", read {plain(in_words(score.extracted), one_line=True, limit=60)!r}"
    stored = stored_choice(score, response)
    if stored is not None:
        read += f" = stored answer {stored + 1}"
    flags = f" [{', '.join(score.flags)}]" if score.flags else ""
    reason = f" {score.reason}" if score.reason else ""
    return f"{value} {score.outcome.value}{read}{flags}{reason}"


def _print_prompt(console: Console, sample: Sample, judged: Judged, plan: Plan, found: Benchmark) -> None:
    """What was sent: from the journal, or (for models that get no request) made again from the run's template."""
    sent = sent_messages(judged.request)
    if not sent and plan.replay is not None:
        sent = _replayed(sample, judged, plan)
    for one in sent or made_again(sample, judged.response.order, plan, found):
        _line(console, f"{'sent' if one.journaled else 'asked'} as {one.role}:", "cyan")
        _line(console, one.text, "cyan", one_line=False)


def _replayed(sample: Sample, judged: Judged, plan: Plan) -> list[Sent]:
    asks = [ask for ask in plan.asks(sample, set()) if (ask.vote, ask.epoch) == (judged.vote, judged.epoch)]
    return [written(message) for ask in asks for message in ask.messages]


def _print_majority(console: Console, item: Item, plan: Plan) -> None:
    """With several votes: which stored answer each scorer's votes prefer, counted after mapping back."""
    rows = votes_of(item.sample, item.responses, plan.votes)
    if not rows:
        return
    heads = [f"stored answer {place + 1}" for place in range(len(rows[0].each))]
    table = bare_table("votes", *heads, "neither", "failed")
    for row in rows:
        table.add_row(cell(row.scorer), *map(str, (*row.each, row.neither, row.failed)))
    console.print()
    console.print(table)


def _marked(text: str, scores: dict[str, Score]) -> Text:
    """The response with the part that the most tolerant scorer read set off."""
    spans = [score.span for score in scores.values() if score.span is not None]
    if not spans:
        return Text(plain(text))
    start, end = spans[-1]
    marked = Text(plain(text[:start]))
    marked.append("⟦" + plain(text[start:end]) + "⟧", style="bold reverse")
    return marked.append(plain(text[end:]))
