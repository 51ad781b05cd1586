"""Starting the server: where it listens, what it says, what it needs, and how it ends."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from served_projects import made

from beholder.errors import UsageError
from beholder.web.guard import Access
from beholder.web.serve import listening, page_address, serve


def test_addresses_that_cannot_be_used_are_told() -> None:
    with listening("127.0.0.1", 0) as taken, pytest.raises(UsageError, match="--port"):
        listening("127.0.0.1", taken.getsockname()[1])
    for host, port in (("127.0.0.1", 70_000), ("no.such.host.invalid", 0)):
        with pytest.raises(UsageError):
            listening(host, port)


def test_what_is_no_project_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not an annotation project"):
        serve(tmp_path, port=0, say=lambda line: None)


@pytest.mark.parametrize(
    ("host", "names", "asked"),
    [
        ("127.0.0.1", [], False),
        ("127.0.0.1", ["localhost:9000", "[::1]:9000"], False),
        ("127.0.0.1", ["lab.example"], True),
        ("0.0.0.0", [], True),
    ],
)
def test_a_token_is_made_where_others_can_reach_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, names: list[str], asked: bool
) -> None:
    made_for: list[Access] = []
    said: list[str] = []
    monkeypatch.setattr("beholder.web.serve.run", lambda app, access, listener, say: made_for.append(access))
    serve(made(tmp_path / "project"), host=host, port=0, allow_hosts=names, say=said.append)
    (access,) = made_for
    assert bool(access.token) == asked
    assert ("Who has this address can read" in " ".join(said)) == asked
    if asked:
        assert len(access.token) >= 32
        assert said[0].endswith(f"/?token={access.token}")


@pytest.mark.parametrize("token", ["a b", "a;b", "a\r\nb", "a&b", "ä", "a%20b"])
def test_a_token_that_no_address_can_hold_is_told(tmp_path: Path, token: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        serve(tmp_path, port=0, token=token, say=lambda line: None)


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("127.0.0.1", "", "http://127.0.0.1:80/"),
        ("::1", "", "http://[::1]:80/"),
        ("lab", "abc", "http://lab:80/?token=abc"),
        ("0.0.0.0", "abc", f"http://{socket.gethostname()}:80/?token=abc"),
    ],
)
def test_the_address_that_is_printed(host: str, token: str, address: str) -> None:
    assert page_address(host, 80, token) == address


SERVE = """
import sys
from pathlib import Path
from beholder.web.serve import serve
serve(Path(sys.argv[1]), port=0, say=lambda line: print(line, flush=True))
"""


def test_the_server_says_where_it_is_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVE, str(made(tmp_path / "project"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("4 of 4 items are to be done. Open http://127.0.0.1:")
        port = int(first.rstrip("/\n").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/project")
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        connection.close()
    assert (process.returncode, err) == (0, "")
    assert out.endswith("The server has ended.\n")


WITHOUT = """
import sys
sys.modules["fastapi"] = None
from pathlib import Path
from beholder.errors import UsageError
from beholder.web.serve import serve
try:
    serve(Path("."), port=0)
except UsageError as error:
    print(error)
"""


def test_a_missing_extra_is_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "The pages need FastAPI and uvicorn. Install them: pip install 'beholder[web]'\n"


@pytest.mark.parametrize("code", ["import beholder.web", "import beholder.web.serve, beholder.web.guard"])
def test_nothing_heavy_is_loaded_before_a_page_is_served(code: str) -> None:
    program = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert not set(done.stdout.split()) & {"fastapi", "uvicorn", "pydantic", "numpy", "PIL", "sqlite3", "asyncio"}
