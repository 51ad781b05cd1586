"""The logs of other tools that lie beside these tests, the data they are about, and hostile ones made on the spot."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import made_tir
from made_runs import tfq_data

LOGS = Path(__file__).parent / "logs"
EVAL = LOGS / "inspect" / "lamps.eval"
JSON = LOGS / "inspect" / "lamps.json"
LMMS = LOGS / "lmms_eval" / "20261201_074834_samples_lamps.jsonl"
TSV = LOGS / "vlmevalkit" / "test-model_lamps.tsv"
XLSX = LOGS / "vlmevalkit" / "test-model_lamps.xlsx"
EVALSCOPE = LOGS / "evalscope" / "reviews" / "test-model" / "tir_bench_maze.jsonl"

LAMP_ANSWERS = [
    "<think>The lamp is lit in a dark room.</think><answer>T</answer>",
    "<think>Nothing says so.</think><answer>F</answer>",
    "True",
    "Answer: F",
    "<think>The lamp could stand for hope, or for",
    "",
    "<think>It is only a lamp.</think><answer>F</answer>",
    None,
    "The lamp stands for hope, so **T**.",
    "The statement is false.",
]
"""What the scripted server said about each statement; it refused the one that has None."""
MAZE_ANSWERS = [
    "B",
    "The answer is (B).",
    "\\boxed{B}",
    "Going down twice leads out.",
    "Answer: A",
    "",
    "B or C, I think B",
    "<think>Try each: A is blocked, C is",
    "**B**",
]
"""The same for the mazes, without the refused one, which evalscope leaves out."""


def lamps(folder: Path) -> Path:
    return tfq_data(folder / "lamps", 10, images=2)


def mazes(folder: Path) -> Path:
    return made_tir.mazes(folder / "mazes", 10)


def inspect_sample(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A sample as Inspect logs it, about the statement with that number less one."""
    return {
        "id": number,
        "epoch": 1,
        "input": f"Is this true?\nStatement {number - 1}: the lamp stands for hope.",
        "target": "TF"[(number - 1) % 2],
        "output": {
            "model": "m",
            "choices": [{"message": {"role": "assistant", "content": "<answer>T</answer>"}, "stop_reason": "stop"}],
        },
        "scores": {"match": {"value": "C"}},
        **changes,
    }


def inspect_log(file: Path, samples: Any, **changes: Any) -> Path:
    """A log in Inspect's JSON."""
    spec = {"task": "lamps", "model": "mockllm/model", "dataset": {}, "packages": {"inspect_ai": "0.3.285"}}
    file.write_text(json.dumps({"version": 2, "status": "success", "eval": spec, "samples": samples, **changes}))
    return file


def zipped(file: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file
