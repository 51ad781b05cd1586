"""`beholder annotate` from records to a release: with scripted models, with a real server, with people alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused, tree, write_image, write_lines

from beholder.annotate.items import Item
from beholder.annotate.project import Project
from made_runs import vl_data
from made_tir import mazes
from scripted_server import Reply, Request, ScriptedServer, completion


def said(target: str | None, source: str | None, sentiment: str = "negative", mapping: str = "because") -> str:
    """A model's answer to the joint question."""
    explanation = {"evidence": [{"kind": "visual", "text": "seen", "box": [0, 0, 0.5, 1]}], "mapping": mapping}
    labels = {"metaphor": "yes" if target else "no", "target": target, "source": source, "sentiment": sentiment}
    return json.dumps(labels | {"explanation": explanation})


YES, NO, OTHER = said("smoking", "gun"), said(None, None), said("health", "weapon")
# three items: all agree; they disagree on the pair; all agree that there is no metaphor
SCRIPTS = [[YES, YES, NO], [YES, YES, NO], [said("The smoking", "gun"), OTHER, NO], [YES, OTHER, NO], [YES, "", NO]]
PAIRS = [
    {
        "id": f"item-{number}",
        "image": f"images/{number}.png",
        "text": f"text {number} <b>\x1b[31m",
        "language": "en",
    }
    for number in range(3)
]


class Place:
    """A data set of three pairs, five scripted annotators, and the command line."""

    def __init__(self, here: Path, beholder: Beholder) -> None:
        self.beholder = beholder
        self.here = here
        self.project = here / "project"
        self.data = write_lines(here / "set" / "data.jsonl", PAIRS)
        for number in range(4):
            write_image(here / "set" / "images" / f"{number}.png", (40 * number, 90, 120))
        self.scripts = [here / f"annotator-{number}.json" for number in range(len(SCRIPTS))]
        for file, script in zip(self.scripts, SCRIPTS, strict=True):
            file.write_text(json.dumps(script))

    def arguments(self, *more: object, scripts: int = 5) -> list[object]:
        named = [part for file in self.scripts[:scripts] for part in ("--annotator", f"scripted/{file}")]
        return ["annotate", "propose", "--data", self.data, "--out", self.project, *named, *more]

    def propose(self, *more: object, scripts: int = 5) -> Any:
        return self.beholder(*self.arguments(*more, scripts=scripts))

    def decide(self, author: str = "Ada") -> list[Item]:
        """A person decides on everything: what is filled in, or else what the first proposal says."""
        with Project.open(self.project) as project:
            items = [project.item(row.key, author) for row in project.queue(author)]
            for item in items:
                first = next(one.value for one in item.proposals if not one.missing)
                value = item.value if item.state == "confirm" else first
                project.save(item.key, author=author, value=value, revision=item.revision)
        return items


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> Place:
    return Place(tmp_path, beholder)


def test_from_records_to_a_release_that_a_benchmark_runs_on(place: Place) -> None:
    done = place.propose()
    assert done.code == 0, done.err
    assert "3 items · 5 models, 3 must agree" in done.out
    assert "Decide with: beholder annotate open" in done.out
    counts = place.beholder.json("annotate", "status", place.project)["progress"]
    assert (counts["items"], counts["confirm"], counts["adjudicate"]) == (3, 2, 1)
    release = place.here / "release"
    check_refused(
        place.beholder("annotate", "export", place.project, "--out", release), ("3 of 3 items", "--only-reviewed")
    )
    place.decide()
    facts = place.beholder.json("annotate", "export", place.project, "--out", release)
    assert (facts["items"], facts["people"]) == (3, ["Ada"])
    assert facts["labels"]["target"] == {"adjudicated": 1, "confirmed": 2}
    assert place.beholder("annotate", "verify", release).code == 0
    model = f"scripted/{place.scripts[0]}"
    ran = place.beholder.json("run", "m3r", "--data", release / "records.jsonl", "--model", model, "--runs-dir", "runs")
    figures = ran["metrics"]["lenient"]
    assert (figures["metaphor_accuracy"]["value"], figures["joint"]["n"]) == (1, 3)
    (release / "records.jsonl").write_text("")
    changed = place.beholder("annotate", "verify", release)
    assert (changed.code, "records.jsonl was changed." in changed.out) == (2, True)


def test_runs_are_ordinary_and_the_same_command_again_changes_nothing(place: Place) -> None:
    place.propose()
    before = tree(place.project)
    again = place.propose()
    assert again.code == 0, again.err
    assert tree(place.project) == before
    shown = place.beholder("show", place.project / "runs" / "annotator-1")
    assert shown.code == 0, shown.err
    assert "\x1b" not in again.out + shown.out


def test_no_command_for_people_names_a_model(place: Place) -> None:
    place.propose()
    status = place.beholder("annotate", "status", place.project)
    with Project.open(place.project) as project:
        pages = [str(project.item(key, "Ada")) for key in project.item_keys()] + [str(project.queue("Ada"))]
    assert not [text for text in (status.out, *pages) if "scripted" in text or "annotator-" in text]
    assert "scripted" in place.beholder("annotate", "agreement", place.project, "--json").out


def test_agreement_says_what_is_not_defined(place: Place) -> None:
    place.propose()
    told = place.beholder("annotate", "agreement", place.project)
    assert told.code == 0, told.err
    for words in ("5 models among themselves", "all share one decision", "nobody has decided anything yet"):
        assert words in " ".join(told.out.split())
    place.decide()
    told = place.beholder("annotate", "agreement", place.project)
    for words in ("Each model with what people decided", "not independent"):
        assert words in " ".join(told.out.split())


REFUSED: list[tuple[tuple[object, ...], int, tuple[str, ...]]] = [
    (("--annotator", "scripted/nowhere.json"), 5, ("nowhere.json", "cannot be read")),
    (("--annotator", "wrong/x"), 5, ("no kind of model",)),
    (("--annotator", "openai/x"), 5, ("--base-url",)),
    (("--agree", 2), 5, ("--agree 2", "3 would be usual")),
    (("--agree", 6), 5, ("--agree 6",)),
    (("--base-url", "http://a/v1", "--base-url", "http://b/v1"), 5, ("2 times for 5 annotators",)),
    (("--slot-judge-base-url", "http://a/v1"), 5, ("goes with --slot-judge",)),
    (("--annotator", "openai/x", "--base-url", "http://[a/v1"), 5, ("--base-url",)),
]


@pytest.mark.parametrize(("more", "scripts", "words"), REFUSED)
def test_what_cannot_be_asked_is_refused_before_anything_is_made(
    place: Place, more: tuple[object, ...], scripts: int, words: tuple[str, ...]
) -> None:
    check_refused(place.propose(*more, scripts=scripts), words)
    assert not place.project.exists()
    assert list(place.here.glob(".annotate-*")) == []


def test_a_name_given_twice_and_a_folder_of_something_else(place: Place) -> None:
    check_refused(place.propose("--annotator", f"scripted/{place.scripts[0]}"), ("is given twice",))
    place.project.mkdir()
    (place.project / "data.jsonl").write_text("mine")
    check_refused(place.propose(), ("is there already",))
    assert tree(place.project) == {"data.jsonl": 4}


def test_another_command_for_the_same_folder_is_refused(place: Place) -> None:
    place.propose()
    others: list[tuple[tuple[object, ...], int, str]] = [
        ((), 4, "the annotators were"),
        (("--agree", 4), 5, "--agree was 0"),
        (("--seed", 3), 5, "--seed was 0"),
    ]
    for more, scripts, word in others:
        check_refused(place.propose(*more, scripts=scripts), ("was begun otherwise", word))
    place.data.write_text(place.data.read_text().replace("text 0", "other"))
    check_refused(place.propose(), ("the data of", "was another"))


def test_bad_records_are_kept_apart_in_one_line_each(place: Place) -> None:
    bad = [{"id": "text-only", "text": "x"}, {"id": "image-only", "image": "images/3.png"}]
    write_lines(place.data, [bad[0], *PAIRS, bad[1]])
    done = place.propose()
    assert done.code == 0, done.err
    assert "3 pairs of image and text, 2 records kept apart." in done.err
    apart = place.beholder.json("annotate", "status", place.project)["kept_apart"]
    assert [one["place"] for one in apart] == ["data.jsonl, line 1", "data.jsonl, line 5"]
    assert "2 records kept apart" in place.beholder("annotate", "status", place.project).out


def answering(request: Request) -> Reply:
    return Reply(completion(YES if "text 1" not in request.texts else NO))


def broken(request: Request) -> Reply:
    return Reply(status=500)


def served(place: Place, *servers: ScriptedServer) -> list[object]:
    urls = [part for server in servers for part in ("--base-url", server.url)]
    names = [part for number in range(len(servers)) for part in ("--annotator", f"openai/m{number}")]
    return ["annotate", "propose", "--data", place.data, "--out", place.project, "--max-retries", 0, *names, *urls]


def test_annotators_at_several_servers_and_one_that_comes_back(place: Place) -> None:
    with ScriptedServer(answering) as one, ScriptedServer(broken) as two, ScriptedServer(answering) as three:
        half = place.beholder(*served(place, one, two, three))
        assert half.code == 4, half.err
        assert "Missing: 3 answers." in " ".join(half.err.split())
        check_refused(place.beholder("annotate", "status", place.project), ("is not an annotation project",))
        asked = len(one.requests)
        two.script = answering
        done = place.beholder(*served(place, one, two, three))
        assert done.code == 0, done.err
        assert (asked, len(one.requests), len(three.requests)) == (3, 3, 3)  # nobody is asked twice
        assert all("image_url" in str(request.body) for request in one.requests)
    assert "Annotator 2 of 3: openai/m1" in done.err
    assert "Arm" not in half.err + done.err
    assert "3 models, 2 must agree" in done.out
    assert "The paper has 5 annotators; here are 3." in " ".join(done.err.split())


def test_a_key_goes_to_its_own_server_only(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "one")
    monkeypatch.setenv("TWO", "two")
    with ScriptedServer(answering) as one, ScriptedServer(answering) as two:
        command = [*served(place, one, two), "--agree", 2, "--api-key-env", "ONE"]
        check_refused(place.beholder(*command), ("--api-key-env ONE is given once for 2 servers",))
        secret = [*served(place, one, two), "--agree", 2, "--header", "Authorization: Bearer one"]
        check_refused(place.beholder(*secret), ("--header Authorization would be sent to 2 servers",))
        assert not [*one.listed, *two.listed, *two.requests]
        done = place.beholder(*command, "--api-key-env", "TWO")
        assert done.code == 0, done.err
        sent = [{each.headers["authorization"] for each in (*at.requests, *at.listed)} for at in (one, two)]
    assert sent == [{"Bearer one"}, {"Bearer two"}]


def test_answers_that_cannot_be_had_count_as_missing_if_one_says_so(place: Place) -> None:
    with ScriptedServer(answering) as one, ScriptedServer(broken) as two, ScriptedServer(answering) as three:
        done = place.beholder(*served(place, one, two, three), "--accept-failures")
    assert done.code == 0, done.err
    with Project.open(place.project) as project:
        made = [project.consensus(key) for key in project.item_keys()]
    assert [one.missing for one in made if one is not None] == [(1,)] * 3
    assert all(one is not None and one.state == "confirm" for one in made)


def test_a_judge_proposes_what_means_the_same(place: Place) -> None:
    verdict = '{"target": {"same": true}, "source": {"same": true}}'
    done = place.propose("--slot-judge", f"constant/{verdict}")
    assert done.code == 0, done.err
    with Project.open(place.project) as project:
        made = [project.consensus(key) for key in project.item_keys()]
    assert [len(one.proposed_equivalences) for one in made if one is not None] == [0, 1, 0]
    assert [one.state for one in made if one is not None] == ["confirm", "adjudicate", "confirm"]


def test_people_who_decide_by_themselves(place: Place) -> None:
    assert place.propose("--people", 2).code == 0
    place.decide("Ada")
    check_refused(
        place.beholder("annotate", "export", place.project, "--out", place.here / "r"), ("1 of 2 people have decided",)
    )
    place.decide("Bo")
    told = place.beholder("annotate", "agreement", place.project)
    assert "2 people among themselves" in told.out
    assert place.beholder("annotate", "export", place.project, "--out", place.here / "r").code == 0


def test_two_people_check_items_of_another_benchmark(place: Place) -> None:
    data = mazes(place.here / "tir", 3)
    arguments = ("--data", data, "--benchmark", "tir", "--form", "item-check", "--people", 2, "--out", place.project)
    done = place.beholder("annotate", "new", *arguments)
    assert done.code == 0, done.err
    assert "3 items · 2 people each" in done.out
    with Project.open(place.project) as project:
        item = project.item(project.item_keys()[0], "Ada")
    assert item.record["answer"] == "B"
    assert (len(item.images), item.state) == (1, "open")


def test_what_two_people_dispute_is_told(place: Place) -> None:
    data = mazes(place.here / "tir", 2)
    arguments = ("--data", data, "--benchmark", "tir", "--form", "item-check", "--people", 2, "--out", place.project)
    assert place.beholder("annotate", "new", *arguments).code == 0
    value = {"question": "clear", "answer": "right", "picture_needed": "yes", "verdict": "keep"}
    with Project.open(place.project) as project:
        for key in project.item_keys():
            project.save(key, author="Ada", value=value, revision=0)
        project.save(project.item_keys()[1], author="Bo", value=value | {"verdict": "drop"}, revision=0)
    assert "do not agree on 1 item" in place.beholder("annotate", "status", place.project).out
    (one,) = place.beholder.json("annotate", "status", place.project)["disputed"]
    assert (one["item"], one["labels"]) == (2, ["verdict"])


def test_metaphors_are_labelled_without_models_and_released(place: Place) -> None:
    labelled = PAIRS[0] | {"metaphor": True, "target": "old", "source": "gold", "explanation": {"mapping": "unseen"}}
    write_lines(place.data, [labelled, {"id": "text-only", "text": "x"}])
    done = place.beholder("annotate", "new", "--form", "m3r", "--data", place.data, "--out", place.project)
    assert done.code == 0, done.err
    assert "data.jsonl, line 2: there is no image" in " ".join(done.out.split())
    with Project.open(place.project) as project:
        (key,) = project.item_keys()
        assert "gold" not in str(project.item(key, "Ada"))
        project.save(key, author="Ada", value={"metaphor": "no", "sentiment": "neutral"}, revision=0)
    assert place.beholder("annotate", "export", place.project, "--out", "rel").code == 0
    record = json.loads((Path("rel") / "records.jsonl").read_text())
    assert (record["text"], record["target"], record.get("explanation")) == (PAIRS[0]["text"], None, None)


def test_labels_for_the_errors_of_a_run(place: Place) -> None:
    data = mazes(place.here / "tir", 3)
    (place.here / "model.json").write_text(json.dumps(["A", "B", "C"]))
    model = f"scripted/{place.here / 'model.json'}"
    assert place.beholder("run", "tir", "--data", data, "--model", model).code == 0
    done = place.beholder("annotate", "new", "--run", "latest", "--form", "error-labels", "--out", place.project)
    assert done.code == 0, done.err
    with Project.open(place.project) as project:
        items = [project.item(key, "Ada") for key in project.item_keys()]
        assert project.form.name == "error-labels"
    assert [item.record["response"] for item in items] == ["A", "B", "C"]
    assert all(item.images for item in items)
    assert "model.json" not in str(items)
    only = place.beholder.json("annotate", "new", "--run", "latest", "--form", "error-labels", "--wrong", "--out", "w")
    assert only["progress"]["items"] == 2


def test_two_answers_that_are_compared_stand_in_the_order_that_the_model_saw(place: Place) -> None:
    data = vl_data(place.here / "vl", 6)
    new = ("annotate", "new", "--form", "error-labels", "--out")
    assert place.beholder(*new, "items", "--data", data, "--benchmark", "vl-rewardbench").code == 0
    ran = place.beholder(
        "run", "vl-rewardbench", "--data", data, "--model", "constant/Answer 1 is better.", "--votes", 1
    )
    assert ran.code == 0, ran.err
    assert place.beholder(*new, "answers", "--run", "latest").code == 0
    told = []
    for folder in ("items", "answers"):
        with Project.open(Path(folder)) as project:
            told.append({key.partition(".")[0]: project.record(key)[0] for key in project.item_keys()})
    items, answers = told
    assert items.keys() == answers.keys()
    better = {key: (one[one["answer"].removesuffix(" is better")], one["answer 1"]) for key, one in items.items()}
    seen = {key: (one[one["answer"].removesuffix(" is better")], one["answer 1"]) for key, one in answers.items()}
    assert {key: pair[0] for key, pair in better.items()} == {key: pair[0] for key, pair in seen.items()}
    assert better != seen  # some were shown the other way round


NEW_REFUSED: list[tuple[tuple[object, ...], tuple[str, ...]]] = [
    ((), ("Give --data PATH",)),
    (("--data", "x", "--run", "y"), ("Give --data PATH",)),
    (("--run", "y", "--benchmark", "tir"), ("Leave --benchmark",)),
    (("--data", "nowhere.jsonl"), ("no such file",)),
    (("--run", "latest"), ("no runs yet",)),
    (("--data", "set/data.jsonl", "--form", "strange"), ("no form 'strange'",)),
    (("--data", "set/data.jsonl", "--wrong"), ("--wrong goes with --run",)),
    (("--run", "latest", "--form", "m3r"), ("The form m3r asks about pairs",)),
    (("--data", "set/data.jsonl", "--benchmark", "tir", "--form", "m3r"), ("The form m3r asks about pairs",)),
]


@pytest.mark.parametrize(("more", "words"), NEW_REFUSED)
def test_what_new_refuses(place: Place, more: tuple[object, ...], words: tuple[str, ...]) -> None:
    write_lines(Path("set/data.jsonl"), [{"text": "x"}])
    check_refused(place.beholder("annotate", "new", "--out", place.project, *more), words)
    assert not (place.project / "project.json").exists()


def test_records_of_ones_own_with_a_form_of_ones_own(place: Place) -> None:
    form = place.here / "mood.json"
    field = {"name": "mood", "kind": "choice", "label": "Mood", "options": ["glad", "sad"], "keys": ["g", "s"]}
    form.write_text(json.dumps({"name": "mood", "title": "Mood", "fields": [field]}))
    done = place.beholder("annotate", "new", "--data", place.data, "--form", form, "--out", place.project)
    assert done.code == 0, done.err
    with Project.open(place.project) as project:
        key = project.item_keys()[0]
        project.save(key, author="Ada", value={"mood": "glad"}, revision=0)
    facts = place.beholder.json("annotate", "export", place.project, "--out", "rel", "--only-reviewed")
    assert (facts["items"], facts["left_out"], facts["labels"]) == (1, 2, {"mood": {"people": 1}})


def test_open_serves_the_project(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    from beholder.web import serve

    monkeypatch.setattr(serve, "serve", lambda folder, **how: seen.update(folder=folder, **how))
    assert place.beholder("annotate", "open", place.project, "--port", 0, "--allow-host", "box").code == 0
    assert (seen["folder"], seen["port"], seen["host"], seen["allow_hosts"]) == (place.project, 0, "127.0.0.1", ["box"])


@pytest.mark.slow
def test_a_killed_command_goes_on(place: Place) -> None:
    def slow(request: Request) -> Reply:
        return Reply(answering(request).body, first_byte=0.4)

    with ScriptedServer(slow) as one, ScriptedServer(slow) as two, ScriptedServer(slow) as three:
        arguments = [*served(place, one, two, three), "--max-connections", 1]
        command = [sys.executable, "-m", "beholder", *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(two.requests) < 2:
            time.sleep(0.02)
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        done = place.beholder(*arguments)
        assert done.code == 0, done.err
        assert len(one.requests) == len(three.requests) == 3
        assert len(two.requests) <= 5  # what was in flight, and what was answered but not written yet, is asked again
