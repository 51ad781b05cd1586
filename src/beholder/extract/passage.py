"""Whether a reply holds a given text, as readers of signs and labels are asked for it.

Case counts as printed; white space of any length is one blank. In scripts that put blanks between words the text has to
stand as whole words: `mobi` is not in `automobile`. In those that do not (Chinese, Japanese, Korean, Thai, …) any place
will do. OUR assumption: the paper does not say how the text is compared; its code looks for a substring.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from beholder.extract.claims import MOST, places
from beholder.extract.declared import declared
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank
from beholder.extract.revision import revisions
from beholder.extract.think import split_thought

_SPACED = re.compile(r"\s+")
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u303f\u3040-\u30ff\u3105-\u318f\u31a0-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
_GOES_ON = re.compile(r"[^\W_]|['’‑-][^\W\d_]|[.,][0-9]")
_CAME_BEFORE = re.compile(r"(?:[^\W_]|[^\W\d_]['’‑-]|[0-9][.,])\Z")
_DENIED = re.compile(
    r"(?:\bnot|n't|\brather than|\binstead of|不是|并非)(?:\s(?:say|read|show)\w{0,3})?[\s\"'“‘「*`]{0,4}\Z",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"[A-Z]{2}\W{0,3}\Z")
_SAYS = re.compile(r"\b(?:is|says?|reads?|written|shows?|should be|text|word)\b|[:：]|是|写着|应为|改为", re.IGNORECASE)
_QUOTES = str.maketrans("‘’“”", "''\"\"")


class _Folded(NamedTuple):
    """A text with single blanks; `offsets[i]` is where its character `i` stands in the text it was made from."""

    text: str
    offsets: list[int]


def visible(text: str) -> Extraction[str]:
    """The whole reply after its thinking, or what stands in its last `<answer>` tag or box: where a text is looked for.

    Flags without a value: `empty`, `unclosed_think`. With one: `unclosed_tag`.

    >>> visible("<think>EXIT?</think>It says OPEN.").value
    'It says OPEN.'
    """
    thought = split_thought(text)
    answer = thought.answer
    if not thought.closed:
        return Extraction(None, flags=("unclosed_think",), reason="The thinking never ends.")
    if is_blank(answer):
        return Extraction(None, flags=("empty",), reason="There is no text outside the thinking.")
    given = [region for region in declared(answer) if region.kind in ("tag", "box")]
    low, high = (given[-1].start, given[-1].end) if given else (0, len(answer))
    inside = answer[low:high]
    core = inside.strip()
    start = thought.start + low + len(inside) - len(inside.lstrip())
    flags = ("unclosed_tag",) if given and not given[-1].closed else ()
    return Extraction(core, (start, start + len(core)), flags)


def find_text(answer: str, text: str) -> tuple[int, int] | None:
    """Where `answer` gives `text` (see the module), as offsets; None if it does not, or takes it back or denies it.

    >>> find_text("The sign says OPEN now.", "OPEN"), find_text("automobile", "mobi"), find_text("写着开放时间", "开放")
    ((14, 18), None, (2, 4))
    """
    if not unicodedata.is_normalized("NFC", text) or not unicodedata.is_normalized("NFC", answer):
        found = _find(unicodedata.normalize("NFC", answer), unicodedata.normalize("NFC", text))
        return (0, len(answer)) if found else None  # composed accents move the offsets
    return _find(answer, text)


def same_text(answer: str, text: str) -> bool:
    """Whether a bare answer is the text and nothing else, but for the length of white space."""
    return bool(text.strip()) and _plain(answer) == _plain(text)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split()).translate(_QUOTES)


def _find(answer: str, text: str) -> tuple[int, int] | None:
    wanted = " ".join(text.split()).translate(_QUOTES)
    if not wanted:
        return None
    folded = _folded(answer.translate(_QUOTES))
    if wanted not in folded.text:
        return None
    cuts = [cut for cut in revisions(answer)[-MOST:] if not _SHOUTED.search(answer, max(0, cut - 5), cut)]
    says = max((match.start() for match in _SAYS.finditer(answer)), default=-1)
    last_cut = max((cut for cut in cuts if cut <= says), default=-1)
    for at in places(folded.text, wanted):
        start, end = folded.offsets[at], folded.offsets[at + len(wanted) - 1] + 1
        if end < last_cut or not _whole_words(folded.text, at, wanted):
            continue
        if not _DENIED.search(folded.text, max(0, at - 40), at):
            return start, end
    return None


def _folded(answer: str) -> _Folded:
    if not _SPACED.search(answer.replace(" ", "")) and "  " not in answer:
        return _Folded(answer, list(range(len(answer))))
    kept = [at for at, char in enumerate(answer) if not char.isspace() or (at and not answer[at - 1].isspace())]
    return _Folded("".join(" " if answer[at].isspace() else answer[at] for at in kept), kept)


def _whole_words(folded: str, at: int, wanted: str) -> bool:
    """Whether no word goes on across either end of what was found."""
    end = at + len(wanted)
    if _is_word(wanted[0]) and _CAME_BEFORE.search(folded, max(0, at - 2), at) and not _blankless(folded[at - 1]):
        return False
    goes_on = _GOES_ON.match(folded, end)
    return not (_is_word(wanted[-1]) and goes_on and not _blankless(goes_on[0][-1]))


def _is_word(char: str) -> bool:
    return char.isalnum() and not _blankless(char)


def _blankless(char: str) -> bool:
    return _WITHOUT_BLANKS.match(char) is not None
