"""What somebody says of a multimodal metaphor: the gold of a record, a model's prediction, a person's decision.

M3R-Bench asks for y = (m, t, s, e): is there a metaphor, its core target and source (None without a metaphor), and the
sentiment; and for an explanation in three stages. The same structure holds all of these, so that they can be compared.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

SENTIMENTS = ("positive", "neutral", "negative")
LABELS = ("metaphor", "target", "source", "sentiment")
VISUAL, TEXTUAL = "visual", "textual"

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, as shares of the picture's width and height (OUR assumption: no paper says)."""


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece of evidence: what is seen (`kind` is `visual`) or read (`textual`), and where in the picture."""

    kind: str
    text: str
    box: Box | None = None


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Three stages: the evidence, how it makes the target be seen as the source, and how that carries the sentiment.

    Of what is no metaphor, `mapping` says why nothing is mapped.
    """

    evidence: tuple[Evidence, ...] = ()
    mapping: str = ""
    sentiment: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing is said in any stage."""
        said = (self.mapping, self.sentiment, *(piece.text for piece in self.evidence))
        return not any(text.strip() for text in said)


class Annotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Labels and explanation. What is UNSET was not said at all; a target or source of None says that there is none.

    `sentiment` is one of `SENTIMENTS`.

    >>> written(Annotation(metaphor=False, target=None, source=None))
    '{"metaphor":false,"target":null,"source":null}'
    """

    metaphor: bool | UnsetType = UNSET
    target: str | UnsetType | None = UNSET
    source: str | UnsetType | None = UNSET
    sentiment: str | UnsetType = UNSET
    explanation: Explanation | UnsetType = UNSET


_decoder = msgspec.json.Decoder(Annotation)


def written(annotation: Annotation) -> str:
    """An annotation as one line of JSON; what is not said is left out."""
    return msgspec.json.encode(annotation).decode()


def read_written(text: str | None) -> Annotation | None:
    """The annotation that `written` wrote; None for any other text, so for one with another sentiment as well."""
    try:
        found = _decoder.decode(text) if text else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return found if found is None or found.sentiment in (UNSET, *SENTIMENTS) else None


SLOTS_WITHOUT_METAPHOR = "slots_without_metaphor"
METAPHOR_WITHOUT_SLOTS = "metaphor_without_slots"
BOX_OUTSIDE = "box_outside"


def structure_faults(annotation: Annotation) -> tuple[str, ...]:
    """Which rules of the structure are broken, as flags; () if none is.

    The paper's rule is that without a metaphor there is neither target nor source. That a metaphor has both, and that
    a box is a part of the picture (0 <= left < right <= 1, and so from top to bottom), are OUR rules.

    >>> structure_faults(Annotation(metaphor=False, target="smoking", source="gun", sentiment="negative"))
    ('slots_without_metaphor',)
    """
    faults = []
    slots = (annotation.target, annotation.source)
    if annotation.metaphor is False and any(isinstance(slot, str) for slot in slots):
        faults.append(SLOTS_WITHOUT_METAPHOR)
    if annotation.metaphor is True and any(slot is None for slot in slots):
        faults.append(METAPHOR_WITHOUT_SLOTS)
    pieces = annotation.explanation.evidence if isinstance(annotation.explanation, Explanation) else ()
    if any(piece.box is not None and not is_inside(piece.box) for piece in pieces):
        faults.append(BOX_OUTSIDE)
    return tuple(faults)


def is_inside(box: Box) -> bool:
    """Whether a box is a part of the picture that has an area."""
    left, top, right, bottom = box
    return 0 <= left < right <= 1 and 0 <= top < bottom <= 1
