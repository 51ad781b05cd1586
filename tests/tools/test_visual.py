"""The table of visual tools, and what holds for all of them whatever a model writes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from visual_calls import call, noise, plain, same

from beholder.errors import UsageError
from beholder.tools import visual
from beholder.tools.visual import OCR, VISUAL_TOOLS, call_visual, visual_specs
from beholder.tools.visual_bounds import LONGEST_SIDE, MOST_PICTURES, MOST_PIXELS
from beholder.trajectory import CallOutcome

PICTURES = (noise(64, 48), noise(64, 48, seed=1), plain(1, 1), noise(7, 200))
NAMES = [
    "crop", "rotate", "flip", "resize", "adjust", "equalize", "threshold", "edges", "color_mask", "read_pixels",
    "measure", "split_grid", "arrange_tiles", "difference", "draw",
]  # fmt: skip
SOUND: dict[str, dict[str, Any]] = {
    "crop": {"box": [1, 2, 30, 40], "zoom": 2},
    "rotate": {"degrees": 30, "direction": "clockwise"},
    "flip": {"swap": "left_right"},
    "resize": {"factor": 2},
    "adjust": {"gamma": 2},
    "equalize": {},
    "threshold": {},
    "edges": {},
    "color_mask": {"color": "red"},
    "read_pixels": {"points": [[1, 2]]},
    "measure": {"points": [[1, 2], [5, 6]]},
    "split_grid": {"rows": 2, "columns": 2},
    "arrange_tiles": {"rows": 2, "columns": 2, "order": [4, 3, 2, 1]},
    "difference": {},
    "draw": {"lines": [[1, 2, 30, 40]]},
}


def test_the_table_holds_the_tools_by_their_names() -> None:
    assert list(VISUAL_TOOLS) == NAMES == list(SOUND)
    assert [spec.name for spec in visual_specs()] == NAMES
    assert all(spec.description and spec.parameters["type"] == "object" for spec in visual_specs())


def test_every_argument_but_the_plainest_is_described() -> None:
    plain_ones = {"direction", "rows", "columns"}
    for tool in (*VISUAL_TOOLS.values(), OCR):
        for name, part in tool.spec.parameters["properties"].items():
            assert name in plain_ones or "description" in part or name == "color", f"{tool.spec.name}.{name}"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_call_gives_the_same_result_and_leaves_the_pictures_alone(name: str) -> None:
    before = [picture.copy() for picture in PICTURES]
    one, two = call(name, *PICTURES, **SOUND[name]), call(name, *PICTURES, **SOUND[name])
    assert one.outcome is CallOutcome.EXECUTED, one.text
    assert (one.text, one.flags, len(one.pictures)) == (two.text, two.flags, len(two.pictures))
    assert all(map(same, one.pictures, two.pictures))
    assert all(picture.mode == "RGB" for picture in one.pictures)
    assert all(map(same, before, PICTURES))


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_that_there_is_not_is_an_error_that_names_those_there_are(name: str) -> None:
    asked = SOUND[name] | {"image": "image_9"}
    done = call(name, *PICTURES, **asked)
    assert (done.outcome, done.text) == (
        CallOutcome.ERROR,
        "There is no picture 'image_9'. There are image_1 to image_4.",
    )
    assert call(name, plain(), **asked).text.endswith("There is only image_1.")
    assert call(name, **asked).text.endswith("There are no pictures.")


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_that_the_tool_does_not_have_is_malformed(name: str) -> None:
    done = call(name, *PICTURES, **SOUND[name], angle=3)
    assert done.outcome is CallOutcome.MALFORMED
    assert 'unknown field "angle"' in done.text
    assert "Expected a JSON object with" in done.text


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("read_pixels", "measure", "split_grid")])
def test_a_picture_beyond_the_bounds_gives_an_error_not_a_larger_one(name: str) -> None:
    large = plain(5000, 3300)
    whole = {"crop": {"box": [0, 0, 5000, 3300]}, "resize": {"factor": 1}}
    done = call(name, large, large, **(SOUND[name] | whole.get(name, {})))
    assert done.outcome is CallOutcome.ERROR
    assert "at most 4096 pixels a side and 16 million pixels in all can be made" in done.text


def test_mended_arguments_are_flagged_with_what_else_there_is() -> None:
    assert call_visual("equalize", '{}""', PICTURES).flags == ("repaired",)  # T51
    assert call_visual("crop", '```{"box": [-1, 0, 9, 9]}```', PICTURES).flags == ("repaired", "clamped")
    assert call_visual("crop", '```{"box": [0, 0, 0.5, 1]}```', PICTURES).flags == ("repaired", "suspect_units")


def test_a_tool_that_there_is_not_is_told_with_those_there_are() -> None:
    done = call_visual("os.system", "{}", PICTURES)
    assert done.outcome is CallOutcome.UNKNOWN_TOOL
    assert done.text == f"There is no tool 'os.system'. Tools: {', '.join(NAMES)}."


def test_a_missing_extra_is_one_line_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visual, "find_spec", lambda name: None)
    line = "The tool edges needs cv2: pip install 'beholder[tools]'."
    done = call("edges", plain())
    assert (done.outcome, done.text) == (CallOutcome.BROKEN, line)
    with pytest.raises(UsageError) as raised:
        visual_specs()
    assert str(raised.value) == line
    monkeypatch.setattr(visual, "find_spec", lambda name: None if name == "rapidocr" else object())
    assert [spec.name for spec in visual_specs()] == NAMES
    with pytest.raises(UsageError, match=r"The tool ocr needs rapidocr: pip install 'beholder\[ocr\]'"):
        visual_specs(ocr=True)


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.integers()
    | st.floats()
    | st.sampled_from(["pixels", "fraction", "image_1", "image_3", "red", "clockwise", "left_right"])
    | st.text(max_size=8)
)
anything = st.recursive(leaves, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner))


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit the schema, mostly near its bounds and near the pictures' sizes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "array":
        return st.lists(
            fitting(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 9)
        )
    low, high = schema.get("minimum", -20), schema.get("maximum", 250)
    if schema["type"] == "integer":
        return st.integers(low, high) | st.integers(low, min(high, low + 4))
    if schema["type"] == "number":
        wide = st.floats(low, low + 1) if "minimum" in schema else st.floats(-1e308, 1e308)
        return st.integers(1, min(high, 64)) | st.floats(low, high) | wide
    return st.sampled_from(["image_1", "image_2", "image_3", "image_4", "red", "#123456"])


def arguments_for(name: str) -> st.SearchStrategy[dict[str, Any]]:
    schema = VISUAL_TOOLS[name].spec.parameters
    parts = {key: fitting(part) for key, part in schema["properties"].items()}
    needed = {key: parts.pop(key) for key in schema["required"]}
    return st.fixed_dictionaries(needed, optional=parts)


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_whatever_fits_the_schema_is_carried_out_within_bounds_or_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    arguments = data.draw(arguments_for(name))
    done = call(name, *PICTURES, **arguments)
    assert done.outcome in (CallOutcome.EXECUTED, CallOutcome.ERROR), done.text
    check_bounds(done)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.sampled_from(NAMES), st.data())
def test_whatever_is_written_never_raises(name: str, data: st.DataObject) -> None:
    keys = st.sampled_from(sorted(VISUAL_TOOLS[name].spec.parameters["properties"])) | st.text(max_size=6)
    written = data.draw(st.dictionaries(keys, anything, max_size=5) | anything)
    check_bounds(
        call_visual(name, json.dumps(SOUND[name] | written if isinstance(written, dict) else written), PICTURES)
    )


def check_bounds(done: visual.ToolResult) -> None:
    assert done.text
    assert len(done.text) < 8000
    assert len(done.pictures) <= MOST_PICTURES
    assert sum(picture.width * picture.height for picture in done.pictures) <= MOST_PIXELS
    assert all(max(picture.size) <= LONGEST_SIDE for picture in done.pictures)
    assert not done.pictures or done.outcome is CallOutcome.EXECUTED
    msgspec.json.encode((done.text, done.flags))  # what is journaled
