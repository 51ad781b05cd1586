"""Text without its typography, character for character, so that offsets stay true.

Models write `**B**`, `Ⓑ`, `\\boxed{\\text{B}}`, `答案：B` for the same thing. `plain` gives a text of the *same length*
in which emphasis, quotes, code marks and simple tags are spaces and compatibility forms are ordinary characters: a span
found in the plain text is a span of the original.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_BLANK = '*`~$"{}#'  # emphasis, code, headings, LaTeX and JSON brackets, quotes
_NON_ASCII_BLANK = "“”„«»「」『』【】《》〈〉‘\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u00ad"


def _one_to_one() -> dict[str, str]:
    """Characters that stand for one other character: NFKC where it gives a single one, and a few by hand."""
    table: dict[str, str] = {}
    ranges = ((0xA0, 0x100), (0x2000, 0x2070), (0x2100, 0x2140), (0x2460, 0x2500), (0xFE50, 0xFE70))
    more = ((0xFF01, 0xFF5F), (0x1D400, 0x1D800), (0x1F110, 0x1F18A))
    for low, high in ranges + more:
        for code in range(low, high):
            form = unicodedata.normalize("NFKC", chr(code))
            if len(form) == 1 and form != chr(code) and form.isascii():
                table[chr(code)] = form
    for offset in range(26):
        table[chr(0x249C + offset)] = chr(ord("a") + offset)  # parenthesised small letters
        for first in (0x1F110, 0x1F150, 0x1F170):  # parenthesised, dark circled, dark squared capitals
            table[chr(first + offset)] = chr(ord("A") + offset)
    table |= dict.fromkeys(_NON_ASCII_BLANK, " ")
    table |= {"’": "'", "\u3000": " ", "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "→": ":", "⇒": ":", "İ": "I"}
    return table


_FORMS = _one_to_one()
_ASCII_TABLE = str.maketrans(dict.fromkeys(_BLANK, " "))
_SPECIAL = re.compile("[" + re.escape(_BLANK + "".join(form for form in _FORMS if form < "\U00010000")) + "]")
_RARE = re.compile("[\U00010000-\U0010ffff]")  # apart, because one such character makes a class of many slow
_ALL_FORMS = _FORMS | dict.fromkeys(_BLANK, " ")

_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_LATEX = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:bf|it|rm|sf)|boldsymbol|operatorname|bf|rm|displaystyle|quad"
    r"|[,;!()\[\] ])"
)
_HTML = re.compile(
    r"</?(?:b|strong|i|em|u|p|br|span|div|code|mark|h[1-6]|li|ul|ol|font|center|s|end_of_turn"
    r"|eos)\b[^<>\n]{0,60}>"
    r"|<\|[^<>|\n]{1,30}\|>",
    re.IGNORECASE,
)
_BOX = "\\boxed"


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _blank_html(match: re.Match[str]) -> str:
    tag = match[0].lower()
    if tag == "<|begin_of_box|>":  # how GLM models write a boxed answer
        return _BOX.ljust(len(tag))
    if tag.startswith(("<br", "</p", "</li", "</div", "</h", "<|end_of_box")):
        return "\n".ljust(len(tag))
    return " " * len(tag)


def plain(text: str) -> str:
    """The text with marks blanked and compatibility forms resolved; always as long as `text`.

    >>> plain("**Answer：Ⓑ**")
    '  Answer:B  '
    """
    if text.isascii():
        shown = text.translate(_ASCII_TABLE)
    else:
        shown = _SPECIAL.sub(lambda match: _ALL_FORMS[match[0]], text)
        shown = _RARE.sub(lambda match: _ALL_FORMS.get(match[0], match[0]), shown)
    if "_" in shown:
        shown = _UNDERSCORE.sub(_blank, shown)
    if "\\" in shown:
        shown = _LATEX.sub(_blank, shown)
    if "<" in shown:
        shown = _HTML.sub(_blank_html, shown)
    return shown


_QUOTED = re.compile(
    r"\"[^\"\n]{15,400}\"|“[^“”\n]{10,400}”|「[^「」\n]{8,400}」"
    r"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){12,400}'(?!\w)|‘[^‘\n]{12,400}?’(?!\w)"
)


def without_quotations(text: str) -> str:
    """The text with longer quotations blanked (same length): what is quoted is not what is said.

    A quotation that speaks of an answer, or that is the whole text, stays.
    """
    if not any(mark in text for mark in "\"'“‘「"):
        return text
    whole = len(text.strip())

    def blank(match: re.Match[str]) -> str:
        quoted = match[0]
        if len(quoted) == whole or "nswer" in quoted or "答案" in quoted:
            return quoted
        return " " * len(quoted)

    return _QUOTED.sub(blank, text)


class AnswerTag(NamedTuple):
    """What stands in one `<answer>` tag: its (start, end) offsets, and whether the tag was closed."""

    start: int
    end: int
    closed: bool


_TAG = re.compile(r"<\s{0,2}(\\?/)?\s{0,2}(?:final[_ -]?)?answer\s{0,2}>", re.IGNORECASE)


def answer_tags(text: str) -> list[AnswerTag]:
    """The `<answer>` tags of any case. A closing tag belongs to the nearest opening one before it.

    `<answer>T<answer>` (the slash forgotten) counts as closed; an opening tag that nothing follows is unclosed.
    """
    if "<" not in text:
        return []
    marks = [(match.start(), match.end(), bool(match[1])) for match in _TAG.finditer(text)]
    found: list[AnswerTag] = []
    at = 0
    while at < len(marks):
        _, inner, closing = marks[at]
        following = marks[at + 1] if at + 1 < len(marks) else None
        if closing:
            at += 1
        elif following is None:
            found.append(AnswerTag(inner, len(text), False))
            at += 1
        elif following[2] or at + 2 >= len(marks) or not marks[at + 2][2]:
            found.append(AnswerTag(inner, following[0], True))
            at += 2
        else:  # an opening tag directly before a complete one: only mentioned
            at += 1
    return found


def without_tags(text: str) -> str:
    """The text with all answer tags blanked (same length): for tags that hold nothing or do not pair."""
    return _TAG.sub(_blank, text) if "<" in text else text


_BLANKS = re.compile(r"[\s\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u180e\u3164\u2800]*")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: white space, zero-width characters and the like only."""
    return _BLANKS.fullmatch(text) is not None
