"""From what people decided to a frozen release, and back into a benchmark."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.annotate.agreement import agreement_of
from beholder.annotate.forms import Value
from beholder.annotate.items import NewItem
from beholder.annotate.metaphors import annotation_of, value_of
from beholder.annotate.project import Project
from beholder.annotate.release import check_release, disputed, release
from beholder.annotation import Annotation, Evidence, Explanation
from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import UsageError
from beholder.metrics.agreement import fleiss_kappa, krippendorff_alpha, raw_agreement
from beholder.sample import MetaphorTarget
from made_projects import NO, YES, item, literal, make_project, metaphor, picture

EXPLAINED = YES | {
    "evidence": [
        {"kind": "visual", "text": "a gun", "box": [0.1, 0.2, 0.5, 0.9]},
        {"kind": "textual", "text": "kills"},
    ],
    "mapping": "it kills",
    "justification": "death is bad",
}


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with make_project(tmp_path / "p") as made:
        made.save("a", author="Ada", value=NO, revision=0)
        made.save("b", author="Bo", value=EXPLAINED, note="sure", revision=0)
        yield made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_release_is_read_by_the_benchmark(project: Project, tmp_path: Path) -> None:
    release(project, tmp_path / "rel")
    samples = list(benchmark("m3r").load(tmp_path / "rel" / "records.jsonl", LoadOptions()))
    assert [sample.record_id for sample in samples] == ["b", "a"]
    golds = [sample.target.annotation for sample in samples if isinstance(sample.target, MetaphorTarget)]
    assert golds == [annotation_of(EXPLAINED), annotation_of(NO)]
    assert all(Path(sample.images[0].path or "").is_file() for sample in samples)
    assert {sample.category for sample in samples} == {"en"}


def test_the_same_project_gives_the_same_bytes(project: Project, tmp_path: Path) -> None:
    for name in ("one", "two"):
        release(project, tmp_path / name)
    files = [
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*")) for name in ("one", "two")
    ]
    assert files[0] == files[1]
    for file in files[0]:
        if (tmp_path / "one" / file).is_file():
            assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_where_each_label_comes_from(project: Project, tmp_path: Path) -> None:
    project.save("a", author="Bo", value=NO | {"sentiment": "positive"}, revision=1)
    project.save("b", author="Ada", value=EXPLAINED | {"source": "weapon"}, note="", revision=1)
    facts = release(project, tmp_path / "rel")
    first, second = lines(tmp_path / "rel" / "provenance.jsonl")
    assert [(first["labels"][name]["how"]) for name in ("metaphor", "target", "source", "sentiment")] == [
        "confirmed",
        "confirmed",
        "changed",
        "confirmed",
    ]
    assert first["labels"]["target"]["annotators"] == [f"openai/secret-{number}" for number in range(5)]
    assert first["labels"]["source"] == {"how": "changed", "annotators": [], "people": ["Ada"]}
    assert second["labels"]["metaphor"]["how"] == "adjudicated"
    assert second["labels"]["metaphor"]["annotators"] == ["openai/secret-2", "openai/secret-3"]
    assert [(row["person"], row["action"], row["revision"]) for row in second["history"]] == [
        ("Ada", "save", 1),
        ("Bo", "save", 2),
    ]
    assert facts["labels"]["metaphor"] == {"adjudicated": 1, "confirmed": 1}
    assert facts["people"] == ["Ada", "Bo"]


def test_whose_each_text_is(tmp_path: Path) -> None:
    drafted = {"mapping": "it kills", "justification": "death is bad"}
    said = msgspec.structs.replace(metaphor(), explanation=Explanation((), "it kills", "death is sad"))
    made = msgspec.structs.replace(item("k", [metaphor(), said, metaphor()]), draft=YES | drafted, drafted_by=2)
    with make_project(tmp_path / "p", [made]) as project:
        piece = {"kind": "visual", "text": "a gun"}
        project.save("k", author="Ada", value=YES | {"mapping": "it kills", "evidence": [piece]}, revision=0)
        release(project, tmp_path / "rel")
    (told,) = lines(tmp_path / "rel" / "provenance.jsonl")
    assert told["written"] == {
        "evidence": {"person": "Ada"},
        "mapping": {
            "person": "Ada",
            "drafted_by": "openai/secret-2",
            "revised": False,
            "same_as": ["openai/secret-1"],
        },
        "justification": {"person": "Ada", "drafted_by": "openai/secret-2", "revised": True},
    }


def test_who_names_no_target_of_a_metaphor_does_not_say_that_there_is_none(tmp_path: Path) -> None:
    unnamed = Annotation(metaphor=True, sentiment="neutral")
    with make_project(tmp_path / "p", [item("k", [literal(), literal(), unnamed])]) as project:
        project.save("k", author="Ada", value=NO, revision=0)
        release(project, tmp_path / "rel")
    (told,) = lines(tmp_path / "rel" / "provenance.jsonl")
    for label in ("metaphor", "target", "source"):
        assert told["labels"][label]["annotators"] == ["openai/secret-0", "openai/secret-1"]


def test_every_item_needs_a_persons_decision(project: Project, tmp_path: Path) -> None:
    project.undo("a", author="Ada", revision=1)
    with pytest.raises(UsageError, match="1 of 2 items are not reviewed"):
        release(project, tmp_path / "rel")
    assert list(tmp_path.glob("rel*")) + list(tmp_path.glob(".release*")) == []
    facts = release(project, tmp_path / "rel", only_reviewed=True)
    assert (facts["items"], facts["left_out"]) == (1, 1)
    project.undo("b", author="Ada", revision=1)
    with pytest.raises(UsageError, match="nothing to release"):
        release(project, tmp_path / "other", only_reviewed=True)


def test_a_release_is_never_written_over(project: Project, tmp_path: Path) -> None:
    (tmp_path / "rel").mkdir()
    with pytest.raises(UsageError, match="never written over"):
        release(project, tmp_path / "rel")


def test_a_changed_release_is_told(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "rel"
    release(project, folder)
    assert check_release(folder) == []
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b"smoking", b"Smoking"))
    (folder / "extra.txt").write_text("x")
    next((folder / "images").iterdir()).unlink()
    told = check_release(folder)
    assert [any(word in sentence for sentence in told) for word in ("missing", "does not belong", "was changed")] == [
        True
    ] * 3
    facts = folder / "release.json"
    facts.write_text(facts.read_text().replace('"items": 2', '"items": 3'))
    assert check_release(folder)[0] == "release.json itself was changed."


def test_people_who_decide_alone_must_agree(tmp_path: Path) -> None:
    with make_project(tmp_path / "p", [item("k", [metaphor()] * 5), item("l", [metaphor()] * 5, 1)]) as made:
        shared = made.info
    each = msgspec.structs.replace(shared, form=msgspec.structs.replace(shared.form, mode="each"), people=2)
    (tmp_path / "p" / "project.json").write_bytes(msgspec.json.encode(each))
    with Project.open(tmp_path / "p") as project:
        for key in ("k", "l"):
            project.save(key, author="Ada", value=EXPLAINED, revision=0)
        with pytest.raises(UsageError, match=r"2 of 2 items .* 1 of 2 people"):
            release(project, tmp_path / "rel")
        project.save("k", author="Bo", value=YES | {"target": "The SMOKING"}, revision=0)
        project.save("l", author="Bo", value=YES | {"target": "health"}, revision=0)
        with pytest.raises(UsageError, match=r"1 of 2 items .* do not agree on target"):
            release(project, tmp_path / "rel")
        project.save("l", author="Cy", value=YES | {"target": "health"}, revision=0)
        release(project, tmp_path / "rel")
    (first, second), (told, _) = (lines(tmp_path / "rel" / name) for name in ("records.jsonl", "provenance.jsonl"))
    assert (first["target"], second["target"]) == ("smoking", "health")
    assert "explanation" in first
    assert "explanation" not in second  # Bo saved first of the two who agree, and wrote none
    assert told["labels"]["target"]["people"] == ["Ada", "Bo"]


def test_target_and_source_are_a_pair_among_people_too(tmp_path: Path) -> None:
    with make_project(tmp_path / "p", [item("k", [metaphor()] * 5)]) as made:
        each = msgspec.structs.replace(made.info, form=msgspec.structs.replace(made.form, mode="each"), people=3)
    (tmp_path / "p" / "project.json").write_bytes(msgspec.json.encode(each))
    with Project.open(tmp_path / "p") as project:
        for name, target, source in (("Ada", "road", "x"), ("Bo", "road", "y"), ("Cy", "b", "x")):
            project.save("k", author=name, value=YES | {"target": target, "source": source}, revision=0)
        assert disputed(project) == {"k": ("target", "source")}
        with pytest.raises(UsageError, match="do not agree on target, source"):
            release(project, tmp_path / "rel")
        project.save("k", author="Cy", value=YES | {"target": "The Road", "source": "x"}, revision=1)
        assert disputed(project) == {}
        release(project, tmp_path / "rel")
    (record,) = lines(tmp_path / "rel" / "records.jsonl")
    assert (record["target"], record["source"]) == ("road", "x")


def test_a_release_that_the_benchmark_would_read_otherwise_is_none(project: Project, tmp_path: Path) -> None:
    with sqlite3.connect(project.folder / "project.db") as db:
        db.execute("UPDATE items SET record = '{}' WHERE key = 'a'")
    db.close()
    with pytest.raises(UsageError, match=r"could not read this release: .* there is no text"):
        release(project, tmp_path / "rel")
    assert list(tmp_path.glob("rel*")) + list(tmp_path.glob(".release*")) == []


CHECK: Value = {"question": "clear", "answer": "right", "picture_needed": "yes", "verdict": "keep"}


def test_a_check_by_two_people_keeps_what_each_said(tmp_path: Path) -> None:
    records = [NewItem(key=key, record={"question": f"q{key}"}, images=(picture(),)) for key in "kl"]
    with make_project(tmp_path / "p", records, form="item-check", people=2) as project:
        project.save("k", author="Ada", value=CHECK, revision=0)
        project.save("k", author="Bo", value=CHECK | {"verdict": "drop"}, note="why", revision=0)
        project.save("l", author="Ada", value=CHECK, revision=0)
        project.save("l", author="Bo", value=CHECK, revision=0)
        facts = release(project, tmp_path / "rel")
    first, second = lines(tmp_path / "rel" / "records.jsonl")
    assert first["undecided"] == ["verdict"]
    assert "verdict" not in first["decided"]
    assert [(one["person"], one["value"]["verdict"], one["note"]) for one in first["people"]] == [
        ("Ada", "keep", ""),
        ("Bo", "drop", "why"),
    ]
    assert second["decided"] == CHECK
    assert "undecided" not in second
    assert facts["labels"]["verdict"] == {"people": 1, "undecided": 1}


def test_agreement_is_that_of_the_ratings(tmp_path: Path) -> None:
    said: dict[str, list[Annotation | None]] = {
        "a": [metaphor(), metaphor("The smoking"), metaphor(), literal(), None],
        "b": [literal(), literal("positive"), literal(), literal(), literal()],
        "c": [metaphor(source="bomb"), metaphor(), metaphor(), metaphor(), metaphor()],
    }
    with make_project(tmp_path / "p", [item(key, one) for key, one in said.items()]) as project:
        groups = {group.name: group for group in agreement_of(project)}
        assert groups["models-people"].reason == "nobody has decided anything yet"
        assert "share one decision" in groups["people"].reason
        rows = {row.field: row for row in groups["models"].rows}
        project.save("a", author="Ada", value=YES, revision=0)
        project.save("b", author="Ada", value=NO | {"sentiment": "positive"}, revision=0)
        again = {group.name: group for group in agreement_of(project)}
    metaphors: list[list[str | None]] = [
        ["y", "n", "y"],
        ["y", "n", "y"],
        ["y", "n", "y"],
        ["n", "n", "y"],
        [None, "n", "y"],
    ]
    assert rows["metaphor"].raw == raw_agreement(metaphors)
    assert rows["metaphor"].alpha == krippendorff_alpha(metaphors, "nominal")
    assert rows["metaphor"].fleiss == fleiss_kappa([row[1:] for row in metaphors])  # the items that all rated
    sources: list[list[str | None]] = [
        ["g", None, "b"],
        ["g", None, "g"],
        ["g", None, "g"],
        [None, None, "g"],
        [None, None, "g"],
    ]
    assert rows["source"].alpha == krippendorff_alpha(sources, "nominal")
    assert rows["target"].raw.value == 1  # equal after normalisation
    settled = {row.field: row for row in again["models-people"].rows}
    assert settled["sentiment"].raw.value == 0.5
    assert (settled["metaphor"].raw.value, settled["metaphor"].raw.items) == (1, 2)
    fourth = {row.field: row for row in again["model-people/openai/secret-3"].rows}
    assert fourth["metaphor"].raw.value == 0.5


def test_models_agree_though_nobody_has_decided_and_one_never_answered(tmp_path: Path) -> None:
    with make_project(tmp_path / "p", [item(key, [metaphor(), metaphor(), None]) for key in "ab"]) as project:
        groups = {group.name: group for group in agreement_of(project)}
    assert {row.field: row.raw.value for row in groups["models"].rows}["metaphor"] == 1


def test_a_form_without_labels_has_no_agreement(tmp_path: Path) -> None:
    form = tmp_path / "free.json"
    field = {"name": "said", "kind": "longtext", "label": "What do you see?"}
    form.write_text(json.dumps({"name": "free", "title": "Free", "mode": "each", "fields": [field]}))
    with make_project(tmp_path / "p", [NewItem(key="k", record={"q": 1})], form=str(form)) as project:
        for name in ("Ada", "Bo"):
            project.save("k", author=name, value={"said": name}, revision=0)
        (group,) = agreement_of(project)
        assert "neither a choice nor a short text" in group.reason
        assert release(project, tmp_path / "rel")["items"] == 1


def test_agreement_among_people(tmp_path: Path) -> None:
    records = [NewItem(key=key, record={"question": key}, images=(picture(),)) for key in "klm"]
    with make_project(tmp_path / "p", records, form="item-check", people=2) as project:
        (models, people) = agreement_of(project)
        assert (models.reason, people.reason) == (
            "no models have proposed anything",
            "fewer than two people have decided anything",
        )
        for key, verdicts in {"k": "keep keep", "l": "keep drop", "m": "drop drop"}.items():
            for name, verdict in zip(("Ada", "Bo"), verdicts.split(), strict=True):
                project.save(key, author=name, value=CHECK | {"verdict": verdict}, revision=0)
        rows = {row.field: row for row in agreement_of(project)[1].rows}
    ratings = [["keep", "keep", "drop"], ["keep", "drop", "drop"]]
    assert rows["verdict"].fleiss == fleiss_kappa(ratings)
    assert rows["verdict"].alpha == krippendorff_alpha(ratings, "nominal")
    assert rows["question"].fleiss.value is None
    assert "same value" in rows["question"].fleiss.reason


VALUES: list[tuple[Annotation, Value]] = [
    (literal(), {"metaphor": "no", "sentiment": "neutral"}),
    (metaphor("a\nb\x1b[1m", "x"), {"metaphor": "yes", "target": "a b", "source": "x", "sentiment": "negative"}),
    (Annotation(sentiment="mixed"), {}),
    (Annotation(explanation=Explanation()), {}),
    (
        Annotation(
            metaphor=False,
            target="x",
            explanation=Explanation(
                (
                    Evidence("visual", "a", (0, 0, 2, 1)),
                    Evidence("odd", "b", (0, 0, 1, 1)),
                    Evidence("visual", " \x07"),
                ),
                " m ",
            ),
        ),
        {
            "metaphor": "no",
            "target": "x",
            "evidence": [
                {"kind": "visual", "text": "a"},
                {"kind": "textual", "text": "b", "box": [0, 0, 1, 1]},
            ],
            "mapping": "m",
        },
    ),
]


@pytest.mark.parametrize(("said", "value"), VALUES)
def test_annotations_as_the_form_has_them(said: Annotation, value: Value) -> None:
    assert value_of(said) == value


@pytest.mark.parametrize("value", [YES, NO, EXPLAINED, {}])
def test_a_value_is_the_same_after_there_and_back(value: Value) -> None:
    back = value_of(annotation_of(value))
    assert json.loads(json.dumps(back)) == value


def test_a_decision_that_was_not_made_here_is_checked(project: Project, tmp_path: Path) -> None:
    with sqlite3.connect(project.folder / "project.db") as db:
        db.execute("""UPDATE decisions SET value = '{"metaphor": "yes", "evidence": "x"}' WHERE key = 'a'""")
    db.close()
    with pytest.raises(UsageError, match="The decision about a breaks a rule of the form"):
        release(project, tmp_path / "rel")


def test_a_text_that_was_asked_after_a_choice_goes_where_the_choice_is_decided(tmp_path: Path) -> None:
    mood = {"name": "mood", "kind": "choice", "label": "Mood", "options": ["glad", "sad"]}
    why = {"name": "why", "kind": "longtext", "label": "Why?", "when": ["mood", "sad"]}
    form = tmp_path / "mood.json"
    form.write_text(json.dumps({"name": "mood", "title": "Mood", "mode": "each", "fields": [mood, why]}))
    records = [NewItem(key=key, record={"text": key}) for key in "kl"]
    with make_project(tmp_path / "p", records, form=str(form)) as project:
        for key, said in {"k": "sad glad", "l": "sad sad"}.items():
            for name, choice in zip(("Ada", "Bo"), said.split(), strict=True):
                value = {"mood": choice} | ({"why": f"says {name}"} if choice == "sad" else {})
                project.save(key, author=name, value=value, revision=0)
        release(project, tmp_path / "rel")
    first, second = lines(tmp_path / "rel" / "records.jsonl")
    assert (first["decided"], first["undecided"]) == ({}, ["mood"])
    assert second["decided"] == {"mood": "sad", "why": "says Ada"}
