"""A hub on loopback that speaks what `huggingface_hub` asks of a data set, and fails as it is told to."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import parquet

from made_runs import jpeg

COMMIT, LATER = "a" * 40, "b" * 40
_ERRORS = {"RepoNotFound": 401, "GatedRepo": 403, "RevisionNotFound": 404, "EntryNotFound": 404}


class FakeHub:
    """Commits of one data set: `commits[COMMIT]` are its files by name, and `main` is the commit of that branch.

    Large files (LFS) are those named in `large`. `fault` is an error code that every answer has; `status` one without
    such a code. `cut` breaks off each answer with a file after so many bytes, then answers 500 to the next request.
    `instead` is sent in place of the true bytes. `asked` lists (path, Range header, Authorization header).
    """

    def __init__(self, repository: str, files: dict[str, bytes], licence: str = "apache-2.0") -> None:
        self.repository, self.licence = repository, licence
        self.commits = {COMMIT: dict(files)}
        self.main = COMMIT
        self.large = {name for name in files if not name.endswith(".json")}
        self.fault, self.status, self.cut = "", 0, 0
        self.instead: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.broken = False
        self.url = ""

    def files_asked(self) -> list[tuple[str, str]]:
        """(name, Range header) of the files that were asked for, in order."""
        return [
            (path.partition("/resolve/")[2].partition("/")[2], span)
            for path, span, _ in self.asked
            if "/resolve/" in path
        ]

    def listing(self, commit: str) -> dict[str, Any]:
        return {
            "_id": "0",
            "id": self.repository,
            "sha": commit,
            "cardData": {"license": self.licence},
            "siblings": [self._entry(name, data) for name, data in self.commits[commit].items()],
        }

    def _entry(self, name: str, data: bytes) -> dict[str, Any]:
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        large = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        return {"rfilename": name, "size": len(data), "blobId": blob} | ({"lfs": large} if name in self.large else {})


@contextmanager
def serving(hub: FakeHub) -> Iterator[FakeHub]:
    """The hub at its address `hub.url` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            span = self.headers.get("Range", "")
            hub.asked.append((path, span, self.headers.get("Authorization", "")))
            if hub.fault or hub.status:
                return self.say(hub.status or _ERRORS[hub.fault], b"{}", **({"X-Error-Code": hub.fault}))
            api, files = f"/api/datasets/{hub.repository}", f"/datasets/{hub.repository}/resolve/"
            if path == api or path.startswith(api + "/revision/"):
                commit = path.removeprefix(api).removeprefix("/revision/") or "main"
                commit = hub.main if commit == "main" else commit
                if commit not in hub.commits:
                    return self.say(404, b"{}", **{"X-Error-Code": "RevisionNotFound"})
                return self.say(200, json.dumps(hub.listing(commit)).encode())
            if path.startswith(files):
                commit, _, name = path.removeprefix(files).partition("/")
                return self.send_file(hub.instead.get(name, hub.commits[commit][name]), span)
            return self.say(404, b"{}", **{"X-Error-Code": "RepoNotFound"})

        def send_file(self, data: bytes, span: str) -> None:
            if hub.broken:
                self.say(500, b"")
                return
            first = int(span.removeprefix("bytes=").rstrip("-")) if span else 0
            body = data[first:]
            self.send_response(206 if span else 200)
            self.send_header("Content-Length", str(len(body)))
            if span:
                self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            hub.broken = bool(hub.cut)
            self.wfile.write(body[: hub.cut or None])
            if hub.broken:
                self.close_connection = True

        def say(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def shard(rows: Sequence[dict[str, Any]]) -> bytes:
    """Rows as a Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows)), sink)
    return sink.getvalue()


def tfq_row(number: int, image: int | None = None, **more: Any) -> dict[str, Any]:
    """A statement as TFQ-Bench publishes it; ten in a row share a picture."""
    picture = {"bytes": jpeg(number // 10 if image is None else image), "path": None}
    return {"images": [picture], "problem": f"<image>Statement {number}.", "answer": "TF"[number % 2], **more}


def tfq_lite(records: int = 492) -> dict[str, bytes]:
    """TFQ-Bench-Lite in its published layout, as two shards, with a card beside them."""
    rows = [tfq_row(number) for number in range(records)]
    half = records // 2
    return {
        "README.md": b"# TFQ-Bench-Lite\n",
        "data/test-00000-of-00002.parquet": shard(rows[:half]),
        "data/test-00001-of-00002.parquet": shard(rows[half:]),
    }


def vlrb_row(number: int, **more: Any) -> dict[str, Any]:
    """A comparison as VL-RewardBench publishes it."""
    return {
        "id": f"RLHF-V-{number}",
        "query": f"What is shown in picture {number}?",
        "response": [f"A cup, {number}.", f"A car, {number}."],
        "human_ranking": [0, 1] if number % 2 else [1, 0],
        "image": {"bytes": jpeg(number), "path": f"{number}.jpg"},
        **more,
    }


def archive(members: dict[str, bytes]) -> bytes:
    """A ZIP archive."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return sink.getvalue()


def write_all(folder: Path, files: dict[str, bytes]) -> Path:
    """The files in a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
