"""What a question says about its answer: the options, whether several may be chosen, what kind of number is asked for.

Everything is read out of the prompt's text; the gold is never looked at. OUR assumption throughout: the public data
have no columns for any of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from beholder.extract.declared import ascii_forms
from beholder.extract.markup import plain

_MARKS = r"[.):、]|\s-(?=\s)"
_BULLET = r"^[ \t>•*+·‣◦○●▪■□–—-]{0,8}(?:[0-9]{1,2}[.)][ \t]{1,4})?"
_LINE_LABEL = re.compile(rf"{_BULLET}(?:\(([A-Z])\)|\[([A-Z])\]|([A-Z])[ \t]{{0,4}}(?:{_MARKS}))(?![.)])", re.MULTILINE)
_INLINE_LABEL = re.compile(r"(?<![0-9A-Za-z_'(\[-])(?:\(([A-Z])\)|\[([A-Z])\]|([A-Z])([.):、]))(?![.)])")
_BARE_LABEL = re.compile(rf"{_BULLET}([A-Z])[ \t]{{1,8}}(?=\S)", re.MULTILINE)
_INSTRUCTION = re.compile(
    r"(?<=[.。;!?%)])\s{1,3}(?:please|answer|select|choose|write|give|provide|output|this is|note|only|your|reply"
    r"|respond|return|do not|don't|think)\b|请|(?<=[.。;])\s{0,3}(?:注意|只需|直接)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,;，；、]+$")
_JOINED = re.compile(r"(?:^|[\s,;，；、]+)(?:and|or|或|和)?[\s]*$", re.IGNORECASE)


class _Label(NamedTuple):
    """A letter that may label an option: where it stands, where its text begins, and how it is marked."""

    letter: str
    start: int
    end: int
    style: str


def options_of(prompt: str) -> dict[str, str]:
    """Letter → text of the question's options, from A on without a gap; empty if the prompt lists none.

    Read are lines `A. 90°`, `A: 65%`, `A.6`, `(A) 7`, `A 22-23`, and options in the running text, `(A) 7 (B) 8`. Of
    several lists the longest counts, and of equally long ones the last.

    >>> options_of("How many colors are there? (A) 7 (B) 8 (C) 9")
    {'A': '7', 'B': '8', 'C': '9'}
    """
    shown = plain(ascii_forms(prompt))
    lines = _longest(_chains(_labels(_LINE_LABEL, shown)))
    bare = [] if lines else _longest(_chains(_next_lines(shown, _labels(_BARE_LABEL, shown))))
    running = _longest(_chains(_labels(_INLINE_LABEL, shown)))
    on_lines = lines or bare
    if len(on_lines) >= len(running):
        return _texts(prompt, on_lines, "\n")
    found = _texts(prompt, running, " ")
    return found if all(found.values()) else {}  # "the points (A) and (B)"


def _labels(pattern: re.Pattern[str], shown: str) -> Iterator[_Label]:
    for match in pattern.finditer(shown):
        letter = next(group for group in match.groups() if group)
        before, _, after = shown[match.start() : match.end()].partition(letter)
        mark = (before[-1:] if before[-1:] in ("(", "[") else "") + after.strip()
        yield _Label(letter, match.start(), match.end(), mark)


def _chains(labels: Iterable[_Label]) -> list[list[_Label]]:
    """Labels A, B, C, … of one style in the order of the text, at least two of them."""
    open_chains: dict[str, list[_Label]] = {}
    done: list[list[_Label]] = []
    for label in labels:
        chain = open_chains.get(label.style, [])
        if chain and ord(label.letter) == ord(chain[-1].letter) + 1:
            chain.append(label)
        elif label.letter == "A":
            done.append(chain)
            open_chains[label.style] = [label]
    return [chain for chain in (*done, *open_chains.values()) if len(chain) > 1]


def _next_lines(shown: str, labels: Iterator[_Label]) -> Iterator[_Label]:
    """The labels without those that do not stand on the line after the one before: a sentence may begin with `A`."""
    last: _Label | None = None
    for label in labels:
        follows = last is not None and "\n" not in shown[last.end : label.start].strip()
        if label.letter == "A" or follows:
            yield label
            last = label


def _longest(chains: list[list[_Label]]) -> list[_Label]:
    return max(sorted(chains, key=lambda chain: -chain[0].start), key=len, default=[])


def _texts(prompt: str, chain: list[_Label], joint: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, label in enumerate(chain):
        if place + 1 < len(chain):
            text = prompt[label.end : chain[place + 1].start]
        else:
            line_end = prompt.find("\n", label.end)
            text = prompt[label.end : line_end if line_end >= 0 else len(prompt)]
            cut = _INSTRUCTION.search(text) if joint == " " else None
            text = text[: cut.start()] if cut else text
        text = _trimmed(text.strip().strip("*").strip())
        if joint == " ":
            text = _JOINED.sub("", text) if place + 1 < len(chain) else text.rstrip(" .。") or text
        found[label.letter] = " ".join(text.split())
    return found


def _trimmed(text: str) -> str:
    return _TAIL.sub("", text[-40:]).join((text[:-40], "")) if len(text) > 40 else _TAIL.sub("", text)


# What is asked for -------------------------------------------------------------------------------------------------

_SEVERAL = re.compile(
    r"\b(?:select|choose|pick|mark|tick)\s(?:exactly\s|the\s|any\s)?(?:"
    r"(?:all|one\sor\smore|two\sor\smore|more\sthan\sone|multiple|several|two|three|2|3)(?=\s?(?:[.!;:)\n,]|$))"
    r"|(?:two|three|four|2|3|4)\s(?:of\sthe\s)?(?:\w{1,12}\s){0,2}(?:options|answers|choices|letters|statements)\b)"
    r"|\(\s?(?:multiple|several|two\sor\smore|more\sthan\sone)\s(?:correct\s|right\s)?(?:answers|options|selections)\b"
    r"|\b(?:select|choose|pick|mark|tick|give|write)\b[^.?!\n]{0,40}?(?:"
    r"\b(?<!no )(?<!not )(?!multiple[-\s]choice\b)"
    r"(?:more than one|two or more|one or more|multiple|several)\b[^.?!\n]{0,30}?"
    r"\b(?:options?|answers?|choices?|letters?|of the following)\b"
    r"|\ball (?:of )?(?:the )?(?:correct|right|true|applicable|matching|that apply|options|answers)\b)"
    r"|\b(?:there|question|it|this)\b[^.?!\n]{0,30}?\b(?!multiple\schoice\b)"
    r"(?:more than one|two or more|one or more|multiple|several)\s"
    r"(?:correct |right |true )?(?:options?|answers?|choices?)\b"
    r"|\b(?!multiple\schoice\b)(?:more than one|one or more|multiple|several)"
    r"\s(?:of the )?(?:correct |right )?(?:options?|answers?|choices?)"
    r"[^.?!\n]{0,20}?\b(?:can|may|might|could|is|are|apply)\b"
    r"|\ball that apply\b|\bconsecutive letters\b|\bmulti-?(?:select|answer|response)\b|\bselect-all\b"
    r"|多选|多项选择|不定项|一个或多个|一个以上|不止一个|所有(?:的)?(?:正确|符合)|(?:选出|选择|找出)所有"
    r"|可能有多个(?:正确)?(?:答案|选项)|(?:两|多)个或(?:两|多)?个?以上",
    re.IGNORECASE,
)
_SEVERAL_ARE = re.compile(  # said of the options themselves; `_COMBINED` options answer it with one letter
    r"\bwhich\s(?:of\sthe\s(?:following\s)?)?(?:statements|options|answers|choices|claims)\s(?:below\s|above\s)?are\s"
    r"(?:correct|true|right|false|incorrect|wrong|valid)\b|(?:下列|以下)哪些|(?:正确|错误)的有",
    re.IGNORECASE,
)
_COMBINED = re.compile(
    r"\b(?:both|neither)\b|\b(?:all|none)\sof\s(?:the|them|these)\b|[①②③④]|\bI{1,3}\b|\b[A-Za-z0-9]\s(?:and|&)\s[A-Za-z0-9]\b"
)
_ONLY_ONE = re.compile(
    r"\b(?:only|exactly|just) one (?:option|answer|choice|letter|correct|of)|\bsingle[- ](?:choice|answer)\b"
    r"|单选|只有一个(?:正确)?(?:答案|选项)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"\bconsecutive letters\b|连续(?:的)?字母", re.IGNORECASE)
_MEASURED = (
    r"degrees?|per\s?cent|(?:centi|milli|kilo)?met(?:er|re)s?|inch(?:es)?|feet|miles?|cm|mm|km|kg|(?:kilo|milli)?grams?"
    r"|minutes?|hours?|seconds?|(?:milli)?lit(?:er|re)s?|(?:kilo|milli)?volts?|(?:milli)?amp(?:ere)?s?|bars?|psi|pounds?"
    r"|(?:kilo|mega)?pascals?|watts?|points?\sdo"
)
_COUNTED = (  # "the number of the red cars", but not "the number of the bus": that is read off it
    r"(?:(?:the|all|these|those|different|distinct|visible)\s){0,3}(?:(?!in\b|on\b|at\b|of\b|that\b|which\b|is\b|are\b|the\b)"
    r"[a-z-]{1,16}\s){0,2}?(?:people|children|men|women|persons|fish|sheep|mice|teeth|feet|geese"
    r"|[a-z-]{2,20}(?<![us]s)(?<=[a-z]s)(?<!this))\b"
)
_ONE_NUMBER = re.compile(
    r"\b(?:single|one|whole)\s(?:whole\s)?number\b|\ban?\s(?:integer|number)\b|\b(?:total|how\smany)\b|多少|几|一个(?:数字|整数)",
    re.IGNORECASE,
)
_DIFFERENCES = re.compile(r"\bdiffer(?:s|ent|ences?)?\b|不同|差异|区别|不一样", re.IGNORECASE)
_LIST = re.compile(
    r"\bind(?:ices|exes)\b|\bpatch(?:es)?\snumbers\b|\bnumbers\sof\s|different_patches|\bwhich\s(?:patches|cells|tiles"
    r"|squares|regions|areas|ones|grids|blocks)\b|\blist\s(?:of|all|the|every|each)\b|\b(?:as|with|output|return|give|write"
    r"|provide)\s(?:an?|the)\s(?:\w{1,12}\s){0,2}list\b|哪些|哪几|(?:输出|给出|写出|返回|回答)[^。?\n]{0,10}(?:编号|序号|索引|列表)|列出",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"\bhow\s{{1,3}}many\b(?!\s(?:{_MEASURED})\b)|\b(?:total\s)?number\sof\s(?:{_COUNTED})|\bcount\b"
    r"|[多几]少?(?:个|只|种|条|辆|张|人|次|处|块|颗|棵)|数量|总数|数一数|\bnumber\sof\stimes\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\brows?\b|\bcolumns?\b|[行列]", re.IGNORECASE)
_PERCENT = re.compile(r"%|\bper\s?cent(?:age)?\b|百分", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:as|with|is|to|be|by|into|output)\s(?:an?|the nearest)\s(?:whole number|integer)\b"
    r"|\bnearest (?:whole|integer)|\banswer\b[^.?!\n]{0,20}?\b(?:integer|whole number)\b|\binteger like\b|整数",
    re.IGNORECASE,
)
_DECIMALS = re.compile(
    r"\b(one|two|three|1|2|3)\s(?:decimals?\b|decimal\s(?:place|digit|point)s?)|(一|两|二|三|1|2|3)\s?位小数",
    re.IGNORECASE,
)
_DIGITS = {"one": 1, "two": 2, "three": 3, "一": 1, "两": 2, "二": 2, "三": 3, "1": 1, "2": 2, "3": 3}


def several(prompt: str) -> bool:
    """Whether the question lets one choose more than one option: "select more than one option", `多选`.

    >>> several("This is a multiple-choice question, and you need to select more than one option.")
    True
    >>> several("This is a multiple-choice question.")
    False
    """
    shown = plain(ascii_forms(prompt))
    asked = _SEVERAL.search(shown) or (_SEVERAL_ARE.search(shown) and not _COMBINED.search(shown))
    return bool(asked) and _ONLY_ONE.search(shown) is None


def written_together(prompt: str) -> bool:
    """Whether several letters are to be written without anything between them: "consecutive letters, such as ABC"."""
    return _TOGETHER.search(plain(ascii_forms(prompt))) is not None


def counts(prompt: str) -> bool:
    """Whether things are counted ("how many birds", `多少只`), so that "5 out of 6" answers 5.

    A question after differences counts them also where it only says "with a single number". A question that asks for
    the list of patches counts nothing, whatever else it says.

    >>> counts("Count the differences."), counts("How many patches differ? List all of them.")
    (True, False)
    """
    shown = plain(ascii_forms(prompt))
    asked = _COUNT.search(shown) or (_DIFFERENCES.search(shown) and _ONE_NUMBER.search(shown))
    return bool(asked) and _LIST.search(prompt) is None


def asks_place(prompt: str) -> bool:
    """Whether a row and a column are asked for."""
    return _PLACE.search(prompt) is not None


def in_percent(prompt: str) -> bool:
    """Whether the answer is a percentage, so that `5%` and 5 are the same."""
    return _PERCENT.search(ascii_forms(prompt)) is not None


def decimals(prompt: str) -> int | None:
    """How many decimal places are asked for: 1 for "one decimal place", 0 for "as an integer", None if it is not said.

    >>> decimals("Provide one decimal place (e.g., 1.1)."), decimals("Answer as an integer like 1,2,3.")
    (1, 0)
    """
    shown = plain(ascii_forms(prompt))
    if match := _DECIMALS.search(shown):
        return _DIGITS[(match[1] or match[2]).lower()]
    return 0 if _WHOLE.search(shown) else None


# Units -------------------------------------------------------------------------------------------------------------

_UNITS: tuple[tuple[str, str, str], ...] = (
    # quantity, unit in a question, the same unit behind a number
    ("temperature", r"fahrenheit|°\s?F\b|℉|华氏", r"°?\s?F\b|℉|(?:degrees?\s)?fahrenheit|华氏度"),
    ("temperature", r"celsius|centigrade|°\s?C\b|℃|摄氏", r"°?\s?C\b|℃|(?:degrees?\s)?(?:celsius|centigrade)|摄氏度"),
    ("speed", r"\bkm/h\b|\bkph\b|kilomet(?:er|re)s per hour|公里每小时", r"km/h|kph|kilomet(?:er|re)s\sper\shour"),
    ("speed", r"\bmph\b|miles per hour|英里", r"mph|miles\sper\shour"),
    ("length", r"(?<!/)\bcm\b|centimet(?:er|re)s?|厘米", r"cm\b|centimet(?:er|re)s?\b|厘米"),
    ("length", r"\bmm\b|millimet(?:er|re)s?|毫米", r"mm\b|millimet(?:er|re)s?\b|毫米"),
    ("length", r"\binch(?:es)?\b|英寸", r"in\b\.?|inch(?:es)?\b|\"|英寸"),
    ("mass", r"\bkg\b(?!/)|kilograms?|千克|公斤", r"kg\b|kilograms?\b|千克|公斤"),
    ("mass", r"\bgrams?\b|(?<!千)克", r"g\b|grams?\b|克"),
    ("mass", r"\blbs?\b|\bpounds?\b|磅", r"lbs?\b|pounds?\b|磅"),
    ("pressure", r"\bpsi\b", r"psi\b"),
    ("pressure", r"\bbars?\b", r"bars?\b"),
    ("pressure", r"\bMPa\b|兆帕", r"MPa\b|兆帕"),
    ("pressure", r"\bkPa\b|千帕", r"kPa\b|千帕"),
    ("pressure", r"\bkgf?/cm", r"kgf?/cm\b"),
)
_ASKED = tuple(re.compile(asked, re.IGNORECASE) for _, asked, _ in _UNITS)


def other_units(prompt: str) -> tuple[str, str] | None:
    """Patterns of the unit asked for and of other units for the same quantity; None if no single unit is named.

    With them, "72 °F (22 °C)" answers 72 where the question asks for Fahrenheit.
    """
    shown = ascii_forms(prompt)
    named = [place for place, asked in enumerate(_ASKED) if asked.search(shown)]
    if len(named) != 1:
        return None
    quantity, _, unit = _UNITS[named[0]]
    others = [written for kind, _, written in _UNITS if kind == quantity and written != unit]
    return unit, "|".join(others)
