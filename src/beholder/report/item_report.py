"""One item as a reader wants it: question, gold, each response with the part that was read, and every verdict."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from beholder.report.plain_text import plain
from beholder.sample import ImagePart, Response, Sample, TextPart
from beholder.score import Score
from beholder.store import reading


class Judged(msgspec.Struct, frozen=True):
    """One response of the item with its scores."""

    vote: int
    epoch: int
    response: Response
    scores: dict[str, Score]
    request: Any = None


class Item(msgspec.Struct, frozen=True):
    """Everything the journal holds about one sample."""

    sample: Sample
    target: str
    responses: list[Judged]
    marks: list[reading.Mark]


def item_object(db: sqlite3.Connection, key: str) -> Item:
    """Collects one item from a run's database."""
    sample = reading.sample(db, key)
    assert sample is not None
    responses = []
    for stored in reading.responses(db, key=key):
        record = reading.request_record(db, stored.response.request_hash)
        responses.append(
            Judged(
                vote=stored.vote,
                epoch=stored.epoch,
                response=stored.response,
                scores=reading.scores_of(db, stored.number),
                request=msgspec.json.decode(record) if record else None,
            )
        )
    return Item(sample, reading.target_text(sample), responses, reading.marks(db, key))


def print_item(console: Console, item: Item) -> None:
    """Prints one item. All text from data and models is shown as text, never as markup or control codes."""
    sample = item.sample
    console.print(Text(f"{plain(sample.key)}  {plain(sample.source, one_line=True)}", "bold"), soft_wrap=True)
    facts = {
        "id": sample.record_id,
        "category": sample.category,
        "difficulty": sample.difficulty,
        "group": sample.group,
    }
    shown = [f"{name} {plain(value, one_line=True, limit=120)}" for name, value in facts.items() if value]
    if shown:
        console.print(Text(" · ".join(shown)), style="dim", soft_wrap=True)
    for image in sample.images:
        console.print(
            Text(f"image {plain(image.name, one_line=True)} ({plain(image.path or '', one_line=True)})"),
            style="dim",
        )
    question = "".join(
        part.text if isinstance(part, TextPart) else f"[image {part.index + 1}]"
        for part in sample.parts
        if isinstance(part, TextPart | ImagePart)
    )
    console.print(Text(plain(question)), soft_wrap=True)
    console.print(Text(f"gold: {plain(item.target, one_line=True)}"), style="bold")
    for judged in item.responses:
        _print_response(console, judged)
    for mark in item.marks:
        words = f"marked {mark.created}: {mark.scorer} is wrong here (vote {mark.vote}, epoch {mark.epoch})"
        console.print(
            Text(f"{plain(words)}{f': {plain(mark.note, one_line=True)}' if mark.note else ''}"),
            style="yellow",
        )


def _print_response(console: Console, judged: Judged) -> None:
    response = judged.response
    heading = f"— vote {judged.vote}, epoch {judged.epoch}"
    if response.order:
        heading += f", shown in order {[place + 1 for place in response.order]}"
    extras = [
        plain(response.served_model or "", one_line=True),
        f"finish {plain(response.finish or 'unknown', one_line=True)}",
        f"{response.attempts} attempts" if response.attempts > 1 else "",
        "from cache" if response.cached else "",
    ]
    console.print(Text(heading + " · " + " · ".join(extra for extra in extras if extra)), style="dim", soft_wrap=True)
    if response.failure is not None:
        failure = response.failure
        console.print(
            Text(f"failed ({failure.owner.value}, {failure.kind}): {plain(failure.message)}"),
            style="red",
            soft_wrap=True,
        )
    if response.reasoning:
        console.print(Text("reasoning: " + plain(response.reasoning, limit=2000)), style="dim italic", soft_wrap=True)
    if response.text is not None:
        console.print(_marked(response.text, judged.scores), soft_wrap=True)
    for name, score in judged.scores.items():
        value = "–" if score.value is None else f"{score.value:.3g}"
        extracted = "" if score.extracted is None else f" read {plain(score.extracted, one_line=True, limit=60)!r}"
        flags = f" [{', '.join(score.flags)}]" if score.flags else ""
        reason = f" {plain(score.reason, one_line=True)}" if score.reason else ""
        console.print(Text(f"  {name}: {value} {score.outcome.value}{extracted}{flags}{reason}"), soft_wrap=True)


def _marked(text: str, scores: dict[str, Score]) -> Text:
    """The response with the part that the most tolerant scorer read set off."""
    spans = [score.span for score in scores.values() if score.span is not None]
    if not spans:
        return Text(plain(text))
    start, end = spans[-1]
    marked = Text(plain(text[:start]))
    marked.append(plain(text[start:end]), style="bold reverse")
    return marked.append(plain(text[end:]))
