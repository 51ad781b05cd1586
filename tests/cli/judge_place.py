"""Where judges are tried: a data set of two metaphors, a model's answers, a folder of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli_data import Beholder

import made_runs
from made_metaphors import m3r_data, said, script, verdict
from scripted_server import Reply, ScriptedServer

GONE = Reply(json.dumps({"error": {"message": "no such model"}}).encode(), status=404)
BUSY = Reply(b"{}", status=503)
NO_SERVER = "http://127.0.0.1:9/v1"


LOOSE = {
    "evidence": [{"kind": "visual", "text": "a cigarette as something else"}],
    "mapping": "The cigarette burns like a bomb.",
    "sentiment": "A bomb means danger, so it is negative.",
}
"""An explanation with about half of the words of the gold one."""


class JudgePlace:
    """A data set of two metaphors, a model's answers (the second has a wrong target), and a folder of runs."""

    def __init__(self, here: Path, beholder: Beholder) -> None:
        self.data = m3r_data(here / "set", 2)
        self.answers = script(here / "answers.json", [said(0), said(1, target="a lit cigarette")])
        self.judge = script(here / "judge.json", [verdict("yes"), verdict("no")])
        self.runs = here / "runs"
        self.beholder = beholder

    def run(self, *more: object) -> list[object]:
        model = f"scripted/{self.answers}"
        return ["run", "m3r", "--model", model, "--data", self.data, "--runs-dir", self.runs, *more]

    @property
    def folder(self) -> Path:
        (folder,) = [entry for entry in self.runs.iterdir() if (entry / "run.json").is_file()]
        return folder

    def info(self) -> Any:
        return json.loads((self.folder / "run.json").read_text())


def at(server: ScriptedServer | str, *more: object, name: str = "openai/a", option: str = "--judge") -> list[object]:
    url = server if isinstance(server, str) else server.url
    return [option, name, f"{option}-base-url", url, *more]


def rubric(found: dict[str, Any], scorer: str = "rubric") -> list[float | None]:
    return [item["scores"][scorer]["value"] for item in found["items"]]


def who(found: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    return [(one["purpose"], one["judge"], one["answered"], one["failed"]) for one in found["judged"]]


def lines(path: Path) -> Path:
    rows = [{"key": f"m{number}", "response": said(number)} for number in range(2)]
    return made_runs.write_lines(path, rows)
