"""A small keyword tagger for statements: about what is seen, or about what it means. OUR assumption.

TFQ-Bench mixes plain perception with implication and publishes no labels. This tagger splits its statements
roughly, so that a mean over both does not hide either. It is not measured against human labels: it knows
English only, it looks at single words and not at their sense ("the sign means stop" counts as implication),
and a statement that names an implication without any such word counts as perception. Use `--categories
FILE` where labels exist.
"""

from __future__ import annotations

import re

PERCEPTION, IMPLICATION = "perception", "implication"

_WORDS = (
    r"allegor\w*", r"allud\w*", r"analog\w*", r"associat\w*", r"connot\w*", r"convey\w*", r"critici\w*",
    r"critiqu\w*", r"embod\w*", r"emphasi\w*", r"evok\w*", r"express(?:es|ed|ing)", r"highlights?",
    r"humou?r\w*", r"hypocri\w*", r"illustrates?", r"impl(?:y|ies|ied|ying|icat\w*|icit\w*)", r"indicat\w*",
    r"intended", r"intention\w*", r"interpret\w*", r"iron(?:y|ic\w*)", r"juxtapos\w*", r"lessons?", r"means?",
    r"meaning\w*", r"meant", r"messages?", r"metaphor\w*", r"mock(?:s|ed|ing|ery)", r"morals?", r"parod\w*",
    r"paradox\w*", r"personif\w*", r"philosoph\w*", r"promot\w*", r"provok\w*", r"reflect(?:s|ing)",
    r"remind\w*", r"represent\w*", r"sarcas\w*", r"satir\w*", r"serves (?:as|to)", r"signif(?:y|ies|icance)",
    r"societ\w*", r"suggest\w*", r"symbol\w*", r"themes?(?! park)", r"underl(?:ies|ying)", r"underscor\w*",
    r"warns?",
)  # fmt: skip
_IMPLICATION = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b", re.IGNORECASE)


def tag(statement: str) -> str:
    """`implication` if the statement holds a word that speaks of meaning, else `perception`.

    >>> tag("The candle symbolizes a teacher's devotion."), tag("There are two dogs on the bench.")
    ('implication', 'perception')
    """
    return IMPLICATION if _IMPLICATION.search(statement) else PERCEPTION
