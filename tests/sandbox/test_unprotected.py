"""`--sandbox none`: no sandbox, and it says so; still bounded in time, memory and output."""

from __future__ import annotations

import os
import time

import msgspec
import pytest
from talk import LIMITS, talk

from beholder.sandbox.unprotected import WARNING, Unprotected

CASES = [
    ("1 + 1", "ok", "2\n"),
    ("import numpy, PIL.Image, cv2", "ok", ""),
    ("while True: pass", "time", ""),
    ("x = bytearray(8 << 30)", "memory", "MemoryError"),
    ("while True: print('x' * 100_000)", "output", "xxx"),
    ("import os\nos._exit(4)", "ended", ""),
    ("import beholder.synth", "error", "ModuleNotFoundError"),
]


@pytest.mark.parametrize(("code", "outcome", "said"), CASES)
def test_calls(code: str, outcome: str, said: str) -> None:
    limits = msgspec.structs.replace(LIMITS, call_seconds=3.0)
    answer, after = talk(code, "print(42)", limits=limits, sandbox=Unprotected())
    assert answer.outcome == outcome
    assert said in answer.text
    assert after.text.endswith("42\n")


def test_no_key_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    [answer] = talk("import os\nprint(dict(os.environ))", sandbox=Unprotected())
    assert "s3cret" not in answer.text


def test_children_are_ended_with_a_call_that_takes_too_long_and_no_others() -> None:
    limits = msgspec.structs.replace(LIMITS, call_seconds=1.0)
    code = "import os, time\npid = os.fork()\nif pid: print(pid)\ntime.sleep(99)"
    [answer] = talk(code, limits=limits, sandbox=Unprotected())
    child = int(answer.text)
    until = time.monotonic() + 5
    while os.path.exists(f"/proc/{child}/exe") and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(OSError, match="No such"):
        os.readlink(f"/proc/{child}/exe")


def test_children_of_a_process_that_has_ended_itself_are_ended_too() -> None:
    child = "if pid == 0:\n    os.closerange(0, 99)\n    time.sleep(99)\n"
    code = f"import os, time\npid = os.fork()\n{child}os.write(1, str(pid).encode())\nos._exit(0)"
    [answer] = talk(code, sandbox=Unprotected())
    assert answer.outcome == "ended"
    until = time.monotonic() + 5
    while os.path.exists(f"/proc/{answer.text}/exe") and time.monotonic() < until:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{answer.text}/exe")


def test_its_folder_is_removed() -> None:
    [answer] = talk("import os\nprint(os.getcwd())", sandbox=Unprotected())
    assert "beholder-python-" in answer.text
    assert not os.path.exists(answer.text.strip())


def test_it_says_loudly_what_it_is() -> None:
    assert WARNING.startswith("NO SANDBOX")
