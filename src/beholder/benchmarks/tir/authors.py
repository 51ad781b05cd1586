"""The scorers that follow the authors: their matcher fed with an extracted answer (`official`), or with ours.

The rules are in `official.py`. Here they meet a response and the comparison of expressions, which needs math-verify in
a process of its own.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from msgspec import UNSET

from beholder.benchmarks.tir.answers import deterministic
from beholder.errors import Owner, UsageError
from beholder.sample import FROM_FILE, Response, Sample
from beholder.score import Outcome, Score, Scorer

if find_spec("math_verify") is None or find_spec("rapidfuzz") is None:
    raise UsageError("TIR-Bench's scorer needs math-verify and rapidfuzz: pip install 'beholder[tir]'")

from beholder.benchmarks.tir.expressions import Expressions
from beholder.benchmarks.tir.official import ExpressionFailure, Record, Verdict, judge

OFFICIAL, DETERMINISTIC = "official", "official(det)"
_LONGEST_SHOWN = 4000
_SHOWN_AT_LEAST = 150
NOBODY_READ = "Nobody has read an answer out of this response: give --extractor MODEL, or a file that holds one."


@cache
def _expressions() -> Expressions:
    """The one process that compares expressions, started when it is first needed."""
    return Expressions()


def official(sample: Sample, response: Response) -> Score:
    """The authors' value of the extracted answer; of the raw response for Rotated OCR.

    `n/a` where nobody read an answer out of the response; `failed`, owner judge, where an extractor failed to.
    `Score.extracted` is the answer as it was read; where the authors' rules take it for something else, the reason
    says for what.
    """
    if response.failure is not None:
        return _failed(response)
    if sample.metadata["task"] == "ocr":
        return _judged(sample, response, UNSET)
    read = response.extracted
    if read is None:
        return Score(None, Outcome.NOT_APPLICABLE, reason=NOBODY_READ)
    if read.failure is not None:
        reason = f"The extractor {read.by} gave no answer: {read.failure.message}"
        return Score(None, Outcome.FAILED, flags=(read.failure.kind,), reason=reason, owner=Owner.JUDGE)
    written = sample.metadata.get("extracted_answer", read.answer) if read.by == FROM_FILE else read.answer
    return _judged(sample, response, written)


def official_of_ours(sample: Sample, response: Response) -> Score:
    """The authors' value of what our own extraction reads. Not comparable with published figures.

    `Score.extracted` is what it reads, None where it reads nothing (which the authors' rules take for an empty answer).
    """
    if response.failure is not None:
        return _failed(response)
    read = UNSET if sample.metadata["task"] == "ocr" else deterministic(sample, response)
    return _judged(sample, response, read)


OFFICIAL_SCORERS: dict[str, Scorer] = {OFFICIAL: official, DETERMINISTIC: official_of_ours}


def _judged(sample: Sample, response: Response, extracted: Any) -> Score:
    facts = sample.metadata
    record = Record(
        task=facts["task"],
        answer=facts["answer"],
        prompt=sample.question,
        model_response=facts.get("model_response", response.text),
        extracted=extracted,
        image_1=facts.get("image_1"),
        difficulty=UNSET if facts.get("difficulty") is None else facts["difficulty"],
        question_id=facts.get("question_id", UNSET),
    )
    try:
        verdict = judge(record, _expressions().agree)
    except ExpressionFailure as error:
        return Score(None, Outcome.FAILED, flags=("expression",), reason=str(error), owner=Owner.US)
    if extracted is UNSET:
        return Score(verdict.value, Outcome.SCORED, verdict.extracted, None, verdict.flags, verdict.reason)
    read = extracted[:_LONGEST_SHOWN] if isinstance(extracted, str) else None
    return Score(verdict.value, Outcome.SCORED, read, None, verdict.flags, _taken(read, verdict) + verdict.reason)


def _taken(read: str | None, verdict: Verdict) -> str:
    """What the authors' rules took an answer for, where that is not the answer itself but for the marks around it."""
    said, taken = _bare(read or ""), _bare(verdict.extracted or "")
    cut = len(taken) > _SHOWN_AT_LEAST and said.startswith(taken)  # a verdict shows no more than the beginning
    return "" if not taken or taken == said or cut else f"Taken as {verdict.extracted}: "


def _bare(text: str) -> str:
    return text.replace("*", "").strip("[]() \t\r\n")


def _failed(response: Response) -> Score:
    assert response.failure is not None
    failure = response.failure
    return Score(None, Outcome.FAILED, flags=(failure.kind,), reason=failure.message, owner=failure.owner)
