"""Scripts made of the solvers' sources stand on their own, say the same each time, and mean what the sources mean."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from beholder.synth.programs.inline import script
from beholder.synth.solvers import symbolic

# entries, names that must be in the script, names that must not
SCRIPTS = [
    (("jigsaw.arrange",), {"arrange", "_moves", "_STARTS_IMPROVED"}, {"solve", "glance"}),
    (("symbolic.count_corners",), {"count_corners", "GaveUp", "paper_of"}, {"count_segments", "find_circles"}),
    (("instrument_dials.read_clock",), {"Dial", "find_face", "CUTS"}, {"read_pointer"}),
    (("instrument_strips.read_ruler",), {"Row", "best_row"}, {"read_thermometer"}),
    (("color._of", "color.share"), {"NAMED", "share"}, {"count_patches"}),
    (("visual_search.find",), {"find", "CORNERS"}, {"typeface", "_letter"}),
]


@pytest.mark.parametrize("entries, inside, outside", SCRIPTS)
def test_a_script_has_what_its_entries_need(entries: tuple[str, ...], inside: set[str], outside: set[str]) -> None:
    text = script(*entries)
    variables: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, "script", "exec"), variables)
    assert inside <= set(variables)
    assert not outside & set(variables)
    assert "beholder" not in text
    script.cache_clear()
    assert script(*entries) == text


def test_annotations_go_and_comments_and_docstrings_stay() -> None:
    text = script("symbolic.count_segments", "instrument_marks.peaks")
    assert "def count_segments(picture):\n" in text
    assert "def peaks(signal, cut, reach, *, around):\n" in text
    assert '"""Half the number of free ends' in text
    assert not any(isinstance(node, ast.AnnAssign) for node in ast.walk(ast.parse(text)))


def test_fields_of_a_record_keep_an_annotation() -> None:
    variables: dict[str, object] = {"__name__": "__main__"}
    exec(script("instrument_marks.straight_row"), variables)
    assert variables["Row"]._fields == ("places", "numbers", "off")  # type: ignore[attr-defined]


def test_a_script_counts_what_its_source_counts() -> None:
    picture = np.full((300, 300, 3), 255, np.uint8)
    picture[60:64, 40:200] = picture[120:124, 60:220] = picture[200:204, 50:260] = 20
    variables: dict[str, object] = {"__name__": "__main__"}
    exec(script("symbolic.count_segments"), variables)
    assert variables["count_segments"](picture) == symbolic.count_segments(picture) == 3  # type: ignore[operator]


def test_what_is_left_out_is_left_out_everywhere() -> None:
    text = script("math.Seen", without=frozenset({"lettered_points"}))
    assert "def lettered_points" not in text
    assert "typeface" not in text


@pytest.mark.parametrize("entry", ["jigsaw.nothing", "nowhere.solve"])
def test_what_does_not_exist_is_refused(entry: str) -> None:
    with pytest.raises((ValueError, ModuleNotFoundError)):
        script(entry)


def test_two_meanings_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="means two things"):
        script("visual_search.find", "refcoco.find")
