"""The scorers of TFQ-Bench other than the authors': the founding recipe, and our strict and lenient reading.

`recipe` slices between `text.find("<answer>")` and `text.find("</answer>")` without looking whether they
were found. We keep its accidents: without an open tag the slice starts at character 7, without a close tag
it ends before the last character. OUR assumption, since the recipe knows right and wrong only: its outcome
is `scored` if both tags are there in order and something stands between them, or if the accidental slice is
T or F (flag `slice_accident`: the value counts all the same); else `unparsed`, value 0.

`strict` takes only the format that the prompt asks for; `lenient` takes what a careful reader would. The
thought that the prompt asks for as well never changes a value: `strict` reports its absence by the flags
`no_think`, `empty_think`.
"""

from __future__ import annotations

from beholder.benchmarks.tfq.official import CLOSE, OPEN, gold_as_written, official
from beholder.extract import true_false
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.sample import BooleanTarget, Response, Sample
from beholder.score import Outcome, Score, Scorer

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"


def recipe(sample: Sample, response: Response) -> Score:
    """The scoring recipe of the founding documents, accidents included. `extracted` is its slice."""
    if response.failure:
        return _failed(response)
    text = response.text
    if text is None:
        return Score(
            0.0,
            Outcome.UNPARSED,
            flags=("recipe_crash",),
            reason="There is no text; the recipe's code would stop here.",
        )
    opening, end = text.find(OPEN), text.find(CLOSE)
    start = opening + len(OPEN)
    answer = text[start:end].strip().upper()
    right = float(answer == gold_as_written(sample).strip().upper())
    if opening >= 0 and end >= 0:
        if start <= end and answer:
            reason = "Read between the first open tag and the first close tag."
            return Score(right, Outcome.SCORED, answer, (start, end), reason=reason)
        reason = "The first answer tag is empty." if start <= end else "A close tag stands before the open tag."
        return Score(0.0, Outcome.UNPARSED, answer, reason=reason)
    if answer in ("T", "F"):
        span = (start, len(text) + end if end < 0 else end)
        reason = "An answer tag is missing; what the recipe cuts out instead happens to be T or F."
        return Score(right, Outcome.SCORED, answer, span, ("no_tags", "slice_accident"), reason)
    reason = "An answer tag is missing; what the recipe cuts out instead is no answer."
    return Score(0.0, Outcome.UNPARSED, answer, flags=("no_tags",), reason=reason)


def strict(sample: Sample, response: Response) -> Score:
    """Right only in the format asked for: one `<answer>` tag that holds T or F."""
    if response.failure:
        return _failed(response)
    return _judged(sample, response, true_false.strict(response.text or ""), thought_flags(response))


def lenient(sample: Sample, response: Response) -> Score:
    """Right if a careful human reader would take the response for the right answer."""
    if response.failure:
        return _failed(response)
    return _judged(sample, response, true_false.lenient(response.text or ""), ())


SCORERS: dict[str, Scorer] = {"recipe": recipe, "official": official, "strict": strict, "lenient": lenient}


def thought_flags(response: Response) -> tuple[str, ...]:
    """`no_think` or `empty_think` if the thought asked for is missing or blank, else nothing.

    Only `<think>` was asked for, so other tags are no thought here. The separate reasoning channel of the
    server counts; so does text before a lone `</think>`, since some chat templates write the open tag
    themselves.
    """
    if response.reasoning and response.reasoning.strip():
        return ()
    text = response.text or ""
    close = text.find(THINK_CLOSE)
    if close < 0:
        return ("no_think",)
    opening = text.find(THINK_OPEN, 0, close)
    thought = text[opening + len(THINK_OPEN) if opening >= 0 else 0 : close]
    return () if thought.strip() else ("empty_think",)


def _judged(sample: Sample, response: Response, extraction: Extraction[bool], more_flags: tuple[str, ...]) -> Score:
    outcome, flags, reason = settle(response, extraction)
    flags = tuple(dict.fromkeys((*flags, *more_flags)))
    if extraction.value is None or outcome is not Outcome.SCORED:
        return Score(0.0, outcome, span=extraction.span, flags=flags, reason=reason)
    assert isinstance(sample.target, BooleanTarget)
    right = float(extraction.value == sample.target.value)
    return Score(right, outcome, "T" if extraction.value else "F", extraction.span, flags, reason)


def _failed(response: Response) -> Score:
    assert response.failure is not None
    return Score(None, Outcome.FAILED, owner=response.failure.owner, reason=response.failure.message)
