"""`rescore --extractor`, and runs that another extractor has read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import check_refused, tree
from extractor_place import BUSY, Place, official

from beholder.store import judge_calls
from made_tir import reads_letter
from scripted_server import Reply, Request, ScriptedServer, completion


def test_a_run_that_exists_can_be_read_later(place: Place) -> None:
    place.beholder(*place.run())
    before = (place.folder / "run.db").stat().st_size
    with ScriptedServer(reads_letter) as server:
        said = place.beholder("rescore", place.folder, *place.at(server), "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert official(found) == [1, 0]
    assert found["headline"]["scorer"] == "official"
    assert "Scored 2 responses again, as read by openai/reader; the model was not asked." in said.err
    assert place.info()["settings"]["extractor"]["model"] == "openai/reader"
    assert before > 0
    assert place.beholder.json("show", place.folder)["judges"] == {"openai/reader": 2}
    assert place.beholder("resume", place.folder, "--runs-dir", place.runs).code == 0


def test_another_extractor_takes_the_place_of_the_first_whose_readings_stay(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
        server.script = lambda request: Reply(completion("B"))
        found = place.beholder.json("rescore", place.folder, *place.at(server, name="openai/other"))
        assert official(found) == [1, 1]
        assert found["judges"] == {"openai/other": 2}
        asked = len(server.requests)
        plain = place.beholder.json("rescore", place.folder)
        assert official(plain) == [1, 1]
        assert len(server.requests) == asked, "a rescore alone asks nobody"
        url = server.url
    back = place.beholder("rescore", place.folder, *place.at(url), "--json")
    assert back.code == 0, "a server that is gone is not needed for what it has read"
    found = json.loads(back.out)
    assert official(found) == [1, 0]
    assert found["judges"] == {"openai/reader": 2}
    assert "as read by openai/reader" in back.err
    assert place.info()["settings"]["extractor"]["model"] == "openai/reader"


def test_a_half_finished_second_extractor_leaves_the_run_incomplete_and_a_resume_goes_on_with_it(place: Place) -> None:
    def half(request: Request) -> Reply:
        return BUSY if "It is A" in request.texts else Reply(completion("B"))

    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
        server.script = lambda request: Reply(json.dumps({"error": {"message": "no"}}).encode(), status=401)
        refused = place.beholder("rescore", place.folder, *place.at(server, name="openai/other"), "--json")
        assert refused.code == 4
        assert json.loads(refused.out)["judges"] == {"openai/reader": 2}
        assert "as read by openai/reader" in refused.err

        server.script = half
        said = place.beholder("resume", place.folder, "--runs-dir", place.runs, "--max-retries", 0, "--json")
        assert said.code == 4, said.err
        found = json.loads(said.out)
        assert found["judges"] == {"openai/other": 1}
        assert official(found) == [1, None], "never the first one's reading of the second response"
        assert place.beholder.json("show", place.folder)["complete"] is False

        server.script = lambda request: Reply(completion("B"))
        whole = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
    assert whole["judges"] == {"openai/other": 2}
    assert official(whole) == [1, 1]
    assert whole["complete"] is True


def test_a_refused_key_of_the_extractor_stops_no_other_model(place: Place) -> None:
    def refuses(request: Request) -> Reply:
        return Reply(b"{}", status=401) if request.body["model"] == "reader" else Reply(completion("It is B."))

    with ScriptedServer(refuses) as server:
        arguments = ["run", "tir", "--model", "openai/one", "--model", "openai/two", "--base-url", server.url]
        more = ["--data", place.data, "--runs-dir", place.runs, "--extractor", "openai/reader", "--json"]
        said = place.beholder(*arguments, *more)
    assert said.code == 4
    assert "was not run" not in said.err
    runs = json.loads(said.out)["runs"]
    assert [run["model"] for run in runs] == ["openai/one", "openai/two"]
    assert [run["tally"]["answered"] for run in runs] == [2, 2]
    assert all("The extractor openai/reader refused the key" in run["message"] for run in runs)


@pytest.mark.parametrize(("options", "fsync"), [([], False), (["--fsync"], True)])
def test_readings_are_written_through_if_asked_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, options: list[str], fsync: bool
) -> None:
    kept: list[bool] = []
    usual = judge_calls.keep

    def watched(*arguments: Any, fsync: bool = False, **more: Any) -> None:
        kept.append(fsync)
        usual(*arguments, fsync=fsync, **more)

    monkeypatch.setattr(judge_calls, "keep", watched)
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*place.at(server), "--max-retries", 0, *options))
        assert kept
        assert set(kept) == {fsync}
        kept.clear()
        place.beholder("resume", place.folder, "--runs-dir", place.runs, *options)
        assert kept
        assert set(kept) == {fsync}


def test_a_rescore_whose_extractor_cannot_be_reached_changes_nothing(place: Place) -> None:
    place.beholder(*place.run())
    before = tree(place.runs)
    info = place.info()
    check_refused(
        place.beholder("rescore", place.folder, *place.at("http://127.0.0.1:9/v1")),
        ("No server answers", "--extractor-base-url"),
    )
    assert tree(place.runs) == before
    assert place.info() == info
    assert place.beholder("resume", place.folder, "--runs-dir", place.runs).code == 0


def test_a_rescore_whose_key_is_refused_leaves_every_response_scored(place: Place) -> None:
    place.beholder(*place.run())

    def refuses_second(request: Request) -> Reply:
        return reads_letter(request) if request.number == 0 else Reply(b"{}", status=401, first_byte=0.3)

    with ScriptedServer(refuses_second) as server:
        said = place.beholder("rescore", place.folder, *place.at(server))
    assert said.code == 4
    assert "The extractor openai/reader refused the key" in said.out
    assert "Traceback" not in said.err
    found = place.beholder.json("show", place.folder)
    assert len(found["items"]) == 2
    assert found["tally"]["unscored"] == 0
    assert sorted(value is None for value in official(found)) == [False, True]
    assert found["complete"] is False


def test_a_packed_run_keeps_its_readings(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
    assert place.beholder("pack", place.folder).code == 0
    packed = place.folder.with_name(place.folder.name + ".beholder.zip")
    assert place.beholder.json("show", packed)["judges"] == {"openai/reader": 2}


def test_a_run_of_somebody_else_names_no_server_for_a_key_of_mine(place: Place, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*place.at(server), "--max-retries", 0))
        asked = len(server.requests)
        check_refused(
            place.beholder("resume", place.folder, "--runs-dir", tmp_path / "mine"),
            ("lies outside --runs-dir", "names a model to read the answers"),
        )
        assert len(server.requests) == asked


def test_an_extractors_address_with_a_password_is_not_kept(place: Place) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        url = server.url.replace("http://", "http://me:s3cret@")
        place.beholder(*place.run(*place.at(url), "--max-retries", 0))
        assert "s3cret" not in (place.folder / "run.json").read_text()
        said = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    check_refused(said, ("held credentials, which are not kept", "rescore RUN --extractor openai/reader"))
