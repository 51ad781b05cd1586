from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.passage import find_text, same_text, visible

# id, answer, text, whether it is there
FOUND: list[tuple[str, str, str, bool]] = [
    ("T98", "automobile", "mobi", False),
    ("T98-alone", "mobi", "mobi", True),
    ("T98-case", "MOBI", "mobi", False),
    ("sentence", "The sign says OPEN today.", "OPEN", True),
    ("first", "OPEN is what it says.", "OPEN", True),
    ("quoted", 'It says "OPEN".', "OPEN", True),
    ("bold", "**OPEN**", "OPEN", True),
    ("underscored", "_OPEN_", "OPEN", True),
    ("code", "`OPEN`", "OPEN", True),
    ("box", "\\boxed{OPEN}", "OPEN", True),
    ("latex", "\\text{OPEN}", "OPEN", True),
    ("case", "open", "OPEN", False),
    ("longer", "OPENING", "OPEN", False),
    ("longer-before", "REOPEN", "OPEN", False),
    ("digit-after", "OPEN24", "OPEN", False),
    ("dash-after", "OPEN—daily", "OPEN", True),
    ("hyphen-word", "OPEN-AIR", "OPEN", False),
    ("hyphen-word-before", "RE-OPEN", "OPEN", False),
    ("hyphen-own", "It says X-RAY.", "X-RAY", True),
    ("apostrophe", "DON'T", "DON", False),
    ("apostrophe-own", "It says DON'T WALK", "DON'T WALK", True),
    ("apostrophe-curly", "It says DON’T WALK", "DON'T WALK", True),
    ("apostrophe-gold", "It says DON'T", "DON’T", True),
    ("two-words", "HELLO WORLD", "HELLO WORLD", True),
    ("two-lines", "HELLO\nWORLD", "HELLO WORLD", True),
    ("blanks", "HELLO   WORLD", "HELLO WORLD", True),
    ("gold-lines", "HELLO WORLD", "HELLO\nWORLD", True),
    ("parted", "HELLO, WORLD", "HELLO WORLD", False),
    ("later", "OPENS and OPEN", "OPEN", True),
    ("number", "It says 12.", "12", True),
    ("number-part", "It says 12.5", "12", False),
    ("number-grouped", "It says 1,200", "200", False),
    ("number-longer", "It says 123", "12", False),
    ("price", "It costs $5.99 here", "$5.99", True),
    ("ends-in-mark", "HELP! it says", "HELP!", True),
    ("begins-with-mark", "tag#one", "#one", True),
    ("accent", "Café", "Café", True),
    ("accent-composed", "Cafe\u0301 du Nord", "Café", True),
    ("accent-other", "Cafe", "Café", False),
    ("greek", "Η λέξη ΣΤΟΠ", "ΣΤΟΠ", True),
    ("cyrillic-part", "СТОПОР", "СТОП", False),
    ("chinese", "牌子上写着“开放时间”。", "开放", True),
    ("chinese-bare", "营业中", "营业", True),
    ("chinese-other", "休息中", "营业", False),
    ("japanese", "本日は営業中です", "営業中", True),
    ("korean", "영업중입니다", "영업중", True),
    ("latin-in-chinese", "写着OPEN字样", "OPEN", True),
    ("chinese-after-latin", "KTV欢迎您", "欢迎", True),
    ("denied", "It does not say OPEN.", "OPEN", False),
    ("denied-short", "not OPEN", "OPEN", False),
    ("denied-then-said", "not OPEN but it is close to OPEN", "OPEN", True),
    ("instead", "SHUT instead of OPEN", "OPEN", False),
    ("taken-back", "It says OPEN. Wait, it says SHUT.", "OPEN", False),
    ("taken-back-for", "It says SHUT. Wait, it says OPEN.", "OPEN", True),
    ("wait-on-the-sign", "PLEASE WAIT! The sign is white.", "PLEASE WAIT!", True),
    ("wait-on-the-sign-part", "PLEASE WAIT! The text is white.", "PLEASE", True),
    ("empty-answer", "", "OPEN", False),
    ("empty-text", "OPEN", "", False),
    ("blank-text", "OPEN", " \n", False),
]


@pytest.mark.parametrize(("answer", "text", "there"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_find_text(answer: str, text: str, there: bool) -> None:
    place = find_text(answer, text)
    assert (place is not None) == there
    if place is not None and answer.isascii() and text.isascii():
        assert answer[slice(*place)].split() == text.split()


# answer, text, whether the answer is the text and nothing else
SAME = [
    ("OPEN", "OPEN", True),
    (" OPEN\n", "OPEN", True),
    ("HELLO\nWORLD", "HELLO WORLD", True),
    ("Cafe\u0301", "Café", True),
    ("DON’T", "DON'T", True),
    ("OPEN.", "OPEN", False),
    ("open", "OPEN", False),
    ("It says OPEN", "OPEN", False),
    ("", "", False),
]


@pytest.mark.parametrize(("answer", "text", "same"), SAME)
def test_same_text(answer: str, text: str, same: bool) -> None:
    assert same_text(answer, text) is same


# reply, where the text is looked for, flag
VISIBLE: list[tuple[str, str | None, str]] = [
    ("It says OPEN.", "It says OPEN.", ""),
    (" It says OPEN.\n", "It says OPEN.", ""),
    ("<think>SHUT?</think>OPEN", "OPEN", ""),
    ("SHUT?</think>\nOPEN", "OPEN", ""),
    ("SHUT or OPEN. <answer>OPEN</answer>", "OPEN", ""),
    ("SHUT or OPEN. \\boxed{OPEN}", "OPEN", ""),
    ("<answer>OPEN", "OPEN", "unclosed_tag"),
    ("<answer></answer>OPEN", "<answer></answer>OPEN", ""),
    ("", None, "empty"),
    (" \u200b\n", None, "empty"),
    ("<think>OPEN", None, "unclosed_think"),
    ("<think>OPEN</think>", None, "empty"),
]


@pytest.mark.parametrize(("reply", "value", "flag"), VISIBLE, ids=[repr(case[0]) for case in VISIBLE])
def test_visible(reply: str, value: str | None, flag: str) -> None:
    found = visible(reply)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else [])
    if value is not None:
        start, end = found.span or (0, 0)
        assert reply[start:end] == value


PIECES = [
    "OPEN",
    "OP",
    "EN",
    " ",
    "  ",
    "\n",
    "not ",
    "says ",
    "Wait, ",
    ". ",
    "'",
    "’",
    "-",
    "é",
    "e\u0301",
    "开",
    "放",
    "12",
]
PIECES += [",", "<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "}", "\ud800", "\x00", "İ", "ß"]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=50))


@settings(deadline=None, max_examples=400)
@given(TEXTS, st.one_of(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), st.text(max_size=4)))
def test_any_text(reply: str, text: str) -> None:
    visible(reply)
    place = find_text(reply, text)
    if place is not None:
        start, end = place
        assert 0 <= start < end <= len(reply)
    if same_text(reply, text):
        assert find_text(reply, text) is not None


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="abAB12 -'开", min_size=1, max_size=12))
def test_a_text_is_found_in_itself(text: str) -> None:
    assert (find_text(text, text) is not None) == bool(text.strip())
    assert (find_text(f"“{text}”", text) is not None) == bool(text.strip())


HOSTILE = [
    "OPEN ",
    "OPE",
    " ",
    "\n",
    "not OPEN ",
    "OPENS ",
    "says OPEN. Wait, ",
    "e\u0301",
    "<answer>",
    "\\boxed{",
    "开放",
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (100_000 // len(piece))
    began = time.process_time()
    visible(reply)
    for text in ("OPEN", "OPEN OPENX", "OP" * 2000, "e" * 100, "开放。"):
        find_text(reply, text)
        same_text(reply, text)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
