"""The page of one sample: the item, its pictures, every response with its verdicts, and how it came about.

Used by one request at a time, and holds nothing after it: an item may be a stranger's, and everything of it is bounded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

import msgspec

from beholder.errors import DataError, UsageError
from beholder.report.annotation_words import in_words
from beholder.report.figures import count, dollars
from beholder.report.html_facts import bucket
from beholder.report.imported_report import their_words
from beholder.report.item_report import Item, Judged, item_object
from beholder.report.item_words import (
    gold_in_words,
    options_in_words,
    question_in_words,
    sent_in_words,
    stored_answers,
)
from beholder.report.sent_prompt import Sent, made_again, sent_messages
from beholder.report.stored_votes import stored_choice, votes_of
from beholder.sample import Failure, ImageRef, MetaphorTarget, Response, Usage
from beholder.score import Score
from beholder.store import schema
from beholder.store.storable import storable
from beholder.viewer import pictures
from beholder.viewer.library import Library, Opened
from beholder.viewer.marking import mark_rows, may_mark
from beholder.viewer.run_data import Fact
from beholder.viewer.sample_data import Answer, Majority, Metaphor, Said, SamplePage, Shown, Stages, Verdict
from beholder.viewer.talk import talk_of
from beholder.viewer.texts import Room, told
from beholder.viewer.triplets import Three, gold_triplets, said_triplets, side_by_side

MOST_ANSWERS = 200
"""Responses to one item that a page shows."""
_PICTURES, _OPTIONS, _VERDICTS, _MESSAGES, _FLAGS, _ORDER = 64, 100, 40, 40, 40, 20
_NAME, _LINE, _REASON = 300, 500, 4_000
_SEARCHES = 12
"""Answers of one item in which triplets are looked for."""


def sample_page(library: Library, run: str, key: str) -> SamplePage:
    """Everything about one item of a run. `UsageError` if the run has no answered item of that key, or is damaged."""
    opened = library.opened(run)
    with closing(schema.open_to_read(opened.folder / "run.db")) as db, schema.told_plainly(opened.folder):
        item = item_object(db, storable(key) or "", opened.found, most=MOST_ANSWERS)
        (responses,) = db.execute("SELECT count(*) FROM responses WHERE key = ?", (item.sample.key,)).fetchone()
        marks = mark_rows(db, item.sample.key)
    page = _Page(opened, item)
    sample, gold = item.sample, gold_triplets(item.sample)
    return SamplePage(
        run=run,
        place=_place(library, run, item.sample.key),
        key=sample.key,
        index=sample.index,
        id=told(sample.record_id, _NAME),
        category=told(sample.category, _NAME),
        difficulty=told(sample.difficulty, _NAME),
        group=told(sample.group, _NAME),
        source=told(sample.source, _NAME),
        question=page.room.text(question_in_words(sample) if len(sample.images) > 1 else sample.question),
        options=[told(option, _REASON) for option in options_in_words(sample)[:_OPTIONS]],
        gold=page.room.text(gold_in_words(sample), _REASON),
        stored=[page.room.text(answer) for answer in stored_answers(sample)[:_ORDER]],
        pictures=page.own,
        gold_stages=page.gold_stages(),
        gold_triplets=side_by_side(gold, []),
        answers=[page.answer(judged) for judged in item.responses],
        majority=page.majority(),
        marks=marks,
        scorers=list(opened.found.scorers),
        may_mark=may_mark(opened.folder),
        more=responses - len(item.responses),
    )


def _place(library: Library, run: str, key: str) -> int:
    """Where the item stands in the list of samples; -1 if it is not there yet, or where no list can be made: one item
    that cannot be read, or a full disk, keeps nobody from the others."""
    try:
        place = library.index(run).place_of(key)
    except (UsageError, sqlite3.Error, OSError):
        return -1
    return -1 if place is None else place


class _Page:
    """One item on its way into a page: what its texts may still take, and its own pictures."""

    def __init__(self, opened: Opened, item: Item) -> None:
        self.room = Room()
        self._opened, self._item, self._searches = opened, item, _SEARCHES
        self._theirs = their_words(opened.folder, item.sample.key)
        sent = next((judged.response.images for judged in item.responses if judged.response.images), ())
        words = [*map(sent_in_words, sent[:_PICTURES]), *[""] * _PICTURES]
        self.own = [self._own(ref, words[place]) for place, ref in enumerate(item.sample.images[:_PICTURES])]

    def _own(self, ref: ImageRef, sent: str) -> Shown:
        """One of the item's own pictures. Only the run's copy: it must not choose which files of this machine show."""
        kind, _, sha256 = (ref.path or "").partition(":")
        name = told(ref.name, _NAME)
        if kind != "sha256":
            return Shown(sha256=None, name=name, sent="The run keeps no copy of this picture.")
        try:
            width, height = pictures.size_of(self._opened.folder, sha256)
        except (DataError, UsageError) as error:
            return Shown(sha256=None, name=name, sent=told(str(error), _LINE))
        return Shown(sha256=sha256, name=name, width=width, height=height, sent=told(sent, _LINE))

    def _made(self, sha256: str, name: str) -> Shown:
        """A picture that a tool made."""
        if pictures.is_kept(self._opened.folder, sha256):
            return Shown(sha256=sha256, name=told(name, _NAME))
        return Shown(sha256=None, name=told(name, _NAME), sent="The run keeps no copy of this picture.")

    def gold_stages(self) -> Stages | None:
        if not isinstance(self._item.sample.target, MetaphorTarget):
            return None
        # Imported here: M3R-Bench needs packages that runs of other benchmarks do without.
        from beholder.viewer.metaphors import gold_stages

        return gold_stages(self._item.sample, self.room)

    def answer(self, judged: Judged) -> Answer:
        response, scores = judged.response, list(judged.scores.items())[:_VERDICTS]
        text, spans = self.room.marked(response.text or "", [score.span for _, score in scores])
        verdicts = [
            self._verdict(name, score, response, span) for (name, score), span in zip(scores, spans, strict=True)
        ]
        talk, prompt = judged.conversation, self._prompt(judged)
        gold = gold_triplets(self._item.sample)
        said = self._triplets(response.text or "")
        return Answer(
            vote=judged.vote,
            epoch=judged.epoch,
            order=[stored + 1 for stored in response.order[:_ORDER]],
            text=None if response.text is None else text,
            reasoning=self.room.text(response.reasoning or ""),
            finish=told(response.finish or "", _NAME),
            failure=_failure(response.failure),
            facts=_facts(response),
            read_by=_read_by(response),
            theirs=told("\n".join(self._theirs.get((self._item.sample.key, judged.epoch, judged.vote), [])), _REASON),
            verdicts=verdicts,
            prompt=[Said(told(one.role, _NAME), self.room.text(one.text)) for one in prompt],
            talk=None
            if talk is None
            else talk_of(talk, len(self._item.sample.images), self.own, self._made, self.room),
            metaphor=self._metaphor(judged),
            triplets=side_by_side(gold, said) if response.text is not None and (gold or said) else [],
            made_again=any(not one.journaled for one in prompt),
        )

    def _verdict(self, name: str, score: Score, response: Response, span: tuple[int, int] | None) -> Verdict:
        apart, stored = name in self._opened.found.other_questions, stored_choice(score, response)
        has_read = score.extracted is not None and not apart
        return Verdict(
            scorer=told(name, _NAME),
            value=score.value,
            bucket=bucket(score),
            read=told(in_words(score.extracted or ""), _LINE) if has_read else None,
            span=span,
            stored=None if stored is None else stored + 1,
            flags=[told(flag, _NAME) for flag in score.flags[:_FLAGS]],
            reason=told(score.reason, _REASON),
            apart=apart,
        )

    def _prompt(self, judged: Judged) -> list[Sent]:
        """What was sent; of a conversation with tools, what opened it."""
        sample, opened = self._item.sample, self._opened
        sent = sent_messages(judged.request) or made_again(sample, judged.response.order, opened.plan, opened.found)
        if judged.conversation is not None:
            begun = (place for place, one in enumerate(sent) if one.role == "assistant")
            sent = sent[: next(begun, len(sent))]
        return [msgspec.structs.replace(one, text=_named(one.text, judged.response)) for one in sent[:_MESSAGES]]

    def _triplets(self, text: str) -> list[Three]:
        """The triplets in an answer. Looking for them may take half a second in a text that is made for it."""
        if "triplets" not in text or not self._searches:
            return []
        self._searches -= 1
        return said_triplets(text)

    def _metaphor(self, judged: Judged) -> Metaphor | None:
        if not isinstance(self._item.sample.target, MetaphorTarget):
            return None
        from beholder.viewer.metaphors import metaphor_of

        return metaphor_of(self._item.sample, judged.response, judged.scores, self._opened.found, self.room)

    def majority(self) -> list[Majority]:
        rows = votes_of(self._item.sample, self._item.responses, self._opened.plan.votes)
        return [
            Majority(
                scorer=told(row.scorer, _NAME),
                votes=list(row.each[:_ORDER]),
                neither=row.neither,
                failed=row.failed,
                decision=told(row.decision, _LINE),
            )
            for row in rows[:_VERDICTS]
        ]


def _named(text: str, response: Response) -> str:
    """A message with its pictures by their numbers, as the question has them; the journal names them by their hash."""
    for number, record in enumerate(response.images[:_PICTURES], start=1):
        text = text.replace(f"[image sha256:{record.get('sha256')}]", f"[image {number}]")
    return text


def _failure(failure: Failure | None) -> str:
    if failure is None:
        return ""
    again = " A resume asks again." if failure.retryable else ""
    return told(f"owner {failure.owner.value}, {failure.kind}: {failure.message}{again}", _REASON)


def _read_by(response: Response) -> str:
    read = response.extracted
    if read is None:
        return ""
    said = f"failed: {read.failure.message}" if read.failure is not None else f"read: {read.answer}"
    return told(f"{read.by} {said}", _REASON)


def _facts(response: Response) -> list[Fact]:
    """How a response came, as far as it is on record; usual things are left out."""
    turns = response.conduct.turns if response.conduct is not None else 1
    facts = {
        "model that answered": response.served_model or "",
        "time": f"{response.latency:.1f} s" if response.latency is not None else "",
        "tokens": _tokens(response.usage),
        "cost": dollars(response.usage.cost) if response.usage.cost is not None else "",
        "attempts": count(response.attempts) if response.attempts > turns else "",  # with tools, each turn has one
        "cache": "the answer came from the cache: it cost nothing now" if response.cached else "",
        "finish": response.finish or "",
        "token limit": count(response.max_tokens) if response.max_tokens is not None else "",
    }
    return [Fact(name, told(words, _LINE)) for name, words in facts.items() if words]


def _tokens(usage: Usage) -> str:
    said: Sequence[tuple[int | None, str]] = (
        (usage.prompt_tokens, "in"),
        (usage.cache_read_tokens, "of them from the provider's cache"),
        (usage.completion_tokens, "out"),
        (usage.reasoning_tokens, "of them thoughts"),
    )
    return ", ".join(f"{count(number)} {words}" for number, words in said if number)
