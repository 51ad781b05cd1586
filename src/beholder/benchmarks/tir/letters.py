"""The letters that a response to a TIR-Bench question chooses, beyond what `beholder.extract.choice` reads.

Here the options are numbers, moves and names of points, and models often give them without their letter: "The dog
covers about 81 %", "So there is no answer", "It is point D". Where `choice` reads nothing, the last line of the
response is looked at for exactly one option; flag `option_text`. Nothing is taken for the nearest option.
"""

from __future__ import annotations

import re
from string import ascii_uppercase

from beholder.benchmarks.tir.amounts import with_parts
from beholder.extract import choice, number
from beholder.extract.declared import ascii_forms, declared
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.think import split_thought

Options = dict[str, str]
_LAST_LINE = 240
_DECIDED = frozenset(("ambiguous", "empty", "unclosed_think"))


def one_letter(text: str, letters: str, options: Options, *, count: bool, cut: bool) -> Extraction[str]:
    """The one letter that a response chooses. `count`: things are counted; `cut`: the server cut the text off.

    Flags are those of `choice.lenient`; the last line of a text that was cut off is not looked at for option texts.
    """
    hidden, texts = _without_names(text, options)
    found = choice.lenient(hidden, letters, texts)
    if "ambiguous" in found.flags and texts != options:
        found = _announced_last(hidden, letters, texts) or found
    if found.value is not None or cut or not _DECIDED.isdisjoint(found.flags):
        return found
    return _by_last_line(hidden, letters, texts, count) or found


def several_letters(text: str, letters: str, options: Options) -> Extraction[tuple[str, ...]]:
    """The letters that a response chooses, sorted, where more than one may be right."""
    hidden, texts = _without_names(text, options)
    return choice.lenient_multi(hidden, letters, texts)


# Letters that name things ------------------------------------------------------------------------------------------

_NAME = re.compile(r"(?P<kind>[A-Za-z]{2,14}|[\u4e00-\u9fff]{1,4})\s?[A-Z]")
_OWN_KINDS = frozenset(("option", "choice", "answer", "letter", "选项", "选择", "选", "答案"))
_LIST = r"s?[\s*_$(]{0,4}[A-Z](?![A-Za-z])(?:(?:,\s?|\s?&\s?|,?\sand\s|、|和)[A-Z](?![A-Za-z])){0,12}"
_LETTER = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")
_STAND_INS = {code: 0xE000 + code for code in map(ord, ascii_uppercase)}


def _without_names(text: str, options: Options) -> tuple[str, Options]:
    """Text and options with stand-ins (same length) for letters that name things, where the options name such things.

    With the options `A. point C`, `B. point D`, "it is point C" speaks of option A.
    """
    kinds = {match["kind"].lower() for option in options.values() if (match := _NAME.fullmatch(option.strip()))}
    kinds -= _OWN_KINDS
    if not kinds:
        return text, options
    named = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, sorted(kinds)))}){_LIST}", re.IGNORECASE)

    def hide(match: re.Match[str]) -> str:
        return _LETTER.sub(lambda letter: letter[0].translate(_STAND_INS), match[0])

    return named.sub(hide, text), {letter: named.sub(hide, option) for letter, option in options.items()}


def _announced_last(text: str, letters: str, options: Options) -> Extraction[str] | None:
    """The answer of a last line that is the only one to announce an answer, among letters that also name things."""
    thought = split_thought(text)
    low = thought.answer.rstrip().rfind("\n") + 1
    announced = declared(ascii_forms(thought.answer))
    if len(announced) != 1 or announced[0].cue < low:
        return None
    found = choice.lenient(thought.answer[low:], letters, options)
    return None if found.value is None else _moved(found, thought.start + low)


def _moved(found: Extraction[str], offset: int) -> Extraction[str]:
    span = None if found.span is None else (found.span[0] + offset, found.span[1] + offset)
    return Extraction(found.value, span, found.flags, found.reason)


# Options without their letter --------------------------------------------------------------------------------------

_DENIES = re.compile(
    r"\b(?:not|wrong|incorrect|invalid|neither|nor|none|eliminated?|fails?|blocked|unless|if)\b|n't\b|不|错误|没有",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"(?:there is |it |the answer )?(no (?:valid |correct )?answer|(?:can(?:not|'t)|can not) be determined"
    r"|not enough information|unknown|undetermined|没有答案|无法(?:确定|判断))",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:option|path|choice|sequence|route|string)\s?[(\s]{0,3}([A-Z])\b[\s)]{0,3}(?:\([^()\n]{0,40}\)\s)?"
    r"(?:(?:is\sthe\s(?:only\s)?(?:one|path|sequence|option)\s(?:that|which)|successfully|correctly|does|can|will|safely)"
    r"\s){0,2}(?:leads?|reach(?:es)?|works?\b|solves?|gets?\s(?:out|to|through)|arrives?|completes?|navigates?|exits?)",
    re.IGNORECASE,
)

_POINTED = re.compile(
    r"(?<![A-Za-z])(?i:points?|letter|label(?:l?ed)?|marked|vertex|点)\s{0,2}[(]?\s{0,2}([A-Z])(?![A-Za-z])"
)


def _by_last_line(text: str, letters: str, options: Options, count: bool) -> Extraction[str] | None:
    thought = split_thought(text)
    stripped = thought.answer.rstrip()
    low = stripped.rfind("\n") + 1
    line = stripped[low:]
    if len(line) > _LAST_LINE or is_blank(line):
        return None
    if not options:
        pointed = _pointed(line, letters)
        return None if pointed is None else _moved(pointed, thought.start + low)
    found = _repeated(line, options) if is_blank(stripped[:low]) else None
    found = found or _declining(line, options) or _working(line, options)
    found = found or _described(line, options) or _numeric(line, options, count)
    return None if found is None else _moved(found, thought.start + low)


def _the_one(held: list[tuple[str, int, int]], flags: tuple[str, ...], reason: str) -> Extraction[str] | None:
    if len(held) != 1:
        return None
    letter, start, end = held[0]
    return Extraction(letter, (start, end), flags, reason)


def _repeated(line: str, options: Options) -> Extraction[str] | None:
    """The one option that a reply of a single line repeats, letter and text: "D 71-72", "The way is C: RDRD."."""
    shown = plain(line)
    held = []
    for letter, option in options.items():
        text = re.escape(plain(option).strip())
        marked = rf"(?<![A-Za-z0-9]){letter}\s?[.):-]\s{{0,2}}{text}(?![A-Za-z0-9])"
        alone = rf"\A\W{{0,9}}{letter}\s{{1,2}}{text}\W{{0,9}}\Z"
        match = re.search(f"{marked}|{alone}", shown) if text else None
        if match is not None:
            held.append((letter, *match.span()))
    return None if _DENIES.search(shown) else _the_one(held, (), "The reply repeats this option.")


def _declining(line: str, options: Options) -> Extraction[str] | None:
    """The one option that says "no answer" or the like, if the line says the same."""
    shown = plain(line).lower()
    held = []
    for letter, option in options.items():
        declines = _DECLINES.fullmatch(plain(option).strip(" .。").lower())
        at = shown.find(declines[1]) if declines else -1
        if declines and at >= 0:
            held.append((letter, at, at + len(declines[1])))
    return _the_one(held, ("option_text",), "The last line says what this option says.")


def _working(line: str, options: Options) -> Extraction[str] | None:
    """The only option named in the line, if it is said to do what is asked for: "Option C leads out of the maze."."""
    shown = plain(line)
    match = _WORKS.search(shown)
    if match is None or match[1] not in options or _DENIES.search(shown):
        return None
    if {letter for letter in _LETTER.findall(shown) if letter in options} != {match[1]}:
        return None
    return Extraction(match[1], match.span(1), (), "The last line says that this option works.")


def _pointed(line: str, letters: str) -> Extraction[str] | None:
    """The only point that the line names, where the options are letters in the picture: "They meet at point D."."""
    shown = plain(line)
    held = [match for match in _POINTED.finditer(shown) if match[1] in letters]
    if len({match[1] for match in held}) != 1 or _DENIES.search(shown):
        return None
    if any(letter in letters and letter not in (held[0][1], "A", "I") for letter in _LETTER.findall(shown)):
        return None
    return Extraction(held[0][1], held[0].span(1), (), "The last line names this point and no other.")


def _described(line: str, options: Options) -> Extraction[str] | None:
    """The Chinese text of an option at the end of "…是…": `门是蓝色的。`."""
    shown = plain(line)
    if shown.isascii() or _DENIES.search(shown):
        return None
    held = []
    for letter, option in options.items():
        text = re.escape(plain(option).strip())
        match = re.search(rf"[是为:]\s{{0,2}}({text})(?:的)?[\s。.!]{{0,3}}\Z", shown) if text else None
        if match is not None:
            held.append((letter, *match.span(1)))
    return _the_one(held, ("option_text",), "The last line says what this option says.")


def _numeric(line: str, options: Options, count: bool) -> Extraction[str] | None:
    """The option whose number is the one that the line gives, where all options are different numbers."""
    percent = all("%" in ascii_forms(option) for option in options.values())
    values = {letter: number.lenient(option, percent=percent).value for letter, option in options.items()}
    if None in values.values() or len(set(values.values())) < len(values):
        return None
    found = with_parts(line, number.lenient(line, percent=percent, count=count))
    if found.value is None or found.span is None or "unclosed_tag" in found.flags:
        return None
    held = [(letter, *found.span) for letter, value in values.items() if value == found.value]
    return _the_one(held, ("option_text",), "The last line gives the number of this option.")
