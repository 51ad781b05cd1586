"""Extractors that cannot be, of `run` and `rescore`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, tfq_data, tree
from extractor_place import Place

from scripted_server import ScriptedServer

NO_SERVER = "http://127.0.0.1:9/v1"
Make = Callable[[Place, Path], list[object]]


def prompt(here: Path, text: str | bytes) -> list[object]:
    (here / "p.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return ["--extractor", "constant/B", "--extractor-prompt", here / "p.txt"]


def tfq(here: Path, *more: object) -> list[object]:
    return ["run", "tfq", "--model", "random", "--data", tfq_data(here / "t"), "--runs-dir", here / "runs", *more]


WRONG: list[tuple[str, Make, tuple[str, ...]]] = [
    ("of tfq", lambda p, h: tfq(h, "--extractor", "constant/T"), ("tfq takes no --extractor",)),
    ("no server", lambda p, h: p.run("--extractor", "openai/x"), ("--extractor openai/x needs --extractor-base-url",)),
    ("no name", lambda p, h: p.run("--extractor", "openai"), ("--extractor openai is incomplete", "openai/NAME")),
    ("no kind", lambda p, h: p.run("--extractor", "gpt-4o"), ("no kind of model 'gpt-4o'", "--extractor gpt-4o")),
    ("a guesser", lambda p, h: p.run("--extractor", "random"), ("--extractor random cannot read a text",)),
    ("one that looks", lambda p, h: p.run("--extractor", "classical"), ("--extractor classical cannot read",)),
    ("no answer there", lambda p, h: p.run(*p.at(NO_SERVER)), ("No server answers", "--extractor-base-url")),
    ("no response in it", lambda p, h: p.run(*prompt(h, "{question}")), ("p.txt", "must hold {response}")),
    ("prompt is no text", lambda p, h: p.run(*prompt(h, b"\xff")), ("--extractor-prompt", "p.txt", "cannot be read")),
    (
        "prompt is not there",
        lambda p, h: p.run("--extractor", "constant/B", "--extractor-prompt", h / "no.txt"),
        ("--extractor-prompt", "no.txt", "cannot be read"),
    ),
    ("address alone", lambda p, h: p.run("--extractor-base-url", NO_SERVER), ("goes with --extractor",)),
    ("key alone", lambda p, h: p.run("--extractor-key-env", "K"), ("--extractor-key-env goes with --extractor",)),
    ("prompt alone", lambda p, h: p.run("--extractor-prompt", h / "p"), ("--extractor-prompt goes with",)),
    ("no replay", lambda p, h: p.run("--extractor", f"replay/{h}/no.jsonl"), ("no.jsonl", "cannot be read")),
]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_extractor_that_cannot_be_is_told_in_one_line_and_nothing_is_written(
    place: Place, tmp_path: Path, make: Make, words: tuple[str, ...]
) -> None:
    arguments = make(place, tmp_path)
    before = tree(tmp_path)
    check_refused(place.beholder(*arguments), words)
    assert tree(tmp_path) == before


RESCORES = [row for row in WRONG if row[0] not in ("of tfq", "one that looks", "no replay")]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in RESCORES], ids=[row[0] for row in RESCORES])
def test_so_it_is_for_a_rescore(place: Place, tmp_path: Path, make: Make, words: tuple[str, ...]) -> None:
    place.beholder(*place.run())
    arguments = make(place, tmp_path)
    own = arguments[len(place.run()) :]
    before = tree(tmp_path)
    check_refused(place.beholder("rescore", place.folder, *own), words)
    assert tree(tmp_path) == before


def test_a_served_list_without_the_name_is_told_with_the_option(place: Place) -> None:
    with ScriptedServer(models=["other"]) as server:
        check_refused(
            place.beholder(*place.run(*place.at(server))), ("serves no model 'reader'", "Correct --extractor.")
        )


def test_rescore_of_a_benchmark_that_takes_none(beholder: Beholder, tmp_path: Path) -> None:
    beholder(*tfq(tmp_path))
    said = beholder("rescore", "latest", "--runs-dir", tmp_path / "runs", "--extractor", "constant/T")
    check_refused(said, ("tfq takes no --extractor",))
