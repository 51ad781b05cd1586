from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.place import Place, lenient, strict

# id, reply, value (None: no single place), flag that must be there ("" for none at all)
LENIENT: list[tuple[str, str, Place | None, str]] = [
    ("T96-row", "row 5, column 6", (5, 6), ""),
    ("T96-column", "column 6, row 5", (5, 6), ""),
    ("T96-and", "5 and 6", (5, 6), ""),
    ("T96-three", "12, 5, 6", None, "no_place"),
    ("list", "[5, 6]", (5, 6), ""),
    ("list-joined", "[5,6]", (5, 6), ""),
    ("list-dot", "[5, 6].", (5, 6), ""),
    ("list-nested", "[[5, 6]]", (5, 6), ""),
    ("list-full-width", "[５，６]", (5, 6), ""),
    ("list-bold", "**[5, 6]**", (5, 6), ""),
    ("list-code", "`[5, 6]`", (5, 6), ""),
    ("list-latex", "$[5, 6]$", (5, 6), ""),
    ("list-semicolon", "[5; 6]", (5, 6), ""),
    ("parentheses", "(5,6)", (5, 6), ""),
    ("braces", "{5, 6}", (5, 6), ""),
    ("bare", "5, 6", (5, 6), ""),
    ("bare-dot", "5, 6.", (5, 6), ""),
    ("bare-blank", "17 1", (17, 1), ""),
    ("bare-lines", "5\n6", None, "no_place"),
    ("bare-last-line", "It differs from the others.\n\n5, 6", (5, 6), ""),
    ("bare-full-width", "５，６", (5, 6), ""),
    ("zero", "[0, 3]", (0, 3), ""),
    ("large", "[62, 48]", (62, 48), ""),
    ("row-and", "row 5 and column 6", (5, 6), ""),
    ("row-capital", "Row 5, Column 6", (5, 6), ""),
    ("row-bold", "**Row 5, Column 6**", (5, 6), ""),
    ("row-bold-numbers", "Row **5**, column **6**", (5, 6), ""),
    ("row-colon", "Row: 5, Column: 6", (5, 6), ""),
    ("row-colon-lines", "Row: 5\nColumn: 6", (5, 6), ""),
    ("row-bullets", "- Row: 5\n- Column: 6", (5, 6), ""),
    ("row-bold-colon", "- **Row:** 5\n- **Column:** 6", (5, 6), ""),
    ("row-equals", "row = 5, col = 6", (5, 6), ""),
    ("row-is", "The row is 5 and the column is 6.", (5, 6), ""),
    ("row-number", "Row number 5, column number 6", (5, 6), ""),
    ("row-number-is", "The row number is 5 and the column number is 6.", (5, 6), ""),
    ("row-of-column", "the letter is in column 6 of row 5", (5, 6), ""),
    ("row-no-comma", "row 17 column 1", (17, 1), ""),
    ("row-parentheses", "(row 5, column 6)", (5, 6), ""),
    ("row-words", "row five, column six", (5, 6), ""),
    ("row-from", "row 5 from the top and column 6 from the left", (5, 6), ""),
    ("row-from-parentheses", "row 5 (from the top), column 6 (from the left)", (5, 6), ""),
    ("row-counting", "It is at row 5, column 6, counting from the top left.", (5, 6), ""),
    ("row-semicolon", "Row 5; Column 6", (5, 6), ""),
    ("row-slash", "Row 5 / Column 6", (5, 6), ""),
    ("ordinal", "The letter q is in the 5th row and the 6th column.", (5, 6), ""),
    ("ordinal-words", "It stands in the fifth row, sixth column.", (5, 6), ""),
    ("ordinal-turned", "the 6th column of the 5th row", (5, 6), ""),
    ("ordinal-teens", "the twelfth row and the 21st column", (12, 21), ""),
    ("ordinal-then-number", "the 5th row, column 6", (5, 6), ""),
    ("table", "| Row | Column |\n|---|---|\n| 5 | 6 |", (5, 6), ""),
    ("table-turned", "| Column | Row |\n|:-:|:-:|\n| **6** | **5** |", (5, 6), ""),
    ("compact", "R5C6", (5, 6), ""),
    ("compact-blank", "R5, C6", (5, 6), ""),
    ("json", '{"row": 5, "column": 6}', (5, 6), ""),
    ("json-turned", '{"column": 6, "row": 5}', (5, 6), ""),
    ("json-fence", '```json\n{\n  "row": 5,\n  "column": 6\n}\n```', (5, 6), ""),
    ("json-short", '{"row": 5, "col": 6}', (5, 6), ""),
    ("json-list", '{"answer": [5, 6]}', (5, 6), ""),
    ("json-list-fence", "```json\n[5, 6]\n```", (5, 6), ""),
    ("pair-named", "(row, column) = (5, 6)", (5, 6), ""),
    ("pair-named-turned", "(column, row) = (6, 5)", (5, 6), ""),
    ("pair-named-brackets", "The place as [row, column] is [5, 6].", (5, 6), ""),
    ("position", "It is at position (5, 6).", (5, 6), ""),
    ("answer", "Answer: [5, 6]", (5, 6), ""),
    ("answer-bare", "Answer: 5, 6", (5, 6), ""),
    ("answer-and", "The answer is 5 and 6.", (5, 6), ""),
    ("answer-row", "The answer is row 5, column 6.", (5, 6), ""),
    ("answer-next-line", "**Answer:**\n\n[5, 6]", (5, 6), ""),
    ("final-over-first", "Answer: [1, 2] at first sight. Final answer: [5, 6]", (5, 6), ""),
    ("therefore", "Row 1, column 1 holds p. Row 1, column 2 holds p. Therefore, q is in row 5, column 6.", (5, 6), ""),
    ("layout-rows", "Row 1: p p p\nRow 2: p p q\nSo q is in row 2, column 3.", (2, 3), ""),
    ("named-over-pairs", "(1, 1) and (1, 2) hold p, and q is in row 5, column 6.", (5, 6), ""),
    ("size-first", "The grid has 8 rows and 9 columns. The odd one is at [5, 6].", (5, 6), ""),
    ("size-named", "In the 8x9 grid it is at row 5, column 6.", (5, 6), ""),
    ("example-echoed", "For example, [1, 2] means the first row and the second column. Here it is [5, 6].", (5, 6), ""),
    ("box", "\\boxed{[5, 6]}", (5, 6), ""),
    ("box-bare", "$\\boxed{5, 6}$", (5, 6), ""),
    ("tag", "<answer>[5, 6]</answer>", (5, 6), ""),
    ("tag-bare", "<answer>5, 6</answer>", (5, 6), ""),
    ("tag-row", "<answer>row 5, column 6</answer>", (5, 6), ""),
    ("tag-over-prose", "Maybe [1, 2]. <answer>[5, 6]</answer>", (5, 6), ""),
    ("tag-open", "<answer>[5, 6]", (5, 6), "unclosed_tag"),
    ("think", "<think>[1, 2]?</think>[5, 6]", (5, 6), ""),
    ("think-lone-close", "row 1, column 2?</think>row 5, column 6", (5, 6), ""),
    ("restated", "It is in row 5, column 6.\n\n[5, 6]", (5, 6), ""),
    ("wait", "[1, 2]. Wait, [5, 6].", (5, 6), ""),
    ("after-checking", "Answer: [1, 2]\nAfter checking, I need to correct this.\nAnswer: [5, 6]", (5, 6), ""),
    ("denied", "It is not [1, 2] but [5, 6].", (5, 6), ""),
    ("zh", "第3行，第6列", (3, 6), ""),
    ("zh-joined", "第3行第6列", (3, 6), ""),
    ("zh-bold", "第 **3** 行，第 **6** 列", (3, 6), ""),
    ("zh-numerals", "第三行第十二列", (3, 12), ""),
    ("zh-turned", "第6列，第3行", (3, 6), ""),
    ("zh-short", "3行6列", (3, 6), ""),
    ("zh-in", "在第5行的第6列", (5, 6), ""),
    ("zh-directions", "从上往下第5行，从左往右第6列", (5, 6), ""),
    ("zh-colon", "行：5，列：6", (5, 6), ""),
    ("zh-answer", "答案：[5, 6]", (5, 6), ""),
    ("zh-answer-bare", "答案是5，6。", (5, 6), ""),
    ("zh-work", "请仔细看。\n\n答案是：\n\n第 **3** 行，第 **6** 列。  \n答案为：[3, 6]", (3, 6), ""),
    ("zh-revised", "答案是[1, 2]。不对，应该是[3, 6]。", (3, 6), ""),
    # no single place
    ("or", "[5, 6] or [6, 5]", None, "ambiguous"),
    ("or-rows", "row 3 and column 4 or row 4 and column 3", None, "ambiguous"),
    ("or-answer", "The answer is [5, 6] or [6, 5].", None, "ambiguous"),
    ("two-answers", "Answer: [5, 6]\nAnswer: [6, 5]", None, "ambiguous"),
    ("two-tags", "<answer>[5, 6]</answer><answer>[6, 5]</answer>", None, "ambiguous"),
    ("bottom", "row 2 from the bottom, column 3", None, "no_place"),
    ("right", "row 2, column 3 from the right", None, "no_place"),
    ("zh-bottom", "倒数第2行第3列", None, "no_place"),
    ("other-axes", "(x, y) = (6, 5)", None, "no_place"),
    ("row-only", "It is in row 5.", None, "no_place"),
    ("one-number", "5", None, "no_place"),
    ("three-in-list", "[12, 5, 6]", None, "no_place"),
    ("three-in-tag", "<answer>12, 5, 6</answer>", None, "no_place"),
    ("decimals", "[0.5, 0.6]", None, "no_place"),
    ("fraction", "5/6", None, "no_place"),
    ("tag-none", "<answer>none</answer> [5, 6]", None, "no_place"),
    ("example-only", "For example, [1, 2] means the first row and the second column.", None, "no_place"),
    ("withdrawn", "Answer: [5, 6]. Wait, that is wrong.", None, "withdrawn"),
    ("abstained", "I cannot determine the row and column.", None, "abstained"),
    ("abstained-zh", "无法确定", None, "abstained"),
    ("empty", "", None, "no_place"),
    ("prose", "The letter q is near the middle.", None, "no_place"),
    ("named-after", "[6, 5] (column, row)", (5, 6), ""),
    ("named-after-order", "(6, 5) in (column, row) order", (5, 6), ""),
    ("named-after-row", "[5, 6] (row, column)", (5, 6), ""),
    ("from-zero", "row 4, column 5 (0-indexed)", (5, 6), ""),
    ("from-zero-before", "Using 0-indexed rows and columns it is at row 4, column 5.", (5, 6), ""),
    ("from-zero-list", "[4, 5] (zero-based)", (5, 6), ""),
    ("from-zero-zh", "第4行，第5列（从0开始计数）", (5, 6), ""),
    ("from-one", "row 5, column 6 (1-indexed, not 0-indexed)", (5, 6), ""),
    ("two-rows", "rows 5 and 6", None, "no_place"),
    ("think-open", "<think>[5, 6]", None, "unclosed_think"),
    ("digits", "[" + "9" * 500 + ", 1]", None, "no_place"),
]

# id, reply, value under `strict`
STRICT: list[tuple[str, str, Place | None]] = [
    ("list", "[2, 3]", (2, 3)),
    ("list-joined", "[2,3]", (2, 3)),
    ("list-blanks", "[ 2 , 3 ]", (2, 3)),
    ("around", "\n[2, 3]\n", (2, 3)),
    ("tag", "It is here: <answer>[2, 3]</answer>", (2, 3)),
    ("answer-line", "It is here.\nAnswer: [2, 3]", (2, 3)),
    ("think", "<think>[1, 1]</think>\n[2, 3]", (2, 3)),
    ("bare", "2, 3", None),
    ("parentheses", "(2, 3)", None),
    ("dot", "[2, 3].", None),
    ("bold", "**[2, 3]**", None),
    ("three", "[1, 2, 3]", None),
    ("prose", "row 2, column 3", None),
    ("prose-around", "It is [2, 3]", None),
    ("leading-zero", "[02, 3]", None),
    ("negative", "[-2, 3]", None),
    ("full-width", "[２, 3]", None),
    ("two-tags", "<answer>[2, 3]</answer><answer>[2, 3]</answer>", None),
    ("answer-lines", "Answer: [2, 3]\nAnswer: [2, 3]", None),
    ("not-last", "Answer: [2, 3]\nas one can see.", None),
    ("empty", "", None),
]

PIECES = [
    *(
        "[5, 6]",
        "(1, 2)",
        "5 and 6",
        "row 5",
        "column 6",
        "Row: ",
        "Column: ",
        "5",
        "6",
        "12",
        ", ",
        " and ",
        " or ",
        "; ",
    ),
    *(
        "5th row",
        "sixth column",
        "第3行",
        "第6列",
        "第",
        "行",
        "列",
        "R5C6",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "**",
        "\n",
        " ",
    ),
    *("Answer: ", "The answer is ", "<answer>", "</answer>", "\\boxed{", "<think>", "</think>", "Wait, ", "not ", ". "),
    *(
        " from the bottom",
        " from the left",
        "(column, row) = ",
        "for example ",
        "means ",
        "答案：",
        "\ud800",
        "\x00",
        "５",
    ),
]
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))


@pytest.mark.parametrize(("reply", "value", "flag"), [case[1:] for case in LENIENT], ids=[case[0] for case in LENIENT])
def test_lenient(reply: str, value: Place | None, flag: str) -> None:
    found = lenient(reply)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found
    assert value is not None or found.reason


@pytest.mark.parametrize(("reply", "value"), [case[1:] for case in STRICT], ids=[case[0] for case in STRICT])
def test_strict(reply: str, value: Place | None) -> None:
    found = strict(reply)
    assert found.value == value, found
    assert (found.flags == ()) == (value is not None)


def test_span_points_into_the_whole_text() -> None:
    reply = "<think>[1, 1]</think> It is in column 6, row 5 of the grid."
    start, end = lenient(reply).span or (0, 0)
    assert reply[start:end] == "column 6, row 5"
    reply = "<think>[1, 1]</think> <answer> [5, 6] </answer>"
    start, end = strict(reply).span or (0, 0)
    assert reply[start:end] == "[5, 6]"


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_any_text(reply: str) -> None:
    exact, found = strict(reply), lenient(reply)
    if exact.value is not None:
        assert found.value == exact.value
    for one in (exact, found):
        if one.value is None:
            assert one.flags
            continue
        start, end = one.span or (-1, -1)
        assert 0 <= start < end <= len(reply)


FRAMES = ["[{0}, {1}]", "({0}, {1})", "row {0}, column {1}", "column {1}, row {0}", "{0} and {1}", "第{0}行，第{1}列"]
FRAMES += ["Answer: {0}, {1}", "\\boxed{{{0}, {1}}}", '{{"row": {0}, "column": {1}}}', "The answer is [{0}, {1}]."]
FRAMES += ["**Row:** {0}\n**Column:** {1}", "<answer>{0},{1}</answer>", "R{0}C{1}", "It is here.\n\n[{0}, {1}]"]


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 99), st.integers(1, 99), st.sampled_from(FRAMES))
def test_every_frame_gives_the_same_place(row: int, column: int, frame: str) -> None:
    assert lenient(frame.format(row, column)).value == (row, column)


HOSTILE = [
    "(1,2)",
    "[1,",
    "row 1 ",
    "row 1, column 2 ",
    "row 1, ",
    "第1行",
    "R1C1 ",
    "1 and ",
    "<answer>",
    "\\boxed{1, 2}",
]
HOSTILE += [
    "the answer is 1, 2. ",
    "row ",
    "column ",
    " ",
    "\n",
    "1, 2\n",
    "wait, ",
    "five ",
    "first row ",
    "[",
    "(",
    "5" * 10,
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (100_000 // len(piece))
    began = time.process_time()
    lenient(reply)
    strict(reply)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
