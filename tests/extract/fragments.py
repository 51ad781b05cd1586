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
    *("there is no evidence that ", "some may say ", "at first glance, ", "I doubt ", "but ", ", so ", "he says "),
    *("Hmm, no, ", "I meant ", "on second thought, ", "sorry, ", "far from ", "I think ", "A: ", "B: correct\n"),
    *("statement matches ", "is contradicted by ", "I agree with the statement", "better than nothing", "[[1]]"),
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
    *("答案", "答案是", "答案: 不 ", "对 ", "没有证据", "可能"),
    *(
        "no evidence ",
        "no evidence that the statement is true, ",
        "some may say the answer is A ",
        "he says ",
        "perhaps ",
    ),
    *(
        "it is hard to say that ",
        "the statement is ",
        "statement is not supported ",
        "wait, it's F ",
        "sorry, ",
        "i meant ",
    ),
    *(
        "\\boxed{5} or ",
        "A: no. ",
        "A, ",
        "- A\n",
        "the answer is 10 (B) ",
        "\\boxed",
        "answer 1 is correct, ",
        "tie ",
        "neither answer ",
    ),
    *("I think A. ", "hmm, no, ", "as good as answer 1 ", "better "),
    *("the statement is true. wait, the statement is false. ", "I'm sorry, ", "cannot "),
    *('"aaaaaaaaaaaaaaaaaaaa', "\u200b"),
]
"""Pieces that, repeated, make careless patterns take quadratic time."""
