"""How an arrangement is scored: the share of places that have the right piece.

TIR-Bench's text calls its jigsaw measure intersection over union; its code, and the random-guess figure it
reports, are position match, which is what we take. `strict` reads only `<answer>[…]</answer>` as the prompt
asks for; `lenient` reads what a careful reader would (brackets a row, other separators, a list in plain
text). Neither mends a list: with another number of entries than the puzzle has pieces it is unparsed. A list
of the right length that repeats or misses numbers is scored as it stands and gets the flag
`not_a_permutation`; saying the same number everywhere earns 1/n², exactly what chance earns.
"""

from __future__ import annotations

from beholder.extract import permutation
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.sample import OrderedListTarget, Response, Sample
from beholder.score import Outcome, Score, Scorer

NOT_A_PERMUTATION = "not_a_permutation"


def strict(sample: Sample, response: Response) -> Score:
    """Reads exactly the format that the prompt asks for."""
    return _judged(sample, response, permutation.strict(response.text or "", _pieces(sample)))


def lenient(sample: Sample, response: Response) -> Score:
    """Reads what a careful human reader would."""
    return _judged(sample, response, permutation.lenient(response.text or "", _pieces(sample)))


SCORERS: dict[str, Scorer] = {"strict": strict, "lenient": lenient}


def _pieces(sample: Sample) -> int:
    pieces: int = sample.metadata["n"] ** 2
    return pieces


def _judged(sample: Sample, response: Response, extraction: Extraction[tuple[int, ...]]) -> Score:
    outcome, flags, reason = settle(response, extraction)
    if outcome is Outcome.FAILED:
        owner = response.failure.owner if response.failure else None
        return Score(None, outcome, flags=flags, reason=reason, owner=owner)
    if outcome is not Outcome.SCORED or extraction.value is None:
        return Score(0.0, outcome, span=extraction.span, flags=flags, reason=reason)
    assert isinstance(sample.target, OrderedListTarget)
    gold = sample.target.values
    said = extraction.value
    if len(said) != len(gold):
        raise ValueError(f"the extractor read {len(said)} numbers where {len(gold)} were asked for")
    if sorted(said) != sorted(gold) and NOT_A_PERMUTATION not in flags:
        flags = (*flags, NOT_A_PERMUTATION)
    right = sum(a == b for a, b in zip(said, gold, strict=True))
    return Score(
        right / len(gold),
        outcome,
        extracted=str(list(said)),
        span=extraction.span,
        flags=flags,
        reason=reason or f"{right} of {len(gold)} pieces are in their place.",
    )
