"""The tool `python` as the loop sees it: arguments in, text, pictures and an outcome out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import PIL.Image
import pytest

from beholder.sandbox.backends import backend
from beholder.sandbox.launch import Launch, SandboxBroken
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool
from beholder.tools.python_tool import PythonTool, spec_under
from beholder.tools.tool import ToolResult

LIMITS = SandboxLimits(memory=384 << 20, call_seconds=3.0, written_bytes=1_000_000, processes=16)
LOST = "The Python process was ended; the variables of earlier calls are lost."


def results(*calls: str, pictures: Sequence[PIL.Image.Image] = ()) -> list[ToolResult]:
    """What calls bring in one conversation; `calls` are arguments as a model writes them."""

    async def run() -> list[ToolResult]:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            tool = PythonTool(pool)
            found = [await tool.run(arguments, pictures) for arguments in calls]
            await tool.close()
            await tool.close()
        return found

    return asyncio.run(run())


def code(text: str) -> str:
    return json.dumps({"code": text})


CALLS = [
    # (arguments, outcome, text)
    (code("print(1)\n2"), "executed", "1\n2"),
    (code("x = 1"), "executed", "(The code printed nothing and showed no picture.)"),
    (code("image_1.show()"), "executed", ""),
    (code("1 / 0"), "error", "ZeroDivisionError: division by zero"),
    (code("import sys\nsys.exit('bye')"), "error", "SystemExit: bye"),
    (code("import os\nos._exit(3)"), "error", f"The code ended its own Python process (with exit status 3). {LOST}"),
    (code("import ctypes\nctypes.string_at(0)"), "error", f"(by the signal SIGSEGV). {LOST}"),
    (code("print('a')\nwhile True: pass"), "stopped", f"a\nStopped: the code ran for more than 3 seconds. {LOST}"),
    (code("while True: print('x' * 1000)"), "stopped", f"Stopped: the code printed more than 1000000 bytes. {LOST}"),
    (
        code("x = bytearray(4 << 30)"),
        "stopped",
        "Stopped: the code needed more memory than the 384 MiB that there are.",
    ),
    (
        code("import threading, time\nfor _ in range(99): threading.Thread(target=time.sleep, args=(9,)).start()"),
        "stopped",
        "Stopped: the code started more processes and threads than 16.",
    ),
    ('{"code": "print(1)\n2"}', "executed", "1\n2"),  # a raw line break in a string
    ("{}", "malformed", '"code" (string, required)'),
    ("", "malformed", '"code" (string, required)'),
    ("print(1)", "malformed", "not valid JSON"),
    ('{"code": "1", "timeout": 9}', "malformed", "timeout"),
    ('{"code": ["1"]}', "malformed", "code"),
    ('{"code": ""}', "malformed", "code"),
    ('{"code": "1', "malformed", "not valid JSON"),
]


@pytest.mark.parametrize(("arguments", "outcome", "text"), CALLS)
def test_calls(arguments: str, outcome: str, text: str) -> None:
    first, second = results(arguments, code("6 * 7"), pictures=[PIL.Image.new("RGB", (3, 2))])
    assert (first.outcome, first.text[-len(text) :] if outcome != "malformed" else text) == (outcome, text)
    assert text in first.text
    assert second.outcome == "executed"
    assert second.text.endswith("42")
    assert second.text.startswith("[A new Python process was started") == (LOST in first.text)


def test_mended_arguments_are_flagged() -> None:
    assert results('```json\n{"code": "1"}\n```')[0].flags == ("repaired",)


def test_pictures_come_back_as_rgb() -> None:
    [result] = results(
        code("image_1.crop((0, 0, 2, 2)).show()\nimage_1"), pictures=[PIL.Image.new("RGB", (3, 2), "red")]
    )
    assert [(picture.size, picture.mode, picture.getpixel((1, 1))) for picture in result.pictures] == [
        ((2, 2), "RGB", (255, 0, 0)),
        ((3, 2), "RGB", (255, 0, 0)),
    ]
    assert result.text == ""


def test_a_sandbox_that_cannot_be_started_is_our_fault() -> None:
    class Gone:
        name = "bwrap"

        def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
            raise SandboxBroken("no more user namespaces")

    async def run() -> ToolResult:
        pool = SandboxPool(Gone(), LIMITS, spares=0)
        tool = PythonTool(pool)
        result = await tool.run(code("1"), ())
        await tool.close()
        await pool.close()
        return result

    result = asyncio.run(run())
    assert result.outcome == "broken"
    assert result.text == "Python cannot be run: no more user namespaces."


def test_the_model_is_told_the_limits_that_hold() -> None:
    spec = spec_under(SandboxLimits(call_seconds=12.5, pictures=3))
    assert spec.name == "python"
    assert "12.5 seconds and show 3 pictures" in spec.description
    assert spec.parameters["required"] == ["code"]
    assert spec.parameters["properties"]["code"]["type"] == "string"
    assert spec.parameters["additionalProperties"] is False
