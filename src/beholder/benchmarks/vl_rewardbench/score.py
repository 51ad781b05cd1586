"""Four readings of one judgement. Value 1: it prefers the answer that people preferred, whatever order it
was shown.

`official` is the authors' code (see `official`). `recipe` is OUR assumption, because the recipe leaves
the reading open: the authors' reading, but only 1 and 2 are verdicts. `strict` reads the line that the
prompt asked for and nothing else; `lenient` what a careful reader would accept, where "both are equal" is
a tie.

`Score.extracted` is the position that was named ("1", "2"; official also "12"; lenient also "tie").
"""

from __future__ import annotations

from collections.abc import Callable

from beholder.benchmarks.vl_rewardbench import official
from beholder.extract import verdict
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.sample import PreferenceTarget, Response, Sample
from beholder.score import Outcome, Score, Scorer

TIE = 0
"""What `verdict.lenient` reads where the judge calls both answers equal."""


def score_official(sample: Sample, response: Response) -> Score:
    """The authors' value: 0 for the rejected position and for no match, 1 for any other number."""
    if response.failure is not None:
        return _failed(response)
    reading = official.read_verdict(response.text)
    if reading.number is None:
        flags = ("authors_crash",) if reading.crash else ()
        reason = (
            "The authors' code raises an exception here." if reading.crash else "The authors' pattern finds no verdict."
        )
        return Score(0.0, Outcome.UNPARSED, span=reading.span, flags=flags, reason=reason)
    swapped = shown_order(response) != (0, 1)
    ranking = (0, 1) if preferred(sample) == 0 else (1, 0)
    rejected = official.rejected_position(int(swapped), ranking)
    flags = () if reading.number in (1, 2) else ("not_an_answer",)
    value = float(official.agrees(reading.number, rejected))
    return Score(value, Outcome.SCORED, str(reading.number), reading.span, flags)


def read_recipe(text: str) -> Extraction[int]:
    """OUR assumption: the verdict that the authors' code reads, if it names answer 1 or 2."""
    reading = official.read_verdict(text)
    if reading.number in (1, 2):
        return Extraction(reading.number, reading.span)
    if reading.number is None and not reading.crash:
        return Extraction(None, reason="There is no verdict after 'Overall Judgment' or 'Therefore'.")
    return Extraction(None, reading.span, ("not_an_answer",), "The verdict names an answer that was not shown.")


def _judged_by(read: Callable[[str], Extraction[int]]) -> Scorer:
    def score(sample: Sample, response: Response) -> Score:
        if response.failure is not None:
            return _failed(response)
        found = read(response.text or "")
        outcome, flags, reason = settle(response, found)
        if outcome is not Outcome.SCORED or found.value is None:
            return Score(0.0, outcome, span=found.span, flags=flags, reason=reason)
        if found.value == TIE:
            return Score(0.0, Outcome.TIE, "tie", found.span, flags, "The judge calls both answers equal.")
        chosen = shown_order(response)[found.value - 1]
        return Score(float(chosen == preferred(sample)), outcome, str(found.value), found.span, flags, reason)

    return score


def shown_order(response: Response) -> tuple[int, ...]:
    """The stored index of the answer at each position; without an order the stored one was shown."""
    return response.order or (0, 1)


def preferred(sample: Sample) -> int:
    """The stored index (0 or 1) of the answer that people preferred."""
    if not isinstance(sample.target, PreferenceTarget):
        raise TypeError(f"a comparison needs a PreferenceTarget, not {type(sample.target).__name__}")
    return sample.target.preferred


def _failed(response: Response) -> Score:
    assert response.failure is not None
    failure = response.failure
    return Score(None, Outcome.FAILED, flags=(failure.kind,), reason=failure.message, owner=failure.owner)


SCORERS: dict[str, Scorer] = {
    "recipe": _judged_by(read_recipe),
    "official": score_official,
    "strict": _judged_by(verdict.strict),
    "lenient": _judged_by(verdict.lenient),
}
