"""The tool that reads text, with a reader that says what it is told to; and with the real one where it is installed."""

from __future__ import annotations

import types
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from PIL import ImageDraw, ImageFont
from visual_calls import call, noise, plain

from beholder.tools import reading, visual
from beholder.trajectory import CallOutcome


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what the reader finds; the pixels that it was given are in `seen`."""
    reader = types.SimpleNamespace(lines=[], seen=[])

    def found(pixels: Any) -> Any:
        reader.seen.append(pixels)
        corners, texts, sure = zip(*reader.lines, strict=True) if reader.lines else (None, None, None)
        boxes = None if corners is None else np.array(corners, dtype=np.float32)
        return types.SimpleNamespace(boxes=boxes, txts=texts, scores=sure)

    monkeypatch.setattr(reading, "_reader", lambda: found)
    monkeypatch.setattr(visual, "find_spec", lambda name: object())
    return reader


CORNERS = [[1, 2], [21, 2], [21, 9], [1, 9]]


def test_lines_are_told_with_their_places_in_the_picture(read: Any) -> None:
    read.lines = [(CORNERS, "STOP", 0.987), (CORNERS, "GO", 0.5)]
    done = call("ocr", noise(100, 80), box=[10, 20, 60, 70])
    assert done.text.splitlines() == [
        "Text found in [10, 20, 60, 70] of image_1 (100x80 pixels), 2 lines:",
        "[11, 22, 31, 29] 0.99 STOP",
        "[11, 22, 31, 29] 0.50 GO",
    ]
    assert done.pictures == ()
    assert np.array_equal(read.seen[0][..., ::-1], np.asarray(noise(100, 80))[20:70, 10:60])


def test_no_text_is_no_error(read: Any) -> None:
    done = call("ocr", noise(100, 80))
    assert (done.outcome, done.text) == (
        CallOutcome.EXECUTED,
        "No text was found in [0, 0, 100, 80] of image_1 (100x80 pixels).",
    )


def test_what_is_told_is_bounded(read: Any) -> None:
    read.lines = [(CORNERS, "a" * 5000, 1.0)] * 203
    lines = call("ocr", noise(100, 80)).text.splitlines()
    assert len(lines) == 202
    assert max(map(len, lines)) < 550
    assert lines[-1] == "(3 more lines are left out; read a smaller box.)"


def test_a_box_is_clamped_and_doubted_as_elsewhere(read: Any) -> None:
    assert call("ocr", plain(), box=[-5, 0, 20, 20]).flags == ("clamped",)
    assert call("ocr", plain(), box=[0, 0, 0.5, 0.5]).flags == ("suspect_units",)
    assert "at most 4096 pixels a side" in call("ocr", plain(5000, 10)).text


@pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra ocr")
def test_the_real_reader_reads() -> None:
    picture = plain(400, 120)
    ImageDraw.Draw(picture).text((120, 30), "Hello 42", fill="black", font=ImageFont.load_default(40))
    done = call("ocr", picture)
    head, line = done.text.splitlines()
    left, top, right, bottom = (int(side) for side in line[1 : line.index("]")].split(","))
    assert head == "Text found in [0, 0, 400, 120] of image_1 (400x120 pixels), 1 line:"
    assert line.endswith("Hello 42")
    assert 100 <= left < right <= 320
    assert 15 <= top < bottom <= 100
    assert call("ocr", plain(400, 120)).text.startswith("No text was found")
