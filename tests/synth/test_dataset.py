from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.tir.data import load
from beholder.errors import DataError, UsageError
from beholder.synth import dataset, generate, photographs
from beholder.synth.dataset import MANIFEST, RECORDS, is_intact, read_manifest, remake, write_dataset
from beholder.synth.families import FAMILIES, family, items_of, solver_of
from beholder.synth.generate import Draw, SourcePaths, draws_for, make_item, make_items

DRAWS = draws_for(["jigsaw", "maze", "spot_difference"], 3, 17, (1, 2))


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_dataset(DRAWS, tmp_path_factory.mktemp("made") / "set")


def test_layout(written):
    records = json.loads((written / RECORDS).read_text(encoding="utf-8"))
    assert [record["id"] for record in records] == list(range(9))
    assert [record["task"] for record in records] == ["jigsaw"] * 3 + ["maze"] * 3 + ["spot_difference"] * 3
    first = records[0]
    assert list(first) == ["id", "task", "prompt", "answer", "image_1", "image_2", "meta_data"]
    assert (first["image_1"], first["image_2"]) == ("data/jigsaw/00000.png", None)
    assert first["meta_data"].items() >= {"difficulty": 3, "synthetic": True, "level": 1}.items()
    assert sorted(json.loads(first["answer"])) == list(range(1, 10))
    shown = {record[column] for record in records for column in ("image_1", "image_2") if record[column]}
    assert shown | {RECORDS, MANIFEST} == set(contents(written))


def test_a_pair_is_two_pictures_with_plain_names(tmp_path):
    draws = draws_for(["spot_difference"], 12, 3)
    pairs = [record for record in _records(write_dataset(draws, tmp_path / "set")) if record["image_2"]]
    assert pairs
    for record in pairs:
        assert record["image_1"].replace("_left", "_right") == record["image_2"]


def _records(folder):
    return json.loads((folder / RECORDS).read_text(encoding="utf-8"))


def test_what_is_read_is_what_was_made(written):
    for sample, draw in zip(load(written, LoadOptions()), DRAWS, strict=True):
        item = make_item(draw, SourcePaths().read())
        assert (sample.category, sample.metadata["answer"]) == (item.task, item.answer)
        assert sample.parts[0].text == item.prompt
        assert sample.cluster == (item.cluster or sample.images[0].name)
        assert sample.difficulty == str(draw.level)
        assert sample.split == "synthetic"
        assert tuple(Path(ref.path).read_bytes() for ref in sample.images) == item.pictures


def test_the_manifest_makes_it_again_byte_for_byte(written, tmp_path):
    again = remake(written / MANIFEST, tmp_path / "again")
    assert contents(again) == contents(written)


def test_several_processes_write_the_same_bytes(written, tmp_path):
    assert contents(write_dataset(DRAWS, tmp_path / "other", jobs=2)) == contents(written)


def test_a_changed_folder_is_told(written, tmp_path):
    assert is_intact(written, DRAWS)
    assert not is_intact(written, DRAWS[1:])
    assert not is_intact(tmp_path, DRAWS)
    copy = write_dataset(DRAWS[:2], tmp_path / "copy")
    picture = copy / "data" / "jigsaw" / "00001.png"
    picture.write_bytes(picture.read_bytes() + b"\0")
    assert not is_intact(copy, DRAWS[:2])


def test_an_item_does_not_depend_on_what_else_is_made():
    few, many = draws_for(["maze"], 2, 9, (1, 3)), draws_for(["all"], 5, 9, (1, 3))
    assert [draw for draw in many if draw.task == "maze"][:2] == few


def test_levels_share_no_draws():
    seeds = [{draw.seed for draw in draws_for(["maze"], 8, 9, (level,))} for level in (1, 2, 3, 4, 5)]
    assert len(set.union(*seeds)) == 40


@pytest.mark.parametrize("names", [["all", "maze"], ["ALL"], ["All"]])
def test_all_means_every_family_once(names):
    assert [draw.task for draw in draws_for(names, 1, 0)] == list(FAMILIES)


def test_names_come_once_in_the_order_given():
    assert [draw.task for draw in draws_for(["maze", "rotation", "maze"], 1, 0)] == ["maze", "rotation_game"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: draws_for(["maze"], 0, 1), "at least 1, not 0"),
        (lambda: draws_for(["maze"], 1, 1, (3, 6)), "1 to 5, not 3, 6"),
        (lambda: draws_for(["maze"], 1, 1, ()), "not none"),
        (lambda: draws_for(["mazes"], 1, 1), "Did you mean maze"),
        (lambda: family("nonsense"), "There is no family 'nonsense'. Known: all, color, "),
        (lambda: draws_for(["alle"], 1, 1), "Did you mean all"),
        (lambda: items_of("figure"), "There is no task 'figure'"),
        (lambda: items_of("..maze"), "no task"),
        (lambda: solver_of("strokes"), "There is no task 'strokes'"),
        (lambda: solver_of(""), "no task"),
    ],
    ids=["none", "level 6", "no levels", "misspelt", "unknown", "alle", "module", "dots", "helper", "empty"],
)
def test_what_cannot_be_made_is_said_at_once(call, says):
    with pytest.raises(UsageError, match=says):
        call()


def test_nothing_half_written_stays(tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        yield next(make_items(DRAWS[:1]))
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset, "make_items", broken)
    with pytest.raises(KeyboardInterrupt):
        write_dataset(DRAWS, tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_be_filled_a_full_one_not(tmp_path):
    (tmp_path / "new").mkdir()
    write_dataset(DRAWS[:1], tmp_path / "new")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        write_dataset(DRAWS[1:2], tmp_path / "new")
    assert contents(tmp_path) == before


def test_other_people_may_read_it(written):
    assert os.stat(written).st_mode & 0o777 == 0o777 & ~umask()


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_nothing_to_make(tmp_path):
    with pytest.raises(UsageError, match="no items"):
        write_dataset([], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        write_dataset(DRAWS[:1], tmp_path / "file" / "set")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda m: m["items"][2].update(seed=1), r"item 2 \(jigsaw\) comes out with other bytes"),
        (lambda m: m["items"][1].update(files={"data/jigsaw/00001.png": "0" * 64}), "item 1.*other bytes"),
        (lambda m: m["items"][0]["certificate"].update(photo="../../etc/passwd"), "item 0.*other bytes"),
        (lambda m: m["sources"].update({"camera.jpg": "0" * 64}), "not those that were used.*camera"),
        (lambda m: m.update(layout=99), "layout 99"),
        (lambda m: m.update(records="0" * 64), "TIR-Bench.json comes out with other bytes"),
        (lambda m: m.pop("items"), "not a manifest"),
        (lambda m: m["items"][2].update(task="nonsense"), "manifest.json, item 2: there is no task 'nonsense'"),
        (lambda m: m["items"][0].update(task=""), "item 0: there is no task ''"),
        (lambda m: m["items"][0].update(task="..maze"), "no task '..maze'"),
        (lambda m: m["items"][1].update(task="figure"), "item 1: there is no task 'figure'"),
        (lambda m: m["items"][1].update(task="fields"), "no task 'fields'"),
        (lambda m: m["items"][1].update(task="Maze"), "no task 'Maze'"),
        (lambda m: m["items"][1].update(task="x" * 9999), "no task 'x{40}'"),
        (lambda m: m["items"][1].update(level=0), "item 1: there is no level 0"),
        (lambda m: m["items"][1].update(level=6), "no level 6"),
        (lambda m: m["items"][1].update(level="3"), "not a manifest"),
        (lambda m: m["items"][1].update(seed=-1), "no such seed"),
        (lambda m: m["items"][1].update(seed=2**64), "no such seed|not a manifest"),
    ],
    ids=[
        *("seed", "picture", "certificate", "photograph", "layout", "records", "cut"),
        *("unknown", "empty", "dots", "module", "helper", "capital", "long"),
        *("level 0", "level 6", "level as text", "negative", "large"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(written, tmp_path, edit, says):
    manifest = json.loads((written / MANIFEST).read_bytes())
    manifest["items"] = manifest["items"][:3]
    edit(manifest)
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=says):
        remake(tmp_path / MANIFEST, tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\ud83d", "[" * 100_000], ids=["empty", "cut", "list", "bytes", "deep"]
)
def test_a_broken_manifest(tmp_path, text):
    (tmp_path / MANIFEST).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(DataError, match="not a manifest"):
        read_manifest(tmp_path / MANIFEST)


def test_a_missing_manifest(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_manifest(tmp_path / MANIFEST)


def photograph(path, size=(260, 200), seed=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path


def bad_photographs(folder):
    """Photographs that cannot be used, and one that can."""
    for name in ("cut.jpg", "cut.png"):
        path = photograph(folder / name)
        path.write_bytes(path.read_bytes()[:-100])
    changed = photograph(folder / "changed.png")
    data = bytearray(changed.read_bytes())
    data[len(data) // 2] ^= 1
    changed.write_bytes(data)
    photograph(folder / "small.png", (300, 119))
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "text.webp").write_bytes(b"no picture")
    photograph(folder / "good.png")


@pytest.mark.parametrize("jobs", [1, 2])
def test_bad_photographs_are_all_named_before_anything_is_made(tmp_path, monkeypatch, jobs):
    bad_photographs(tmp_path / "photos")

    def made(*args, **kwargs):
        raise AssertionError("an item was made")

    monkeypatch.setattr(generate, "make_item", made)
    with pytest.raises(DataError) as told:
        write_dataset(DRAWS, tmp_path / "set", SourcePaths(tmp_path / "photos"), jobs=jobs)
    assert str(told.value).startswith("the folder of photographs: 6 photographs cannot be used (changed.png: ")
    assert str(told.value).endswith("and 1 more). Replace or remove them.")
    assert [name for name in ("cut.jpg", "cut.png", "empty.jpg", "small.png") if name not in str(told.value)] == []
    assert "good.png" not in str(told.value)
    assert [path.name for path in tmp_path.iterdir()] == ["photos"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("changed.png", "damaged"), ("small.png", "300×119 pixels, at least 120 a side"), ("cut.jpg", "cut short")],
)
def test_one_bad_photograph_is_named_with_its_fault(tmp_path, name, says):
    bad_photographs(tmp_path)
    for path in tmp_path.iterdir():
        if path.name not in (name, "good.png"):
            path.unlink()
    with pytest.raises(DataError, match=f"^{name}: .*{says}"):
        SourcePaths(tmp_path).read()


def masked_set(folder):
    """Two photographs of one name in two folders, one object in each, and a third photograph without any."""
    corners = [[60, 40, 200, 40, 200, 160, 60, 160]]
    names = ("a/one.png", "b/one.png", "c/other.png")
    for place, name in enumerate(names):
        photograph(folder / "images" / name, seed=place)
    objects = [
        {"id": place, "image_id": place, "category_id": 1, "segmentation": corners, "area": 16800.0, "iscrowd": 0}
        for place in (0, 1)
    ]
    images = [{"id": place, "file_name": name, "width": 260, "height": 200} for place, name in enumerate(names)]
    file = folder / "instances.json"
    file.write_text(json.dumps({"images": images, "annotations": objects, "categories": [{"id": 1, "name": "box"}]}))
    return SourcePaths(masks=file, mask_images=folder / "images")


def test_every_source_has_a_key_of_its_own_and_only_what_was_drawn_is_read(tmp_path):
    paths = masked_set(tmp_path)
    shipped = {f"photos/{name}" for name in ("astronaut.jpg", "rocket.jpg")}
    none, one = paths.digests(), paths.digests(drawn={"masked/b/one.png"})
    assert none.keys() >= shipped | {"masks/instances.json"}
    assert not any(key.startswith("masked/") for key in none)
    assert one.keys() - none.keys() == {"masked/b/one.png"}
    both = paths.digests(drawn={"a/one.png", "b/one.png"})
    assert both.keys() - none.keys() == {"masked/a/one.png", "masked/b/one.png"}
    assert both["masked/a/one.png"] != both["masked/b/one.png"]
    assert SourcePaths(masks=tmp_path, mask_images=tmp_path / "images").digests() == none


def test_masked_photographs_are_needed_again(tmp_path):
    paths = masked_set(tmp_path)
    draws = draws_for(["refcoco"], 6, 2, (1,))
    written = write_dataset(draws, tmp_path / "set", paths)
    drawn = {key for key in read_manifest(written / MANIFEST).sources if key.startswith("masked/")}
    assert drawn == {"masked/a/one.png", "masked/b/one.png"}
    assert contents(remake(written / MANIFEST, tmp_path / "again", paths)) == contents(written)
    photograph(tmp_path / "images" / "b" / "one.png", seed=9)
    with pytest.raises(DataError, match=r"not those that were used \(masked/b/one.png\)"):
        remake(written / MANIFEST, tmp_path / "third", paths)


def test_each_photograph_is_hashed_once(tmp_path, monkeypatch):
    photograph(tmp_path / "photos" / "mine.png")
    paths = SourcePaths(tmp_path / "photos")
    written = write_dataset([Draw("maze", 1, 1)], tmp_path / "set", paths)
    seen = []
    load_photo = photographs.load
    monkeypatch.setattr(photographs, "load", lambda ref: seen.append(ref.name) or load_photo(ref))
    remake(written / MANIFEST, tmp_path / "again", paths)
    assert seen == ["mine.png"]


def test_faults_of_making_are_not_told_as_faults_of_writing(tmp_path, monkeypatch):
    def broken(draw, sources):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(generate, "make_item", broken)
    with pytest.raises(OSError, match="No space left"):
        write_dataset(DRAWS[:1], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_as_a_fault_of_writing(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="set cannot be written: No space left on device"):
        write_dataset(DRAWS[:1], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def ended_at_once(draw):
    """Ends its process without a word, as the kernel does when memory runs out."""
    os._exit(9)


def test_a_process_that_was_ended_is_one_plain_line(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "_make_here", ended_at_once)
    with pytest.raises(UsageError, match=r"A process that made items was ended.*use --jobs 1"):
        write_dataset(DRAWS, tmp_path / "set", jobs=2)
    assert list(tmp_path.iterdir()) == []


def test_own_photographs_are_needed_again(tmp_path):
    photos = tmp_path / "photos"
    photograph(photos / "mine.png")
    paths = SourcePaths(photos=photos)
    written = write_dataset([Draw("jigsaw", 1, 1), Draw("jigsaw", 2, 1)], tmp_path / "set", paths)
    with pytest.raises(DataError, match="photographs or masks are not those that were used"):
        remake(written / MANIFEST, tmp_path / "again")
    assert contents(remake(written / MANIFEST, tmp_path / "again", paths)) == contents(written)
