"""The texts of options as a reader compares them: `$6\\pi$` and `6π`, `71–72` and `71 to 72`, `A dog.` and `dog`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from beholder.extract.choice_words import ARTICLES
from beholder.extract.markup import plain

LONGEST = 600
"""A longer text is no option's."""

_EDGES = " .,;:!?'\"()[]*`。、"
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_SYMBOLS = {"pi": "π", "theta": "θ", "alpha": "α", "beta": "β", "circ": "°", "degree": "°", "times": "×", "sqrt": "√"}
_SYMBOLS |= {"in": "∈", "approx": "≈", "cdot": "·", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "infty": "∞"}
_COMMAND = re.compile(r"\\([a-zA-Z]{1,6})(?![a-zA-Z])")
_FRACTION = re.compile(r"\\[dtc]?frac\s{0,2}(\S{1,12})\s{1,2}(\S{1,12})")
_RAISED_DEGREE = re.compile(r"\s?\^\s?°")
_BEFORE_SYMBOL = re.compile(r"(?<=[0-9])\s(?=[π°√%])")
_RANGE = re.compile(r"(?<=[0-9])\s?(?:-|(?<=\s)to(?=\s))\s?(?=[0-9])")


def fold(text: str) -> str:
    """A text without what readers do not compare: case, widths, white space, outer punctuation, an article, LaTeX.

    >>> fold("A Dog."), fold("$6\\\\pi$"), fold("71 to 72") == fold("71–72")
    ('dog', '6π', True)
    """
    folded = " ".join(unicodedata.normalize("NFKC", plain(text)).casefold().split()).translate(_DASHES)
    if "\\" in folded:
        folded = _FRACTION.sub(r"\1/\2", folded)
        folded = _COMMAND.sub(lambda match: _SYMBOLS.get(match[1], match[0]), folded)
        folded = _RAISED_DEGREE.sub("°", folded)
    folded = _RANGE.sub("-", _BEFORE_SYMBOL.sub("", folded))
    return ARTICLES.sub("", folded.strip(_EDGES)).strip()


def symbols(shown: str) -> str:
    """The text with LaTeX commands for single signs replaced by them, at the same length: `6\\pi` is `6π  `."""
    if "\\" not in shown:
        return shown
    return _COMMAND.sub(lambda match: _SYMBOLS.get(match[1], match[0]).ljust(len(match[0])), shown)


def folded_texts(letters: str, options: Mapping[str, str] | None) -> dict[str, str]:
    """Folded option text → letter; texts that two options share are left out."""
    found: dict[str, str] = {}
    for letter, text in (options or {}).items():
        folded = fold(text)
        if letter in letters and folded:
            found[folded] = "" if folded in found else letter
    return {text: letter for text, letter in found.items() if letter}
