"""Texts for property tests, put together from the pieces that confuse readers of model output."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = [
    *("<think>", "</think>", "<thinking>", "</reasoning>", "◁think▷"),
    *("◁/think▷", "<answer>", "</answer>", "<ANSWER>"),
    *("</Answer>", "<answer", "T", "F", "A", "B", "C", "AB", "t", "f", "b", "True", "false", "not ", "correct"),
    *("Answer: ", "The answer is ", "the statement is ", "It is "),
    *("Overall Judgment: ", "Answer 1 is better.", "Answer 2"),
    *("Overall Judgment: Answer 1 is better.", "Overall Judgment: Answer 2 is better.", " is better"),
    *("equally good", "tie"),
    *("Wait, ", "After checking, ", "Correction: ", "final answer: ", "if ", "while "),
    *(" or ", " and ", ", ", ". ", "\n", "\n\n"),
    *("**", "*", "`", "_", "#", "$", "\\boxed{", "}", "\\text{", "(", ")"),
    *("[", "]", '"', "“", "”", "'", "’", "|", ":", "："),
    *("答案：", "答案是", "对", "错", "正确", "不", "陈述", "选", "更好"),
    *("答案1", "优于", "Ⓑ", "Ｔ", "𝐁", "①", "İ", "ß", "ﬁ"),
    *("\u200b", "\ufeff", "\x00", "\ud800", "\udfff", "\t"),
    *("\r\n", "\u2028", "🙂", "in clarity", "Accuracy: ", "unknown"),
    *("cannot determine", "no answer", "I'm sorry, but I can't help with that.", "cat"),
    *("dog", "T-shirt", "?", "Therefore, "),
]

texts = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=10).map(" ".join),
    st.text(max_size=60),
)
"""Mostly pieces, sometimes anything; lone surrogates and NULs included."""

HOSTILE = [
    *("<answer>", "</answer>", "<think>", "</think>", "<", "< ", "*", "(", " "),
    *("\n", "\t", '"', "'a ", "\\", "{", "_ ", "|"),
    *("Overall Judgment ", "Overall Judgment: Answer 1 is better."),
    *("overall judgment: answer 1 is better in clarity, "),
    *("wait ", "true ", "T ", "T\n", "T. F. ", "(A) ", "A. x\n"),
    *("A, B; ", "B is ", "not ", "answer is ", "Answer: T\n", "is "),
    *("Answer 1 is better. ", "prefer Answer 1 ", "if Answer 1 is ", "neither ", "a tie, "),
    *("答案", "答案是", "答案: 不 ", "对 "),
    *("the statement is true. wait, the statement is false. ", "I'm sorry, ", "cannot "),
    *('"aaaaaaaaaaaaaaaaaaaa', "\u200b"),
]
"""Pieces that, repeated, make careless patterns take quadratic time."""
