"""Metaphor annotations: a table of what models write, and properties that hold for any text.

A row's `lenient` is the annotation that a careful reader takes, null for none (without `explanation` only the labels
are compared); `strict` says if the exact form was met, which then gives the same; `flags` must be there.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from beholder.annotation import LABELS, SENTIMENTS, Annotation, Evidence, Explanation, read_written, written
from beholder.extract.metaphor import FLAGS, lenient, strict
from beholder.extract.metaphor_box import read_box
from beholder.extract.metaphor_mending import mended
from beholder.extract.metaphor_tree import kind_before
from beholder.extract.metaphor_words import feeling_word, metaphor_word, role_of, slot_words

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "metaphor.json").read_text("utf-8"))
TASKS = ("joint", *LABELS)


def annotation(told: dict[str, Any] | None) -> Annotation | None:
    return None if told is None else msgspec.convert(told, Annotation)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_table(case: dict[str, Any]) -> None:
    task = case.get("task", "joint")
    found, exact = lenient(case["text"], task), strict(case["text"], task)
    value = found.value
    if value is not None and "explanation" not in (case["lenient"] or {}):
        value = msgspec.structs.replace(value, explanation=UNSET)
    assert value == annotation(case["lenient"]), found
    assert set(case.get("flags", [])) <= set(found.flags), found
    assert (exact.value is not None) is case["strict"], exact
    assert exact.value in (None, found.value)
    assert found.value is not None or (found.reason and found.flags)
    assert exact.value is not None or (exact.reason and exact.flags)


GOOD = '{"metaphor": "yes", "target": "a", "source": "b", "sentiment": "neutral", "explanation": %s}'
STAGES = '{"evidence": %s, "mapping": "m", "sentiment": "s"}'
PIECE = GOOD % (STAGES % '[{"kind": "visual", "text": "t", "box": %s}]')

# what `strict` refuses, and a word of the reason
REFUSED: list[tuple[str, str, str]] = [
    ("joint", GOOD % "null", "no object"),
    ("joint", GOOD % "{}", "keys"),
    ("joint", GOOD % (STAGES % "null"), "list"),
    ("joint", GOOD % (STAGES % '["t"]'), "no object"),
    ("joint", GOOD % (STAGES % '[{"kind": "visual"}]'), "keys"),
    ("joint", GOOD % (STAGES % '[{"kind": "Visual", "text": "t"}]'), "kind"),
    ("joint", GOOD % (STAGES % '[{"kind": "visual", "text": null}]'), "text"),
    ("joint", GOOD % (STAGES % '[{"kind": ["visual"], "text": "t"}]'), "kind"),
    ("joint", PIECE % "[1, 2, 3]", "four numbers"),
    ("joint", PIECE % "[1, 2, 3, true]", "four numbers"),
    ("joint", PIECE % '"0 0 1 1"', "four numbers"),
    ("joint", PIECE % "[0, 0, 1, 1e99]", "too large"),
    ("joint", PIECE % "[0, 0, 1, NaN]", "NaN"),
    ("joint", PIECE % "[0, 0, 1, -Infinity]", "Infinity"),
    ("joint", (PIECE % "null").replace('"a"', '"None"'), "target"),
    ("joint", (PIECE % "null").replace('"b"', '""'), "source"),
    ("joint", (PIECE % "null").replace('"b"', "7"), "source"),
    ("joint", (PIECE % "null").replace('"yes"', "true"), "metaphor"),
    ("joint", (PIECE % "null").replace('"neutral"', '"Neutral"'), "sentiment"),
    ("joint", (PIECE % "null").replace('"a"', '"a", "target": "a"'), "twice"),
    ("joint", (PIECE % "null") + ".", "no JSON"),
    ("joint", f"```python\n{PIECE % 'null'}\n```", "no JSON"),
    ("joint", f"```json\n{PIECE % 'null'}", "no JSON"),
    ("joint", f"[{PIECE % 'null'}]", "no object"),
    ("joint", '{"a": ' * 100_000, "no JSON"),
    ("metaphor", PIECE % "null", "keys"),
    ("metaphor", '{"metaphor": null}', "metaphor"),
    ("sentiment", '{"sentiment": "mixed"}', "sentiment"),
    ("target", '{"target": ["a"]}', "target"),
    ("source", '{"target": "a"}', "keys"),
]


@pytest.mark.parametrize(("task", "reply", "word"), REFUSED, ids=[f"{i}-{row[2]}" for i, row in enumerate(REFUSED)])
def test_strict_says_why_it_refuses(task: str, reply: str, word: str) -> None:
    found = strict(reply, task)
    assert found.value is None
    assert found.flags == ("format",)
    assert word in found.reason


def test_the_good_form_of_the_refusals_is_taken() -> None:
    assert strict(PIECE % "null", "joint").value is not None


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("Yes", True),
        ("TRUE", True),
        ("1", True),
        ("是", True),
        ("有隐喻", True),
        ("Metaphorical", True),
        ("Yes (multimodal metaphor)", True),
        ("Yes, there is no literal gun", True),
        ("No.", False),
        ("false", False),
        ("None", False),
        ("Non-metaphorical", False),
        ("literal", False),
        ("无", False),
        ("不是隐喻", False),
        ("该图不包含隐喻", False),
        ("It is not a metaphor", False),
        ("I don't see a metaphor here", False),
        ("No. Wait, yes.", True),
        ("Yes / No", UNSET),
        ("yes|no", UNSET),
        ("Yes… no, wait", UNSET),
        ("Possibly", UNSET),
        ("", UNSET),
        ("是否", UNSET),
        ("whether this is a metaphor", UNSET),
    ],
)
def test_words_for_yes_and_no(written_as: str, value: object) -> None:
    assert metaphor_word(written_as) is value


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("Positive", "positive"),
        ("**NEGATIVE**", "negative"),
        ("中性", "neutral"),
        ("积极情感", "positive"),
        ("slightly negative", "negative"),
        ("Negative (fear)", "negative"),
        ("Negative. The slogan alone would be positive.", "negative"),
        ("Mixed", UNSET),
        ("mixed (mostly negative)", UNSET),
        ("positive and negative", UNSET),
        ("positive to neutral", UNSET),
        ("non-negative", UNSET),
        ("不积极", UNSET),
        ("混合，偏消极", UNSET),
        ("sad", UNSET),
        ("-1", UNSET),
    ],
)
def test_words_for_sentiments(written_as: str, value: object) -> None:
    assert feeling_word(written_as) == value


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("smoking", "smoking"),
        ("**Smoking**", "Smoking"),
        ("“吸烟”", "吸烟"),
        ("nothingness", "nothingness"),
        ("None of us", "None of us"),
        ("目标", "目标"),
        ("none", None),
        ("N/A", None),
        ("None (no metaphor)", None),
        ("无", None),
        ("无隐喻", None),
        ("-", None),
        ("\u200b", None),
        ("...", UNSET),
        ("<target>", UNSET),
        ("unknown", UNSET),
        ("无法确定", UNSET),
    ],
)
def test_words_of_slots(written_as: str, value: object) -> None:
    assert slot_words(written_as) == value


def test_names_of_fields() -> None:
    same = {"isMetaphor": "metaphor", "TARGET_DOMAIN": "target", "2. 源域": "source", "Overall Sentiment": "sentiment"}
    same |= {"Stage 1: Evidence": "evidence", "step_3_sentiment": "why", "visual-evidence": "visual", "targets": ""}
    assert {name: role_of(name) for name in same} == same
    assert role_of("target" * 1000) == ""


def test_boxes_stay_as_they_are_written() -> None:
    assert read_box({"left": 5, "top": 6, "right": 2, "bottom": -1}) == ((5.0, 6.0, 2.0, -1.0), ("box_not_share",))
    assert read_box("<box>(0.1, 0.2), (0.3, 0.4)</box>") == (None, ("box_unread",))
    assert read_box("(0.1, 0.2, 0.3, 0.4)") == ((0.1, 0.2, 0.3, 0.4), ("repaired",))
    assert read_box("N/A") == (None, ())


def test_the_kind_before_a_piece() -> None:
    assert kind_before("(Image): a gun") == ("visual", "a gun")
    assert kind_before("- 文本：每一支") == ("textual", "每一支")
    for text in ("a gun (visual)", "(left) a gun", "gun: black", "[Visual", "(" * 5000):
        assert kind_before(text) == ("", text)


def test_mending_keeps_what_is_complete() -> None:
    found = mended('Sure: {"a": "b", "c": [{"d": "e", "f": "g"}, {"d": "x')
    assert found is not None
    assert found.value == {"a": "b", "c": [{"d": "e", "f": "g"}]}
    assert found.cut
    assert mended('{"a": 1]') is None
    assert mended('{"a":' * 100) is None


PHRASES = st.text(st.characters(codec="utf-8", exclude_characters="<◁[`"), min_size=1, max_size=20)
SLOTS = st.none() | PHRASES.filter(lambda text: isinstance(slot_words(text), str))
BOXES = st.none() | st.tuples(*[st.floats(-2, 1000, allow_nan=False)] * 4)
ANNOTATIONS = st.builds(
    Annotation,
    metaphor=st.booleans(),
    target=SLOTS,
    source=SLOTS,
    sentiment=st.sampled_from(SENTIMENTS),
    explanation=st.builds(
        Explanation,
        evidence=st.lists(
            st.builds(Evidence, kind=st.sampled_from(["visual", "textual"]), text=PHRASES, box=BOXES), max_size=3
        ).map(tuple),
        mapping=PHRASES,
        sentiment=PHRASES,
    ),
)


def canonical(said: Annotation, task: str, *, ascii_only: bool) -> str:
    """The answer in the form that is asked for."""
    told = json.loads(written(said))
    told |= {"metaphor": "yes" if said.metaphor else "no", "target": said.target, "source": said.source}
    told["explanation"] = {"evidence": [], "mapping": "", "sentiment": ""} | told.get("explanation", {})
    return json.dumps(told if task == "joint" else {task: told[task]}, ensure_ascii=ascii_only)


@settings(max_examples=100, deadline=None)
@given(
    ANNOTATIONS,
    st.sampled_from(TASKS),
    st.booleans(),
    st.sampled_from(["%s", "```json\n%s\n```", "<think>x</think>%s"]),
)
def test_what_was_asked_for_reads_back(said: Annotation, task: str, ascii_only: bool, frame: str) -> None:
    reply = frame.replace("%s", canonical(said, task, ascii_only=ascii_only))
    wanted = said if task == "joint" else Annotation(**{task: getattr(said, task)})
    assert strict(reply, task).value == wanted
    assert lenient(reply, task).value == wanted


@settings(max_examples=100, deadline=None)
@given(ANNOTATIONS)
def test_a_lead_in_changes_no_label(said: Annotation) -> None:
    """Not by the strict way: `Sure!` stands before it."""
    found = lenient("Sure! " + canonical(said, "joint", ascii_only=False), "joint").value
    assert found is not None
    assert (found.metaphor, found.sentiment) == (said.metaphor, said.sentiment)
    for told, slot in ((found.target, said.target), (found.source, said.source)):
        assert told == (slot_words(slot) if isinstance(slot, str) else None)


PIECES = st.sampled_from(
    [
        *(
            '{"metaphor": ',
            '"yes"',
            '"no"',
            '", "target": "',
            "smoking",
            '{"',
            '"}',
            "}",
            "[0.1, 2, 3, 4]",
            "null",
            '"box": ',
        ),
        *(
            "Metaphor: ",
            "Yes",
            "No",
            "\nTarget: ",
            "\nSource: ",
            "Sentiment: ",
            "negative",
            "mixed",
            "Evidence:\n- ",
            "| ",
        ),
        *(
            "目标域：",
            "是否包含隐喻：",
            "情感为",
            "消极",
            "the target is ",
            "this is not a metaphor. ",
            "Wait, ",
            "```json\n",
        ),
        *(
            '"explanation": {',
            "Mapping: ",
            "m=Yes, ",
            "(yes, a, b, neutral)",
            "<target>a</target>",
            "\\boxed{",
            "x1",
            "“",
        ),
    ]
)
WRITTEN = st.lists(PIECES | texts, max_size=14).map("".join)


@settings(max_examples=150, deadline=None)
@given(WRITTEN, st.sampled_from((*TASKS, "annotate")))
def test_any_text(text: str, task: str) -> None:
    exact, found = strict(text, task), lenient(text, task)
    if exact.value is not None:
        assert found.value == exact.value
    for one in (exact, found):
        assert set(one.flags) <= set(FLAGS)
        if one.value is None:
            assert one.reason
            assert one.flags
            continue
        assert one.span is not None
        assert 0 <= one.span[0] <= one.span[1] <= len(text)
        assert read_written(written(one.value)) == one.value
        assert one.value.sentiment in (UNSET, *SENTIMENTS)
        if task in LABELS:
            assert one.value == Annotation(**{task: getattr(one.value, task)})
    assert lenient(text, task) == found


MINE = [
    *(
        "{",
        '{"',
        '{"a":',
        "[0.1,",
        '{"metaphor":"yes"} ',
        '```json\n{"metaphor":"yes"}\n```\n',
        '"x" ',
        '{"a": "b" c" d",',
    ),
    *(
        "metaphor",
        "metaphor: yes, ",
        "target: x / ",
        "the target is a, ",
        "目标域是",
        "不包含隐喻",
        "is a metaphor? ",
        "not a ",
    ),
    *(
        "conveys a ",
        "sentiment of the ",
        "m=yes,",
        "| ",
        "visual: a [0.1,0.2,0.3,0.4]\n",
        "wait, not a metaphor. ",
        "stage 1 ",
    ),
    *(",", "：", "\\boxed{", "<target>", "“", "don't see a ", "explanation:\n"),
    *(
        '{"a": //',
        "| target | source |\n",
        "| a ",
        '{"metaphor":"yes"},',
        "stage 1: - (visual) ",
        "smoking -> ",
        "<answer>x</answer>",
        "!?",
        "mapping:\n- source: a\n",
    ),
]


MARKS = [piece for piece in HOSTILE if "<" in piece or not any(char.isalpha() for char in piece)]
"""Of the pieces that all readers must stand, those that this one has patterns for."""


@pytest.mark.slow
@pytest.mark.parametrize("piece", list(dict.fromkeys([*MINE, *MARKS])), ids=repr)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    began = time.process_time()
    for task in ("joint", "target"):
        strict(text, task)
        lenient(text, task)
    assert time.process_time() - began < 8  # the slowest takes one second; what grows with the square, far more than 8
