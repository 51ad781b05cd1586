"""The real command, stopped by Ctrl-C, a refused key or a full disk: what is answered stays, and a resume goes on."""

from __future__ import annotations

import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import made_runs
from beholder.store import folder as folders
from made_runs import answer_by_prompt, beholder, committed, number_of, slowly, stored, tfq_data
from scripted_server import Reply, Request, ScriptedServer, completion


def started(server: ScriptedServer, data: Path, runs: Path, *options: object, **more: object) -> subprocess.Popen[str]:
    arguments = ("run", "tfq", "--model", "openai/m", "--base-url", server.url, "--data", data, "--runs-dir", runs)
    return beholder(*arguments, "--max-connections", 4, *options, **more)


def resumed(server: ScriptedServer, runs: Path, *options: object) -> tuple[int, str]:
    process = beholder("resume", "latest", "--runs-dir", runs, *options)
    out, err = process.communicate(timeout=60)
    return process.returncode, out + err


def wait_for_requests(server: ScriptedServer, number: int) -> None:
    deadline = time.monotonic() + 30
    while len(server.requests) < number:
        assert time.monotonic() < deadline, "the command does not ask"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_the_answers_in_flight_and_says_how_to_go_on(number: int, tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 24), tmp_path / "runs"
    with ScriptedServer(slowly(answer_by_prompt, 0.25)) as server:
        process = started(server, data, runs)
        wait_for_requests(server, 6)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130, err
        (folder,) = folders.list_runs(runs)
        assert f"beholder resume {folder}" in (out + err).replace("\n", " ")
        assert "Traceback" not in out + err
        assert len(committed(folder / "run.db")) == len(server.requests) < 24
        assert made_runs.untidy_files(folder) == []
        assert folders.read_info(folder).status == "incomplete"

        asked = len(server.requests)
        code, said = resumed(server, runs)
        assert code == 0, said
        assert len(server.requests) == 24
    assert set(Counter(map(number_of, server.requests)).values()) == {1}
    assert asked >= 6
    assert [sample.response.failure for sample in stored(folder)] == [None] * 24


def test_a_second_ctrl_c_drops_what_is_in_flight(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 12), tmp_path / "runs"

    def some_hang(request: Request) -> Reply:
        # by the order in which requests come, for two feeders do not keep the order of the items
        return Reply(answer_by_prompt(request).body, first_byte=0.0 if request.number < 4 else 60.0)

    with ScriptedServer(some_hang) as server:
        process = started(server, data, runs)
        wait_for_requests(server, 8)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None, "it should be waiting for the answers in flight"
        second = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - second < 5
    assert process.returncode == 130, err
    assert "Ctrl-C again" in err
    assert "Traceback" not in out + err
    (folder,) = folders.list_runs(runs)
    assert len(committed(folder / "run.db")) == 4
    assert made_runs.untidy_files(folder) == []


def test_ctrl_c_while_a_retry_waits_does_not_wait_for_it(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 4), tmp_path / "runs"
    busy = Reply(b"{}", 429, (("Retry-After", "300"),))
    with ScriptedServer(lambda request: busy) as server:
        process = started(server, data, runs)
        wait_for_requests(server, 4)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130, out + err
    (folder,) = folders.list_runs(runs)
    assert stored(folder) == []


def test_a_refused_key_is_one_line(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 30), tmp_path / "runs"
    refusal = Reply(b'{"error": {"message": "Incorrect API key provided."}}', 401)
    with ScriptedServer(lambda request: refusal) as server:
        process = started(server, data, runs)
        out, err = process.communicate(timeout=30)
        assert len(server.requests) <= 4
    assert process.returncode == 4, out + err
    told = [line for line in (out + err).splitlines() if "Incorrect API key" in line]
    assert len(told) == 1
    assert "Traceback" not in out + err


def limited(size: int) -> Callable[[], None]:
    """Before the command starts: no file may grow beyond so many bytes, as if the disk were full then."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["--cache", "--no-cache"])
def test_a_full_disk_is_one_line_and_the_run_goes_on_later(cache: str, tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 120), tmp_path / "runs"

    def long_answer(request: Request) -> Reply:
        noise = made_runs.jpeg(number_of(request)).hex() * 3
        return Reply(completion(f"<think>{noise}</think><answer>T</answer>"))

    with ScriptedServer(slowly(long_answer, 0.01)) as server:
        process = started(server, data, runs, cache, preexec_fn=limited(250_000))
        out, err = process.communicate(timeout=60)
        assert process.returncode == 2, out + err
        (line,) = [line for line in err.splitlines() if line.startswith("beholder: ")]
        assert "beholder resume" in line
        assert "Traceback" not in out + err
        (folder,) = folders.list_runs(runs)
        before = committed(folder / "run.db")
        assert 0 < len(before) < 120

        asked = len(server.requests)
        code, said = resumed(server, runs)
        assert code == 0, said
        again = len(server.requests) - asked
        assert again <= 120 - len(before)
        assert again == 120 - len(before) or cache == "--cache"
    assert len(committed(folder / "run.db")) == 120
    assert made_runs.untidy_files(folder) == []


def test_no_room_for_the_folder_is_one_line_and_nothing_half_written(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 2), tmp_path / "runs"
    with ScriptedServer() as server:
        process = started(server, data, runs, "--no-cache", preexec_fn=limited(10_000))
        out, err = process.communicate(timeout=30)
        assert server.requests == []
    assert process.returncode == 2, out + err
    assert "Traceback" not in out + err
    (line,) = err.splitlines()
    assert line.startswith("beholder: No run folder can be made")
    assert folders.list_runs(runs) == []
    assert [file for file in runs.rglob("*") if file.name != "data-pins.json"] == []


@pytest.mark.slow
def test_a_second_writer_is_told_in_one_line(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 8), tmp_path / "runs"
    with ScriptedServer(slowly(answer_by_prompt, 2.5)) as server:
        process = started(server, data, runs)
        wait_for_requests(server, 4)
        code, said = resumed(server, runs)
        assert code == 2
        assert "is being written by another process" in said
        assert len([line for line in said.splitlines() if line.startswith("beholder: ")]) == 1
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert len(server.requests) == 8
