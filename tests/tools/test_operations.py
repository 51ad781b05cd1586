from __future__ import annotations

import gc
import json
import time
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import PIL.Image
import pytest
import scipy.ndimage
from hypothesis import given
from hypothesis import strategies as st

from beholder.sample import ToolCall
from beholder.tools.operations import LONGEST_CODE, UNPARSED, degrees_turned, operations, tree_of


def python(code: str) -> ToolCall:
    return ToolCall("call_1", "python", json.dumps({"code": code}))


# code, its operations in order
CODE: list[tuple[str, tuple[str, ...]]] = [
    ("", ()),
    ("x = 1 + 1", ()),
    ("print(1)", ("print",)),
    ("p = image_1.crop((0, 0, 9, 9)).resize((90, 90))\np.show()", ("crop", "resize", "show")),
    ("print(image_1.crop((0, 0, 9, 9)).size)", ("crop", "print")),
    ("print(1); print(2)", ("print",)),
    ("p = np.array(image_1)[10:90, 20:60]", ("crop",)),
    ("p = np.array(image_1)[:, :, 0]", ()),
    ("p[10:90, 20:60] = 0", ()),
    ("p = a[3:5]", ()),
    ("p = image_1.transpose(Image.FLIP_LEFT_RIGHT)", ("flip",)),
    ("p = image_1.transpose(Image.Transpose.ROTATE_90)", ("rotate",)),
    ("p = a.transpose(1, 0, 2)", ()),
    ("p = image_1.filter(ImageFilter.FIND_EDGES)", ("edges",)),
    ("p = image_1.filter(ImageFilter.GaussianBlur(2))", ("filter",)),
    ("p = list(filter(None, rows))", ()),
    ("p = ImageChops.difference(a, b)", ("difference",)),
    ("p = seen.difference(others)", ()),
    ("p = ImageEnhance.Contrast(image_1).enhance(2)", ("contrast",)),
    ("_, m = cv2.threshold(cv2.cvtColor(p, cv2.COLOR_RGB2GRAY), 80, 255, 0)", ("color", "threshold")),
    ("from scipy.ndimage import rotate as turn\np = turn(a, 30)", ("rotate",)),
    ("def crop(p):\n    return p.rotate(4)\ncrop(image_1)", ("rotate",)),
    ("ImageDraw.Draw(p).rectangle((0, 0, 9, 9))\nplt.plot([1])\nplt.imshow(p)", ("draw", "plot", "show")),
    ("text = pytesseract.image_to_string(p)\nn, m = cv2.connectedComponents(m)", ("ocr", "segment")),
    ("p = np.hstack([a, b])\nn = np.count_nonzero(p)", ("arrange", "measure")),
    ("print('\\d')", ("print",)),
    ("functions[0](3)\n(lambda: 3)()", ()),
    ("print(", (UNPARSED,)),
    ("%matplotlib inline", (UNPARSED,)),
    ("\x00", (UNPARSED,)),
    ("(" * 5000, (UNPARSED,)),
    ("-" * 100_000 + "1", (UNPARSED,)),
    ("x = 1\n" * LONGEST_CODE, (UNPARSED,)),
]


@pytest.mark.parametrize(("code", "wanted"), CODE, ids=[code[:40] or "nothing" for code, _ in CODE])
def test_code(code: str, wanted: tuple[str, ...]) -> None:
    assert operations(python(code)) == wanted


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("crop", '{"box": [0, 0, 9, 9]}', ("crop",)),
        ("crop", "not JSON", ("crop",)),
        ("", "{}", ()),
        ("python", '{"code": 5}', (UNPARSED,)),
        ("python", "print(1)", (UNPARSED,)),
        ("python", "{}", (UNPARSED,)),
        ("python", '"{\\"code\\": \\"print(1)\\"}"', ("print",)),
    ],
)
def test_call(name: str, arguments: str, wanted: tuple[str, ...]) -> None:
    assert operations(ToolCall("call_1", name, arguments)) == wanted


TURNS: list[tuple[ToolCall, tuple[float, ...]]] = [
    (ToolCall("1", "rotate", '{"degrees": 90, "direction": "clockwise"}'), (90,)),
    (ToolCall("1", "rotate", '{"degrees": 90, "direction": "counterclockwise"}'), (270,)),
    (ToolCall("1", "rotate", '{"degrees": 360, "direction": "clockwise"}'), (0,)),
    (ToolCall("1", "rotate", '{"degrees": 90, "direction": "left"}'), ()),
    (ToolCall("1", "rotate", '{"degrees": 90}'), ()),
    (ToolCall("1", "crop", '{"degrees": 90, "direction": "clockwise"}'), ()),
    (python("image_1.rotate(90)"), (270,)),
    (python("image_1.rotate(-30.5, expand=True)"), (30.5,)),
    (python("image_1.rotate(angle=90)"), (270,)),
    (python("image_1.rotate(a)"), ()),
    (python("for a in (90, 180): image_1.rotate(a)"), ()),
    (python("image_1.rotate(90).rotate(180)"), (270, 180)),
    (python("np.rot90(p)"), (270,)),
    (python("np.rot90(p, 3)"), (90,)),
    (python("np.rot90(p, k=2)"), (180,)),
    (python("np.rot90(p, k)"), ()),
    (python("np.rot90(p, 1, (1, 0))"), ()),
    (python("np.rot90(p, axes=(1, 0))"), ()),
    (python("cv2.rotate(p, cv2.ROTATE_90_CLOCKWISE)"), (90,)),
    (python("cv2.rotate(p, cv2.ROTATE_90_COUNTERCLOCKWISE)"), (270,)),
    (python("image_1.transpose(Image.ROTATE_90)"), (270,)),
    (python("image_1.transpose(Image.FLIP_LEFT_RIGHT)"), ()),
    (python("skimage.transform.rotate(p, 90)"), (270,)),
    (python("scipy.ndimage.rotate(p, -90)"), (90,)),
    (python("cv2.getRotationMatrix2D((5, 5), 45, 1.0)"), (315,)),
    (python("image_1.rotate(" + "9" * 400 + ")"), ()),
    (python("image_1.rotate(--90)"), ()),
    (python("image_1.rotate("), ()),
]


@pytest.mark.parametrize(("call", "wanted"), TURNS, ids=[call.arguments[:60] for call, _ in TURNS])
def test_degrees_turned(call: ToolCall, wanted: tuple[float, ...]) -> None:
    assert degrees_turned(call) == wanted


def test_the_libraries_turn_as_the_table_says() -> None:
    """90 means counterclockwise everywhere: what was at the top right is at the top left afterwards."""
    array = np.zeros((8, 8), np.uint8)
    array[0, 7] = 255
    middle = cv2.getRotationMatrix2D((3.5, 3.5), 90, 1.0)
    for turned in (
        np.asarray(PIL.Image.fromarray(array).rotate(90)),
        np.asarray(PIL.Image.fromarray(array).transpose(PIL.Image.Transpose.ROTATE_90)),
        np.rot90(array),
        scipy.ndimage.rotate(array, 90),
        cv2.rotate(array, cv2.ROTATE_90_COUNTERCLOCKWISE),
        cv2.warpAffine(array, middle, (8, 8)),
    ):
        assert turned[0, 0] == turned.max() > 0


@given(st.text())
def test_any_code_is_read(code: str) -> None:
    found = operations(python(code))
    assert len(set(found)) == len(found)
    assert all(0 <= degrees < 360 for degrees in degrees_turned(python(code)))


def test_code_is_parsed_in_several_threads_at_once() -> None:
    """Python 3.11 loses count of the depth of a tree if another thread parses while one is made."""
    lines = [
        f"def f{n}(a):\n    return [[x + (y * {n}) for x in a] for y in a if y != (1, [2, (3,)])]" for n in range(100)
    ]
    call = ToolCall("1", "python", json.dumps({"code": "\n".join(lines)}))

    def let_another_go_on(*_: object) -> None:
        time.sleep(0)

    usual = gc.get_threshold()
    gc.set_threshold(50)
    gc.callbacks.append(let_another_go_on)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(tree is not None for tree in pool.map(lambda _: tree_of(call), range(24)))
    finally:
        gc.callbacks.remove(let_another_go_on)
        gc.set_threshold(*usual)
