"""What the wording of a question says about its answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks.tir.questions import (
    counts,
    decimals,
    in_percent,
    options_of,
    other_units,
    several,
    written_together,
)

ABC = {"A": "cat", "B": "dog", "C": "owl"}
PATCHES = (
    "Each picture has n rows and m columns; patches are numbered 1, 2, …, m. Return\n\n```json\n"
    '{\n  "different_patches": [i1, i2, i3, …]\n}\n```\n\n* `different_patches`: the patches that differ.\n'
    "Note that in this image, n is 4 and m is 3"
)

# id, prompt, options
OPTIONS: list[tuple[str, str, dict[str, str]]] = [
    ("inline-parentheses", "Which is it? (A) cat (B) dog (C) owl", ABC),
    ("inline-numbers", "How many? Select from the following choices. (A) 7 (B) 8", {"A": "7", "B": "8"}),
    ("inline-percent", "How much is green? (A) 9% (B) 13% (C) 17%", {"A": "9%", "B": "13%", "C": "17%"}),
    ("inline-commas", "Which is it? (A) cat, (B) dog, (C) owl", ABC),
    ("inline-or", "Which is it? (A) cat, (B) dog, or (C) owl", ABC),
    ("inline-dots", "Which is it? A. cat B. dog C. owl", ABC),
    ("inline-close", "Which is it? A) cat B) dog C) owl", ABC),
    ("inline-colons", "Which is it? A: cat B: dog C: owl", ABC),
    ("inline-square", "Which is it? [A] cat [B] dog [C] owl", ABC),
    ("inline-end", "Which is it? (A) cat (B) dog (C) owl. Answer with the letter.", ABC),
    ("inline-please", "Which is it? (A) cat (B) dog (C) owl. Please give the letter only.", ABC),
    ("inline-line-after", "Which is it? (A) cat (B) dog (C) owl\nAnswer with the letter.", ABC),
    ("inline-functions", "What is P(A) + P(B) + P(C)?", {}),
    ("inline-points", "The points (A) and (B) are marked. How far are they apart?", {}),
    ("inline-points-commas", "The points (A), (B) and (C) are marked.", {}),
    ("inline-full-width", "是哪个？（A）猫（B）狗", {"A": "猫", "B": "狗"}),
    ("inline-chinese", "是哪个？A．猫 B．狗 C．鸟", {"A": "猫", "B": "狗", "C": "鸟"}),
    ("lines-dots", "Which is it?\nA. cat\nB. dog\nC. owl", ABC),
    ("lines-dots-joined", "Which is it?\nA.cat\nB.dog\nC.owl", ABC),
    ("lines-colons", "Which is it?\nA: cat\nB: dog\nC: owl", ABC),
    ("lines-close", "Which is it?\nA) cat\nB) dog\nC) owl", ABC),
    ("lines-parentheses", "Which is it?\n(A) cat\n(B) dog\n(C) owl", ABC),
    ("lines-bare", "Which is it?\nA cat\nB dog\nC owl", ABC),
    ("lines-bare-numbers", "What does it read?\nA 22-23\nB 69-70\nC 70-71", {"A": "22-23", "B": "69-70", "C": "70-71"}),
    ("lines-dash", "Which is it?\nA - cat\nB - dog\nC - owl", ABC),
    ("lines-bullets", "Which is it?\n- A. cat\n- B. dog\n- C. owl", ABC),
    ("lines-bullets-colons", "Which is it?\n- A: cat\n- B: dog\n- C: owl", ABC),
    ("lines-bullets-dashes", "Which is it?\n– A: cat\n– B: dog\n– C: owl", ABC),
    ("lines-bullets-plus", "Which is it?\n+ A: cat\n+ B: dog\n+ C: owl", ABC),
    ("lines-bullets-bold", "Which is it?\n- **A**: cat\n- **B**: dog\n- **C**: owl", ABC),
    ("lines-bullets-bare", "Which is it?\n- A cat\n- B dog\n- C owl", ABC),
    ("lines-numbered", "Which is it?\n1. A: cat\n2. B: dog\n3. C: owl", ABC),
    ("lines-bold", "Which is it?\n**A.** cat\n**B.** dog\n**C.** owl", ABC),
    ("lines-indented", "Which is it?\n  A. cat\n  B. dog\n  C. owl", ABC),
    ("lines-apart", "Which is it?\n\nA. cat\n\nB. dog\n\nC. owl", ABC),
    ("lines-carriage", "Which is it?\r\nA. cat\r\nB. dog\r\nC. owl", ABC),
    ("lines-chinese", "是哪个？\nA、猫\nB、狗", {"A": "猫", "B": "狗"}),
    ("lines-full-width", "是哪个？\nＡ．猫\nＢ．狗", {"A": "猫", "B": "狗"}),
    ("lines-text-after", "Which is it?\nA. cat\nB. dog\nC. owl\n This is a multiple-choice question.", ABC),
    ("lines-ends", "Which?\nA. cat;\nB. dog;\nC. owl", ABC),
    ("lines-numbers", "How many?\nA.6\nB.8\nC.7", {"A": "6", "B": "8", "C": "7"}),
    ("lines-degrees", "By how much?\n\nA. 90°\nB. 110°", {"A": "90°", "B": "110°"}),
    ("lines-intervals", "When x = 2.5, y \\in \nA. [2, 2.5]\nB. [1.5, 2]", {"A": "[2, 2.5]", "B": "[1.5, 2]"}),
    ("lines-two-each", "How many?\nA. 6 B. 7\nC. 8 D. 9", {"A": "6", "B": "7", "C": "8", "D": "9"}),
    ("lines-moves", "Which way?\nA. DLDR\nB. ULRD\nC. No answer", {"A": "DLDR", "B": "ULRD", "C": "No answer"}),
    (
        "lines-six",
        "\n".join(f"{c}: {i}%" for i, c in enumerate("ABCDEF")),
        {c: f"{i}%" for i, c in enumerate("ABCDEF")},
    ),
    (
        "lines-names",
        "Which point?\nA. point C\nB. point D\nC. point E",
        {"A": "point C", "B": "point D", "C": "point E"},
    ),
    ("lines-sentence", "Which?\nA. A cat. It sleeps.\nB. A dog.", {"A": "A cat. It sleeps.", "B": "A dog."}),
    ("lines-wrapped", "Which?\nA. a cat\n   that sleeps\nB. a dog", {"A": "a cat that sleeps", "B": "a dog"}),
    ("lines-empty", "Which picture?\nA.\nB.\nC.", {"A": "", "B": "", "C": ""}),
    ("lines-over-inline", "Points (A) and (B) lie on it.\nA. 5\nB. 6\nC. 7", {"A": "5", "B": "6", "C": "7"}),
    ("labels-in-question", "In triangle A. B. C. what is the angle?\nA. 5\nB. 6\nC. 7", {"A": "5", "B": "6", "C": "7"}),
    ("last-list", "Example: (A) x (B) y\nNow: (A) cat (B) dog", {"A": "cat", "B": "dog"}),
    ("none", "How many balloons are there?", {}),
    ("only-one", "Which one is marked (A)?", {}),
    ("starts-late", "B. dog\nC. owl", {}),
    ("gap", "A. cat\nC. owl", {}),
    ("article", "A man stands there.\nHow many hats?\nBut look again.", {}),
    ("named-places", "Which of the points A, B, C and D is highest?", {}),
    ("patches", PATCHES, {}),
    ("jigsaw", "It is cut into {n}×{n} pieces. In what order? For example, 1, 16, 15, 2.", {}),
    ("place", "In which row and column is q? For example, [1, 2] is row 1, column 2.", {}),
    ("empty", "", {}),
]

SEVERAL: list[tuple[str, bool]] = [
    ("This is a multiple-choice question, and you need to select more than one option.", True),
    ("Write your final answer using consecutive letters, such as ABC, CD, or BC.", True),
    ("Select all that apply.", True),
    ("Choose all correct options.", True),
    ("Choose one or more answers.", True),
    ("There may be more than one correct answer.", True),
    ("More than one option may be correct.", True),
    ("Pick two or more of the following options.", True),
    ("Select multiple answers.", True),
    ("This is a multi-select question.", True),
    ("（多选）下列哪些正确？", True),
    ("多选题：图中有哪些动物？", True),
    ("本题为不定项选择。", True),
    ("请选出所有正确的选项。", True),
    ("请选择一个或多个选项。", True),
    ("Select all.", True),
    ("Select one or more.", True),
    ("Choose the two correct options.", True),
    ("(multiple answers)", True),
    ("Pick two.", True),
    ("Which statements are correct?", True),
    ("Which of the following statements are true?", True),
    ("Which statements are correct? Both, neither or one of them?", False),
    ("This is a multiple choice question.", False),
    ("(multiple choice)", False),
    ("Pick two numbers that add up to 10.", False),
    ("Choose the two parallel lines.", False),
    ("Which lines are correct?", False),
    ("Choose all the squares in the picture: how many are there?", False),
    ("This is a multiple-choice question.", False),
    ("Select from the following choices.", False),
    ("Select the correct option.", False),
    ("Choose one of the following options.", False),
    ("Only one option is correct.", False),
    ("Choose only one option, not more than one.", False),
    ("Does the picture show more than one cat?", False),
    ("How many of the multiple squares are red?", False),
    ("Select no more than one option.", False),
    ("Which of all the lines is longest?", False),
    ("单选题：下列哪个正确？", False),
    ("请选择正确的答案。", False),
    ("How many people are in the picture?", False),
    ("", False),
]

COUNTED: list[tuple[str, bool]] = [
    ("How many vehicles are in the image?", True),
    ("What is the number of cats?", True),
    ("Count the triangles.", True),
    ("图中有多少只猫？", True),
    ("图中有几个人？", True),
    ("What is the number of the red cars?", True),
    ("What is the number of people?", True),
    ("What is the number of the bus?", False),
    ("What is the number of the player's jersey?", False),
    ("How many centimeters long is it?", False),
    ("How many millimetres?", False),
    ("How many amps does it read?", False),
    ("Find the differences. Answer with a single number.", True),
    ("Count the differences.", True),
    ("Give the total count of the differences.", True),
    ("请给出不同之处的数量。", True),
    ("两张图有多少处不同？", True),
    ("图块按1到12编号，两张图有几处不同？", True),
    ("哪几个格子不同？请输出编号", False),
    ("哪些编号的区域不同？共有几处？", False),
    ("How many patches differ? Output the list of patch indices.", False),
    ("Which patches differ?", False),
    ("What does the gauge read? Answer with a single number.", False),
    ("How many degrees is the angle?", False),
    ("How many cm long is it?", False),
    ("How many percent of it is green?", False),
    ("What does the gauge read?", False),
    ("第几行第几列？", False),
    ("", False),
]

PERCENT: list[tuple[str, bool]] = [
    ("What percentage is green?", True),
    ("How many percent?", True),
    ("What is the humidity (%)?", True),
    ("湿度是百分之多少？", True),
    ("A: 65%\nB: 73%", True),
    ("How many cats?", False),
    ("", False),
]

DECIMALS: list[tuple[str, int | None]] = [
    ("Provide one decimal place (e.g., 1.1).", 1),
    ("Answer with one decimal.", 1),
    ("Give two decimal places.", 2),
    ("Round to 1 decimal place.", 1),
    ("保留一位小数。", 1),
    ("保留2位小数。", 2),
    ("Answer as an integer like 1,2,3.", 0),
    ("Answer with an integer (yen).", 0),
    ("Round to the nearest integer.", 0),
    ("Give the answer as a whole number.", 0),
    ("请用整数回答。", 0),
    ("Which integer is shown?", None),
    ("What does the gauge read?", None),
    ("", None),
]


@pytest.mark.parametrize("prompt, options", [row[1:] for row in OPTIONS], ids=[row[0] for row in OPTIONS])
def test_options(prompt: str, options: dict[str, str]) -> None:
    assert options_of(prompt) == options


@pytest.mark.parametrize("prompt, wanted", SEVERAL)
def test_several(prompt: str, wanted: bool) -> None:
    assert several(prompt) is wanted
    assert several(f"Which?\n{prompt}\nA. cat\nB. dog") is wanted


@pytest.mark.parametrize("prompt, wanted", COUNTED)
def test_counts(prompt: str, wanted: bool) -> None:
    assert counts(prompt) is wanted


@pytest.mark.parametrize("prompt, wanted", PERCENT)
def test_in_percent(prompt: str, wanted: bool) -> None:
    assert in_percent(prompt) is wanted


@pytest.mark.parametrize("prompt, wanted", DECIMALS)
def test_decimals(prompt: str, wanted: int | None) -> None:
    assert decimals(prompt) == wanted


def test_written_together() -> None:
    assert written_together("Write your final answer using consecutive letters, such as ABC.")
    assert not written_together("Select all that apply.")


@pytest.mark.parametrize(
    "prompt, named",
    [
        ("What is the reading in Fahrenheit?", True),
        ("What is the temperature in °C?", True),
        ("How fast in km/h?", True),
        ("What does the gauge read in kg/cm²?", True),
        ("Fahrenheit or Celsius?", False),
        ("Which point mirrors point A at point B?", False),
        ("What does it read?", False),
    ],
)
def test_other_units(prompt: str, named: bool) -> None:
    assert (other_units(prompt) is not None) is named


PIECES = [
    "A",
    "B",
    "C",
    "(A)",
    "(B)",
    "A.",
    "B.",
    "A:",
    "B:",
    "A ",
    "B ",
    "C ",
    "\n",
    " ",
    "cat",
    "dog",
    "**",
    "、",
    "Ａ．",
]
PIECES += ["select more than one option", "多选", "how many ", "%", "one decimal place", "\ud800", "\x00", "- ", "°F"]


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.text(max_size=60)))
def test_any_prompt(prompt: str) -> None:
    options = options_of(prompt)
    assert list(options) == [chr(ord("A") + place) for place in range(len(options))]
    assert len(options) != 1
    assert all(text == " ".join(text.split()) for text in options.values())
    for question in (several, counts, in_percent, decimals, written_together, other_units):
        question(prompt)


TEXT = st.text(alphabet="abcdef 0123456789%°", min_size=1, max_size=10).map(str.strip).filter(bool)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(TEXT.map(lambda text: " ".join(text.split())), min_size=2, max_size=8),
    st.sampled_from(["\n{letter}. {text}", "\n{letter}: {text}", "\n({letter}) {text}", " ({letter}) {text}"]),
)
def test_written_options_are_read_back(texts: list[str], form: str) -> None:
    lines = [form.format(letter=letter, text=text) for letter, text in zip("ABCDEFGH", texts, strict=False)]
    assert list(options_of("Which is it?" + "".join(lines)).values()) == texts


HOSTILE = [
    "A. ",
    "(A) ",
    "A\n",
    "A. x\n",
    "A x\nB ",
    "(",
    "[A",
    " ",
    "\n",
    "select ",
    "more than one ",
    "there ",
    "how many ",
]
HOSTILE += ["A. a\nB. b\n", "**", "?", "integer ", "，", "A" * 10]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    prompt = piece * (150_000 // len(piece))
    began = time.process_time()
    options_of(prompt)
    for question in (several, counts, in_percent, decimals, written_together, other_units):
        question(prompt)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
