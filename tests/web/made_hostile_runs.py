"""Run folders as a stranger could send them: a good run, copied and spoilt in one way each."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beholder.store import schema

Spoil = Callable[[Path], None]
DEEP = 100_000


def deep(levels: int = DEEP) -> str:
    """JSON that is nested without end."""
    return "[" * levels + "]" * levels


def bomb(megabytes: int = 600) -> bytes:
    """A packed record that is a thousand times larger once it is unpacked."""
    packer = zlib.compressobj(9)
    return b"".join([*(packer.compress(b" " * (1 << 20)) for _ in range(megabytes)), packer.flush()])


def sql(*statements: str, **values: Any) -> Spoil:
    """Changes the database; what its tables do not allow is not refused by them."""

    def spoil(run: Path) -> None:
        db = sqlite3.connect(run / "run.db", isolation_level=None)
        for statement in statements:
            db.execute(statement, values if ":" in statement else ())
        db.close()

    return spoil


def schema_text(change: str, to: str) -> Spoil:
    """Changes the words of the schema itself."""

    def spoil(run: Path) -> None:
        db = sqlite3.connect(run / "run.db", isolation_level=None)
        db.execute("PRAGMA writable_schema=ON")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)", (change, to))
        db.close()

    return spoil


def file(name: str, content: bytes | Callable[[bytes], bytes]) -> Spoil:
    """Replaces a file of the folder, or changes what is in it."""

    def spoil(run: Path) -> None:
        place = run / name
        place.write_bytes(content if isinstance(content, bytes) else content(place.read_bytes()))

    return spoil


def odd(name: str, kind: str, target: str = "/etc/passwd") -> Spoil:
    """Puts something in the place of a file that is none: `pipe`, `folder`, `link`."""

    def spoil(run: Path) -> None:
        place = run / name
        place.unlink(missing_ok=True)
        if kind == "pipe":
            os.mkfifo(place)
        elif kind == "folder":
            place.mkdir()
        else:
            place.symlink_to(target)

    return spoil


def told(place: str, value: Any, name: str = "run.json") -> Spoil:
    """Puts a value at a dotted place of run.json or results.json; a text that begins with `raw:` goes in as JSON."""

    def spoil(run: Path) -> None:
        facts = json.loads((run / name).read_text())
        *way, last = place.split(".")
        inner = facts
        for step in way:
            inner = inner[step]
        inner[last] = value
        text = json.dumps(facts)
        if isinstance(value, str) and value.startswith("raw:"):
            text = text.replace(json.dumps(value), value[4:])
        (run / name).write_text(text)

    return spoil


def result(place: str, value: Any) -> Spoil:
    return told(place, value, "results.json")


def record(table: str, text: str) -> Spoil:
    return sql(f"UPDATE {table} SET record = :text", text=text)


def in_record(table: str, path: str, value: str) -> Spoil:
    """Puts JSON at a path of every record of a table."""
    return sql(f"UPDATE {table} SET record = json_set(record, '{path}', json(:value))", value=value)


def foreign_schema(run: Path) -> None:
    (run / "run.db").unlink()
    db = sqlite3.connect(run / "run.db")
    db.execute("CREATE TABLE responses (id INTEGER)")
    db.close()


def many_scorers(run: Path) -> None:
    db = sqlite3.connect(run / "run.db", isolation_level=None)
    db.execute("BEGIN")
    db.executemany("INSERT INTO scorers VALUES (?, ?, 'x')", [(100 + n, f"scorer {n}") for n in range(20_000)])
    db.executemany(
        "INSERT INTO scores SELECT id, ?, 1, 'scored', '', 0, 1, '', '', NULL FROM responses",
        [(100 + n,) for n in range(2_000)],
    )
    db.execute("COMMIT")
    db.close()


def many_figures(run: Path) -> None:
    figure = {"value": 0.5, "n": 2, "low": 0.1, "high": 0.9, "note": "x; y" * 50}
    facts = json.loads((run / "results.json").read_text())
    facts["metrics"] = {f"scorer {n}": {f"part/{m}": figure for m in range(300)} for n in range(100)}
    facts["metrics"]["lenient"] = {f"question/{m}": figure for m in range(20_000)}
    (run / "results.json").write_text(json.dumps(facts))


def of_bytes(run: Path) -> None:
    (run / "run.db").write_bytes(bytes(range(256)) * 64)


def flipped(run: Path) -> None:
    data = bytearray((run / "run.db").read_bytes())
    for place in range(4096, len(data), 97):
        data[place] ^= 0x55
    (run / "run.db").write_bytes(bytes(data))


def a_view_in_place(run: Path) -> None:
    sql(
        "ALTER TABLE scores RENAME TO marks2",
        "CREATE VIEW scores AS SELECT * FROM marks2",
    )(run)


def data_that_waits(run: Path) -> None:
    """Whoever opens the data that the plan names waits for ever."""
    os.mkfifo(run / "waits")
    told("settings.plan.data", str(run / "waits"))(run)
    told("settings.plan.images", str(run / "waits"))(run)


PUBLISHED: dict[str, Any] = {"source": 1, "rows": [{"model": [], "all": "x", "tasks": None}], "protocol": None}
BIG = 10**30

DATABASES: dict[str, Spoil] = {
    "bytes": of_bytes,
    "flipped": flipped,
    "empty": file("run.db", b""),
    "truncated": file("run.db", lambda data: data[:9_000]),
    "header only": file("run.db", lambda data: data[:100]),
    "missing": lambda run: (run / "run.db").unlink(),
    "pipe": odd("run.db", "pipe"),
    "folder": odd("run.db", "folder"),
    "link to a device": odd("run.db", "link", "/dev/zero"),
    "link to a file": odd("run.db", "link"),
    "a log of bytes": file("run.db-wal", b"\x37\x7f\x06\x82" + bytes(4_000)),
    "a log that is a folder": odd("run.db-wal", "folder"),
    "foreign schema": foreign_schema,
    "trigger": sql("CREATE TRIGGER t AFTER INSERT ON marks BEGIN DELETE FROM responses; END"),
    "view": sql("CREATE VIEW v AS SELECT load_extension('x')"),
    "view in place": a_view_in_place,
    "index": sql("CREATE INDEX i ON responses (abs(id))"),
    "virtual table": sql("CREATE VIRTUAL TABLE x USING fts5(a)"),
    "not strict": schema_text("STRICT", "/**/"),
    "newer": sql(f"PRAGMA user_version={schema.FORMAT + 1}"),
    "negative version": sql("PRAGMA user_version=-5"),
    "text that is none": sql("UPDATE responses SET text = CAST(x'ff80' AS TEXT), reasoning = CAST(x'c0' AS TEXT)"),
    "records that are none": record("responses", "{"),
    "records that are deep": record("responses", deep()),
    "records that are lists": record("responses", "[1]"),
    "records of odd types": record(
        "responses", '{"usage": 7, "latency": {}, "conduct": [], "order": "x", "images": 3}'
    ),
    "huge amounts": in_record(
        "responses", "$.usage", '{"prompt_tokens": 1000000000000000000000000000000, "completion_tokens": 1e308}'
    ),
    "negative amounts": in_record("responses", "$.latency", "-1e300"),
    "half characters": in_record("responses", "$.served_model", '"\\ud800"'),
    "a conversation that is not there": in_record(
        "responses", "$.conduct", '{"attempt":0,"turns":9,"calls":2,"ended":"x"}'
    ),
    "samples that are none": record("samples", "null"),
    "samples that are deep": record("samples", deep()),
    "samples of odd types": record("samples", '{"key": 3, "index": "x"}'),
    "samples with half characters": in_record(
        "samples", "$.parts", '[{"type":"text","text":"\\ud83d \\u0000 \\ud800"}]'
    ),
    "samples out of bounds": in_record(
        "samples", "$.parts", '[{"type":"image","index":-7},{"type":"image","index":99}]'
    ),
    "samples of long categories": sql(
        "UPDATE samples SET record = json_set(record, '$.category', hex(zeroblob(2000000)) || key)"
    ),
    "samples of files": in_record(
        "samples", "$.images", '[{"name":"x","path":"/etc/passwd"},{"name":"y","path":"sha256:/../../x"}]'
    ),
    "positions that repeat": sql("UPDATE samples SET position = 0"),
    "positions out of bounds": sql("UPDATE samples SET position = 4611686018427387904 - position"),
    "no samples": sql("DELETE FROM samples"),
    "no responses": sql("DELETE FROM responses"),
    "keys that differ": sql("UPDATE responses SET key = key || char(0) || 'x'"),
    "states that are none": sql("UPDATE responses SET state = 99"),
    "epochs without end": sql("UPDATE responses SET epoch = 1000000000, vote = 9223372036854775807"),
    "packed bombs": sql("UPDATE responses SET raw = :raw", raw=bomb()),
    "bombs of requests": sql("INSERT INTO requests VALUES ('x', :raw)", raw=bomb()),
    "long texts": sql("UPDATE responses SET text = hex(zeroblob(3000000)), reasoning = hex(zeroblob(3000000))"),
    "outcomes that are none": sql("UPDATE scores SET outcome = 'excellent'"),
    "owners that are none": sql("UPDATE scores SET owner = 'nobody', outcome = 'failed', value = NULL"),
    "values out of bounds": sql("UPDATE scores SET value = 1e308"),
    "values without end": sql("UPDATE scores SET value = 9e999"),
    "spans out of bounds": sql("UPDATE scores SET span_start = -5, span_end = 9223372036854775807"),
    "reasons without end": sql("UPDATE scores SET reason = hex(zeroblob(400000)), flags = hex(zeroblob(400000))"),
    "scores of nobody": sql("UPDATE scorers SET id = id + 50"),
    "scorers of other names": sql("UPDATE scorers SET name = char(0) || name || char(27) || '[2J'"),
    "many scorers": many_scorers,
    "judges that are none": sql(
        "INSERT INTO judge_calls SELECT id, 'rubric', 'x', 'y', 1, '{', '[', 'nothing' FROM responses"
    ),
    "marks that are odd": sql(
        "INSERT INTO marks SELECT key, -1, 1000000000, NULL, hex(zeroblob(200000)), 'never' FROM responses"
    ),
    "turns that are none": sql("INSERT INTO turns SELECT key, 0, 0, 0, 0, '[]', NULL FROM responses"),
}
"""Ways to spoil run.db."""

INFOS: dict[str, Spoil] = {
    "no json": file("run.json", b"\x00\xff{"),
    "deep": file("run.json", deep().encode()),
    "a list": file("run.json", b"[]"),
    "deep inside": told("settings.x", f"raw:{deep()}"),
    "empty": file("run.json", b""),
    "half of it": file("run.json", lambda data: data[: len(data) // 2]),
    "link": odd("run.json", "link"),
    "newer": told("format", 99),
    "format without end": told("format", BIG),
    "no plan": told("settings.plan", None),
    "plan of odd types": told("settings.plan", {"benchmark": 7}),
    "settings of odd types": told("settings", {"plan": [], "model": {}, "imported": 3}),
    "counts without end": told("settings.plan.n_samples", 10**18),
    "counts too large": told("settings.plan.n_samples", BIG),
    "negative counts": told("settings.plan.n_samples", -5),
    "epochs without end": told("settings.plan.epochs", 10**9),
    "votes without end": told("settings.plan.votes", 10**9),
    "numbers beyond floats": told("settings.plan.sampling.temperature", "raw:1e999"),
    "benchmark of nobody": told("settings.plan.benchmark", "nothing"),
    "benchmark that is a file": told("settings.plan.benchmark", "/tmp/evil.py:BENCHMARK"),
    "benchmark that climbs": told("settings.plan.benchmark", "../../evil"),
    "identity of odd types": told("plan", {"benchmark": {"a": 1}, "prompt_sha256": []}),
    "data that is a pipe": data_that_waits,
    "data that is a secret": told("settings.plan.data", "/etc/passwd"),
    "pictures that climb": told("settings.plan.images", "../../../etc"),
    "a long template": told("settings.plan.template", "x" * 3_000_000),
    "a template with fields": told("settings.plan.template", "{question.__class__} {0} {x!r:>99999999999}"),
    "a long model": told("settings.model", "m" * 2_000_000),
    "a model of odd type": told("settings.model", ["x"]),
    "a model with controls": told("settings.model", "\x1b[2J\u202e<script>\x00\ud800"),
    "status": told("status", "<b>"),
    "created": told("created", "never" * 10_000),
    "created out of bounds": told("created", "9999-99-99T99:99:99+99:99"),
    "judges of odd types": told("settings.judges", [{"purpose": [], "model": 3}, 7]),
    "extractor of odd type": told("settings.extractor", {"model": {}, "template": 5}),
    "assumptions": told("settings.assumptions", "{"),
    "assumptions of odd type": told("settings.assumptions", 3),
    "imported": told("settings.imported", {"peer": 3}),
    "imported long": told(
        "settings.imported", {"peer": "p" * 500_000, "file": "../x", "sha256": "", "model": "", "generation": {"a": 1}}
    ),
    "environment": told("environment", {"packages": 3, "beholder": [], "python": {"x": 1}}),
    "replay": told("settings.plan.replay", {"source": "/", "n_asks": "x"}),
    "tools": told("settings.plan.tools", {"arm": "python", "budget": {"turns": BIG}}),
    "selection": told("settings.plan.selection", {"ids": ["x"] * 100_000, "where": [{"field": "a", "value": "b"}]}),
}
"""Ways to spoil run.json."""

RESULTS: dict[str, Spoil] = {
    "no json": file("results.json", b"\xff"),
    "deep": file("results.json", deep().encode()),
    "deep inside": result("details", f'raw:{{"x": {deep()}}}'),
    "pipe": odd("results.json", "pipe"),
    "folder": odd("results.json", "folder"),
    "link": odd("results.json", "link", "/dev/zero"),
    "metrics of odd types": result("metrics", {"lenient": {"question": {"value": "x", "n": []}}}),
    "counts without end": result("metrics", {"lenient": {"question": {"value": 0.5, "n": BIG, "failed": -BIG}}}),
    "values without end": result("metrics", {"lenient": {"question": {"value": "raw:1e999", "n": 1}}}),
    "values out of bounds": result(
        "metrics", {"lenient": {"question": {"value": 1e308, "n": 1, "low": -1e308, "high": 1e308}}}
    ),
    "not a number": result("metrics", {"lenient": {"question": {"value": "raw:NaN", "n": 1}}}),
    "many figures": many_figures,
    "long names": result("metrics", {"lenient": {"q" * 1_000_000: {"value": 0.5, "n": 1}}}),
    "names with controls": result(
        "metrics", {"lenient": {"\x00\x1b[2J\ud800": {"value": 0.5, "n": 1, "note": "\ud800"}}}
    ),
    "headline of nobody": result("headline", ["nobody", "nothing"]),
    "headline of odd type": result("headline", 7),
    "a tally of odd type": result("tally", {"answered": "x"}),
    "a tally without end": result("tally.answered", BIG),
    "spending without end": result("spending", {"model": {"cost": 1e308, "unpriced": BIG}, "judges": {"cost": -5}}),
    "published of odd types": result("details", {"published": PUBLISHED}),
    "code": result("scorer_code", {"official": "x" * 1_000_000}),
}
"""Ways to spoil results.json."""

ALL = {
    f"{what}: {name}": spoil
    for what, ways in (("run.db", DATABASES), ("run.json", INFOS), ("results.json", RESULTS))
    for name, spoil in ways.items()
}


def spoilt(good: Path, runs: Path, spoil: Spoil, name: str) -> Path:
    """A copy of a good run under `runs`, spoilt."""
    folder = runs / name
    shutil.copytree(good, folder)
    (folder / "run.db").chmod(0o644)
    spoil(folder)
    return folder
