"""A walk through all pages of the viewer, over runs that the demo made: they show what the terminal says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from served_views import Viewed, viewing

import made_runs
from beholder.store import marks, schema
from scripted_server import Reply, ScriptedServer, completion

pytestmark = pytest.mark.slow
SIZES = ((1200, 900), (390, 844))


def said(*arguments: object) -> str:
    """What a command prints; it must go well."""
    process = made_runs.beholder(*arguments)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three baselines and an experiment on one item of each family."""
    folder = tmp_path_factory.mktemp("demo") / "runs"
    assert f"beholder view {folder}" in said("demo", "--n", 1, "--runs-dir", folder)
    return folder


@pytest.fixture(scope="module")
def viewed(runs: Path) -> Iterator[Viewed]:
    with viewing(runs, runs.parent / "cache") as running:
        yield running


@pytest.fixture
def page(viewed: Viewed, opened: Callable[..., Any]) -> Any:
    return opened(viewed.at("")).page


def run_of(viewed: Viewed, ending: str) -> str:
    return next(name for name in viewed.library.folders() if name.endswith(ending))


def at(viewed: Viewed, page: str, **params: Any) -> str:
    return viewed.at(f"{page}?{urlencode(params, doseq=True)}")


def figures(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d", text.replace("−", "-"))]


def test_runs_are_listed_filtered_sorted_and_chosen(viewed: Viewed, page: Any) -> None:
    rows = page.locator(".runs tr.run")
    rows.first.wait_for()
    listed = viewed.library.folders()
    assert rows.count() == len(listed) == 6
    assert {row.get_attribute("data-run") for row in rows.all()} == set(listed)
    page.fill("#runs-text", "tir_static")
    page.wait_for_function("() => document.querySelectorAll('.runs tr.run').length === 1")
    assert "text=tir_static" in page.url
    page.fill("#runs-text", "")
    page.get_by_role("button", name="Headline").click()
    best = figures(page.locator(".headline b").first.inner_text())
    assert best == [max(figures(" ".join(page.locator(".headline b").all_inner_texts())))]
    for ending in ("tir_static", "tir_classical"):
        page.get_by_label(f"choose {run_of(viewed, ending)}").check()
    page.keyboard.press("c")
    page.get_by_role("heading", name="Compare").wait_for()


def test_the_page_of_a_run_says_what_the_terminal_says(viewed: Viewed, page: Any, runs: Path) -> None:
    name = run_of(viewed, "tir_static")
    told = json.loads(said("show", runs / name, "--json"))
    page.goto(at(viewed, "run", run=name))
    lead = page.locator(".metrics .lead")
    lead.wait_for()
    headline = told["metrics"][told["headline"]["scorer"]][told["headline"]["metric"]]
    wanted = [round(100 * headline[part], 1) for part in ("value", "low", "high")]
    assert figures(lead.inner_text()) == wanted
    assert f"n={headline['n']}" in lead.inner_text()
    assert page.locator(".bars-line").count() == 13
    page.locator(".outcomes a[href*='scorer=lenient']", has_text="wrong").click()
    page.locator(".samples-page").wait_for()
    assert "outcome=wrong" in page.url


def test_samples_are_filtered_and_walked_by_keys(viewed: Viewed, page: Any) -> None:
    name = run_of(viewed, "tir_random")
    columns = viewed.library.index(name, whole=True).columns()
    wrong = [place for place, letter in enumerate(columns.buckets["lenient"]) if letter == "W"]
    assert len(wrong) > 2
    page.goto(at(viewed, "samples", run=name, outcome="wrong", scorer="lenient"))
    page.get_by_text(f"{len(wrong)} of 13 samples").first.wait_for()
    page.locator(f"a[data-place='{wrong[0]}']").click()
    for key, number in (("", 0), ("j", 1), ("j", 2), ("k", 1)):
        if key:
            page.keyboard.press(key)
        page.locator(".where", has_text=f"{number + 1} of {len(wrong)}").wait_for()
        page.locator("h1", has_text=re.compile(rf"Sample {wrong[number]}\b")).wait_for()
        assert "outcome=wrong" in page.url
    page.keyboard.press("Escape")
    page.locator(".samples-page").wait_for()
    page.keyboard.press("/")
    page.wait_for_selector("input[type=search]:focus")
    page.keyboard.type("nothing is like this")
    page.get_by_text("No sample is like that.").wait_for()


def test_keys_are_not_lost_and_back_leads_to_where_one_was(viewed: Viewed, page: Any) -> None:
    page.set_viewport_size({"width": 1200, "height": 300})
    page.locator(".runs tr.run").first.wait_for()
    page.locator(".runs th a").last.hover()  # brings it into view
    top = page.evaluate("() => scrollY")
    assert top > 100
    page.locator(".runs th a").last.click()
    page.locator(".run-page").wait_for()
    page.wait_for_function("() => scrollY === 0")
    page.go_back()
    page.locator(".runs tr.run").first.wait_for()
    page.wait_for_function("top => Math.abs(scrollY - top) < 2", arg=top)
    page.goto(at(viewed, "samples", run=run_of(viewed, "tir_static")))
    page.locator("a[data-place='2']").click()
    page.locator(".where", has_text="3 of 13").wait_for()
    for _ in range(6):  # faster than samples come
        page.keyboard.press("j")
    page.locator(".where", has_text="9 of 13").wait_for()
    page.go_back()
    page.locator("a[data-place='2'][aria-current]").wait_for()


def test_a_picture_is_zoomed_and_read_and_a_tools_picture_slides(viewed: Viewed, page: Any) -> None:
    name = run_of(viewed, "/python")
    index = viewed.library.index(name, whole=True)
    place = next(row.place for row in index.rows(range(index.n)).rows if row.category == "refcoco")
    page.goto(at(viewed, "sample", run=name, key=index.key_at(place)))
    picture = page.locator(".sample-seen [aria-label*='pixels']").first
    picture.wait_for()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_text(re.compile(r"x \d+, y \d+ · .*#[0-9a-f]{6}", re.IGNORECASE)).first.wait_for()
    before = page.locator(".sample-seen").inner_text()
    page.mouse.wheel(0, -400)
    page.wait_for_function("text => document.querySelector('.sample-seen').innerText !== text", arg=before)
    handle = page.get_by_role("slider").first
    value = int(handle.get_attribute("aria-valuenow"))
    handle.focus()
    page.keyboard.press("ArrowRight")
    assert int(handle.get_attribute("aria-valuenow")) > value
    assert page.locator(".code, pre").first.inner_text().strip()


def test_a_scorer_is_marked_as_wrong_and_the_mark_taken_back(viewed: Viewed, page: Any, runs: Path) -> None:
    name = run_of(viewed, "tir_classical")
    key = viewed.library.index(name, whole=True).key_at(2)
    page.goto(at(viewed, "sample", run=name, key=key, scorer="strict"))
    page.locator(".sample-said").wait_for()
    page.keyboard.press("m")
    page.wait_for_selector("textarea:focus")
    page.keyboard.type("half the colour is hidden")
    page.keyboard.press("Control+Enter")
    page.get_by_text("half the colour is hidden").wait_for()
    with closing(schema.open_to_read(runs / name / "run.db")) as db:
        assert [(mark.scorer, mark.note) for mark in marks.marks(db, key)] == [("strict", "half the colour is hidden")]
    page.get_by_role("button", name="take it back").click()
    page.get_by_text("half the colour is hidden").wait_for(state="detached")
    with closing(schema.open_to_read(runs / name / "run.db")) as db:
        assert marks.marks(db, key) == []


def test_a_comparison_says_what_the_terminal_says(viewed: Viewed, page: Any, runs: Path) -> None:
    names = [run_of(viewed, "tir_static"), run_of(viewed, "tir_classical")]
    told = json.loads(said("compare", *(runs / name for name in names), "--json"))["paired"]
    page.goto(at(viewed, "compare", run=names))
    line = page.locator(".forest-line", has_text="all items")
    line.wait_for()
    assert figures(line.inner_text())[:3] == [round(100 * told[part], 1) for part in ("difference", "low", "high")]
    page.get_by_role("link", name=re.compile(r"\d+ gained")).click()
    page.locator(".samples-page").wait_for()
    assert "change=gained" in page.url


def test_a_leaderboard_ranks_the_runs(viewed: Viewed, page: Any) -> None:
    page.goto(at(viewed, "leaderboard", benchmark="tir"))
    rows = page.locator(".board tbody tr")
    rows.first.wait_for()
    names = rows.locator("th").all_inner_texts()
    assert "random" in names[-1]
    assert len(names) == 6
    ranks = [int(rank.split()[0]) for rank in rows.locator("td:first-child").all_inner_texts()]
    assert ranks == sorted(ranks)
    page.set_viewport_size({"width": 390, "height": 844})
    name, scale = (page.locator(f".ranks {part}").first.bounding_box() for part in (".bars-name", "svg"))
    assert name["width"] > 100, "a phone has room for the name"
    assert scale["y"] >= name["y"] + name["height"], "and for the scale below it"


AT_ONCE = """
new MutationObserver((_, watching) => {
  if (!document.querySelector("nav")) return;
  watching.disconnect();
  location.hash = "#/leaderboard?benchmark=tir";
}).observe(document, { childList: true, subtree: true });
"""


def test_an_address_that_changes_as_soon_as_the_page_is_drawn_is_followed(viewed: Viewed, page: Any) -> None:
    page.add_init_script(AT_ONCE)
    page.goto(f"{viewed.url}/?again#/")
    page.locator(".board tbody tr").first.wait_for()


def test_a_run_that_begins_appears_and_moves_by_itself(viewed: Viewed, page: Any, runs: Path, tmp_path: Path) -> None:
    slowly = made_runs.slowly(lambda request: Reply(completion("<answer>T</answer>")), 0.4)
    with ScriptedServer(slowly) as server:
        page.locator(".runs tr.run").first.wait_for()
        process = made_runs.beholder(
            *("run", "tfq", "--model", "openai/slow-one", "--base-url", server.url, "--max-connections", 1),
            *("--data", made_runs.tfq_data(tmp_path, 12), "--runs-dir", runs),
        )
        row = page.locator(".runs tr.run", has_text="slow-one")
        row.wait_for()
        row.locator(".status", has_text="complete").wait_for(timeout=30_000)
        process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.mark.parametrize("size", SIZES, ids=["desk", "phone"])
def test_no_page_is_wider_than_its_window(viewed: Viewed, opened: Callable[..., Any], size: tuple[int, int]) -> None:
    name = run_of(viewed, "/python")
    key = viewed.library.index(name, whole=True).key_at(1)
    names = [run_of(viewed, "tir_static"), run_of(viewed, "tir_classical")]
    seen = opened(viewed.at(""), viewport={"width": size[0], "height": size[1]}, color_scheme="dark")
    for address in (
        viewed.at(""),
        at(viewed, "run", run=name),
        at(viewed, "samples", run=name),
        at(viewed, "sample", run=name, key=key),
        at(viewed, "compare", run=names),
        at(viewed, "leaderboard", benchmark="tir"),
    ):
        seen.page.goto(address)
        seen.page.wait_for_load_state("networkidle")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= size[0], address
        unnamed = seen.page.evaluate(
            "[...document.querySelectorAll('button, a, input, select, textarea')].filter(one => "
            "!(one.innerText || '').trim() && !one.getAttribute('aria-label') && !one.closest('label') "
            "&& !document.querySelector(`label[for='${one.id}']`)).map(one => one.outerHTML)"
        )
        assert unnamed == [], address
    assert all(asked.startswith(f"{viewed.url}/") for asked in seen.requests)
