"""What a scorer read, in words: the labels of an annotation in place of its JSON."""

from __future__ import annotations

from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, read_written


def in_words(extracted: str) -> str:
    """The labels of an annotation; any other text as it is.

    >>> in_words('{"metaphor":true,"target":"smoking","source":null}'), in_words("T")
    ('metaphor yes, target smoking, source none', 'T')
    >>> in_words('{"explanation":{"mapping":"A tree is a lung."}}'), in_words('{"x":1}')
    ('no label', '{"x":1}')
    """
    said = read_written(extracted) if extracted.startswith("{") else None
    if said is None or (said == Annotation() and extracted != "{}"):
        return extracted
    return labels_in_words(said) or "no label"


def labels_in_words(annotation: Annotation) -> str:
    """The labels that are given, in a line; "" without any."""
    given = [(name, getattr(annotation, name)) for name in LABELS]
    return ", ".join(f"{name} {label_in_words(value)}" for name, value in given if value is not UNSET)


def label_in_words(value: object) -> str:
    """One label: None says that there is none, UNSET that nothing was said."""
    if value is UNSET:
        return "(not said)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
