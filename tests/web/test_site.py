"""A written folder of runs: it holds what the server would answer, of these runs only, and nothing of this machine."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import msgspec
import pytest

from beholder.errors import UsageError
from beholder.viewer.compare_page import compare_page
from beholder.viewer.leaderboard import leaderboard
from beholder.viewer.library import Library
from beholder.viewer.run_page import run_page
from beholder.viewer.sample_page import sample_page
from beholder.web import site_answers, site_runs
from beholder.web.site import Written, write_site
from beholder.web.site_files import request_of
from beholder.web.site_folder import MARKER, replacing
from report.html_pages import constant_run, twelve_statements

WILD = "~a b&run=x#%2e%2e 'é\u202e\""
HELD = 7
"""Samples of each run in the site; the runs have twelve."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two runs on the same statements, and one that holds fewer; the first has a name that no address has as it is."""
    folder = tmp_path_factory.mktemp("runs-of-this-machine")
    made = twelve_statements(folder)
    data = folder / "tfq.jsonl"
    assert data.is_file()
    wild = made.rename(made.with_name(WILD))
    other = constant_run(data, folder / "runs", "<answer>T</answer>")
    few = constant_run(data, folder / "runs", "<answer>F</answer>", limit=4)
    constant_run(data, folder / "runs", "<answer>T</answer> not for others")
    return {WILD: wild, other.name: other, few.name: few}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def site(runs: dict[str, Path], cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write_site(runs, tmp_path_factory.mktemp("www") / "some" / "place", samples=HELD, cache=cache)


@pytest.fixture
def library(runs: dict[str, Path], cache: Path) -> Iterator[Library]:
    with closing(Library(next(iter(runs.values())).parent, cache=cache)) as opened:
        yield opened


def data(site: Written, file: str) -> Any:
    return json.loads((site.folder / "data" / file).read_bytes())


def answer(site: Written, path: str, **params: Any) -> Any:
    """What the pages get for a request."""
    return data(site, data(site, "manifest.json")["files"][request_of(path, params)])


def same(shown: Any) -> Any:
    """A record as JSON has it."""
    return json.loads(msgspec.json.encode(shown))


CASES = json.loads((Path(__file__).parent / "wild_requests.json").read_text())


@pytest.mark.parametrize(
    ("path", "params", "expected"), CASES, ids=lambda value: str(value)[:40].encode("ascii", "replace").decode()
)
def test_requests_are_written_as_the_pages_write_them(path: str, params: list[Any], expected: str) -> None:
    """The same table is read by web/tests/static_source.test.ts."""
    assert request_of(path, dict(params)) == expected


def test_answers_are_those_of_the_server(site: Written, runs: dict[str, Path], library: Library) -> None:
    for run in runs:
        page = same(run_page(library, run))
        held = answer(site, "api/run", run=run)
        assert {**held, "resume": page["resume"]} == page
        assert held["resume"] == ""
        columns = same(library.index(run, whole=True).columns())
        n = min(HELD, columns["n"])
        kept = answer(site, "api/columns", run=run)
        assert (kept["n"], kept["left_out"]) == (n, columns["n"] - n)
        assert kept["category"] == columns["category"][:n]
        assert kept["buckets"] == {scorer: letters[:n] for scorer, letters in columns["buckets"].items()}
    listed = answer(site, "api/runs")
    assert [row["id"] for row in listed["runs"]] == list(runs)
    assert listed["static"]


def test_samples_are_there_by_their_places(site: Written, runs: dict[str, Path], library: Library) -> None:
    held = data(site, "manifest.json")["runs"][WILD]
    assert held == {"folder": "run-0", "n": HELD, "of": 12, "chunk": 100}
    keys, texts = data(site, "run-0/keys.json"), data(site, "run-0/texts.json")
    rows = data(site, "run-0/rows-0.json")["rows"]
    assert len(keys) == len(texts) == len(rows) == HELD
    index = library.index(WILD, whole=True)
    for place, key in enumerate(keys):
        assert (rows[place]["place"], rows[place]["key"]) == (place, key)
        assert key == index.key_at(place)
        page = same(sample_page(library, WILD, key))
        assert data(site, f"run-0/sample-{place}.json") == {**page, "may_mark": False}
        assert page["question"].split("\n")[0] in texts[place]
        assert page["answers"][0]["text"] in texts[place]
    assert not (site.folder / "data" / "run-0" / f"sample-{HELD}.json").exists()


def test_every_comparison_of_the_pages_is_there(site: Written, runs: dict[str, Path], library: Library) -> None:
    first, second, few = runs
    for pair in [*permutations(runs, 2), (first, second, few), (few, first, second)]:
        asked = list(pair)
        page = compare_page(library, asked)
        assert answer(site, "api/compare", run=asked) == same(page)
        assert answer(site, "api/compare", run=asked, scorer=page.scorer) == same(page)
        assert bool(page.refused) is (few in pair)
        of_all = answer(site, "api/compare", run=asked, intersect="1")
        assert of_all["refused"] == ""
        assert of_all["n"] == (4 if few in pair else 12)
    strict = answer(site, "api/compare", run=[first, second], scorer="strict")
    assert strict == same(compare_page(library, [first, second], scorer="strict"))


def test_of_many_runs_the_pages_offer_what_the_folder_holds(
    runs: dict[str, Path], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_answers, "MOST_WITH_ALL_SCORERS", 1)
    monkeypatch.setattr(site_runs, "MOST_SEARCHED", 60)
    pair = dict(list(runs.items())[:2])
    site = write_site(pair, tmp_path / "site", samples=3, pictures=False, cache=cache)
    page = answer(site, "api/compare", run=list(pair))
    assert page["scorers"] == [page["scorer"]]
    asked = {name for name in data(site, "manifest.json")["files"] if name.startswith("api/compare")}
    scorers = {parse_qs(name.partition("?")[2]).get("scorer", [""])[0] for name in asked}
    assert scorers == {"", page["scorer"]}
    assert [len(text) for text in data(site, "run-0/texts.json")] == [20, 20, 20], "as much as a page can look through"


def test_what_changed_is_told_of_the_samples_that_are_there(
    site: Written, runs: dict[str, Path], library: Library
) -> None:
    first, second, _ = runs
    for run, against in ((first, second), (second, first)):
        whole = library.index(run, whole=True).changes(library.index(against, whole=True), "lenient")
        held = answer(site, "api/changes", run=run, against=against, scorer="lenient")
        assert held["gained"] == [place for place in whole.gained if place < HELD]
        assert held["lost"] == [place for place in whole.lost if place < HELD]
    assert held["gained"] + held["lost"]


def test_the_leaderboard_holds_the_runs_of_the_site_only(
    site: Written, runs: dict[str, Path], library: Library
) -> None:
    board = answer(site, "api/leaderboard")
    assert {row["run"] for row in board["rows"]} - {""} == set(runs)
    assert {row.run for row in leaderboard(library, "tfq").rows} - {""} > set(runs)
    offered = board["boards"]
    assert [one["benchmark"] for one in offered] == ["tfq"]
    for scorer in offered[0]["scorers"]:
        for metric in offered[0]["metrics"]:
            found = answer(site, "api/leaderboard", benchmark="tfq", scorer=scorer, metric=metric)
            assert (found["scorer"], found["metric"], found["boards"]) == (scorer, metric, offered)


def test_pictures_lie_under_their_hash(site: Written) -> None:
    endings = data(site, "manifest.json")["pictures"]
    assert len(endings) == 3
    for sha256, ending in endings.items():
        assert hashlib.sha256((site.folder / "images" / f"{sha256}.{ending}").read_bytes()).hexdigest() == sha256
        assert (site.folder / "images" / f"{sha256}.small.webp").read_bytes()[:4] == b"RIFF"
    assert site.unread == 0


def test_without_pictures_there_is_no_hash_to_ask_for(runs: dict[str, Path], cache: Path, tmp_path: Path) -> None:
    site = write_site(dict(list(runs.items())[:1]), tmp_path / "site", samples=2, pictures=False, cache=cache)
    assert not (site.folder / "images").exists()
    assert data(site, "manifest.json")["pictures"] == {}
    assert {row["picture"] for row in data(site, "run-0/rows-0.json")["rows"]} == {None}
    shown = data(site, "run-0/sample-0.json")["pictures"]
    assert shown
    assert all(one["sha256"] is None and "left out" in one["sent"] for one in shown)


def test_nothing_of_this_machine_is_in_it(site: Written, runs: dict[str, Path], cache: Path) -> None:
    places = {str(Path.home()), "/tmp/", "/home/", *map(str, (site.folder.parent.parent, cache))}
    places |= {str(folder.parent.parent) for folder in runs.values()}
    for file in site.folder.rglob("*"):
        if file.suffix in (".json", ".html"):
            text = file.read_text()
            assert [place for place in places if place in text] == [], file.name
            assert "not for others" not in text
            assert "127.0.0.1" not in text, file.name


def test_the_page_asks_for_what_lies_beside_it(site: Written) -> None:
    page = (site.folder / "index.html").read_text()
    assert '<meta name="beholder" content="static" />' in page
    policy = page.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src &#x27;none&#x27;; script-src &#x27;self&#x27;")
    assert "frame-ancestors" not in policy  # of no effect in a page, and told as an error
    assert '"/assets/' not in page
    assert {path.name for path in (site.folder / "assets").iterdir()} == {
        "view.js",
        "view.css",
        "shared.js",
        "shared.css",
        "icon.svg",
    }
    files = [path for path in site.folder.rglob("*") if path.is_file()]
    assert (site.files, site.bytes) == (len(files), sum(path.stat().st_size for path in files))


def test_what_is_no_run_is_refused(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="is no run"):
        write_site({"x": tmp_path / "nothing"}, tmp_path / "site", cache=cache)
    for name in ("../x", ".x", "", "a/b/c", "/x"):
        with pytest.raises(UsageError, match="cannot be the name"):
            write_site({name: tmp_path}, tmp_path / "site", cache=cache)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_cannot_be_read_is_named_by_its_folder(runs: dict[str, Path], cache: Path, tmp_path: Path) -> None:
    for name, content in (("run.json", b"{"), ("run.db", b"SQLite format 3")):
        bad = tmp_path / f"bad {name}"
        shutil.copytree(runs[WILD], bad)
        (bad / name).write_bytes(content)
        with pytest.raises(UsageError) as refused:
            write_site({"x": bad}, tmp_path / "site", cache=cache)
        assert f"{bad / name} " in str(refused.value)
        assert not (tmp_path / "site").exists()


def test_a_new_folder_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "site"
    for words in ("first", "second"):
        with replacing(out) as folder:
            (folder / "data").mkdir()
            (folder / MARKER).write_bytes(b'{"made_by":"beholder"}\n')
            (folder / "data" / words).write_text(words)
            assert not (out / "data" / words).exists()
        assert {path.name for path in (out / "data").iterdir()} == {"site.json", words}
    assert [path.name for path in out.parent.iterdir()] == ["site"]
    with pytest.raises(RuntimeError), replacing(out):
        raise RuntimeError
    assert (out / "data" / "second").is_file()
    assert [path.name for path in out.parent.iterdir()] == ["site"]


def a_site(out: Path) -> None:
    (out / "data").mkdir(parents=True)
    (out / MARKER).write_bytes(b'{"made_by":"beholder"}\n')


def a_site_with_more(out: Path) -> None:
    a_site(out)
    (out / "CNAME").write_text("x")


def other_files(out: Path) -> None:
    (out / "data").mkdir(parents=True)
    (out / "data" / "site.json").write_text('{"made_by":"another"}')


def a_link(out: Path) -> None:
    a_site(out.with_name("elsewhere"))
    out.symlink_to(out.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_site_with_more, "CNAME"),
        (other_files, "holds other files"),
        (lambda out: out.write_text("x"), "is a file"),
        (a_link, "is a link"),
    ],
)
def test_a_folder_of_others_is_left_alone(make: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    out = tmp_path / "site"
    make(out)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match=words), replacing(out):
        raise AssertionError("nothing is written")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with replacing(tmp_path / "site") as folder:
        (folder / "index.html").write_text("x")
    assert (tmp_path / "site" / "index.html").is_file()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def published(folder: Path) -> Iterator[str]:
    """A server of files that knows nothing of Beholder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(timeout=10)


@pytest.mark.slow
def test_its_pages_work_from_any_server_of_files(
    site: Written, runs: dict[str, Path], opened: Callable[..., Any]
) -> None:
    first, second, _ = runs
    with published(site.folder.parent.parent) as url:
        seen = opened(f"{url}/some/place/")
        page = seen.page

        def at(name: str, **params: Any) -> None:
            page.goto(f"{url}/some/place/#/{name}?{urlencode(params, doseq=True)}")

        page.locator(".runs tbody tr").nth(2).wait_for()
        at("run", run=first)
        page.locator(".metrics .lead").wait_for()
        at("samples", run=first)
        page.get_by_text("This folder holds the first 7").wait_for()
        page.wait_for_function("() => document.querySelector('.samples-list img')?.naturalWidth > 0")
        page.keyboard.press("/")
        page.keyboard.type("statement 3")
        page.get_by_text("1 of 7 samples").first.wait_for()
        page.locator("a[data-place='3']").click()
        page.locator(".sample-said", has_text="Statement 3").wait_for()
        page.wait_for_function("() => document.querySelector('.sample-seen img')?.naturalWidth > 300")
        at("samples", run=first, against=second, change="lost", scorer="lenient")
        page.get_by_text("of 7 samples").first.wait_for()
        at("sample", run=first, key="no-such-key")
        page.get_by_text("only the first 7 of the run").wait_for()
        at("compare", run=[second, first])
        page.locator(".forest-line", has_text="all items").wait_for()
        at("compare", run=list(runs))
        page.get_by_role("button", name="Compare the 4 items that all have").click()
        page.locator(".forest-line", has_text="all items").wait_for()
        at("leaderboard")
        page.locator(".board tbody tr").nth(2).wait_for()
        assert all(asked.startswith(f"{url}/some/place/") for asked in seen.requests)
