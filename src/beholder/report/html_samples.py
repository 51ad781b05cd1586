"""The samples of a report as plain data: question, gold, pictures, each run's responses, each scorer's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from beholder.engine.lifecycle import Result
from beholder.report.annotation_words import in_words
from beholder.report.html_facts import bucket
from beholder.report.html_pictures import NOT_THERE, Pictures
from beholder.report.html_texts import line, shown
from beholder.report.html_trajectories import Room, trajectory_object
from beholder.report.imported_report import their_words
from beholder.report.item_words import gold_in_words, options_in_words, order_in_words, stored_answers
from beholder.report.plain_text import plain
from beholder.report.stored_votes import stored_choice
from beholder.report.terminal import are_different
from beholder.report.tool_use import conversation_of
from beholder.sample import MetaphorTarget, Response, Sample
from beholder.score import Score
from beholder.store import reading, schema
from beholder.store.folder import Blobs

LONGEST = 20_000
"""Characters of one text that a report holds at most; the run has the whole."""
_SHORTEST, _ALL_TEXTS = 1_000, 24_000_000
"""So many characters may all responses have together; each keeps its beginning and its end."""


def samples_object(results: Sequence[Result], pictures: Pictures, limit: int) -> list[dict[str, Any]]:
    """The first `limit` samples of all runs together, in data order; each with the responses of every run that has it.

    Keys are short, for there may be thousands: `q` question, `g` gold, `p` places of its pictures, `r` responses.
    """
    found: dict[str, dict[str, Any]] = {}
    number = sum(min(limit, result.plan.n_samples) * result.plan.votes * result.plan.epochs for result in results)
    longest = min(LONGEST, max(_SHORTEST, _ALL_TEXTS // max(number, 1)))
    for run, result in enumerate(results):
        blobs = Blobs(result.folder)
        room = Room(pictures, blobs, number)
        theirs = their_words(result.folder)
        with closing(schema.open_to_read(result.folder / "run.db")) as db:
            for sample in reading.samples(db):
                row = found.get(sample.key)
                if row is None:
                    if len(found) >= limit:
                        continue
                    row = found[sample.key] = _sample(sample)
                _add_pictures(row, pictures.add(sample.images, blobs))
                for stored in reading.responses(db, key=sample.key):
                    scores = reading.scores_of(db, stored.number)
                    one = _response(run, result, sample, stored, scores, longest)
                    talk = conversation_of(db, result.found, sample, stored, scores)
                    if talk is not None:
                        one["tr"] = trajectory_object(talk, sample, room)
                    if words := theirs.get((stored.key, stored.epoch, stored.vote)):
                        one["pe"] = words
                    row["r"].append(one)
    return sorted(found.values(), key=lambda row: int(row["i"]))


def count_samples(results: Sequence[Result]) -> int:
    """How many samples the runs hold together."""
    return len({item.key for result in results for item in result.items})


def _add_pictures(row: dict[str, Any], places: list[int]) -> None:
    """Takes a run's pictures for those that no earlier run had: blind baselines keep none."""
    known = row["p"]
    if len(known) < len(places):
        known += [NOT_THERE] * (len(places) - len(known))
    for number, place in enumerate(places):
        if known[number] == NOT_THERE:
            known[number] = place


def _sample(sample: Sample) -> dict[str, Any]:
    question = "\n".join((sample.question, *options_in_words(sample)))
    for place, answer in enumerate(stored_answers(sample)):
        question += f"\n\nstored answer {place + 1}: {answer}"
    row: dict[str, Any] = {}
    if isinstance(sample.target, MetaphorTarget):
        from beholder.report.html_metaphor_samples import gold_object

        row = {"gs": gold_object(sample)}
    return row | {
        "k": sample.key,
        "i": sample.index,
        "id": line(sample.record_id, 80),
        "c": line(sample.category, 80),
        "d": line(sample.difficulty, 40),
        "q": plain(question, limit=LONGEST),
        "g": plain(gold_in_words(sample), limit=2000),
        "p": [],
        "r": [],
    }


def _response(
    run: int,
    result: Result,
    sample: Sample,
    stored: reading.StoredResponse,
    scores: dict[str, Score],
    longest: int,
) -> dict[str, Any]:
    response, others = stored.response, result.found.other_questions
    verdicts = [_score(name, score, response, read=name not in others) for name, score in scores.items()]
    row: dict[str, Any] = {"m": run, "s": verdicts}
    if response.text is not None:
        row["t"], row["x"] = shown(response.text, scores, longest)
    if response.reasoning:
        row["th"] = shown(response.reasoning, {}, longest // 4)[0]
    if response.failure is not None:
        row["f"] = f"{response.failure.owner.value}: {plain(response.failure.message, limit=500)}"
    if response.extracted is not None:
        row["e"] = line(f"{response.extracted.by} read: {response.extracted.answer}", 300)
    if facts := _facts(result, stored):
        row["a"] = facts
    if isinstance(sample.target, MetaphorTarget):
        # Imported here: M3R-Bench needs packages that runs of other benchmarks do without.
        from beholder.report.html_metaphor_samples import metaphor_object

        row["mp"] = metaphor_object(sample, response, scores, result.found)
    if are_different(scores, others):
        row["dis"] = 1
    return row


def _facts(result: Result, stored: reading.StoredResponse) -> str:
    """Which response this is, and how it came; votes and epochs count from 0, as everywhere."""
    response = stored.response
    facts = [
        f"vote {stored.vote}" if result.plan.votes > 1 else "",
        f"epoch {stored.epoch}" if result.plan.epochs > 1 else "",
        order_in_words(response.order),
        f"finish {response.finish}" if response.finish and response.finish != "stop" else "",
        f"{response.latency:.1f} s" if response.latency is not None and response.latency >= 0.05 else "",
        "from cache" if response.cached else "",
    ]
    return line(" · ".join(filter(None, facts)), 300)


def _score(name: str, score: Score, response: Response, *, read: bool) -> dict[str, Any]:
    """One verdict; with `read`, what the scorer holds as extracted is what it read in the answer."""
    row: dict[str, Any] = {"n": name, "v": score.value, "o": bucket(score)}
    if score.extracted and read:
        row["x"] = line(in_words(score.extracted), 64)
    stored = stored_choice(score, response)
    if stored is not None:
        row["st"] = stored + 1
    if score.flags:
        row["fl"] = line(", ".join(score.flags), 120)
    if score.reason:
        row["w"] = line(score.reason, 300)
    return row
