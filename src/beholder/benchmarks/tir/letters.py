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
from beholder.extract.distance import distanced
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.option_text import fold, symbols
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
    return None if found.value is None else found.moved(thought.start + low)


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
        return None if pointed is None else pointed.moved(thought.start + low)
    found = _repeated(line, options) if is_blank(stripped[:low]) else None
    found = found or _declining(line, options) or _working(line, options)
    found = found or _pointed_out(line, options) or _ending(line, options) or _described(line, options)
    found = found or _numeric(line, options, count) or _stated(line, options)
    return None if found is None else found.moved(thought.start + low)


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


# Sentences that end in an answer -----------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<![0-9A-Z])[.!?](?=\s)|(?<=[0-9])\.(?=\s)|[。！？;；]")
_DOUBTS = re.compile(
    r"\b(?:might|may|could|perhaps|maybe|possibly|unsure|guess(?:ing)?|either|or|would|seems?\slike|though|although|except"
    r"|instead|rather|other)\b|可能|也许|或|大概不|以外|之外",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?<!not )\bonly\s(?:(?:the\s)?(?:option|path|choice|sequence|route|string|answer)\s)?[(]?([A-Z])[)]?\s"
    r"(?:\([^()\n]{0,40}\)\s)?"
    r"(?:is\s(?:valid|correct|right|possible|left|open)|(?:does|can|will|successfully|correctly)\b|(?:reach|lead|work|get|succeed|solve"
    r"|make|match|fit|arrive|complete|navigate|exit|end|pass|satisf|connect|manage|agree)\w{0,4})\b"
    r"|只有(?:选项|路径|路线|选择)?\s?([A-Z])(?![A-Za-z])(?:项)?[^,，。;；不没]{0,16}(?:能|可|是|对|正确|符合|到达|成立|成功)",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"我(?:认为|觉得|判断|会|的)?(?:(?:正确)?答案|选择|选项|最接近的)?(?:应该|应当|应)?(?:就)?(?:是|选择|选|为)\s?(?:选项)?[(]?\s?([A-Z])(?![A-Za-z])"
)
_AT_END = re.compile(
    r"(?:[(\[]\s?(?:(?:option|choice|answer|选项|选)\s?)?([A-Z])\s?[)\]]"
    r"|(?:[:→⇒]|->|=>)\s{0,2}(?:(?:option|choice|answer|选项|选)\s?)?[(\[]?([A-Z])[)\]]?(?:[.,:]?\s?[(]?(?P<text>[^()\n]{1,60}?)[)]?)?)"
    r"[\s.!。*]{0,6}\Z",
    re.IGNORECASE,
)
_NAMES_OTHER = re.compile(  # "see figure (A)", "step 2: B"
    r"\b(?:see|fig(?:ure|\.)?|panel|image|picture|photo|step|part|section|question|table|point|vertex|row|column|line|position"
    r"|object|region|area|cell|block|图|步骤|第)\s{0,2}[0-9]{0,3}\s{0,3}\Z",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"\b(?:is|are|was|were|be|reads?|says?|shows?|equals|covers?|reach(?:es)?|becomes?|depicts?|indicates?|gives?|lies\sin|falls\sin)\b"
    r"|[=≈∈:]|(?:是|为|约|位于|等于|显示)",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"\s{0,3}(?:(?!(?:next|to|behind|than|near|beside|above|below|under|over|from|of|with|by|like|unlike|between|without"
    r"|for|into|before|after|but|not|no|and|if|same|as|different|opposite|similar|close|closer|farther|turned|rotated"
    r"|tilted|off|out)\b)[a-z]{1,14},?\s){0,3}[\s:(*\"\[]{0,3}",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s?(?:°?\s?[CF]\b|degrees?\b(?:\s(?:fahrenheit|celsius))?|cm|mm|kg|hours?|minutes?|%)?"
    r"(?:\s(?:in|on)\s(?:the|this)\s(?:image|picture|photo|figure|dial|scale|sign|clock|gauge|grid|maze))?(?:的)?[\s.!。*\")\]]{0,6}\Z",
    re.IGNORECASE,
)
_WRITTEN = re.compile(  # what a sign says is seen, not hearsay
    r"\b(?:sign|text|label|clock|dial|board|poster|notice|display|screen|scale|gauge|thermometer)\s(?:\w{1,12}\s){0,4}?"
    r"(?:says|reads|states|shows|indicates)\b",
    re.IGNORECASE,
)
_AMOUNT_ONLY = re.compile(r"[-+]?[0-9][0-9.,]{0,12}\s?[°%]?")
"""A bare number: `_numeric` reads these, with all the other numbers of the line in view."""


def _pointed_out(line: str, options: Options) -> Extraction[str] | None:
    """The option that alone does what is asked ("Only A reaches the ball; B and C hit walls."), or `我认为是B`."""
    shown = plain(line)
    found = [*_ONLY.finditer(shown), *_CHOOSES.finditer(shown)]
    held = [(group, match.span(match.lastindex or 0)) for match in found if (group := match[match.lastindex or 0])]
    if len({letter for letter, _ in held}) != 1 or held[0][0] not in options:
        return None
    (letter, (start, end)) = held[0]
    if distanced(shown.lower(), start) or _asks(shown) or re.search(r"不\S{0,4}\Z", shown[max(0, start - 6) : start]):
        return None
    return Extraction(letter, (start, end), (), "The last line singles this option out.")


def _ending(line: str, options: Options) -> Extraction[str] | None:
    """The letter in brackets, or behind a colon or an arrow, with which the last sentence ends: "It is 71–72 (D)."."""
    start, shown = _last_sentence(line)
    match = _AT_END.search(shown, max(0, len(shown) - 100))
    if match is None or _asks(shown):
        return None
    group = 1 if match[1] else 2
    letter = match[group]
    before = shown[: match.start()]
    if letter not in options or not before.strip() or _DENIES.search(before) or _DOUBTS.search(before):
        return None
    if _NAMES_OTHER.search(before):
        return None
    named = {one for one in _LETTER.findall(before) if one in options and one not in ("A", "I")}
    held = {one for one, _, _ in _texts_in(before, options)} - {letter}
    other = match["text"] and fold(match["text"]) != fold(options[letter])
    if named - {letter} or held or other or distanced(shown.lower(), match.start(group)):
        return None
    at = (start + match.start(group), start + match.end(group))
    return Extraction(letter, at, (), "The last sentence ends with this letter.")


def _stated(line: str, options: Options) -> Extraction[str] | None:
    """The only option whose text the last sentence holds, if the sentence ends by saying it: "It is open 24 hours a
    day."; where one option's text contains another's, the longer counts."""
    start, shown = _last_sentence(line)
    held = _texts_in(shown, options)
    if len({letter for letter, _, _ in held}) != 1 or _asks(shown):
        return None
    letter, low, high = held[-1]
    before = shown[:low]
    links = list(_LINKS.finditer(before))
    if not links or not _GAP.fullmatch(before, links[-1].end()) or not _TAIL.match(shown, high):
        return None
    own = _WRITTEN.sub(lambda match: " " * len(match[0]), shown.lower())
    doubted = _DENIES.search(before) or _DOUBTS.search(before) or distanced(own, low)
    named = {one for one in _LETTER.findall(shown[:low] + shown[high:]) if one in options and one not in ("A", "I")}
    if doubted or named - {letter} or _AMOUNT_ONLY.fullmatch(options[letter].strip()):
        return None
    return Extraction(
        letter, (start + low, start + high), ("option_text",), "The last sentence says this option's text."
    )


def _asks(shown: str) -> bool:
    return shown.rstrip(' *")').endswith(("?", "？"))


def _last_sentence(line: str) -> tuple[int, str]:
    """The last sentence of a line, as it is shown, and its offset."""
    shown = symbols(plain(ascii_forms(line)).rstrip())
    cuts = [match.end() for match in _SENTENCE.finditer(shown) if shown[match.end() :].strip(' .)!"')]
    start = cuts[-1] if cuts else 0
    return start, shown[start:]


def _texts_in(sentence: str, options: Options) -> list[tuple[str, int, int]]:
    """Where option texts stand in a sentence (any case, as whole words): letter, start, end; the longest first wins."""
    found: list[tuple[str, int, int]] = []
    for letter, option in options.items():
        words = [re.escape(word) for word in re.split(r"[\s\-–—]+|\\", fold(option)) if word]
        if not words:
            continue
        body = r"(?:\s?[-–—]\s?|\s(?:to\s)?|\s?\\)".join(words)
        low = r"(?<![\w.:-])" if fold(option)[0].isascii() and fold(option)[0].isalnum() else ""
        high = r"(?![\w-]|[.:,/][0-9])" if fold(option)[-1].isascii() and fold(option)[-1].isalnum() else ""
        found += [(letter, *match.span()) for match in re.finditer(f"{low}{body}{high}", sentence, re.IGNORECASE)]
    longest = sorted(found, key=lambda one: one[1] - one[2])
    kept: list[tuple[str, int, int]] = []
    for one in longest:
        if all(one[2] <= other[1] or one[1] >= other[2] or one[1:] == other[1:] for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one[1])


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
