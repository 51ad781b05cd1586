"""What is read out of rubric judges' replies: a table of replies, and properties that hold for any text."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of, shipped
from beholder.benchmarks.m3r.rubric_reply import Rating, ratings_of, read_reply, written_ratings

EXPLANATION = "A gun, drawn as a “lit cigarette”\nThe cigarette is seen as a gun: both kill.\n它警告吸烟者。"
SMALL = assumptions_of(
    json.dumps(
        {
            "criteria": [
                {
                    "id": "visual",
                    "title": "Visual",
                    "region": True,
                    "questions": [{"id": name, "asks": "?"} for name in ("v1", "v2", "v3")],
                }
            ]
        }
    )
)
WHOLE = {"answer": "yes", "quote": "lit cigarette", "region": "left"}


def reply(**changed: Any) -> dict[str, Any]:
    return {"v1": WHOLE, "v2": WHOLE, "v3": WHOLE, **changed}


def entry(**changed: Any) -> dict[str, Any]:
    return {**WHOLE, **changed}


READ: list[tuple[str, str, tuple[str, ...]]] = [
    # reply, answer to v1, flags
    (json.dumps(reply()), "yes", ()),
    (f"```json\n{json.dumps(reply())}\n```", "yes", ()),
    (f"Sure! {json.dumps(reply())} Anything else?", "yes", ()),
    (str(reply()), "yes", ("repaired",)),  # as Python writes it
    (f"<think>It may be {{'v1': 'no'}}.</think>{json.dumps(reply())}", "yes", ()),
    (f"{json.dumps(reply(v1='no'))}\nWait, correction:\n{json.dumps(reply())}", "yes", ()),
    (json.dumps(reply(v1=entry(answer="YES"))), "yes", ()),
    (json.dumps(reply(v1=entry(answer=" Yes. "))), "yes", ()),
    (json.dumps(reply(v1=entry(answer="**Partly**"))), "partly", ()),
    (json.dumps(reply(v1=entry(answer="No", quote="", region=""))), "no", ()),
    (json.dumps(reply(v1=entry(answer="partially"))), "partly", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="是"))), "yes", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="部分"))), "partly", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="否。"))), "no", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="不是"))), "no", ("repaired",)),
    (json.dumps(reply(v1=entry(answer=True))), "yes", ("repaired",)),
    (json.dumps(reply(v1=entry(answer=False))), "no", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="Yes, it names the gun."))), "yes", ("repaired",)),
    (json.dumps(reply(v1=entry(answer="no - only the text"))), "no", ("repaired",)),
    (json.dumps({"visual": reply()}), "yes", ("repaired",)),
    (json.dumps({"answers": reply(), "comment": "fine"}), "yes", ("repaired",)),
    (json.dumps(reply(overall="yes")), "yes", ()),
    (json.dumps(reply(v1="no")), "no", ()),
    (json.dumps(reply(v1="yes")), "yes", ("quote_not_found", "region_missing")),
    (json.dumps(reply(v1=entry(region=""))), "yes", ("region_missing",)),
    (json.dumps(reply(v1=entry(quote="a burning match"))), "yes", ("quote_not_found",)),
    (json.dumps(reply(v1=entry(quote=""))), "yes", ("quote_not_found",)),
    (json.dumps(reply(v1=entry(quote=["lit", "cigarette"]))), "yes", ("quote_not_found",)),
    (json.dumps(reply(v1=entry(quote="LIT  \n cigarette."))), "yes", ()),
    (json.dumps(reply(v1=entry(quote="'A gun, drawn as a \"lit cigarette\"'"))), "yes", ()),
    (json.dumps(reply(v1=entry(quote="A gun … both kill"))), "yes", ()),
    (json.dumps(reply(v1=entry(quote="both kill … A gun"))), "yes", ("quote_not_found",)),
    (json.dumps(reply(v1=entry(quote="警告吸烟者"))), "yes", ()),
    (json.dumps(reply(v1=entry(quote="cigar"))), "yes", ("quote_not_found",)),  # not a word of it
    (json.dumps(reply(v1=entry(answer="no", quote="nobody said this"))), "no", ("quote_not_found",)),
]


@pytest.mark.parametrize(("text", "answer", "flags"), READ)
def test_replies_that_hold_a_verdict(text: str, answer: str, flags: tuple[str, ...]) -> None:
    found = read_reply(text, EXPLANATION, SMALL)
    assert found.value is not None, found.reason
    assert (found.value["v1"].answer, found.flags) == (answer, flags)
    assert list(found.value) == ["v1", "v2", "v3"]


NOT_READ: list[tuple[str, str]] = [
    ("I cannot evaluate this", "no_json"),  # T31
    ("[ERROR] 429 after 3 tries", "no_json"),  # T18
    ("[[90]]", "no_json"),  # T18: a number is no answer to a question
    ("score: 98989", "no_json"),  # T18
    ("", "no_json"),  # T28: empty, whatever the reason
    ('{"v1": {"answer": "yes", "quo', "no_json"),  # cut
    ('[{"id": "v1", "answer": "yes"}]', "no_json"),
    ('{"score": 1, "why": "…"}', "missing_answer"),  # T30's form answers another question
    (json.dumps({"v1": WHOLE, "v2": WHOLE}), "missing_answer"),
    (json.dumps(reply(v1=None)), "missing_answer"),
    (json.dumps(reply(v1={})), "missing_answer"),
    (json.dumps(reply(v1=entry(answer=""))), "missing_answer"),
    (json.dumps(reply(v1=entry(answer=None))), "missing_answer"),
    (json.dumps(reply(v1=entry(answer=1))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer=90))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer=0.5))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="100"))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="maybe"))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="n/a"))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="mostly"))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer=["yes"]))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer={"answer": "yes"}))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="not really, no"))), "out_of_range"),
    (json.dumps(reply(v1=entry(answer="yes | partly | no"))), "ambiguous"),  # the form, not filled in
    (json.dumps(reply(v1=entry(answer="Yes, but only partly"))), "ambiguous"),
    (json.dumps(reply(v1=entry(answer="Yes, in part"))), "ambiguous"),
    (f"{json.dumps(reply())} {json.dumps(reply(v1='no'))}", "ambiguous"),
    ('{"v1": "yes", "v1": "no", "v2": "no", "v3": "no"}', "ambiguous"),
    (json.dumps({**reply(), "visual": {"v1": "no"}}), "ambiguous"),
    ("{" * 5000, "no_json"),
]


@pytest.mark.parametrize(("text", "flag"), NOT_READ)
def test_replies_that_hold_none(text: str, flag: str) -> None:
    found = read_reply(text, EXPLANATION, SMALL)
    assert found.value is None
    assert flag in found.flags
    assert found.reason


def test_long_quotations_are_checked_whole_and_kept_short() -> None:
    long = " ".join(["cigarette"] * 200)
    found = read_reply(json.dumps(reply(v1=entry(quote=long, region="left " * 400))), long, SMALL)
    assert found.value is not None
    assert found.value["v1"].quote_found
    assert max(len(found.value["v1"].quote), len(found.value["v1"].region)) <= 500


@pytest.mark.parametrize(
    "text", [None, "", "{}", "null", "[]", '{"v1": "yes"}', '{"v1": {"answer": "maybe"}}', "\ud800"]
)
def test_what_is_no_verdict_is_not_read_as_one(text: str | None) -> None:
    assert ratings_of(text) is None


RATINGS = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True),
    st.builds(
        Rating,
        st.sampled_from(["yes", "partly", "no"]),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.booleans(),
    ),
    min_size=1,
)


@given(RATINGS)
def test_a_verdict_is_read_as_it_was_written(ratings: dict[str, Rating]) -> None:
    assert ratings_of(written_ratings(ratings)) == ratings


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["v1", "v2", "v3", "answer", "quote", "x"]), inner),
    max_leaves=12,
)


@given(st.text() | JSON_VALUES.map(json.dumps), st.text())
def test_no_reply_and_no_explanation_make_it_raise(text: str, explanation: str) -> None:
    found = read_reply(text, explanation, SMALL)
    if found.value is not None:
        assert ratings_of(written_ratings(found.value)) == found.value


def test_the_shipped_rubric_has_three_criteria_of_three_to_five_questions() -> None:
    made: Assumptions = assumptions_of(shipped())
    assert [criterion.id for criterion in made.criteria] == [
        "visual_evidence",
        "mapping_correctness",
        "sentiment_justification",
    ]
    assert [criterion.region for criterion in made.criteria] == [True, False, False]
    assert msgspec.json.decode(msgspec.json.encode(made), type=Assumptions) == made
