"""The authors' scoring of TIR-Bench, bug for bug (arXiv 2511.01833, `calculate_score.py` and `tools.py`).

Which version: the newest (f79c756) reads `extracted_answer` before it looks at the task and stops with a KeyError at
the first OCR item, whose answers are never extracted. The first public one (ec8679c) works and has the same rules; we
follow it.

An answer that was not extracted (null) counts as empty; asterisks and outer blanks are removed from it. Then, by task:

- `ocr`: the gold is a part of the raw response, case as printed; an empty gold always is. Two golds are written into
  the code (`FIXED_GOLDS`).
- `jigsaw`: in the first run of digits, blanks and commas that has n² numbers, the share of places that agree with the
  gold. It need be no permutation. Brackets and semicolons end a run, so a nested list has none.
- `word_search`: a gold that is a whole number as below. Else the first pair `n, m` must be the gold's first.
- `spot_difference`: a gold that is a whole number as below. Else intersection over union of *every* whole number in the
  text, 1 if there are none on either side.
- the other nine: by what the gold is. Neither letters nor a number: the authors' program stops.
  - Numbers: letters, blanks, `*` and `:` are dropped (`1 2` becomes 12); if what is left is not the gold, math-verify
    compares the answer with the gold (`6/2`, `3%` and `970円` are 3, 3 and 970).
  - One letter: an answer that is not one of A-J alone is looked for in the prompt behind each letter in turn. A hit
    replaces it *without ending the search*: the later letters are looked for with that letter. Then the nearest
    letter by edit distance is taken, A where none is nearer. No answer at all is A too, or what is found from A on.
  - Several letters: the characters of the answer, sorted, must be the gold's. `A, B` is not `AB`.

The paper says that jigsaws are scored by intersection over union; the code compares places, and so do the published
figures (random guessing gets 5.8 %). Where their program would stop with an exception, the value is 0 with the flag
`authors_crash`. Everything here takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET
from rapidfuzz.distance import Levenshtein

from beholder.errors import BeholderError

LETTER_TASKS = (
    "maze",
    "color",
    "rotation_game",
    "refcoco",
    "visual_search",
    "symbolic",
    "math",
    "contrast",
    "instrument",
)
"""The nine tasks whose rule follows from the gold alone; the authors call them safe."""

LETTERS: tuple[str, ...] = (*"ABCDEFGHIJ", "H")
"""The letters that can be chosen, as the authors list them. Their second H has an effect: it is looked up in the prompt
once more, after J."""

FIXED_GOLDS = (("60.jpg", "mobi"), ("62.jpg", "aires"))
"""OCR golds written into the authors' code, by a part of the image's name (160.jpg has it too); the later wins."""

_LABEL = "Extracted answer:"
_NOT_NUMERIC = re.compile(r"[A-Za-z*:\s]+")
_DIGITS = re.compile(r"\d+")
_RUN = re.compile(r"[\d\s,，]+")
_PAIR = re.compile(r"\b(\d+)\s*,\s*(\d+)\b")
_MOST_SHOWN = 200


class TooLarge(BeholderError):
    """An expression is too long or its value too large to be compared. `judge` counts it 0, flag `too_large`."""


class ExpressionFailure(BeholderError):
    """Two expressions could not be compared, and that is our fault. `judge` lets it pass."""


class ExpressionTimeout(ExpressionFailure):
    """The comparison did not end in time and was killed."""


class ExpressionCrash(ExpressionFailure):
    """The process that compares expressions died, twice."""


Agree = Callable[[str, str], bool | None]
"""Whether math-verify holds an answer (first) equal to a gold (second). No verdict (None) counts as no. Raises
`TooLarge` or `ExpressionFailure`."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What the authors' code looks at in one entry of a result file: JSON values as they are, UNSET for what is absent.

    `task` is what stands under `task`, or else under the older `category`; `extracted` under `extracted_answer`;
    `difficulty` (n of an n×n jigsaw) under that name in `metadata`, or else in `meta_data`.
    """

    task: Any
    answer: Any = UNSET
    prompt: Any = UNSET
    model_response: Any = UNSET
    extracted: Any = UNSET
    image_1: Any = UNSET
    difficulty: Any = UNSET
    question_id: Any = UNSET


class Verdict(msgspec.Struct, frozen=True):
    """The authors' value of one answer, 0..1; the answer as they read it (cut for show), and why.

    Flags: `authors_crash`, `too_large`; `looked_up` and `nearest_letter` (the letter was not written alone),
    `default_letter` (it was A for want of any letter); `by_expression` (right only by math-verify);
    `not_a_permutation`; `fixed_gold`; `empty_gold`.
    """

    value: float
    extracted: str | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""


class _Stop(Exception):
    """The authors' program would stop here with the exception that the text names."""


def judge(record: Record, agree: Agree) -> Verdict:
    """The value that the authors' code gives one answer.

    `agree` is asked only where the gold is a number that the answer does not plainly equal. Raises
    `ExpressionFailure` if that question finds no answer.

    >>> never = lambda answer, gold: False
    >>> judge(Record(task="maze", answer="B", prompt="A. 5 B. 7", extracted="**7**"), never).value
    1.0
    >>> judge(Record(task="maze", answer="A", prompt="A. 5 B. 7", extracted=None), never).value
    1.0
    """
    try:
        if record.task is UNSET:
            _stop("KeyError: there is no category")
        return _judge_ocr(record) if record.task == "ocr" else _judge_extracted(record, agree)
    except _Stop as stop:
        reason = f"The authors' program would stop here with {stop}."
        shown = _shown(record.extracted) if isinstance(record.extracted, str) else None
        return Verdict(0.0, shown, ("authors_crash",), reason)
    except TooLarge as error:
        return Verdict(0.0, _shown(record.extracted), ("too_large",), str(error))


def classify_gold(gold: str) -> str:
    """`letters` (of any alphabet), `whole` or `decimal` number as Python reads them, or `other`.

    >>> [classify_gold(gold) for gold in ("AB", "１２", "1_000", "-inf", "[7]")]
    ['letters', 'whole', 'whole', 'decimal', 'other']
    """
    if gold.isalpha():
        return "letters"
    if _number(int, gold) is not None:
        return "whole"
    return "other" if _number(float, gold) is None else "decimal"


def _judge_ocr(record: Record) -> Verdict:
    gold = _gold(record)
    flags: tuple[str, ...] = ()
    response = record.model_response
    if response is UNSET:
        _stop("KeyError: there is no model_response")
    if isinstance(response, list):
        if not response:
            _stop("IndexError: the list of responses is empty")
        response = response[0]
    for part, fixed in FIXED_GOLDS:
        if _holds(record.image_1, part, "image_1"):
            gold, flags = fixed, ("fixed_gold",)
    found = _holds(response, gold, "model_response")
    if not gold:
        flags = ("empty_gold",)
    reason = f"{gold[:_MOST_SHOWN]!r} is {'' if found else 'not '}in the response."
    return Verdict(float(found), gold[:_MOST_SHOWN] if found else None, flags, reason)


def _judge_extracted(record: Record, agree: Agree) -> Verdict:
    """Every task but OCR: the rules for what was extracted from the response."""
    if record.extracted is UNSET:
        _stop("AssertionError: there is no extracted_answer")
    extracted = "" if record.extracted is None else record.extracted
    rule = _RULES.get(record.task) if isinstance(record.task, str) else None
    if rule is None:
        _stop(f"KeyError: there is no task {_shown(record.task)}")
    if not isinstance(extracted, str):
        _stop(f"AttributeError: the extracted answer is not text but {_named(extracted)}")
    return rule(extracted.replace("*", "").strip(), _gold(record), record, agree)


def _judge_by_gold(extracted: str, gold: str, record: Record, agree: Agree) -> Verdict:
    """The nine tasks whose rule follows from the kind of gold."""
    kind = classify_gold(gold)
    if kind == "letters":
        return _judge_one_letter(extracted, gold, record) if len(gold) == 1 else _judge_letters(extracted, gold)
    if kind != "other":
        return _judge_number(extracted, gold, int if kind == "whole" else float, agree)
    if record.question_id is UNSET:
        _stop(f"KeyError: there is no question_id to print with the unusable gold {_shown(gold)}")
    return Verdict(0.0, _shown(extracted), (), "The gold is neither letters nor a number; nothing equals it.")


def _judge_word_search(extracted: str, gold: str, record: Record, agree: Agree) -> Verdict:
    if classify_gold(gold) == "whole":
        return _judge_number(extracted, gold, int, agree)
    wanted, found = _first_pair(gold), _first_pair(extracted)
    if found is None or wanted is None:
        which = "gold" if found is not None else "answer"
        return Verdict(0.0, _shown(extracted), (), f"There is no pair of numbers with a comma in the {which}.")
    shown = f"({found[0]}, {found[1]})"
    right = found == wanted
    return Verdict(float(right), shown[:_MOST_SHOWN], (), f"The first pair is {'' if right else 'not '}the gold's.")


def _judge_spot_difference(extracted: str, gold: str, record: Record, agree: Agree) -> Verdict:
    if classify_gold(gold) == "whole":
        return _judge_number(extracted, gold, int, agree)
    wanted, found = _whole_numbers(gold), _whole_numbers(extracted)
    if wanted is None or found is None:
        return Verdict(0.0, _shown(extracted), (), "A number has more digits than Python reads.")
    common, union = len(wanted & found), len(wanted | found)
    value = common / union if union else 1.0
    shown = ", ".join(sorted(found, key=lambda digits: (len(digits), digits)))
    return Verdict(value, shown[:_MOST_SHOWN], (), f"{common} numbers in common, {union} in all.")


def _judge_jigsaw(extracted: str, gold: str, record: Record, agree: Agree) -> Verdict:
    try:
        total = record.difficulty * record.difficulty
    except TypeError:
        return Verdict(0.0, _shown(extracted), (), "The record does not say how many pieces there are.")
    found, wanted = _first_run(extracted, total), _first_run(gold, total)
    if not found or not wanted:
        which = "gold" if found else "answer"
        return Verdict(
            0.0, _shown(extracted), (), f"There is no run of as many numbers as there are pieces in the {which}."
        )
    hits = sum(map(int.__eq__, wanted, found))
    flags = () if sorted(found) == list(range(1, len(found) + 1)) else ("not_a_permutation",)
    shown = ", ".join(map(str, found))
    return Verdict(hits / len(found), shown[:_MOST_SHOWN], flags, f"{hits} of {len(found)} places agree.")


_Rule = Callable[[str, str, Record, Agree], Verdict]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(LETTER_TASKS, _judge_by_gold),
    "word_search": _judge_word_search,
    "spot_difference": _judge_spot_difference,
    "jigsaw": _judge_jigsaw,
}


def _judge_number(extracted: str, gold: str, kind: type[int] | type[float], agree: Agree) -> Verdict:
    """Equal once letters and blanks are dropped, or else by math-verify, which sees the answer with them.

    Which gold it sees depends on the answer: if a number is left of that, the gold as Python writes numbers
    (`1000.0` for `1e3`), else the gold as it stands (and math-verify reads `1e3` as 1).
    """
    left = _number(kind, _NOT_NUMERIC.sub("", extracted.replace(_LABEL, "")))
    if left is not None:
        if left == kind(gold):
            return Verdict(1.0, str(left), (), "Without letters and blanks it is the gold.")
        gold = str(kind(gold))
    if agree(extracted, gold):
        return Verdict(1.0, _shown(extracted), ("by_expression",), "math-verify holds it equal to the gold.")
    return Verdict(0.0, _shown(extracted), (), "Neither the number that is left nor math-verify makes it the gold.")


def _judge_one_letter(extracted: str, gold: str, record: Record) -> Verdict:
    if gold not in LETTERS:
        return Verdict(0.0, _shown(extracted), (), f"The gold {gold} is not one of the letters A to J.")
    chosen = extracted.replace(_LABEL, "").strip()
    if chosen in LETTERS:
        return Verdict(float(chosen == gold), chosen, (), "The letter as extracted.")
    found = _look_up(chosen, record.prompt)
    letter = nearest_letter(found)
    if found in LETTERS:
        flag, reason = "looked_up", "The search for the answer in the prompt ends with this letter."
    elif letter in found:
        flag, reason = "nearest_letter", "The first letter of A to J that occurs in the answer."
    else:
        flag, reason = "default_letter", "No letter of A to J occurs in the answer: the authors take A."
    return Verdict(float(letter == gold), letter, (flag,), reason)


def _look_up(chosen: str, prompt: Any) -> str:
    """What the answer becomes by the search in the prompt: itself, or a letter."""
    for letter in LETTERS:
        if any(_holds(prompt, letter + between + chosen, "prompt") for between in (". ", ".", " ", "")):
            chosen = letter
    return chosen


def nearest_letter(text: str) -> str:
    """The letter with the smallest edit distance to a text, the first in the list if several have it.

    The distance of a text to one letter is its length, less one if the letter occurs in it; so this is the first letter
    that occurs, and A if none does or the text is empty.
    """
    return min(LETTERS, key=lambda letter: Levenshtein.distance(text, letter))


def _judge_letters(extracted: str, gold: str) -> Verdict:
    right = len(extracted) == len(gold) and sorted(extracted) == sorted(gold)
    reason = f"Its characters are {'' if right else 'not '}those of the gold."
    return Verdict(float(right), _shown(extracted), (), reason)


def _first_pair(text: str) -> tuple[int, int] | None:
    found = _PAIR.search(text)
    if not found:
        return None
    first, second = _number(int, found[1]), _number(int, found[2])
    return None if first is None or second is None else (int(first), int(second))


def _whole_numbers(text: str) -> set[str] | None:
    """Every whole number of a text, written plainly (`0７` is `7`); None if one has too many digits.

    Text, because equal hashes of many made-up numbers would make a set of numbers slow.
    """
    try:
        return {str(int(digits)) for digits in _DIGITS.findall(text)}
    except ValueError:
        return None


def _first_run(text: str, total: Any) -> list[int]:
    """The first run of digits, blanks and commas that has `total` numbers; empty if none has, or one is too long."""
    for run in _RUN.finditer(text):
        digits = _DIGITS.findall(run[0])
        if len(digits) == total:
            try:
                return [int(number) for number in digits]
            except ValueError:
                return []
    return []


def _number(kind: type[int] | type[float], text: str) -> int | float | None:
    """The number as Python reads it (`１２`, `1_000`, `1e5`, `nan`), or None. `int` refuses more than 4,300 digits."""
    try:
        return kind(text)
    except ValueError:
        return None


def _gold(record: Record) -> str:
    """The gold as text; a list or a number as Python writes it."""
    if record.answer is UNSET:
        _stop("KeyError: there is no answer")
    try:
        gold: str = str(record.answer)
    except (ValueError, RecursionError) as error:
        _stop(f"{type(error).__name__}: the answer cannot be written as text")
    return gold


def _holds(container: Any, text: str, name: str) -> bool:
    """Python's `text in container`, for any JSON value: part of a text, element of a list, key of an object."""
    if container is UNSET:
        _stop(f"KeyError: there is no {name}")
    if not isinstance(container, str | list | dict):
        _stop(f"TypeError: {name} is {_named(container)}")
    return text in container


def _stop(exception: str) -> NoReturn:
    raise _Stop(exception)


def _named(value: Any) -> str:
    """What kind of JSON value it is."""
    kinds = {bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "null" if value is None else kinds.get(type(value), type(value).__name__)


def _shown(value: Any) -> str:
    return (value if isinstance(value, str) else repr(value))[:_MOST_SHOWN]
