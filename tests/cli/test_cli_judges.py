"""`--judge` and `--slot-judge` of run, score, rescore and resume."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, tfq_data, tree
from judge_place import BUSY, GONE, NO_SERVER, JudgePlace, at, lines, rubric, who

import made_runs
from beholder.engine.retry import RetryPolicy
from made_metaphors import MAPPING, item_of, m3r_data, metaphor, rates, said, script
from made_runs import slowly
from scripted_server import Reply, Request, ScriptedServer, completion


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> JudgePlace:
    return JudgePlace(tmp_path, beholder)


# run ---------------------------------------------------------------------------------------------------------------


def test_a_run_is_judged_by_all_that_are_named(place: JudgePlace) -> None:
    """A scripted judge takes the entry at the item's position, as a scripted model does."""
    with ScriptedServer(rates("partly")) as server:
        arguments = ["--judge", f"scripted/{place.judge}", "--judge", "overlap", *at(server)]
        found = place.beholder.json(*place.run(*arguments))
        assert server.model_lists == 1, "a wrong URL would have shown before the run"
    assert rubric(found) == [pytest.approx((1 + 1 + 0.5) / 3), pytest.approx((0 + 1 + 0.5) / 3)]
    names = ["openai/a", "overlap", f"scripted/{place.judge}"]
    assert who(found) == [("rubric", name, 2, 0) for name in names]
    assert found["judges"] == {}
    assert found["complete"] is True
    rows = place.info()["settings"]["judges"]
    assert [(row["purpose"], row["model"]) for row in rows] == [
        ("rubric", f"scripted/{place.judge}"),
        ("rubric", "overlap"),
        ("rubric", "openai/a"),
    ]
    assert rows[1]["template"] == "", "a rule is asked nothing"
    assert rows[2]["endpoint"]["base_url"] == server.url


def test_a_judge_that_has_nothing_to_judge_is_said_to_be_asked_nothing(place: JudgePlace, tmp_path: Path) -> None:
    """One label alone has no explanation."""
    words = "The judge overlap (rubric) was asked nothing"
    told = place.beholder(*place.run("--judge", "overlap", "--task", "target"))
    assert (told.code, words in told.err) == (0, True), told.err
    file = lines(tmp_path / "a.jsonl")
    scored = place.beholder("score", "m3r", file, "--data", place.data, "--judge", "overlap", "--task", "target")
    assert words in scored.err
    assert words not in place.beholder("score", "m3r", file, "--data", place.data, "--judge", "overlap").err


def test_the_report_says_who_judged_how_many(place: JudgePlace) -> None:
    told = place.beholder(*place.run("--judge", "overlap", "--judge", f"scripted/{place.judge}"))
    assert told.code == 0, told.err
    assert "Judged by overlap (rubric): 2 of 2" in told.out
    shown = place.beholder("show", place.folder)
    assert "judged by overlap (rubric), scripted/" in shown.out
    item = place.beholder.json("show", place.folder, 0)
    assert [one["judge"] for one in item["responses"][0]["response"]["judged"]] == [
        "overlap",
        f"scripted/{place.judge}",
    ]


def test_slots_have_judges_of_their_own(place: JudgePlace) -> None:
    with ScriptedServer(lambda request: Reply(completion('{"target": {"same": true}}'))) as server:
        slots = at(server, option="--slot-judge", name="openai/s")
        found = place.beholder.json(*place.run("--judge", "overlap", *slots))
        assert [item_of(request) for request in server.requests] == [1]
    assert who(found) == [("rubric", "overlap", 2, 0), ("slots", "openai/s", 1, 0)]
    assert found["metrics"]["slots"]["target_judged"]["value"] == 1
    assert found["metrics"]["lenient"]["target_exact"]["value"] == 0.5, "never averaged with what is exact"


def test_without_a_judge_nothing_is_judged_and_the_run_is_complete(place: JudgePlace) -> None:
    found = place.beholder.json(*place.run())
    assert (rubric(found), found["judged"], found["complete"]) == ([None, None], [], True)
    assert "judges" not in place.info()["settings"]


# options about keys → the key that the judge's server gets
KEYS: list[tuple[str, list[str], bool, str]] = [
    ("the usual one", [], True, "Bearer usual"),
    ("one of its own", ["--judge-key-env", "JUDGE_KEY"], True, "Bearer of the judge"),
    ("the model's, at the model's server", ["--api-key-env", "MODEL_KEY"], False, "Bearer of the model"),
    ("never the model's elsewhere", ["--api-key-env", "MODEL_KEY"], True, "Bearer usual"),
]


@pytest.mark.parametrize(("options", "elsewhere", "key"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_which_key_goes_where(
    place: JudgePlace, monkeypatch: pytest.MonkeyPatch, options: list[str], elsewhere: bool, key: str
) -> None:
    for name, value in (("OPENAI_API_KEY", "usual"), ("MODEL_KEY", "of the model"), ("JUDGE_KEY", "of the judge")):
        monkeypatch.setenv(name, value)
    with ScriptedServer(rates()) as server, ScriptedServer() as models:
        where = ["--judge-base-url", server.url, "--base-url", models.url] if elsewhere else ["--base-url", server.url]
        told = place.beholder(*place.run("--judge", "openai/a", *where, *options))
    assert told.code == 0, told.err
    assert {request.headers.get("authorization") for request in (*server.requests, *server.listed)} == {key}
    stored = (place.folder / "run.json").read_text()
    assert not any(secret in stored for secret in ("usual", "of the model", "of the judge"))


def test_judges_at_several_servers_have_a_key_each(place: JudgePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ONE", "TWO", "NEW"):
        monkeypatch.setenv(name, name.lower())
    with ScriptedServer(rates("yes")) as one, ScriptedServer(lambda request: BUSY) as two:
        arguments = ["--judge", "openai/a", "--judge", "overlap", "--judge", "openai/b", "--max-retries", 0]
        where = ["--judge-base-url", one.url, "--judge-base-url", two.url]
        check_refused(
            place.beholder(*place.run(*arguments, *where, "--judge-key-env", "ONE")),
            ("--judge-key-env ONE is given once for 2 servers",),
        )
        assert not [*one.requests, *one.listed, *two.requests, *two.listed], "no key went anywhere"
        keys = ["--judge-key-env", "ONE", "--judge-key-env", "TWO"]
        assert place.beholder(*place.run(*arguments, *where, *keys)).code == 4
        rows = place.info()["settings"]["judges"]
        assert [row["endpoint"] and row["endpoint"]["key_variable"] for row in rows] == ["ONE", None, "TWO"]
        two.script = rates("no")
        again = ["resume", place.folder, "--runs-dir", place.runs, "--judge-key-env", "NEW"]
        check_refused(place.beholder(*again), ("given once for 2 servers",))
        found = place.beholder.json(*again, "--judge-key-env", "TWO")
        sent = [{request.headers["authorization"] for request in server.requests} for server in (one, two)]
    assert sent == [{"Bearer one"}, {"Bearer two"}]
    assert rubric(found) == [pytest.approx(2 / 3), pytest.approx(2 / 3)]


def test_a_question_of_ones_own(place: JudgePlace, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("Judge this: {explanation} by {questions} of {text} {gold}")
    with ScriptedServer(rates()) as server:
        told = place.beholder(*place.run(*at(server, "--judge-prompt", tmp_path / "p.txt")))
        assert told.code == 0, told.err
        assert all(request.texts.startswith("Judge this: ~~~") for request in server.requests)
        assert MAPPING in server.requests[0].texts


# failures ----------------------------------------------------------------------------------------------------------


def test_t16_judges_that_never_answer_leave_the_labels_and_say_so(place: JudgePlace) -> None:
    with ScriptedServer(lambda request: GONE) as server:
        told = place.beholder(*place.run(*at(server)))
    assert told.code == 3, "judges were asked in vain"
    assert "The judge openai/a (rubric) failed on 2 responses." in told.out
    assert "Judged by openai/a (rubric): 0 of 2, 2 failed" in told.out
    found = place.beholder.json("show", place.folder)
    assert rubric(found) == [None, None]
    assert found["metrics"]["lenient"]["joint"]["value"] == 0.5
    assert found["complete"] is True


def test_one_judge_in_vain_beside_another_is_no_reason_to_fail(place: JudgePlace) -> None:
    with ScriptedServer(lambda request: GONE) as server:
        told = place.beholder(*place.run("--judge", "overlap", *at(server), "--json"))
    assert told.code == 0
    assert who(json.loads(told.out)) == [("rubric", "openai/a", 0, 2), ("rubric", "overlap", 2, 0)]


def test_failures_that_may_pass_leave_the_run_incomplete_and_a_resume_judges_on(
    place: JudgePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(request: Request) -> Reply:
        right = request.headers.get("authorization") == "Bearer new"
        return rates()(request) if right or item_of(request) == 0 else BUSY

    with ScriptedServer(half) as server:
        told = place.beholder(*place.run("--judge", "overlap", *at(server), "--max-retries", 0, "--json"))
        assert told.code == 4, told.err
        found = json.loads(told.out)
        assert found["complete"] is False
        assert place.info()["status"] == "incomplete"
        asked = len(server.requests)
        monkeypatch.setenv("NEW", "new")
        resumed = place.beholder.json("resume", place.folder, "--runs-dir", place.runs, "--judge-key-env", "NEW")
        assert len(server.requests) == asked + 1
    assert resumed["complete"] is True
    assert who(resumed) == [("rubric", "openai/a", 2, 0), ("rubric", "overlap", 2, 0)]
    assert "Nothing to do" in place.beholder("resume", place.folder, "--runs-dir", place.runs).err


def test_a_resume_that_has_only_judges_to_ask_needs_no_model(place: JudgePlace) -> None:
    """The model may have been served for the run alone."""
    with ScriptedServer(lambda request: BUSY) as server:
        with ScriptedServer(lambda request: Reply(completion(said(item_of(request))))) as models:
            arguments = ["run", "m3r", "--model", "openai/m", "--base-url", models.url, "--data", place.data]
            told = place.beholder(*arguments, "--runs-dir", place.runs, *at(server), "--max-retries", 0)
        assert told.code == 4, told.err
        server.script = rates()
        told = place.beholder("resume", place.folder, "--runs-dir", place.runs, "--json")
        assert len(server.listed) == 2, "that the judge is there was seen before it was asked"
        assert told.code == 0, told.err
        assert "holds every answer; only its judges are asked" in told.err
    assert rubric(json.loads(told.out)) == [1, 1]
    assert place.info()["status"] == "complete"


def test_a_resume_tells_at_once_that_no_judge_is_there(place: JudgePlace) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*at(server), "--max-retries", 0))
    told = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    assert told.code == 2
    assert "No server answers" in told.error_lines[-1]
    assert "name it again with `beholder rescore`" in told.error_lines[-1]


def test_a_picture_that_is_back_is_judged_by_a_resume(place: JudgePlace) -> None:
    picture = place.data / "images" / "1.jpg"
    there = picture.read_bytes()
    with ScriptedServer(rates()) as server:
        place.beholder(*place.run("--judge", f"scripted/{place.judge}"))
        picture.write_bytes(b"no picture")  # the run's own copy is a link to it
        assert place.beholder("rescore", place.folder, *at(server)).code == 4
        picture.write_bytes(there)
        found = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
    assert rubric(found) == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_run_that_is_stopped_while_it_is_judged_goes_on(tmp_path: Path, signal_: int, code: int) -> None:
    """Verdicts that were kept are never asked for again; a kill loses at most the batch that was under way."""
    data, runs, n = m3r_data(tmp_path / "set", 90), tmp_path / "runs", 90
    answers = script(tmp_path / "answers.json", [said(number) for number in range(n)])
    with ScriptedServer(slowly(rates(), 0.15)) as server:
        process = made_runs.beholder(
            *("run", "m3r", "--model", f"scripted/{answers}", "--data", data, "--runs-dir", runs, "--no-cache"),
            *("--judge", "openai/a", "--judge-base-url", server.url, "--max-connections", "8"),
        )
        deadline = time.monotonic() + 60
        while len(server.requests) < 70:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal_)
        out, err = process.communicate(timeout=60)
        assert process.returncode == code, err
        assert "Traceback" not in out + err
        asked = [item_of(request) for request in server.requests]
        process = made_runs.beholder("resume", "latest", "--runs-dir", runs, "--json")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        again = [item_of(request) for request in server.requests][len(asked) :]
    assert not set(again) & set(range(64)), "the first batch was kept"
    if signal_ == signal.SIGINT:
        assert sorted(asked + again) == list(range(n)), "nothing is asked twice"
    found = json.loads(out)
    assert found["complete"] is True
    assert found["metrics"]["rubric"]["rubric"]["n"] == n


# rescore -----------------------------------------------------------------------------------------------------------


def test_another_judge_is_asked_later_and_takes_the_place_of_the_first(place: JudgePlace) -> None:
    with ScriptedServer(rates("no")) as server:
        same = 'constant/{"target": {"same": true}}'
        place.beholder(*place.run("--judge", f"scripted/{place.judge}", "--slot-judge", same))
        told = place.beholder("rescore", place.folder, *at(server), "--json")
        found = json.loads(told.out)
        assert rubric(found) == [0, 0]
        assert f"as judged by openai/a, {same}; the model was not asked" in told.err
        kept = [(row["purpose"], row["model"]) for row in place.info()["settings"]["judges"]]
        assert kept == [("slots", same), ("rubric", "openai/a")], "those of another purpose stay"
        both = ["--judge", f"scripted/{place.judge}", *at(server)]
        asked = len(server.requests)
        found = place.beholder.json("rescore", place.folder, *both)
        assert len(server.requests) == asked
        assert rubric(found) == [0.5, 0]
        plain = place.beholder.json("rescore", place.folder)
        assert rubric(plain) == [0.5, 0], "a rescore alone asks nobody"


def test_a_rescore_keeps_to_a_budget(place: JudgePlace) -> None:
    place.beholder(*place.run())
    with ScriptedServer(rates()) as server:
        told = place.beholder("rescore", place.folder, *at(server), "--max-cost", "1")
        assert (told.code, "the price of the judge openai/a" in told.err) == (2, True)
        assert place.beholder("rescore", place.folder, *at(server)).code == 0
        asked = len(server.requests)
        other = at(server, name="openai/b")
        told = place.beholder("rescore", place.folder, *other, "--max-tokens-total", "20", "--json")
        assert (told.code, json.loads(told.out)["ending"]) == (4, "budget")
        again = ("resume", place.folder, "--runs-dir", place.runs)
        assert place.beholder(*again).code == 4, "the limit is kept"
        assert len(server.requests) == asked
        more = place.beholder(*again, "--max-tokens-total", "500")
        assert (more.code, len(server.requests)) == (0, asked + 2)


def test_a_run_without_scores_yet_is_not_said_to_be_beyond_scoring(
    place: JudgePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill while another judge was at work: its first verdict takes the scores of the one before."""
    place.beholder(*place.run("--judge", "overlap"))
    assert "lenient joint 50.0 %" in place.beholder("list", "--runs-dir", place.runs).out
    info = place.info()
    monkeypatch.setattr(RetryPolicy, "wait", lambda *arguments: 0.0)
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder("rescore", place.folder, *at(server))
    with closing(sqlite3.connect(place.folder / "run.db")) as db:
        db.execute("DELETE FROM scores")
        db.commit()
    told = place.beholder("show", place.folder)
    assert "have no scores yet" in told.out
    assert "Judged by openai/a (rubric): 0 of 2 so far, 2 failed" in told.out
    assert "could be scored" not in told.out
    found = place.beholder.json("show", place.folder)
    assert (found["complete"], found["resume"].startswith(f"beholder resume {place.folder}")) == (False, True)
    (place.folder / "run.json").write_text(json.dumps(info))
    resumed = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
    assert (rubric(resumed), resumed["resume"]) == ([1, 1], None), "the rule's verdicts are still there"


def test_a_packed_run_keeps_its_verdicts(place: JudgePlace) -> None:
    place.beholder(*place.run("--judge", "overlap"))
    assert place.beholder("pack", place.folder).code == 0
    packed = place.folder.with_name(place.folder.name + ".beholder.zip")
    found = place.beholder.json("show", packed)
    assert who(found) == [("rubric", "overlap", 2, 0)]
    assert rubric(found) == [1, 1]


def test_a_run_of_somebody_else_names_no_judge_for_a_key_of_mine(place: JudgePlace, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*at(server), "--max-retries", 0))
        asked = len(server.requests)
        told = place.beholder("resume", place.folder, "--runs-dir", tmp_path / "mine")
        check_refused(told, ("lies outside --runs-dir", "names judges"))
        assert len(server.requests) == asked


def test_an_address_with_a_password_is_not_kept(place: JudgePlace) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        url = server.url.replace("http://", "http://me:s3cret@")
        place.beholder(*place.run(*at(url), "--max-retries", 0))
        assert "s3cret" not in (place.folder / "run.json").read_text()
        told = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    check_refused(told, ("held credentials, which are not kept", "rescore RUN --judge openai/a --judge-base-url URL"))


# score -------------------------------------------------------------------------------------------------------------


def test_answers_of_a_file_are_judged(place: JudgePlace, tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl")
    arguments = ["score", "m3r", file, "--data", place.data, "--runs-dir", place.runs]
    with ScriptedServer(rates("no")) as server:
        found = place.beholder.json(*arguments, "--judge", "overlap", *at(server))
        assert rubric(found) == [0.5, 0.5]
        assert who(found) == [("rubric", "overlap", 2, 0), ("rubric", "openai/a", 2, 0)]
        assert "data:image/jpeg" in json.dumps(server.requests[0].body)
        place.beholder.json(*arguments, *at(server))
        assert len(server.requests) == 2, "what was said is in the cache"
    told = place.beholder(*arguments, "--judge", "overlap")
    assert "Judged by overlap (rubric): 2 of 2" in told.out


def test_no_judge_is_asked_about_pictures_that_it_cannot_see(place: JudgePlace, tmp_path: Path) -> None:
    """A result file with its own gold only names the pictures; a rule, or a fake, need not see them."""
    file = made_runs.write_lines(tmp_path / "r.jsonl", [metaphor(number, response=said(number)) for number in range(2)])
    arguments = ["score", "m3r", file, "--runs-dir", place.runs, "--judge", "overlap"]
    with ScriptedServer(rates()) as server:
        check_refused(
            place.beholder(*arguments, *at(server)), ("has to see the pictures, and", "none for 2 items", "--data")
        )
        assert not server.requests
    assert rubric(place.beholder.json(*arguments, "--judge", f"scripted/{place.judge}")) == [1, 0.5]


@pytest.mark.parametrize(("reply", "code"), [(GONE, 3), (BUSY, 4)], ids=["good", "now"])
def test_judges_of_a_file_that_fail_cost_the_rubric_alone(
    place: JudgePlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply, code: int
) -> None:
    monkeypatch.setattr(RetryPolicy, "wait", lambda *arguments: 0.0)
    with ScriptedServer(lambda request: reply) as server:
        arguments = ["score", "m3r", lines(tmp_path / "a.jsonl"), "--data", place.data, "--runs-dir", place.runs]
        told = place.beholder(*arguments, *at(server), "--json")
    found = json.loads(told.out)
    assert (told.code, rubric(found), rubric(found, "lenient")) == (code, [None, None], [1, 1])
    assert "The judge openai/a (rubric) failed on 2 responses" in told.err


# judges that cannot be ---------------------------------------------------------------------------------------------

Make = Callable[[JudgePlace, Path], list[object]]


def prompt(here: Path, text: str, *names: object) -> list[object]:
    (here / "p.txt").write_text(text)
    return [*names, "--judge-prompt", here / "p.txt"]


def tfq(here: Path, *more: object) -> list[object]:
    return ["run", "tfq", "--model", "random", "--data", tfq_data(here / "t"), "--runs-dir", here / "runs", *more]


WRONG: list[tuple[str, Make, tuple[str, ...]]] = [
    ("of tfq", lambda p, h: tfq(h, "--judge", "overlap"), ("tfq takes no --judge",)),
    ("slots of tfq", lambda p, h: tfq(h, "--slot-judge", "constant/x"), ("tfq takes no --slot-judge",)),
    ("extractor of m3r", lambda p, h: p.run("--extractor", "constant/x"), ("m3r takes no --extractor",)),
    ("no server", lambda p, h: p.run("--judge", "openai/x"), ("--judge openai/x needs --judge-base-url",)),
    ("no server there", lambda p, h: p.run(*at(NO_SERVER)), ("No server answers", "--judge-base-url")),
    (
        "no slot server",
        lambda p, h: p.run(*at(NO_SERVER, option="--slot-judge")),
        ("No server answers", "--slot-judge-base-url"),
    ),
    ("no kind", lambda p, h: p.run("--judge", "overlop"), ("no kind of model 'overlop'", "Without a model: overlap")),
    ("a guesser", lambda p, h: p.run("--judge", "random"), ("--judge random cannot judge",)),
    ("twice", lambda p, h: p.run("--judge", "overlap", "--judge", "overlap"), ("--judge overlap is given twice",)),
    (
        "address of a rule",
        lambda p, h: p.run("--judge", "overlap", "--judge-base-url", NO_SERVER),
        ("--judge-base-url goes with a served model",),
    ),
    (
        "too few addresses",
        lambda p, h: p.run(*at(NO_SERVER), *at(NO_SERVER, name="openai/b"), "--judge", "openai/c"),
        ("--judge-base-url is given 2 times for 3 judges that are served",),
    ),
    ("address alone", lambda p, h: p.run("--judge-base-url", NO_SERVER), ("--judge-base-url goes with --judge",)),
    ("key alone", lambda p, h: p.run("--slot-judge-key-env", "K"), ("--slot-judge-key-env goes with --slot-judge",)),
    ("nothing in it", lambda p, h: p.run(*prompt(h, "?", "--judge", "constant/x")), ("p.txt", "must hold {text}")),
    ("to a rule", lambda p, h: p.run(*prompt(h, "?", "--judge", "overlap")), ("overlap is a rule",)),
    ("no embedding", lambda p, h: p.run("--slot-judge", f"embedding/{h}/no"), ("holds no model of model2vec",)),
    ("no task", lambda p, h: p.run("--task", "colour"), ("m3r has no task 'colour'", "metaphor")),
    ("task of tfq", lambda p, h: tfq(h, "--task", "target"), ("tfq has one task only",)),
    ("no language", lambda p, h: p.run("--language", "fr"), ("--language 'fr'", "en and zh")),
    ("language of tfq", lambda p, h: tfq(h, "--language", "en"), ("--language goes with", "tfq")),
    ("assumptions of tfq", lambda p, h: tfq(h, "--assumptions", "ours"), ("tfq takes no --assumptions",)),
    ("no assumptions", lambda p, h: p.run("--assumptions", h / "no.json"), ("--assumptions", "no.json")),
    ("not assumptions", lambda p, h: p.run("--assumptions", p.answers), ("file of assumptions cannot be used",)),
]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_cannot_be_is_told_in_one_line_and_nothing_is_written(
    place: JudgePlace, tmp_path: Path, make: Make, words: tuple[str, ...]
) -> None:
    arguments = make(place, tmp_path)
    before = tree(tmp_path)
    check_refused(place.beholder(*arguments), words)
    assert tree(tmp_path) == before
