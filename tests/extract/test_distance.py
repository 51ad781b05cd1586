"""Words that keep a writer from saying what follows, and those that only look like it; words of revision."""

from __future__ import annotations

import pytest
from fragments import texts
from hypothesis import given, settings

from beholder.extract.distance import distanced
from beholder.extract.lead import lead
from beholder.extract.revision import revises, revisions

DISTANCED = [
    "There is no evidence that the statement is ",
    "There is no evidence, such as a sign or a flag, that the statement is ",
    "There is no indication that the statement is ",
    "There's nothing in the image to suggest that the statement is ",
    "I don't see anything that would indicate that it is ",
    "Nothing shows that it is ",
    "No evidence supports the claim that it is ",
    "I doubt the statement is ",
    "It's unlikely that the statement is ",
    "It is possible that the answer is ",
    "It is hard to tell whether the statement is ",
    "It would be wrong to say the statement is ",
    "At first glance the statement is ",
    "At first glance, ",
    "Overall Judgment: At first glance, ",
    "Many would say the statement is ",
    "Some viewers may think it is ",
    "Some people believe that ",
    "Critics say the statement is ",
    "One could argue the answer is ",
    "It could be argued that the answer is ",
    "He says it is ",
    "The man claims that the statement is ",
    "The text on the poster says the statement is ",
    "Wikipedia says that ",
    "According to the man, it is ",
    "Contrary to the statement, it is ",
    "Perhaps the statement is ",
    "Perhaps, ",
    "I first thought the answer is ",
    "Overall Judgment: I doubt that ",
    "Overall Judgment: One might say ",
    "I can't tell if the statement is ",
    "One cannot judge whether the answer is ",
    "I was about to answer ",
    "According to his wife, the statement is ",
    "没有证据表明该陈述是",
]

SAID = [
    "There is no doubt that the statement is ",
    "I have no doubt the statement is ",
    "Without a doubt, it is ",
    "There is no evidence of a dog, so the statement is ",
    "Since there is no evidence of a dog, the statement is ",
    "With no sign of a dog, the statement is ",
    "There is no sign of rain. The statement is ",
    "There is no dog in the picture and the statement is ",
    "According to the image, the statement is ",
    "I think the answer is ",
    "I would say the statement is ",
    "I believe that the statement is ",
    "We can say that the statement is ",
    "It can be concluded that the answer is ",
    "One can see that the answer is ",
    "The image suggests that the statement is ",
    "The evidence indicates that the answer is ",
    "There is clear evidence that the statement is ",
    "This supports the claim that the statement is ",
    "Many would say it is good, but the statement is ",
    "At first glance it is fine. However, the statement is ",
    "On second thought, the answer is ",
    "The man says hello to the dog, which shows that the statement is ",
    "The statement says that the earth is flat, which is ",
    "Answer 1 says that the cat is black, so ",
    "Because Answer 2 states that there are three dogs, ",
    "The man seems to think hard; the answer is ",
    "",
]


@pytest.mark.parametrize("before", DISTANCED)
def test_reported_doubted_or_possible(before: str) -> None:
    assert distanced(before.lower(), len(before))


@pytest.mark.parametrize("before", SAID)
def test_the_writers_own_words(before: str) -> None:
    assert not distanced(before.lower(), len(before))


@settings(max_examples=300, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    low = text.lower()
    assert distanced(low, len(low)) in (True, False)
    assert lead(low, len(low)).kind != "revision" or low
    assert all(0 < at <= len(low) for at in revisions(low))


BETWEEN = [
    (". wait, it's ", True),
    ("\ncorrection: ", True),
    (". on second thought, ", True),
    (". sorry, i meant ", True),
    (". hmm, no, ", True),
    ("\nafter checking: ", True),
    (". in fact, ", True),
    (". also, ", False),
    (" and ", False),
    ("\nfinal answer: ", True),
]


@pytest.mark.parametrize("words, expected", BETWEEN)
def test_words_between_two_claims(words: str, expected: bool) -> None:
    low = f"answer: t{words}f"
    assert revises(low, 8, 9, 9 + len(words)) is expected


def test_a_final_answer_does_not_replace_a_final_one() -> None:
    low = "final answer: t\nfinal answer: f"
    assert not revises(low, 14, 15, 30)


@pytest.mark.parametrize(
    "text, count",
    [
        ("Answer: 5. Wait, 6", 1),
        ("People wait 5 minutes.", 0),
        ("Answer: 5. Sorry, 6.", 1),
        ("Answer: 5. Sorry for the long text.", 0),
        ("I meant to count 6.", 0),
        ("5. I meant 6.", 1),
        ("答案是3。更正：4", 1),
    ],
)
def test_words_at_which_numbers_are_cut(text: str, count: int) -> None:
    assert len(revisions(text)) == count
