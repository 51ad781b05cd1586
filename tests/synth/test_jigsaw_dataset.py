from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.jigsaw.data import load
from beholder.errors import DataError, UsageError
from beholder.synth.dataset import MANIFEST, RECORDS, read_manifest, remake, write_dataset
from beholder.synth.jigsaw import generate


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def written(tmp_path):
    return write_dataset(generate(6, 17), tmp_path / "puzzles")


def test_layout(written):
    records = [json.loads(line) for line in (written / RECORDS).read_text(encoding="utf-8").splitlines()]
    assert sorted(contents(written)) == sorted(
        [RECORDS, MANIFEST, *(f"data/jigsaw/{index:05d}.png" for index in range(6))]
    )
    first = records[0]
    assert list(first) == ["id", "task", "prompt", "answer", "image_1", "image_2", "meta_data"]
    assert (first["id"], first["task"], first["image_2"]) == ("jigsaw-00000", "jigsaw", None)
    assert first["image_1"] == "data/jigsaw/00000.png"
    assert first["meta_data"]["difficulty"] == 3
    assert sorted(json.loads(first["answer"])) == list(range(1, 10))
    assert "3×3" in first["prompt"]
    assert not {"{n}", "{pieces}"} & set(first["prompt"].split())


def test_what_is_read_is_what_was_generated(written):
    read = list(load(written, LoadOptions()))
    for sample, made in zip(read, generate(6, 17), strict=True):
        assert (sample.key, sample.index, sample.parts, sample.target) == (
            made.key,
            made.index,
            made.parts,
            made.target,
        )
        assert (sample.category, sample.cluster, sample.difficulty) == (made.category, made.cluster, made.difficulty)
        assert Path(sample.images[0].path).read_bytes() == made.images[0].data
        assert sample.metadata == {"n": made.metadata["n"]}


def test_the_manifest_makes_it_again_byte_for_byte(written, tmp_path):
    again = remake(written / MANIFEST, tmp_path / "again")
    assert contents(again) == contents(written)


def test_the_same_seed_writes_the_same_bytes(written, tmp_path):
    assert contents(write_dataset(generate(6, 17), tmp_path / "other")) == contents(written)


def test_nothing_half_written_stays(tmp_path):
    def broken():
        yield next(generate(1, 1))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(broken(), tmp_path / "puzzles")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_be_filled_a_full_one_not(tmp_path):
    (tmp_path / "new").mkdir()
    write_dataset(generate(1, 1), tmp_path / "new")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        write_dataset(generate(1, 2), tmp_path / "new")
    assert contents(tmp_path) == before


def test_other_people_may_read_it(written):
    assert os.stat(written).st_mode & 0o777 == 0o777 & ~umask()


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_no_samples(tmp_path):
    with pytest.raises(UsageError, match="no samples"):
        write_dataset([], tmp_path / "puzzles")
    assert list(tmp_path.iterdir()) == []


def test_only_generated_samples_can_be_written(written, tmp_path):
    with pytest.raises(UsageError, match="only generated samples"):
        write_dataset(load(written, LoadOptions()), tmp_path / "copy")


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        write_dataset(generate(1, 1), tmp_path / "file" / "puzzles")


def change(written, edit):
    manifest = json.loads((written / MANIFEST).read_bytes())
    edit(manifest)
    (written / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda m: m["items"][2]["certificate"].update(seed=1), "item jigsaw-00002.*other bytes"),
        (lambda m: m["items"][1].update(sha256="0" * 64), "item jigsaw-00001.*other bytes"),
        (lambda m: m["items"][0]["certificate"].update(photo="../../etc/passwd"), "no such photograph"),
        (lambda m: m["items"][0]["certificate"].update(photo_digest="0" * 64), "not the one that was used"),
        (lambda m: m.update(layout=99), "layout 99"),
        (lambda m: m.update(records="0" * 64), "jigsaw.jsonl comes out with other bytes"),
        (lambda m: m.pop("items"), "not a manifest"),
    ],
    ids=["seed", "picture", "path", "photograph", "layout", "records", "cut"],
)
def test_a_manifest_that_does_not_fit_is_refused(written, tmp_path, edit, says):
    change(written, edit)
    with pytest.raises(DataError, match=says):
        remake(written / MANIFEST, tmp_path / "again")
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


def test_own_photographs_are_needed_again(tmp_path):
    photos = tmp_path / "photos"
    photos.mkdir()
    noise = np.random.default_rng(1).integers(0, 256, (200, 260, 3), dtype=np.uint8)
    Image.fromarray(noise).save(photos / "mine.png")
    written = write_dataset(generate(2, 1, photos_dir=photos), tmp_path / "puzzles")
    with pytest.raises(DataError, match=r"mine\.png: there is no such photograph"):
        remake(written / MANIFEST, tmp_path / "again")
    assert contents(remake(written / MANIFEST, tmp_path / "again", photos)) == contents(written)
