"""Whole numbers written in words: English up to billions, Chinese up to 亿."""

from __future__ import annotations

import re
from fractions import Fraction

_SPELLED = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen"
)
_ONES = {word: value for value, word in enumerate(_SPELLED.split("|"))}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SIMPLE = "|".join(sorted([*_ONES, *_TENS], key=len, reverse=True))
_WORD = rf"(?:{_SIMPLE}|hundred|thousand|million|billion|dozen)"
WORDS = (
    rf"\b(?:(?:a\s(?=hundred\b|thousand\b|million\b|dozen\b))?{_WORD}\b)"
    rf"(?:(?:[\s-]{{1,2}}|(?<=hundred)\sand\s|(?<=thousand)\sand\s){_WORD}\b)*"
)
"""A pattern (to be compiled ignoring case) for a run of English number words."""

HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
HAN = "[零〇一二两三四五六七八九十百千万亿]+"
"""A pattern for a run of Chinese numerals."""

_MEASURES = frozenset(
    "个個只隻条條张張本人次辆輛块颗朵棵杯瓶把头匹位双对件台座间层岁年月日天时分秒米元度架艘株根串名种类行列份片面"
    "盏扇幅束群排组枚粒盒袋箱碗盘套门所栋幢圈格步"
)
"""Characters that count things: a numeral before one of them is a number."""

_LONGEST = 40

_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
}
_PARTS |= {"tenth": 10, "hundredth": 100, "thousandth": 1000}
_PART = rf"({'|'.join(_PARTS)}|halve)s?\b(?!-)"
_SHARE = re.compile(rf"[\s-]{_PART}", re.IGNORECASE)
_AND_PART = re.compile(rf"\sand\s(an?|{'|'.join(list(_ONES)[1:10])})[\s-]{_PART}", re.IGNORECASE)
_AND_RATIO = re.compile(r"\sand\s([0-9]{1,3})/([1-9][0-9]{0,2})(?![0-9/])")
_POINT = re.compile(rf"\spoint((?:[\s-](?:{'|'.join(list(_ONES)[:10])})\b){{1,12}})", re.IGNORECASE)


def with_fraction(text: str, value: int, end: int, high: int, spelled: bool) -> tuple[Fraction, int]:
    """A whole number that ends at `end` with the fraction after it, and where that ends: "three quarters", "two and a
    half", "2 and 1/2", "three point five". Without one, the number as it is.

    >>> with_fraction("three and a half", 3, 5, 16, True)
    (Fraction(7, 2), 16)
    """
    if match := _AND_PART.match(text, end, high):
        return value + _share(1 if match[1].lower() in ("a", "an") else _ONES[match[1].lower()], match[2]), match.end()
    if match := _AND_RATIO.match(text, end, high):
        return value + Fraction(int(match[1]), int(match[2])), match.end()
    if spelled and value and (match := _SHARE.match(text, end, high)):
        return _share(value, match[1]), match.end()
    if spelled and (match := _POINT.match(text, end, high)):
        digits = "".join(str(_ONES[word.lower()]) for word in re.split(r"[\s-]", match[1]) if word)
        return Fraction(f"{value}.{digits}"), match.end()
    return Fraction(value), end


def _share(count: int, part: str) -> Fraction:
    part = part.lower()
    return Fraction(count, _PARTS["half" if part == "halve" else part])


def words_value(text: str) -> int | None:
    """The value of English number words, or None where they do not form one number ("two three").

    >>> words_value("one hundred and twenty-five"), words_value("a dozen"), words_value("two three")
    (125, 12, None)
    """
    words = re.split(r"[\s-]+", text.lower())
    if len(words) > _LONGEST:
        return None
    total, group, room = 0, 0, 10**12  # `room`: the next part must be smaller than this
    for word in words:
        if word in ("and", "a"):
            group = group or int(word == "a")
        elif word in _SCALES:
            if not group or _SCALES[word] >= (room if total else 10**12):
                return None
            total, group, room = total + group * _SCALES[word], 0, _SCALES[word]
        elif word in ("hundred", "dozen"):
            if not 0 < group < 100:
                return None
            group *= 100 if word == "hundred" else 12
        else:
            value = _ONES[word] if word in _ONES else _TENS[word]
            step = 100 if value >= 10 else 10
            if group and (group % step or value == 0 or (value < 10 and 10 <= group % 100 < 20)):
                return None
            if not group and total and value == 0:
                return None
            group += value
            if word == "zero" and len(words) > 1:
                return None
    return total + group


def han_value(text: str) -> int | None:
    """The value of Chinese numerals, or None where they form no single number ("三四") or have two readings ("一百五").

    >>> han_value("十二"), han_value("一百零五"), han_value("两万"), han_value("二〇二四"), han_value("三四")
    (12, 105, 20000, 2024, None)
    """
    if len(text) > _LONGEST:
        return None
    if all(char in HAN_DIGITS for char in text):
        plain_digits = len(text) == 1 or (len(text) >= 3 and any(char in "零〇" for char in text))
        return int("".join(str(HAN_DIGITS[char]) for char in text)) if plain_digits else None
    total = section = 0
    digit: int | None = None
    smallest, largest, zero_before = 10**4, 10**12, False
    for char in text:
        if char in HAN_DIGITS:
            if digit:
                return None
            zero_before = digit == 0
            digit = HAN_DIGITS[char]
        elif char in _HAN_UNITS:
            unit = _HAN_UNITS[char]
            if unit >= smallest or (not digit and (unit != 10 or section or total)):
                return None
            section, digit, smallest = section + (digit or 1) * unit, None, unit
        else:
            unit = 10**4 if char == "万" else 10**8
            section += digit or 0
            if not section or unit >= largest:
                return None
            total, section, digit = total + section * unit, 0, None
            smallest, largest = 10**4, unit
    if digit and not zero_before and smallest > 10:
        return None
    return total + section + (digit or 0)


def counts_something(text: str, start: int, end: int) -> bool:
    """Whether the Chinese numerals `text[start:end]` are meant as a number: `三只` is, `一起` and `十分` are not."""
    if start and text[start - 1] in "统唯万专单同之":
        return False
    word, after = text[start:end], text[end : end + 2]
    if (word == "十" and after[:1] == "分" and after != "分钟") or (word == "一" and after in ("张图", "张照", "张画")):
        return False
    return not after or not "\u3400" <= after[0] <= "\u9fff" or after[0] in _MEASURES or after[0] in "是和或与到至以"
