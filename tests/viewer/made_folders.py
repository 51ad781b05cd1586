"""Run folders of two small files, for what is read of a run without opening it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIGURE = {"value": 0.5, "n": 8, "failed": 2, "low": 0.2, "high": 0.8, "worst": 0.4, "best": 0.6, "interval": "wilson"}
TALLY = {
    "answered": 8,
    "failed": 1,
    "retryable": 1,
    "unscored": 0,
    "prompt_tokens": 80,
    "completion_tokens": 24,
    "attempts": 10,
    "cached": 0,
    "cut": 0,
}


def info(**changes: Any) -> dict[str, Any]:
    """What run.json holds; `settings` and `plan` are added to, not replaced."""
    settings = {"model": "openai/some-model", "plan": {"n_samples": 10, "votes": 1, "epochs": 2}}
    facts = {
        "format": 1,
        "plan": {"benchmark": "tfq"} | changes.pop("plan", {}),
        "plan_hash": "0",
        "settings": settings | changes.pop("settings", {}),
        "environment": {},
        "created": "2026-01-02T03:04:05+00:00",
        "status": "complete",
    }
    return facts | changes


def results(**changes: Any) -> dict[str, Any]:
    """What results.json holds."""
    figures = {"recipe": {"question": FIGURE}, "lenient": {"question": {**FIGURE, "value": 0.625}}}
    return {"headline": ["recipe", "question"], "metrics": figures, "tally": TALLY, "complete": False} | changes


def made(folder: Path, info: dict[str, Any] | bytes, results: dict[str, Any] | bytes | None = None) -> Path:
    """A run folder of these files."""
    folder.mkdir(parents=True)
    for name, content in (("run.json", info), ("results.json", results)):
        if content is not None:
            (folder / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder
