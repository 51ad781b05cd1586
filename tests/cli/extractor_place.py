"""A data set, a model's answers and a folder of runs, for the tests of `--extractor`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli_data import Beholder

from made_tir import record, script, tir_data
from scripted_server import Reply, ScriptedServer

GONE = Reply(json.dumps({"error": {"message": "no such model"}}).encode(), status=404)
BUSY = Reply(b"{}", status=503)


class Place:
    """A data set of two mazes, a model's answers (the second is wrong), and a folder of runs."""

    def __init__(self, here: Path, beholder: Beholder) -> None:
        self.data = tir_data(here / "set", [record(0), record(1)])
        self.answers = script(here / "answers.json", ["It is B.", "It is A."])
        self.runs = here / "runs"
        self.beholder = beholder

    def run(self, *more: object) -> list[object]:
        model = f"scripted/{self.answers}"
        return ["run", "tir", "--model", model, "--data", self.data, "--runs-dir", self.runs, *more]

    def at(self, server: ScriptedServer | str, *more: object, name: str = "openai/reader") -> list[object]:
        url = server if isinstance(server, str) else server.url
        return ["--extractor", name, "--extractor-base-url", url, *more]

    @property
    def folder(self) -> Path:
        (folder,) = [entry for entry in self.runs.iterdir() if (entry / "run.json").is_file()]
        return folder

    def info(self) -> Any:
        return json.loads((self.folder / "run.json").read_text())


def official(found: dict[str, Any]) -> list[float | None]:
    return [item["scores"]["official"]["value"] for item in found["items"]]
