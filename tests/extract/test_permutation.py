from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.permutation import Order, lenient, strict

FOUR = (4, 1, 3, 2)
NINE = (4, 1, 8, 9, 3, 6, 2, 7, 5)
L4 = "[4, 1, 3, 2]"
L9 = "[4, 1, 8, 9, 3, 6, 2, 7, 5]"

# id, reply, number of pieces, value (None: no single list), flag that must be there ("" for none at all)
N9 = (4, 1, 8, 9, 3, 6, 2, 7, 5)
LENIENT: list[tuple[str, str, int, Order | None, str]] = [
    ("asked", f"<answer>{L4}</answer>", 4, FOUR, ""),
    ("T93", "[1,2,3],[4,5,6],[7,8,9]", 9, (1, 2, 3, 4, 5, 6, 7, 8, 9), ""),
    ("T93-nested", "[[4,1],[3,2]]", 4, FOUR, ""),
    ("T93-tag", "<answer>[[4,1],[3,2]]</answer>", 4, FOUR, ""),
    ("T94", "[1,1,1,1,1,1,1,1,1]", 9, (1,) * 9, "not_a_permutation"),
    ("bare", L4, 4, FOUR, ""),
    ("bare-nine", L9, 9, NINE, ""),
    ("no-brackets", "4, 1, 3, 2", 4, FOUR, ""),
    ("no-spaces", "4,1,3,2", 4, FOUR, ""),
    ("blanks", "4 1 3 2", 4, FOUR, ""),
    ("answer-blanks", "Answer: 4 1 3 2", 4, FOUR, ""),
    ("answer-next-line", "**Answer:**\n\n4 1 3 2", 4, FOUR, ""),
    ("parentheses", "(4, 1, 3, 2)", 4, FOUR, ""),
    ("braces", "{4, 1, 3, 2}", 4, FOUR, ""),
    ("semicolons", "4 1; 3 2", 4, FOUR, ""),
    ("semicolons-commas", "[4, 1; 3, 2]", 4, FOUR, ""),
    ("rows-lines", "4 1\n3 2", 4, FOUR, ""),
    ("rows-brackets-lines", "[4, 1]\n[3, 2]", 4, FOUR, ""),
    ("rows-nested-lines", "[\n  [4, 1, 8],\n  [9, 3, 6],\n  [2, 7, 5]\n]", 9, NINE, ""),
    ("rows-labelled", "Row 1: 4 1\nRow 2: 3 2", 4, FOUR, ""),
    ("rows-labelled-bold", "**Row 1:** 4, 1\n**Row 2:** 3, 2", 4, FOUR, ""),
    ("rows-named", "Top row: 4, 1\nBottom row: 3, 2", 4, FOUR, ""),
    ("rows-listed", "- Row 1: [4, 1]\n- Row 2: [3, 2]", 4, FOUR, ""),
    ("table", "| 4 | 1 |\n|---|---|\n| 3 | 2 |", 4, FOUR, ""),
    ("table-aligned", "| 4 | 1 |\n|:-:|:-:|\n| 3 | 2 |", 4, FOUR, ""),
    ("matrix", "\\begin{bmatrix} 4 & 1 \\\\ 3 & 2 \\end{bmatrix}", 4, FOUR, ""),
    ("matrix-box", "$$\\boxed{\\begin{pmatrix}4&1\\\\3&2\\end{pmatrix}}$$", 4, FOUR, ""),
    ("box", "\\boxed{[4, 1, 3, 2]}", 4, FOUR, ""),
    ("box-plain", "$\\boxed{4, 1, 3, 2}$", 4, FOUR, ""),
    ("latex-spaces", "$4,\\ 1,\\ 3,\\ 2$", 4, FOUR, ""),
    ("bold", f"**{L4}**", 4, FOUR, ""),
    ("bold-each", "**4**, **1**, **3**, **2**", 4, FOUR, ""),
    ("code", f"`{L4}`", 4, FOUR, ""),
    ("fence", f"```json\n{L4}\n```", 4, FOUR, ""),
    ("fence-python", f"```python\norder = {L4}\n```", 4, FOUR, ""),
    ("json-object", f'{{"answer": {L4}}}', 4, FOUR, ""),
    ("quoted", f'"{L4}"', 4, FOUR, ""),
    ("and", "4, 1, 3 and 2", 4, FOUR, ""),
    ("oxford-and", "4, 1, 3, and 2", 4, FOUR, ""),
    ("hyphens", "4-1-3-2", 4, FOUR, ""),
    ("trailing-comma", "[4, 1, 3, 2,]", 4, FOUR, ""),
    ("full-stop", "The order is 4, 1, 3, 2.", 4, FOUR, ""),
    ("leading-zeros", "04 01 03 02", 4, FOUR, ""),
    ("full-width", "４，１，３，２", 4, FOUR, ""),
    ("ideographic-comma", "4、1、3、2", 4, FOUR, ""),
    ("zh-answer", "答案：[4，1，3，2]", 4, FOUR, ""),
    ("zh-sentence", "正确的顺序是4、1、3、2。", 4, FOUR, ""),
    ("zh-rows", "第一行：4，1\n第二行：3，2", 4, FOUR, ""),
    ("zh-rows-bare", "第1行 4 1\n第2行 3 2", 4, FOUR, ""),
    ("zh-and", "4、1、3和2", 4, FOUR, ""),
    ("zh-revised", "答案是[1,2,3,4]。不对，应该是[4,1,3,2]。", 4, FOUR, ""),
    ("sentence", f"Looking at the edges, the correct order is {L4}.", 4, FOUR, ""),
    ("sizes-mentioned", f"The image is cut into 2x2 = 4 pieces. The order is {L4}.", 4, FOUR, ""),
    ("grid-mentioned", f"For the 3×3 grid of 9 pieces: {L9}", 9, NINE, ""),
    ("steps", f"1. Piece 4 holds the sky.\n2. Piece 1 holds the roof.\n\n{L4}", 4, FOUR, ""),
    ("numbered-list-line", f"1. {L4}", 4, FOUR, ""),
    ("answer-and-reason", f"Answer: {L4}\n\nPiece 4 is at the top left because of the sky.", 4, FOUR, ""),
    ("answer-is", f"The answer is {L4}", 4, FOUR, ""),
    ("final-over-first", f"First I tried [1,2,3,4]. The final answer is {L4}.", 4, FOUR, ""),
    ("final-over-answer", f"Answer: [1, 2, 3, 4] at first sight. Final answer: {L4}", 4, FOUR, ""),
    ("announced-over-bare", f"The pieces are 1, 2, 3, 4. Answer: {L4}", 4, FOUR, ""),
    ("tag-over-bare", f"The pieces are 1, 2, 3, 4. <answer>{L4}</answer>", 4, FOUR, ""),
    ("tag-over-announced", f"Answer: [1, 2, 3, 4]?\n<answer>{L4}</answer>", 4, FOUR, ""),
    ("denied", f"It is not [1,2,3,4] but {L4}.", 4, FOUR, ""),
    ("restated", f"{L4}\n\nSo the answer is {L4}", 4, FOUR, ""),
    ("restated-lines", f"{L4}\n{L4}", 4, FOUR, ""),
    ("restated-grid", "[4, 1, 3, 2]\n\n4 1\n3 2", 4, FOUR, ""),
    ("restated-nested", "[[4,1],[3,2]]\n[[4,1],[3,2]]", 4, FOUR, ""),
    ("tag-blanks", f"<answer>\n{L4}\n</answer>", 4, FOUR, ""),
    ("tag-case", f"<ANSWER>{L4}</ANSWER>", 4, FOUR, ""),
    ("tag-words", f"<answer>The order is {L4}</answer>", 4, FOUR, ""),
    ("tag-open", f"<answer>{L4}", 4, FOUR, "unclosed_tag"),
    ("tag-twice-same", f"<answer>{L4}</answer> <answer>4 1 3 2</answer>", 4, FOUR, ""),
    ("tag-empty", f"<answer></answer>{L4}", 4, FOUR, ""),
    ("think", f"<think>[1,2,3,4]?</think><answer>{L4}</answer>", 4, FOUR, ""),
    ("think-tag", f"<think><answer>[1,2,3,4]</answer></think>{L4}", 4, FOUR, ""),
    ("wait", f"[1, 2, 3, 4]. Wait, {L4}", 4, FOUR, ""),
    ("after-checking", f"Answer: [1, 2, 3, 4]\nAfter checking, I need to correct this.\nAnswer: {L4}", 4, FOUR, ""),
    ("wait-in-tag", f"<answer>[1,2,3,4] wait, {L4}</answer>", 4, FOUR, ""),
    ("tag-taken-back", f"<answer>[1,2,3,4]</answer>\nWait, it should be {L4}", 4, FOUR, ""),
    ("zero-based", "[3, 0, 2, 1]", 4, (3, 0, 2, 1), "not_a_permutation"),
    ("negative", "[4, -1, 3, 2]", 4, (4, -1, 3, 2), "not_a_permutation"),
    ("beyond", "[4, 1, 3, 5]", 4, (4, 1, 3, 5), "not_a_permutation"),
    ("one", "<answer>[1]</answer>", 1, (1,), ""),
    # no single list
    ("two", f"{L4} or [1, 2, 3, 4]", 4, None, "ambiguous"),
    ("two-lines", f"{L4}\n[1, 2, 3, 4]", 4, None, "ambiguous"),
    ("two-tags", f"<answer>{L4}</answer><answer>[1,2,3,4]</answer>", 4, None, "ambiguous"),
    ("two-announced", f"Answer: {L4}\nAnswer: [1, 2, 3, 4]", 4, None, "ambiguous"),
    ("short", "[4, 1, 3]", 4, None, "wrong_length"),
    ("long", "[4, 1, 3, 2, 5]", 4, None, "wrong_length"),
    ("tag-short", f"<answer>[4, 1, 3]</answer> {L4}", 4, None, "wrong_length"),
    ("tag-prose", f"<answer>see above</answer> {L4}", 4, None, "no_list"),
    ("cut", "<answer>[4, 1, 3", 4, None, "wrong_length"),
    ("wrong-size", L9, 16, None, "wrong_length"),
    ("decimals", "[4.5, 1.5, 3.5, 2.5]", 4, None, "no_list"),
    ("letters", "[A, B, C, D]", 4, None, "no_list"),
    ("joined-digits", "4132", 4, None, "no_list"),
    ("mapping", "1 -> 4, 2 -> 1, 3 -> 3, 4 -> 2", 4, (4, 1, 3, 2), ""),
    ("positions", "\n".join(f"Position {i}: {v}" for i, v in enumerate(N9, 1)), 9, N9, ""),
    ("positions-bold", "\n".join(f"**Position {i}:** piece {v}" for i, v in enumerate(N9, 1)), 9, N9, ""),
    ("positions-zh", "，".join(f"位置{i}：{v}" for i, v in enumerate(N9, 1)), 9, N9, ""),
    ("positions-arrows", ", ".join(f"{i}→{v}" for i, v in enumerate(N9, 1)), 9, N9, ""),
    ("pieces-first", "; ".join(f"piece {v} → position {N9.index(v) + 1}" for v in range(1, 10)), 9, N9, ""),
    ("pieces-unclear", "; ".join(f"Piece {v}: {N9.index(v) + 1}" for v in range(1, 10)), 9, None, "no_list"),
    ("positions-some", "1→4, 2→1, 3→8", 9, None, "wrong_length"),
    ("chain", "4 → 1 → 8 → 9 → 3 → 6 → 2 → 7 → 5", 9, N9, ""),
    ("rows-top-middle-bottom", "Top: 4, 1, 8; middle: 9, 3, 6; bottom: 2, 7, 5", 9, N9, ""),
    ("withdrawn", f"Answer: {L4}\nWait, that is wrong.", 4, None, "withdrawn"),
    ("abstained", "I cannot determine the order.", 4, None, "abstained"),
    ("zh-abstained", "无法确定", 4, None, "abstained"),
    ("empty", "", 4, None, "no_list"),
    ("prose", "The sky belongs at the top.", 4, None, "no_list"),
    ("huge-entry", f"[4, 1, 3, {'9' * 5000}]", 4, None, "too_large"),
    ("huge-entry-tag", f"<answer>[4, 1, 3, {'9' * 5000}]</answer>", 4, None, "too_large"),
]

# id, reply, number of pieces, value, flag
STRICT: list[tuple[str, str, int, Order | None, str]] = [
    ("asked", f"<answer>{L4}</answer>", 4, FOUR, ""),
    ("asked-nine", f"<answer>{L9}</answer>", 9, NINE, ""),
    ("no-blanks", "<answer>[4,1,3,2]</answer>", 4, FOUR, ""),
    ("json-blanks", "<answer>\n[ 4,1 , 3,2 ]\n</answer>", 4, FOUR, ""),
    ("around", f" \n<answer>{L4}</answer>\n", 4, FOUR, ""),
    ("think", f"<think>[1,2,3,4]</think>\n<answer>{L4}</answer>", 4, FOUR, ""),
    ("T94", "<answer>[1,1,1,1]</answer>", 4, (1, 1, 1, 1), "not_a_permutation"),
    ("negative", "<answer>[-1,1,1,1]</answer>", 4, (-1, 1, 1, 1), "not_a_permutation"),
    ("short", "<answer>[4, 1, 3]</answer>", 4, None, "wrong_length"),
    ("no-entries", "<answer>[]</answer>", 4, None, "wrong_length"),
    ("huge", f"<answer>[4,1,3,{'9' * 5000}]</answer>", 4, None, "too_large"),
    ("bare", L4, 4, None, "format"),
    ("T93", "<answer>[4,1],[3,2]</answer>", 4, None, "format"),
    ("nested", "<answer>[[4,1],[3,2]]</answer>", 4, None, "format"),
    ("prose-before", f"The order: <answer>{L4}</answer>", 4, None, "format"),
    ("prose-after", f"<answer>{L4}</answer> as the sky shows.", 4, None, "format"),
    ("two-tags", f"<answer>{L4}</answer><answer>{L4}</answer>", 4, None, "format"),
    ("case", f"<Answer>{L4}</Answer>", 4, None, "format"),
    ("open", f"<answer>{L4}", 4, None, "format"),
    ("fence", f"<answer>```{L4}```</answer>", 4, None, "format"),
    ("parentheses", "<answer>(4, 1, 3, 2)</answer>", 4, None, "format"),
    ("trailing-comma", "<answer>[4, 1, 3, 2,]</answer>", 4, None, "format"),
    ("leading-zero", "<answer>[04, 1, 3, 2]</answer>", 4, None, "format"),
    ("floats", "<answer>[4.0, 1, 3, 2]</answer>", 4, None, "format"),
    ("strings", '<answer>["4", "1", "3", "2"]</answer>', 4, None, "format"),
    ("full-width", "<answer>[４, 1, 3, 2]</answer>", 4, None, "format"),
    ("empty", "", 4, None, "format"),
]

_PARTS = (
    "[|]|1|2|3|4|, | |\n|;|[4,1,3,2]|[1,2,3,4]|4 1\n3 2|<answer>|</answer>|Answer: | or |. Wait, |Row 1: |-|\\boxed{|}|"
    "not |final answer is |<think>|</think>|、|\ud800|\x00|and |**|(|)|12|\\\\"
)
FRAGMENTS = st.sampled_from(re.split(r"\|", _PARTS))
TEXTS = st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=14).map("".join))


@pytest.mark.parametrize(
    ("reply", "pieces", "value", "flag"), [case[1:] for case in LENIENT], ids=[case[0] for case in LENIENT]
)
def test_lenient(reply: str, pieces: int, value: Order | None, flag: str) -> None:
    found = lenient(reply, pieces)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found


@pytest.mark.parametrize(
    ("reply", "pieces", "value", "flag"), [case[1:] for case in STRICT], ids=[case[0] for case in STRICT]
)
def test_strict(reply: str, pieces: int, value: Order | None, flag: str) -> None:
    found = strict(reply, pieces)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found


def test_span_points_into_the_whole_text() -> None:
    reply = f"<think>{L4}</think>\nThe order: {L4}."
    for found in (lenient(reply, 4), strict(f"<think>{L4}</think>\n<answer>{L4}</answer>", 4)):
        start, end = found.span or (0, 0)
        assert start > len("<think></think>") + len(L4)
        assert end - start == len(L4)


def test_a_list_has_at_least_one_value() -> None:
    with pytest.raises(ValueError, match="at least one"):
        strict("<answer>[]</answer>", 0)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from([1, 2, 4, 9]))
def test_never_raises_and_the_span_alone_reads_the_same(reply: str, pieces: int) -> None:
    strict(reply, pieces)
    found = lenient(reply, pieces)
    if found.value is None:
        assert found.flags
        return
    assert len(found.value) == pieces
    start, end = found.span or (0, 0)
    assert lenient(reply[start:end], pieces).value == found.value


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(-20, 40), min_size=1, max_size=16),
    st.sampled_from([", ", ",", " ,\n"]),
    st.sampled_from(["<answer>{}</answer>", "<think>[1, 2]</think>\n<answer>{}</answer>", " <answer> {}\n</answer> "]),
)
def test_what_strict_accepts_lenient_reads_the_same(values: list[int], comma: str, frame: str) -> None:
    reply = frame.format("[" + comma.join(map(str, values)) + "]")
    found = strict(reply, len(values))
    assert found.value == tuple(values)
    assert lenient(reply, len(values)).value == found.value


@settings(deadline=None, max_examples=200)
@given(
    st.permutations(range(1, 10)),
    st.sampled_from(["{}", "Answer: {}", "\\boxed{{{}}}", "**{}**", "The order is {}.", "答案：{}。"]),
    st.sampled_from(["flat", "rows", "nested", "lines", "semicolons", "blanks"]),
)
def test_every_way_of_writing_gives_the_same_list(order: list[int], frame: str, way: str) -> None:
    rows = [", ".join(map(str, order[low : low + 3])) for low in (0, 3, 6)]
    written = {
        "flat": "[" + ", ".join(rows) + "]",
        "rows": "],[".join(["[" + rows[0], rows[1], rows[2] + "]"]),
        "nested": "[[" + "], [".join(rows) + "]]",
        "lines": "\n".join(rows),
        "semicolons": "; ".join(rows),
        "blanks": " ".join(map(str, order)),
    }[way]
    assert lenient(frame.format(written), 9).value == tuple(order)


PIECES = [
    "[",
    "{",
    "1,",
    "9",
    "-",
    "<answer>",
    " ",
    "\\boxed{",
    "[1,2,3,4]",
    "1 2 3 4\n",
    "1 2 3 4\n\n",
    "Answer: 1 2 3 4 ",
]
PIECES += [
    "Row 1: ",
    "|--|",
    "|-",
    "Wait, [1,2,3,4] ",
    "1 and ",
    "\\\\",
    "1-",
    "(1),",
    "<answer>1 2</answer>",
    "not 1 2 3 4 or ",
]
PIECES += ["the answer is ", "第一行", "```", "<br ", "\n", "</answer>", "[1,2],[3,4],"]


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (150_000 // len(piece))
    began = time.process_time()
    lenient(reply, 4)
    strict(reply, 4)
    strict(f"<answer>[{reply}]</answer>", 4)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
