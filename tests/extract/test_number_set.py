from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.number_set import Numbers, lenient, strict

LAYOUT = "The pictures have 4 rows and 3 columns, 12 patches (1-12).\n"

# id, reply, value (None: no single list), flag that must be there ("" for none at all)
LENIENT: list[tuple[str, str, Numbers | None, str]] = [
    ("T95", "Image 1 vs image 2: cells 3, 7", (3, 7), ""),
    ("of", "They differ in patches 2 and 6 of 12.", (2, 6), ""),
    ("list", "[2, 6, 7, 11]", (2, 6, 7, 11), ""),
    ("list-order", "[7, 2, 11, 6]", (2, 6, 7, 11), ""),
    ("list-repeated", "[2, 2, 6]", (2, 6), ""),
    ("list-one", "[7]", (7,), ""),
    ("list-empty", "[]", (), ""),
    ("list-blank", "[ ]", (), ""),
    ("list-lines", "[\n  2,\n  6\n]", (2, 6), ""),
    ("list-trailing-comma", "The patches: [2, 6,]", (2, 6), ""),
    ("bare", "2, 6, 7", (2, 6, 7), ""),
    ("bare-one", "7", (7,), ""),
    ("bare-dot", "2, 6, 7.", (2, 6, 7), ""),
    ("bare-and", "2, 6 and 7", (2, 6, 7), ""),
    ("bare-oxford", "2, 6, and 7", (2, 6, 7), ""),
    ("bare-blanks", "2 6 7", (2, 6, 7), ""),
    ("bare-semicolons", "2; 6; 7", (2, 6, 7), ""),
    ("bare-bold", "**2, 6, 7**", (2, 6, 7), ""),
    ("bold-each", "**2**, **6**, **7**", (2, 6, 7), ""),
    ("code", "`[2, 6]`", (2, 6), ""),
    ("braces", "{2, 6, 7}", (2, 6, 7), ""),
    ("braces-latex", "$\\{2, 6, 7\\}$", (2, 6, 7), ""),
    ("parentheses", "The differing patches are (2, 6, 7).", (2, 6, 7), ""),
    ("full-width", "２，６，７", (2, 6, 7), ""),
    ("rows", "2\n6\n7", (2, 6, 7), ""),
    ("rows-bullets", "These differ:\n- 2\n- 6\n- 7", (2, 6, 7), ""),
    ("rows-heading", "Different patches:\n2\n6\n7\n", (2, 6, 7), ""),
    ("json", '{"different_patches": [2, 6]}', (2, 6), ""),
    ("json-fence", '```json\n{"different_patches": [2, 6]}\n```', (2, 6), ""),
    ("json-fence-lines", '```json\n{\n  "different_patches": [\n    2,\n    6\n  ]\n}\n```', (2, 6), ""),
    ("json-fence-no-name", '```\n{"different_patches": [2, 6]}\n```', (2, 6), ""),
    ("json-python", "{'different_patches': [2, 6]}", (2, 6), ""),
    ("json-other-key", '{"answer": [2, 6]}', (2, 6), ""),
    ("json-in-prose", 'The result is {"different_patches": [2, 6]} as asked.', (2, 6), ""),
    ("json-empty", '```json\n{"different_patches": []}\n```', (), ""),
    ("json-after-work", f'{LAYOUT}Patch 2: lamp.\n\n```json\n{{"different_patches": [2, 6]}}\n```', (2, 6), ""),
    ("json-over-prose", 'Patches 1, 2 and 3 look odd.\n{"different_patches": [2, 3]}', (2, 3), ""),
    ("assignment", "different_patches = [2, 6]", (2, 6), ""),
    ("assignment-bare", "different_patches: 2, 6", (2, 6), ""),
    ("patches", "patches 2, 6 and 7", (2, 6, 7), ""),
    ("patches-capital", "Patches 2, 6, and 7", (2, 6, 7), ""),
    ("patches-hash", "patches #2, #6 and #7", (2, 6, 7), ""),
    ("patches-repeated", "patch 2, patch 6 and patch 7", (2, 6, 7), ""),
    ("patches-colon", "Differing patches: 2, 6, 7", (2, 6, 7), ""),
    ("patches-bold", "**Different patches:** 2, 6, 7", (2, 6, 7), ""),
    ("patches-bold-list", "**Different patches:** [2, 6]", (2, 6), ""),
    ("patches-are", "The patches that differ are 2, 6, and 7.", (2, 6, 7), ""),
    ("patches-are-list", "The patches that differ are [2, 6, 7].", (2, 6, 7), ""),
    ("patches-numbered", "Patches numbered 2 and 6 differ.", (2, 6), ""),
    ("patches-with", "The patches with differences are \\( [2, 6] \\).", (2, 6), ""),
    ("indices", "The indices are 2, 6 and 7.", (2, 6, 7), ""),
    ("patch-indices", "Patch indices: [2, 6]", (2, 6), ""),
    ("cells", "cells 3, 7", (3, 7), ""),
    ("tiles", "The tiles 3 and 7 are different.", (3, 7), ""),
    ("regions", "Differences were found in regions 3 and 7.", (3, 7), ""),
    ("squares", "They differ in squares 3 & 7.", (3, 7), ""),
    ("one-patch", "The only difference is in patch 5.", (5,), ""),
    ("one-patch-bare", "patch 5", (5,), ""),
    ("differences-colon", "Differences: 2, 5, 9", (2, 5, 9), ""),
    ("differ-at", "The two pictures differ at 2, 5 and 9.", (2, 5, 9), ""),
    ("grid-named", "In the 4x3 grid the patches 2 and 6 differ.", (2, 6), ""),
    ("layout-first", f"{LAYOUT}Patch 3 differs.", (3,), ""),
    ("layout-rows", "Row 1: [1, 2, 3]\nRow 2: [4, 5, 6]\n\nThe patches that differ are 2 and 5.", (2, 5), ""),
    ("layout-numbered", "Patches are numbered from 1 to 12. Patches 2 and 6 differ.", (2, 6), ""),
    ("layout-n-m", "With n=4 and m=3 there are 12 patches. Patches 2 and 6 differ.", (2, 6), ""),
    ("total-after", "Patches 2 and 6 differ. The total number of patches is 12.", (2, 6), ""),
    ("range", "patches 11-13 and 19", (11, 12, 13, 19), ""),
    ("range-to", "patches 2 to 4 differ", (2, 3, 4), ""),
    ("range-dash", "Patches 7, 11–13 differ.", (7, 11, 12, 13), ""),
    ("answer", "Answer: 2, 6", (2, 6), ""),
    ("answer-one", "Answer: 7", (7,), ""),
    ("answer-is", "The answer is 7, 11 and 12.", (7, 11, 12), ""),
    ("answer-is-list", "The answer is [7, 11].", (7, 11), ""),
    ("answer-is-patches", "The answer is that patches 2 and 6 of 12 differ.", (2, 6), ""),
    ("answer-next-line", "**Answer:**\n\n[2, 6]", (2, 6), ""),
    ("final-over-first", "Answer: [1, 2] at first. Final answer: [2, 6]", (2, 6), ""),
    ("therefore", f"{LAYOUT}Therefore, the patches 2 and 6 differ.", (2, 6), ""),
    ("box", "\\boxed{2, 6}", (2, 6), ""),
    ("box-list", "$\\boxed{[2, 6]}$", (2, 6), ""),
    ("tag", "<answer>[2, 6]</answer>", (2, 6), ""),
    ("tag-bare", "<answer>2, 6</answer>", (2, 6), ""),
    ("tag-prose", "<answer>Patches 2 and 6 of 12</answer>", (2, 6), ""),
    ("tag-case", "<ANSWER>2, 6</ANSWER>", (2, 6), ""),
    ("tag-over-prose", "Patches 1, 2, 3 were compared. <answer>2, 3</answer>", (2, 3), ""),
    ("tag-open", "<answer>[2, 6]", (2, 6), "unclosed_tag"),
    ("tag-empty-list", "<answer>[]</answer>", (), ""),
    ("think", "<think>Maybe [1, 2]?</think>[2, 6]", (2, 6), ""),
    ("think-lone-close", "Maybe [1, 2]?</think>[2, 6]", (2, 6), ""),
    ("lines", "- Patch 2: a lamp\n- Patch 6: a chair", (2, 6), ""),
    ("lines-numbered", "1. Patch 2: a lamp\n2. Patch 6: a chair", (2, 6), ""),
    ("lines-bold", "- **Patch 2**: a lamp is missing\n- **Patch 6**: a chair was added", (2, 6), ""),
    ("lines-mixed", "- Patch 2: a lamp\n- Patch 6: Difference in the chair", (2, 6), ""),
    ("lines-same", "- Patch 1: identical\n- Patch 2: a lamp\n- Patch 3: no difference", (2,), ""),
    ("lines-unchanged", "Patch 1: the same\nPatch 2: changed\nPatch 3: unchanged", (2,), ""),
    ("lines-table", "| Patch | What |\n|---|---|\n| Patch 2 | lamp |\n| Patch 6 | chair |", (2, 6), ""),
    ("lines-table-bare", "| Patch | Difference |\n|---|---|\n| 2 | hat |\n| 7 | cloud |", (2, 7), ""),
    ("lines-things", "1. The hat (patches 2 and 3)\n2. The cloud (patch 7)\n3. The dog (patch 14)", (2, 3, 7, 14), ""),
    ("list-with-notes", "Patches with differences: 2 (hat), 7 (cloud), 14 (tail)", (2, 7, 14), ""),
    (
        "patches-with-notes",
        "I found 3 differences: patch 2 (hat), patch 7 (cloud), and patch 14 (tail).",
        (2, 7, 14),
        "",
    ),
    ("lines-and-list", "- Patch 2: a lamp\n- Patch 6: a chair\n\nDifferent patches: [2, 6]", (2, 6), ""),
    ("lines-and-more", "- Patch 2: a lamp\n- Patch 6: a chair\nIn addition patch 7 differs.", (2, 6, 7), ""),
    ("sentences", "Patch 2 differs in the lamp. Patch 6 differs in the chair.", (2, 6), ""),
    ("sentences-summed", "Patch 2 differs. Patch 6 differs. So patches 2 and 6 differ.", (2, 6), ""),
    ("sentence-same", "Patches 1, 3 and 4 are identical. Patch 2 differs.", (2,), ""),
    ("wait", "[2, 6]. Wait, [2, 7].", (2, 7), ""),
    ("after-checking", "Answer: [2, 6]\nAfter checking, I need to correct this.\nAnswer: [2, 7]", (2, 7), ""),
    ("denied", "Not in patches 3 and 4; the patches that differ are 2 and 6.", (2, 6), ""),
    ("restated", "[2, 6]\n\nSo the answer is [2, 6]", (2, 6), ""),
    ("zh-answer", "答案：2、6、7", (2, 6, 7), ""),
    ("zh-answer-list", "答案是[2，6]。", (2, 6), ""),
    ("zh-ordinals", "第2、6和7块不同", (2, 6, 7), ""),
    ("zh-patches", "图块 2、6、7", (2, 6, 7), ""),
    ("zh-numbered", "不同的图块编号为：2、6、7。", (2, 6, 7), ""),
    ("zh-bold", "不同的图块是 **2**、**6**。", (2, 6), ""),
    ("zh-places", "差异位于：2、6、7。", (2, 6, 7), ""),
    ("zh-several", "左图和右图在第2块、第6块和第7块有差异。", (2, 6, 7), ""),
    ("zh-lines", "不同的图块有：\n- 图块2：帽子\n- 图块7：云", (2, 7), ""),
    ("zh-revised", "答案是[2, 6]。不对，应该是[2, 7]。", (2, 7), ""),
    ("none-said", "There are no differences between the two pictures.", (), "no_difference"),
    ("none-identical", "The two images are identical.", (), "no_difference"),
    ("none-zh", "两张图没有不同。", (), "no_difference"),
    ("none-tag", "<answer>no differences</answer>", (), "no_difference"),
    # no single list
    ("or", "patches 2 or 6", None, "ambiguous"),
    ("or-lists", "[2, 6] or [2, 7]", None, "ambiguous"),
    ("two-lists", "[2, 6]\n[2, 7]", None, "ambiguous"),
    ("two-answers", "Answer: [2, 6]\nAnswer: [2, 7]", None, "ambiguous"),
    ("two-tags", "<answer>2</answer><answer>6</answer>", None, "ambiguous"),
    ("withdrawn", "[2, 6]. Wait, that is wrong.", None, "withdrawn"),
    ("abstained", "I cannot determine it.", None, "abstained"),
    ("abstained-zh", "无法确定", None, "abstained"),
    ("tag-prose-only", "<answer>see above</answer> [2, 6]", None, "no_list"),
    ("empty", "", None, "no_list"),
    ("prose", "The lamp is missing.", None, "no_list"),
    ("sizes", "The grid is 4x3.", None, "no_list"),
    ("sizes-sentence", "There are 12 patches in 4 rows.", None, "no_list"),
    ("decimals", "The share is 2.5.", None, "no_list"),
    ("percent", "They differ by 5%.", None, "no_list"),
    ("same-different", "Patch 1: same\nPatch 2: different\nPatch 3: same\nPatch 6: different", (2, 6), ""),
    ("same-tails", "Patch 1: unchanged\nPatch 2: a lamp\nPatch 3: ✓ same", (2,), ""),
    ("same-zh", "图块1：一致\n图块2：不同\n图块3：相同\n图块5：颜色不同", (2, 5), ""),
    ("same-hat", "Patch 2: same hat, different colour\nPatch 3: same", (2,), ""),
    ("marks-only", "Patch 1: ✓\nPatch 2: ✗", None, "no_list"),
    ("yes-no-only", "Patch 1: yes\nPatch 2: no", None, "no_list"),
    ("zh-two", "图块2和图块6", (2, 6), ""),
    ("zh-two-differ", "图块2和图块6不同", (2, 6), ""),
    ("layout-only", "Patches are numbered from 1 to 12.", None, "no_list"),
    ("think-open", "<think>[2, 6]", None, "unclosed_think"),
    ("cut", "Patch by patch: the first row shows", None, "no_list"),
    ("digits", "[" + "9" * 400 + "]", None, "no_list"),
]

# id, reply, value under `strict`, flag
STRICT: list[tuple[str, str, Numbers | None, str]] = [
    ("list", "[2, 6]", (2, 6), ""),
    ("list-joined", "[2,6]", (2, 6), ""),
    ("list-order", "[6, 2]", (2, 6), ""),
    ("list-empty", "[]", (), ""),
    ("bare", "7, 11, 12", (7, 11, 12), ""),
    ("one", "7", (7,), ""),
    ("around", "\n [2, 6] \n", (2, 6), ""),
    ("json", '{"different_patches": [2, 6]}', (2, 6), ""),
    ("json-fence", '```json\n{\n"different_patches": [2, 6]\n}\n```', (2, 6), ""),
    ("tag", "They differ. <answer>[2, 6]</answer>", (2, 6), ""),
    ("answer-line", "They differ.\nAnswer: 2, 6", (2, 6), ""),
    ("think", "<think>[1]</think>[2, 6]", (2, 6), ""),
    ("zero", "0, 1", (0, 1), ""),
    ("repeated", "2, 2", None, "repeated"),
    ("and", "2 and 6", None, "format"),
    ("blanks", "2 6", None, "format"),
    ("prose", "patches 2, 6", None, "format"),
    ("json-two-keys", '{"a": [1], "b": [2]}', None, "format"),
    ("json-prose", 'Here: {"different_patches": [2, 6]}', None, "format"),
    ("leading-zero", "02, 06", None, "format"),
    ("negative", "[-2]", None, "format"),
    ("floats", "[2.0]", None, "format"),
    ("full-width", "２, 6", None, "format"),
    ("two-tags", "<answer>2</answer><answer>2</answer>", None, "format"),
    ("two-answer-lines", "Answer: 2\nAnswer: 2", None, "format"),
    ("tag-case", "<Answer>2</Answer>", None, "format"),
    ("digits", "9" * 10, None, "format"),
    ("empty", "", None, "format"),
]

PIECES = [
    *(
        "[",
        "]",
        "[2, 6]",
        "[]",
        "{",
        "}",
        "(",
        ")",
        "1",
        "2",
        "12",
        ", ",
        " and ",
        " or ",
        "-",
        " to ",
        "\n",
        " ",
        "、",
        "和",
    ),
    *(
        "patches ",
        "Patch 2: ",
        "cells ",
        "differ",
        "no difference",
        "identical",
        "of 12",
        "Row 1: ",
        "第",
        "块",
        "不同",
    ),
    *(
        '{"different_patches": [',
        "```json\n",
        "```",
        "<answer>",
        "</answer>",
        "Answer: ",
        "final answer is ",
        "\\boxed{",
    ),
    *(
        "<think>",
        "</think>",
        ". ",
        "Wait, ",
        "not ",
        "**",
        "答案：",
        "\ud800",
        "\x00",
        "３",
        "1-400",
        "unknown",
        "- ",
        "| ",
    ),
]
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))


@pytest.mark.parametrize(("reply", "value", "flag"), [case[1:] for case in LENIENT], ids=[case[0] for case in LENIENT])
def test_lenient(reply: str, value: Numbers | None, flag: str) -> None:
    found = lenient(reply)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found
    assert value is not None or found.reason


@pytest.mark.parametrize(("reply", "value", "flag"), [case[1:] for case in STRICT], ids=[case[0] for case in STRICT])
def test_strict(reply: str, value: Numbers | None, flag: str) -> None:
    found = strict(reply)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found


def test_span_points_into_the_whole_text() -> None:
    reply = "<think>[1, 2]</think> The differing patches: 2, 6 and 7."
    start, end = lenient(reply).span or (0, 0)
    assert reply[start:end] == "2, 6 and 7"
    reply = "<think>[1, 2]</think> <answer> [2, 6] </answer>"
    start, end = strict(reply).span or (0, 0)
    assert reply[start:end] == "[2, 6]"


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
        assert list(one.value) == sorted(set(one.value))
        start, end = one.span or (-1, -1)
        assert 0 <= start <= end <= len(reply)


@settings(deadline=None, max_examples=200)
@given(
    st.sets(st.integers(1, 64), min_size=2, max_size=12),
    st.sampled_from(
        [
            "[{}]",
            "{}",
            "**{}**",
            "Answer: {}",
            "\\boxed{{{}}}",
            "The patches that differ are {}.",
            "<answer>[{}]</answer>",
            '```json\n{{"different_patches": [{}]}}\n```',
            "答案：{}",
        ]
    ),
)
def test_every_frame_gives_the_same_set(values: set[int], frame: str) -> None:
    ordered = sorted(values)
    assert lenient(frame.format(", ".join(map(str, ordered)))).value == tuple(ordered)


HOSTILE = [
    "[1,",
    "1, ",
    "1\n",
    "1-2 ",
    "[",
    "[]",
    "patch 1\n",
    "patches 1, 2 differ. ",
    "<answer>",
    "{",
    "- patch 1: no\n",
]
HOSTILE += [
    "the answer is 1 ",
    "\\boxed{1}",
    " ",
    "\n",
    "第",
    "1 and ",
    "wait, ",
    "[1] or ",
    '"a": [1] ',
    "no x x differences ",
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (100_000 // len(piece))
    began = time.process_time()
    lenient(reply)
    strict(reply)
    strict(f"<answer>[{reply}]</answer>")
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
