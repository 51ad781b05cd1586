"""Every number written in a text, with what a reader needs to judge it: sign, unit, percent, bounds, labels.

Reads digits (`1,234.5`, `10/2`, `2^{10}`, `3 \\times 10^5`, `\\frac{1}{2}`, `½`), English words (`twenty-five`) and
Chinese numerals (`十二`). Which of them is the answer is decided in `beholder.extract.number`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import msgspec

from beholder.extract.number_words import HAN, WORDS, counts_something, han_value, with_fraction, words_value

MAX_DIGITS = 300
"""Numbers of more digits are not read: they are beyond the floats, and reading them costs time."""

_GROUPED = r"[0-9]{1,3}(?:(?:,|\{,\}|\\,|['_\u2009\u202f\xa0])[0-9]{3})+(?![0-9])"
_DIGITS = rf"(?:{_GROUPED}|[0-9]+)(?:\.[0-9]+)?|(?<![0-9A-Za-z.])\.[0-9]+"
_VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅛": (1, 8),
    "⅜": (3, 8),
}
_TOKEN = re.compile(
    rf"(?P<whole>[0-9]{{1,9}})?\s?\\[dtc]?frac\s?\{{\s?(?P<top>-?(?:{_DIGITS}))\s?\}}"
    rf"\s?\{{\s?(?P<under>-?(?:{_DIGITS}))\s?\}}"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<vulgar>[{''.join(_VULGAR)}])"
    r"|(?P<symbol>\\sqrt|√\s?[0-9({])"
    rf"|(?P<words>{WORDS})"
    rf"|百分之(?:(?P<hundredths>[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?)|(?P<han_hundredths>{HAN}))"
    rf"|(?P<parts>{HAN})分之(?P<of>{HAN})"
    rf"|(?P<han>{HAN})",
    re.IGNORECASE,
)
_TIMES_TEN = re.compile(
    r"\s{0,3}(?:×|[xX*]|\\times|\\cdot|·)\s{0,3}10\s?"
    r"(?:\^\s?(?:\{\s?([+-]?[0-9]+)\s?\}|([+-]?[0-9]+))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))(?!\^)"
)
_E = re.compile(r"[eE]([+-]?[0-9]+)(?![0-9A-Za-z])")
_POWER = re.compile(r"\s?\^\s?(?:\{\s?(-?[0-9]+)\s?\}|(-?[0-9]+))(?![0-9^])|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_TOWER = re.compile(r"\s?\^[0-9a-zA-Z^{}().*+-]*")
_OVER = re.compile(rf"\s?/\s?({_DIGITS})(?!\s?/\s?[0-9])")
_MIXED = re.compile(r" ([0-9]{1,6})/([0-9]{1,6})(?![0-9/])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_MULTIPLE = re.compile(
    r"[\s-]?(hundred|thousand|million|billion|trillion|dozen)s?\b"
    r"|((?-i:k))\b(?!-)|\s?(百万|万亿|千(?![克米瓦卡伏帕赫安焦升牛欧兆字比])|百(?!帕)|万|亿)",
    re.IGNORECASE,
)
_MULTIPLES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_MULTIPLES |= {"k": 10**3, "百": 100, "千": 10**3, "万": 10**4, "百万": 10**6, "亿": 10**8, "万亿": 10**12}
_PERCENT = re.compile(r"\s?(?:\\?%|per\s?cent\b|percentage\spoints\b)", re.IGNORECASE)
_SURE = re.compile(r"\s?(?:sure|confiden\w{0,4}|certain\w{0,4})\b", re.IGNORECASE)
_OUT_OF = re.compile(
    r"(?:\s(?!of\b|out\b)[a-z]{1,15}){0,2}\s{1,3}(?:out\s)?of\s(?:the\s|a\stotal\sof\s|all\s)?"
    rf"(?:[0-9][0-9,.]*|{WORDS})",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_DIMENSIONS = re.compile(r"D\b|[A-Za-z]{1,15}[0-9]")
_SYMBOL = re.compile(
    r"\s?\*?\s?(?:\\?(?:sqrt|pi|theta|alpha|beta|ln|log)\b|[π√∞])|[a-zA-Z](?![A-Za-z])|\s?thirds?\b"
    r"|\s?(?:half|halves|quarters?)\b|\spoint\s"
)
_UNIT_LETTERS = frozenset("mgshlLAVWNJCF")
_DEGREES = re.compile(r"\s?\^\s?\{?\s?\\circ")
_UNIT = re.compile(r"\s?(?:\\[, ]\s?)?(?:\\(?:text|mathrm)\s?)?\{?\s?([A-Za-zµΩ°℃℉\u3400-\u9fff]{1,30})")
_NOT_UNIT = re.compile(
    "in|and|or|is|are|of|out|to|because|as|on|at|for|from|total|altogether|the|an?|with|since|but|so|if|when|there|that|"
    "which|it|this|not|than|where|were|was|after|before|by|i|we|you|end|begin|answer|correct|times",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\+(?![0-9])|[^.,;\n0-9]{0,20}\s(?:at\s(?:most|least)|maximum|minimum|tops)\b|\s(?:or|and)\s(?:more|less|fewer"
    r"|above|over|greater)\b|\s?(?:以上|以下)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:\b(?:more|less|fewer|greater|larger|smaller|higher|lower)\sthan|\bat\s(?:least|most)|\bup\sto|\bover|\bunder|"
    r"\b(?:minimum|maximum)(?:\sof|\sis)?:?|\b(?:nearly|almost|barely|hardly)|\ball\s(?:but|except)|[≥≤]|&[gl]te?;|"
    r"\\[gl](?:eq?|t)|\S\s[<>]=?|(?:^|[\s(*$])[<>]=?|超过|至少|至多|最多|大于|小于|不到|多于|少于)[\s$*]{0,3}$",
    re.IGNORECASE,
)
_NONE_OF = re.compile(r"\b(?:none|neither|zero)\sof\s(?:(?:the|these|those|all)\s)?$", re.IGNORECASE)
_OF_WHOLE = re.compile(r"\bout\sof\s(?:(?:the|all|a\stotal\sof)\s)?$", re.IGNORECASE)
_HEDGED = re.compile(r"(?:,|\bor|或)\s{0,2}(?:(?:maybe|perhaps|possibly)(?:\seven)?\s|可能是?|也许是?)$", re.IGNORECASE)
_AFTER_PREFIX = re.compile("[克米瓦卡伏帕赫安焦升]")
_WOULD_BE = re.compile(r"\b(?:would|could|might)\s(?:\w{1,10}\s)?be\s$", re.IGNORECASE)
_IF = re.compile(r"[^.!?\n]{0,40}\sif\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\bno\s(?:number|answer)|\bnot|n't|\bneither|\bnor|不是|并非|rather\sthan|instead\sof)(?:\s(?:exactly|equal\sto"
    r"|just|simply|be))?"
    r"[\s*$\"'(]{0,4}$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:\b(?:steps?|figures?|figs?\.?|images?|pictures?|photos?|questions?|problems?|equations?|eqs?\.?|tables?"
    r"|examples?|"
    r"parts?|cases?|options?|rows?|columns?|panels?|q)|第|图|步骤|问题|题)[\s#(]{0,3}$",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"(?:[$€£¥₹]|\b(?:usd|eur|rmb))\s?$", re.IGNORECASE)
_LATEX_END = re.compile(r"\s?\$")
_MINUS_WORD = re.compile(r"(?:\b(?:minus|negative)\s{1,3}|负|零下)\$?$", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:the|this|that|no|any|every|each|another|which|other|last|first|next|new|some|\w{2,12}(?:most|est)|big|small|large"
    r"|left|right|red|blue|green|yellow|black|white|outer|inner|middle|same)\s$",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(
    r"\s(?:of|can|could|may|might|must|should|would|has|that|who|which|is|by|another|side|day|on|in|at|with)\b",
    re.IGNORECASE,
)
_WORD_REST = re.compile(r"[A-Za-z0-9_]*")


class Numeral(msgspec.Struct, frozen=True, gc=False):
    """One number as written, at `start`..`end`; the next one is looked for from `next` on.

    `value` is None where it cannot be used; `problem` then says why: `too_large`, `symbolic` (`2\\pi`, `1/0`),
    `percent`, `out_of`, `sign` (a dash that may be a minus), `ambiguous` (`5,5`). `weak` numbers label something
    (`Figure 3`, `2nd`), `bound` ones only limit it (`more than 5`), `negated` ones are denied (`not 5`),
    `hedged` ones are only possible (`…, maybe 4`).
    """

    start: int
    end: int
    next: int
    value: int | float | None
    problem: str = ""
    unit: bool = False
    weak: bool = False
    bound: bool = False
    negated: bool = False
    hedged: bool = False


class _Amount(msgspec.Struct, frozen=True, gc=False):
    """A value without its sign, where it ends, and why it has none (`no` for a token that is no number at all)."""

    value: Fraction | None
    end: int
    problem: str = ""


def numerals(text: str, start: int, end: int, *, percent: bool = False, count: bool = False) -> Iterator[Numeral]:
    """The numbers in `text[start:end]`, in order. `text` must be in `ascii_forms` (`beholder.extract.declared`).

    With `percent`, `5%` is 5; with `count`, `5 out of 6` is 5. Otherwise both are numbers with a problem.
    """
    position = start
    while match := _TOKEN.search(text, position, end):
        before = text[max(start, match.start() - 40) : match.start()]
        if _is_name(match, before):
            rest = _WORD_REST.match(text, match.end(), end)
            position = rest.end() if rest else match.end()
            continue
        amount = _amount(text, match, before, end)
        position = amount.end
        if amount.problem != "no":
            numeral = _numeral(text, match, before, amount, end, percent, count)
            if numeral is not None:
                position = max(position, numeral.next)
                yield numeral


def number(value: Fraction) -> int | float | None:
    """A fraction as a plain number: whole ones exactly, others as floats; None beyond the range of floats."""
    if abs(value) >= 10**MAX_DIGITS:
        return None
    if value.denominator == 1:
        return value.numerator
    small = float(value)
    return small if small else None


def _is_name(match: re.Match[str], before: str) -> bool:
    """Whether the token belongs to a name (`GPT-4`, `x_5`, `A4`) and is no number."""
    if match["digits"] is None and match["whole"] is None:
        return False
    core = before.rstrip("_") if before.endswith("_") else before
    if core[-1:].isalnum():
        return not _is_cjk(core[-1])
    return core.endswith("-") and core[-2:-1].isalpha() and not _is_cjk(core[-2])


def _is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff"


def _amount(text: str, match: re.Match[str], before: str, high: int) -> _Amount:
    end = match.end()
    if match["digits"]:
        return _written(text, match["digits"], before, end, high)
    if match["words"]:
        value = words_value(match["words"])
        pronoun = value == 1 and (_PRONOUN.search(before) or _PRONOUN_AFTER.match(text, end, high))
        if pronoun or (value is None and match["words"].lower() in _MULTIPLES):
            return _Amount(None, end, "no")
        if value is None or before.lower().endswith("half "):  # "half a dozen"
            return _Amount(None, end, "symbolic")
        amount = _Amount(*with_fraction(text, value, end, high, spelled=True))
        return amount if amount.end > end else _multiplied(text, Fraction(value), end, high)
    if match["vulgar"]:
        return _Amount(Fraction(*_VULGAR[match["vulgar"]]), end)
    if match["hundredths"]:
        return _Amount(Fraction(match["hundredths"]), end)
    if match["parts"]:
        return _ratio(han_value(match["of"]), han_value(match["parts"]), end)
    han = match["han_hundredths"] or match["han"]
    if han:
        value = han_value(han)
        if len(han) > 1 and han[-1] == "千" and _AFTER_PREFIX.match(text, end, high):  # 五千米: 5 km, or 5,000 m?
            return _Amount(None, end, "ambiguous")
        if match["han"] and (not counts_something(text, match.start(), end) or (value is None and len(han) == 1)):
            return _Amount(None, end, "no")
        return _Amount(None, end, "symbolic") if value is None else _Amount(Fraction(value), end)
    if match["symbol"]:
        return _Amount(None, end, "symbolic")
    amount = _ratio(_decimal(match["top"]), _decimal(match["under"]), end)
    if amount.value is not None and match["whole"]:
        return _Amount(amount.value + int(match["whole"]), end)
    return amount


def _written(text: str, digits: str, before: str, end: int, high: int) -> _Amount:
    """A number in digits, with the exponent, power, fraction bar or multiplier that belongs to it."""
    value = _decimal(digits)
    if value is not None and _DEGREES.match(text, end, high):
        return _Amount(value, end)
    if scaled := _TIMES_TEN.match(text, end, high) or _E.match(text, end, high):
        return _power(Fraction(10), scaled, factor=value)
    if power := _POWER.match(text, end, high):
        return _power(value, power)
    if tower := _TOWER.match(text, end, high):
        return _Amount(None, tower.end(), "too_large" if tower[0].count("^") > 1 else "symbolic")
    if value is None:
        return _Amount(None, end, "too_large")
    if mixed := _MIXED.match(text, end, high):
        part = _ratio(_decimal(mixed[1]), _decimal(mixed[2]), mixed.end())
        return part if part.value is None else _Amount(value + part.value, part.end)
    if (over := _OVER.match(text, end, high)) and not before.rstrip(" ").endswith("/"):
        return _ratio(value, _decimal(over[1]), over.end())
    if value.denominator == 1:
        whole, after = with_fraction(text, value.numerator, end, high, spelled=False)
        if after > end:
            return _Amount(whole, after)
    if end < high and text[end] in _VULGAR:
        return _Amount(value + Fraction(*_VULGAR[text[end]]), end + 1)
    return _multiplied(text, value, end, high)


def _multiplied(text: str, value: Fraction, end: int, high: int) -> _Amount:
    if multiple := _MULTIPLE.match(text, end, high):
        word = next(group for group in multiple.groups() if group)
        return _Amount(value * _MULTIPLES[word.lower()], multiple.end())
    return _Amount(value, end)


def _decimal(digits: str) -> Fraction | None:
    """Written digits as a fraction, None if there are too many of them."""
    if len(digits) > MAX_DIGITS:
        return None
    return Fraction(re.sub(r"[^0-9.-]", "", digits))


def _ratio(top: Fraction | int | None, under: Fraction | int | None, end: int) -> _Amount:
    if top is None or under is None:
        return _Amount(None, end, "too_large")
    return _Amount(Fraction(top) / Fraction(under), end) if under else _Amount(None, end, "symbolic")


def _power(base: Fraction | None, match: re.Match[str], factor: Fraction | None = Fraction(1)) -> _Amount:
    """`factor · base ** exponent`, refused where the result would have too many digits to be worth making."""
    raw = next(group for group in match.groups() if group).translate(_RAISED)
    if base is None or factor is None or len(raw) > 6:
        return _Amount(None, match.end(), "too_large")
    exponent = int(raw)
    size = max(len(str(base.numerator)), len(str(base.denominator)))
    if size * abs(exponent) > 4 * MAX_DIGITS:
        return _Amount(None, match.end(), "too_large")
    if not base and exponent < 0:
        return _Amount(None, match.end(), "symbolic")
    return _Amount(factor * base**exponent, match.end())


def _numeral(
    text: str, match: re.Match[str], before: str, amount: _Amount, high: int, percent: bool, count: bool
) -> Numeral | None:
    """The numeral made of an amount and what stands around it; None if it is not a number of its own (`3D`)."""
    end, problem = amount.end, amount.problem
    is_percent = match["hundredths"] is not None or match["han_hundredths"] is not None
    if mark := _PERCENT.match(text, end, high):
        is_percent, end = True, mark.end()
        if _SURE.match(text, end, high):
            return None
    out_of = None if is_percent else _OUT_OF.match(text, end, high)
    unit = weak = False
    if not is_percent:
        if ordinal := _ORDINAL.match(text, end, high):
            weak, end = True, ordinal.end()
        elif match["digits"] and _DIMENSIONS.match(text, end, high):
            return None
        elif (symbol := _SYMBOL.match(text, end, high)) and symbol[0] not in _UNIT_LETTERS:
            problem = problem or "symbolic"
        else:
            name = _UNIT.match(text, end, high)
            unit = bool(name and not _NOT_UNIT.fullmatch(name[1])) or bool(_DEGREES.match(text, end, high))
    start, negative, unclear = _sign(before, match.start())
    value = None if amount.value is None else number(-amount.value if negative else amount.value)
    is_part = not isinstance(value, int) and ("/" in text[start:end] or match["words"] is not None)
    if is_percent and not percent:
        problem = problem or "percent"
    elif not is_percent and (is_part if count else out_of is not None):
        problem = problem or "out_of"
    if match["digits"] and text[end : end + 1] == "," and text[end + 1 : end + 2].isdigit():
        problem = problem or "ambiguous"  # `5,5`: a decimal comma or a list
    problem = problem or ("sign" if unclear else "") or ("too_large" if value is None else "")
    none_of = _NONE_OF.search(before)
    if none_of and count:  # "none of the 6"
        start, value, problem = start - len(before) + none_of.start(), 0, ""
    return Numeral(
        start,
        end,
        out_of.end() if out_of else end,
        None if problem else value,
        problem,
        unit=unit or (_CURRENCY.search(before) is not None and not _LATEX_END.match(text, end, high)),
        weak=weak or _LABEL.search(before) is not None or (count and _OF_WHOLE.search(before) is not None),
        bound=_BOUND.search(before) is not None or _OR_MORE.match(text, end, high) is not None,
        negated=_NEGATED.search(before) is not None
        or (none_of is not None and not count)
        or (_WOULD_BE.search(before) is not None and _IF.match(text, end, high) is not None),
        hedged=_HEDGED.search(before) is not None,
    )


def _sign(before: str, start: int) -> tuple[int, bool, bool]:
    """Where the number begins with its sign, whether it is negative, and whether a dash leaves that open."""
    if word := _MINUS_WORD.search(before):
        return start - len(before) + word.start(), True, False
    bare = before.rstrip(" ").removesuffix("$").rstrip(" ")
    gap = len(before) - len(bare)
    if not bare.endswith("-") or gap > 2:
        return start, False, False
    ahead = bare[:-1]
    begin = start - gap - 1
    last = ahead[-1:]
    if last == "-" or ahead.endswith("->"):
        return start, False, False  # a rule or an arrow
    if last and (last.isdigit() or last in ")}"):
        return start, False, False  # a range or a subtraction: both numbers are seen
    if gap == 0 or before[-1] == "$":
        return (start, False, True) if last.isalpha() else (begin, True, False)
    stripped = ahead.rstrip(" ")
    if stripped.endswith(("=", "{")):
        return begin - (len(ahead) - len(stripped)) - 1, True, False
    if not stripped or stripped.endswith("\n") or stripped[-1].isdigit():
        return start, False, False  # a bullet, or a range
    return start, False, True
