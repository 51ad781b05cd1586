"""docs/visual-tools.md says what the tools do: its table names their arguments, its examples are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from visual_calls import RED, plain, with_box

from beholder.tools.visual import OCR, VISUAL_TOOLS, call_visual

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "visual-tools.md").read_text()
EXAMPLES = re.findall(r"^> (\w+) (.*)\n((?:(?!> |```).*\n)+)", PAGE, re.MULTILINE)
PICTURES = [with_box(plain(400, 300), (100, 50, 200, 150), RED), plain(400, 300)]
EVERYWHERE = {"image", "units"}


def answered(name: str, arguments: str) -> str:
    """The outcome, the flags if there are any, and the text."""
    done = call_visual(name, arguments, PICTURES)
    flags = f" ({', '.join(done.flags)})" if done.flags else ""
    return f"{done.outcome.value}{flags}: {done.text}\n"


def test_the_page_has_an_example_of_every_tool() -> None:
    assert {name for name, _, _ in EXAMPLES} == set(VISUAL_TOOLS)
    assert len(EXAMPLES) == len(re.findall(r"^> ", PAGE, re.MULTILINE))


@pytest.mark.parametrize("name, arguments, said", EXAMPLES)
def test_an_example_gives_what_the_page_says(name: str, arguments: str, said: str) -> None:
    assert answered(name, arguments) == said


def test_the_table_names_all_tools_with_their_arguments() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
    named = {name: set(re.findall(r"`(\w+)`", arguments)) for name, arguments in rows}
    tools = VISUAL_TOOLS | {"ocr": OCR}
    assert named == {name: set(tool.spec.parameters["properties"]) - EVERYWHERE for name, tool in tools.items()}
