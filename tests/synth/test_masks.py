from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.synth import masks_raster as raster
from beholder.synth.masks import SMALLEST_AREA, read_masks

WIDTH, HEIGHT = 120, 90
BOX = [10, 20, 70, 20, 70, 80, 10, 80]  # 60 × 60 pixels
L_SHAPE = [[5, 5, 45, 5, 45, 45, 5, 45], [5, 45, 25, 45, 25, 85, 5, 85]]


def box_mask() -> np.ndarray:
    mask = np.zeros((HEIGHT, WIDTH), dtype=bool)
    mask[20:80, 10:70] = True
    return mask


def ring_mask() -> np.ndarray:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    away = (x - 60) ** 2 + (y - 45) ** 2
    return (away < 40**2) & (away > 15**2)


def pack_counts(counts: list[int]) -> str:
    """The run lengths as text, the inverse of `raster.unpack_counts`."""
    chars: list[str] = []
    for place, count in enumerate(counts):
        number = count - counts[place - 2] if place > 2 else count
        while True:
            group = number & 31
            number >>= 5
            more = number != (-1 if group & 16 else 0)
            chars.append(chr(48 + group + (32 if more else 0)))
            if not more:
                break
    return "".join(chars)


def counts_of_mask(mask: np.ndarray) -> list[int]:
    """The run lengths of a mask, the inverse of `raster.mask_of_counts`."""
    line = np.concatenate([[False], mask.T.ravel()])
    ends = np.flatnonzero(line[1:] != line[:-1])
    edges = np.concatenate([[0], ends, [mask.size]])
    return [int(run) for run in np.diff(edges)]


def packed(mask: np.ndarray) -> dict:
    return {"size": list(mask.shape), "counts": pack_counts(counts_of_mask(mask))}


def plain(mask: np.ndarray) -> dict:
    return {"size": list(mask.shape), "counts": counts_of_mask(mask)}


IMAGES = [{"id": 7, "file_name": "000000000007.jpg", "width": WIDTH, "height": HEIGHT}]
CATEGORIES = [{"id": 1, "name": "dog", "supercategory": "animal"}, {"id": 2, "name": "sky", "isthing": 0}]


def annotation(segmentation, **fields) -> dict:
    return {"id": 11, "image_id": 7, "category_id": 1, "segmentation": segmentation, "iscrowd": 0} | fields


def instances(*annotations: dict, **fields) -> dict:
    return {"images": IMAGES, "annotations": list(annotations), "categories": CATEGORIES} | fields


def photograph(folder: Path, name: str = "000000000007.jpg") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (WIDTH, HEIGHT), (90, 120, 60)).save(folder / name)


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


# --- run lengths and polygons -----------------------------------------------------------------------------------------

RUNS = [
    ([5, 2, 2, 2, 5], "52203"),
    ([0, 16], "0`0"),
    ([16], "`0"),
]


@pytest.mark.parametrize("counts, text", RUNS)
def test_packed_run_lengths(counts, text):
    assert pack_counts(counts) == text
    assert raster.unpack_counts(text) == counts


@pytest.mark.parametrize("seed", range(8))
def test_masks_survive_both_ways_of_writing(seed):
    rng = np.random.default_rng(seed)
    mask = rng.random((rng.integers(1, 60), rng.integers(1, 60))) < rng.random()
    counts = counts_of_mask(mask)
    assert raster.unpack_counts(pack_counts(counts)) == counts
    assert (raster.mask_of_counts(counts, *mask.shape) == mask).all()


PIECES = {
    "one": ("..##.", "..##."),
    "two": ("##..#", "##..#", "....."),
    "first of equals": ("#.#.#",),
    "meeting at corners": ("#...#", ".#.#.", "..#..", "#...."),
    "joined late": ("#.#.#", "###.#", "....#"),
    "over two rows": ("####", "....", "##.#", "##.#"),
    "none": ("...",),
}
LARGEST = {
    "one": ("..##.", "..##."),
    "two": ("##...", "##...", "....."),
    "first of equals": ("#....",),
    "meeting at corners": ("#...#", ".#.#.", "..#..", "....."),
    "joined late": ("#.#..", "###..", "....."),
    "over two rows": ("####", "....", "....", "...."),
    "none": ("...",),
}


@pytest.mark.parametrize("case", PIECES)
def test_largest_piece(case):
    mask, piece = (np.array([[char == "#" for char in row] for row in one[case]]) for one in (PIECES, LARGEST))
    assert (raster.largest_piece(mask) == piece).all()


@pytest.mark.parametrize("seed", range(6))
def test_largest_piece_of_noise(seed):
    mask = np.random.default_rng(seed).random((60, 80)) < 0.25 + seed / 20
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    piece = raster.largest_piece(mask)
    assert piece.sum() == stats[1:count, cv2.CC_STAT_AREA].max()
    assert len(set(labels[piece].tolist())) == 1


def test_runs_go_down_the_columns():
    assert raster.mask_of_counts([1, 2, 3], 3, 2).tolist() == [[False, False], [True, False], [True, False]]


@pytest.mark.parametrize(
    "text, said",
    [
        ("5 2", "character"),
        ("é", "character"),
        ("\ud83d", "character"),
        ("o", "cut short"),
        ("o" * 1_000_000, "too long"),
    ],
)
def test_text_that_is_no_run_lengths(text, said):
    with pytest.raises(ValueError, match=said):
        raster.unpack_counts(text)


@pytest.mark.parametrize("counts", [[5], [1, 2, 4], [-1, 7], [10**30], []])
def test_runs_that_do_not_fill_the_picture(counts):
    with pytest.raises(ValueError, match="run length"):
        raster.mask_of_counts(counts, 2, 3)


def test_polygons_cover_their_area():
    mask = raster.mask_of_polygons([BOX], HEIGHT, WIDTH)
    assert (mask == box_mask()).all()
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    disc = np.stack([60 + 35 * np.cos(angles), 45 + 35 * np.sin(angles)], axis=1).ravel().tolist()
    area = raster.area_of_polygons([disc])
    assert area == pytest.approx(np.pi * 35**2, rel=0.01)
    assert raster.mask_of_polygons([disc], HEIGHT, WIDTH).sum() == pytest.approx(area, rel=0.01)


def test_several_polygons_and_parts_outside():
    mask = raster.mask_of_polygons(L_SHAPE, HEIGHT, WIDTH)
    assert mask.sum() == 40 * 40 + 20 * 40
    over = raster.mask_of_polygons([[-50, -50, 30, -50, 30, 40, -50, 40]], HEIGHT, WIDTH)
    assert over.sum() == 30 * 40
    assert not raster.mask_of_polygons([], HEIGHT, WIDTH).any()


@pytest.mark.parametrize(
    "polygon, said",
    [
        ([1, 2, 3, 4], "three corners"),
        ([1, 2, 3, 4, 5, 6, 7], "three corners"),
        ([1, 2, 3, 4, 5, float("nan")], "number"),
    ],
)
def test_what_is_no_polygon(polygon, said):
    with pytest.raises(ValueError, match=said):
        raster.mask_of_polygons([polygon], HEIGHT, WIDTH)


# --- the files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "segmentation, mask",
    [([BOX], box_mask()), (packed(ring_mask()), ring_mask()), (plain(ring_mask()), ring_mask())],
)
@pytest.mark.parametrize("area", [None, 3600.5])
def test_instances(tmp_path, segmentation, mask, area):
    photograph(tmp_path / "images")
    found = read_masks(write(tmp_path / "instances.json", instances(annotation(segmentation, area=area))))
    assert [one.name for one in found] == ["dog"]
    assert found[0].image.path == str(tmp_path / "images" / "000000000007.jpg")
    assert (found[0].mask() == mask).all()


WHERE_IMAGES_ARE = ["", "train2014", "../photos"]


@pytest.mark.parametrize("place", WHERE_IMAGES_ARE)
def test_where_images_are_looked_for(tmp_path, place):
    photograph(tmp_path / "annotations" / place)
    assert len(read_masks(write(tmp_path / "annotations" / "i.json", instances(annotation([BOX]))))) == 1


@pytest.mark.parametrize("inside", ["", "val2017"])
def test_a_folder_of_images_may_be_given(tmp_path, inside):
    photograph(tmp_path / "far" / "away" / inside, "COCO_train2014_000000000007.jpg")
    file = write(tmp_path / "i.json", instances(annotation([BOX])))
    assert len(read_masks(file, tmp_path / "far" / "away")) == 1
    with pytest.raises(DataError, match="no object is left"):
        read_masks(file)


def test_what_is_passed_over(tmp_path):
    photograph(tmp_path)
    annotations = [
        annotation(packed(box_mask()), iscrowd=1),
        annotation([[0, 0, 20, 0, 20, 20, 0, 20]]),
        annotation([BOX], area=SMALLEST_AREA - 1),
        annotation([BOX], category_id=2),
        annotation([BOX], image_id=8),
        annotation([BOX], id="the one"),
    ]
    assert len(read_masks(write(tmp_path / "i.json", instances(*annotations)))) == 1


def segment_png(path: Path, *ids: tuple[int, np.ndarray]) -> None:
    colours = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    for number, mask in ids:
        colours[mask] = (number & 255, number >> 8 & 255, number >> 16)
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(colours).save(path)


def panoptic(*segments: dict) -> dict:
    return {
        "images": IMAGES,
        "annotations": [{"image_id": 7, "file_name": "000000000007.png", "segments_info": list(segments)}],
        "categories": CATEGORIES,
    }


def test_panoptic(tmp_path):
    photograph(tmp_path / "input_images")
    ring = ring_mask()
    segment_png(tmp_path / "panoptic_val" / "000000000007.png", (3_937_500, ring), (259, box_mask() & ~ring))
    file = panoptic(
        {"id": 3_937_500, "category_id": 1, "area": int(ring.sum()), "iscrowd": 0},
        {"id": 259, "category_id": 2, "area": 1500},
        {"id": 4, "category_id": 1, "area": 2000},
    )
    found = read_masks(write(tmp_path / "panoptic_val.json", file))
    assert [one.name for one in found] == ["dog", "dog"]
    assert (found[0].mask() == ring).all()
    with pytest.raises(DataError, match=r"annotation 1, segment 3.*no pixel"):
        found[1].mask()


def test_results_take_names_from_the_files_beside_them(tmp_path):
    photograph(tmp_path / "images", "7.jpg")
    write(tmp_path / "categories.json", CATEGORIES)
    result = {"image_id": 7, "category_id": 1, "segmentation": packed(ring_mask()), "score": 0.9}
    found = read_masks(write(tmp_path / "results.json", [result]))
    assert [one.name for one in found] == ["dog"]
    assert (found[0].mask() == ring_mask()).all()


def test_things_are_told_by_categories_beside_the_file(tmp_path):
    photograph(tmp_path)
    bare = [{"id": 1, "name": "dog"}, {"id": 2, "name": "sky"}]
    file = write(tmp_path / "i.json", instances(annotation([BOX]), annotation([BOX], category_id=2), categories=bare))
    assert [one.name for one in read_masks(file)] == ["dog", "sky"]
    write(tmp_path / "categories.json", [bare[0] | {"isthing": 1}, bare[1] | {"isthing": 0}])
    assert [one.name for one in read_masks(file)] == ["dog"]


REFERENCES = [
    {"ref_id": 1, "ann_id": 11, "sentences": [{"sent": "left dog"}, {"sent": " brown\tdog\n."}]},
    {"ref_id": 2, "ann_id": 12, "sentences": [{"sent": "dog in back"}]},
]


@pytest.mark.parametrize(
    "expressions, names",
    [
        (None, ["brown dog", "dog", "dog"]),
        ({"predictions": [{"sent": "spotted dog", "ref_id": 2}]}, ["brown dog", "spotted dog", "dog"]),
        ([{"sent": "nobody", "ref_id": 99}], ["brown dog", "dog", "dog"]),
    ],
)
def test_expressions_name_the_objects(tmp_path, expressions, names):
    photograph(tmp_path)
    annotations = [annotation([BOX], id=number) for number in (11, 12, 13)]
    file = write(tmp_path / "instances.json", instances(*annotations))
    references = write(tmp_path / "refs.json", REFERENCES)
    if expressions is not None:
        given = write(tmp_path / "said.json", expressions)
        assert [one.name for one in read_masks(given)][:1] == ["brown dog"]
    assert [one.name for one in read_masks(file)] == names
    assert [one.name for one in read_masks(references)] == ["brown dog", "dog"]
    assert [one.name for one in read_masks(tmp_path)] == names


@pytest.mark.parametrize(
    "text, name",
    [("a\0b\x1b[31mc", "a b [31mc"), ("x" * 500, "x" * 80), ("  two   words ", "two words"), ("\n\t", None)],
)
def test_names_are_fit_for_a_question(tmp_path, text, name):
    photograph(tmp_path)
    file = write(tmp_path / "i.json", instances(annotation([BOX]), categories=[{"id": 1, "name": text}]))
    if name is None:
        with pytest.raises(DataError, match="no object is left"):
            read_masks(file)
    else:
        assert read_masks(file)[0].name == name


# --- what cannot be read ----------------------------------------------------------------------------------------------

BROKEN = [
    (b"", "neither a JSON object"),
    (b"not json", "neither a JSON object"),
    (b"\x80\x04}q\x00.", "pickle"),
    (b'{"annotations": [', "not valid JSON"),
    (b"[" * 200_000, "not valid JSON"),
    ({"annotations": []}, "no masks in it"),
    ([{"sent": "dog", "ref_id": 1}], "one file of instances"),
    ({"info": {"annotations": 1}}, "no masks in it"),
    (instances(annotation([BOX]), categories={}), "categories is not a list"),
    (instances(annotation([BOX]), categories=[]), "no categories"),
    (instances(annotation([BOX], category_id=5)), "annotation 1: there is no category 5"),
    (instances(annotation([BOX]), annotation([BOX], image_id=None)), "annotation 2: it cannot be read"),
    (instances(annotation([BOX]), 5), "annotation 2: it cannot be read"),
    (instances(annotation([BOX], area="big")), "annotation 1: it cannot be read"),
    (instances(annotation({"size": [90, 120], "counts": "o"})), "annotation 1: this is no mask: .*cut short"),
    (instances(annotation({"size": [90], "counts": [1]})), "annotation 1: this is no mask"),
    (instances(annotation([["a", "b"]])), "annotation 1: this is no mask"),
    (instances(annotation([BOX]), images=[{"id": 7, "file_name": "../../secret.jpg"}]), "leaves the image folder"),
    (instances(annotation([BOX]), images=[{"id": 7, "file_name": "/etc/passwd"}]), "leaves the image folder"),
    (instances(annotation([BOX]), images=[{"id": 7, "file_name": "http://x/7.jpg"}]), "is an address"),
    (instances(annotation([BOX]), images=[{"id": 7}]), "image 1: it cannot be read"),
    (panoptic({"id": 3, "category_id": 1, "area": 5000}), "annotation 1: its mask .* is not there"),
]


@pytest.mark.parametrize("content, said", BROKEN)
def test_files_that_cannot_be_read(tmp_path, content, said):
    photograph(tmp_path)
    with pytest.raises(DataError, match=said) as caught:
        read_masks(write(tmp_path / "bad.json", content))
    assert str(caught.value).startswith("bad.json")
    assert caught.value.mend


UNFIT = [
    (annotation({"size": [90, 120], "counts": [5, 5]}, area=5000), "cover 10 pixels"),
    (annotation({"size": [90, 120], "counts": [5, -5]}, area=5000), "negative"),
    (annotation({"size": [60, 60], "counts": [0, 3600]}, area=5000), "60×60 pixels, the photograph 120×90"),
    (annotation({"size": [10**9, 10**9], "counts": [0, 10**18]}, area=5000), "not to be had"),
    (annotation([[1e300, 1, 2, 3]], area=5000), "three corners"),
    (annotation({"size": [90, 120], "counts": "\ud83d"}, area=5000), "no mask|not valid JSON"),
]


@pytest.mark.parametrize("unfit, said", UNFIT)
def test_masks_that_turn_out_to_be_none(tmp_path, unfit, said):
    photograph(tmp_path)
    file = write(tmp_path / "bad.json", instances(unfit))
    with pytest.raises(DataError, match=said):
        read_masks(file)[0].mask()


def test_corners_far_away_cost_nothing(tmp_path):
    photograph(tmp_path)
    far = [[-1e200, -1e200, 1e200, -1e200, 1e200, 1e200, -1e200, 1e200]]
    found = read_masks(write(tmp_path / "i.json", instances(annotation(far, area=5000))))
    assert found[0].mask().all()


def test_paths_that_are_not_there(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        read_masks(tmp_path / "gone.json")
    with pytest.raises(UsageError, match="exactly one"):
        read_masks(tmp_path)
    file = write(tmp_path / "a.json", instances(annotation([BOX])))
    with pytest.raises(UsageError, match="not a folder"):
        read_masks(file, tmp_path / "images")
    write(tmp_path / "b.json", instances(annotation([BOX])))
    with pytest.raises(UsageError, match=r"a\.json, b\.json"):
        read_masks(tmp_path)


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("beholder.synth.masks_files.MOST_BYTES", 10)
    with pytest.raises(DataError, match="the limit is 10"):
        read_masks(write(tmp_path / "i.json", instances(annotation([BOX]))))
