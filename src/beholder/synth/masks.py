"""Objects in photographs with exact masks, read from the files that the field keeps them in.

`read_masks` takes a JSON file of COCO instances (polygons or run lengths), COCO panoptic annotations (with their PNG
files, where a segment's id is R + 256 G + 256² B), COCO results (run lengths with scores), or RefCOCO references saved
as JSON (`ref_id`, `ann_id`, `sentences`), and tells them apart by content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import DataError, UsageError
from beholder.images.load import DEFAULT_LIMITS, load, pixels
from beholder.sample import ImageRef
from beholder.synth import masks_raster as raster
from beholder.synth.masks_files import (
    MASKS,
    Category,
    Folder,
    Id,
    ImageInfo,
    JsonFile,
    Kind,
    clean_name,
    image_folders,
    json_files,
    mentions,
)


class MaskedObject(msgspec.Struct, frozen=True):
    """A named object in a photograph. `mask` gives its pixels: (height, width), True where the object is.

    `mask` raises `DataError` if what the file says is no mask of the photograph. `file` is the path of the file that
    holds the mask, "" if that is the annotations themselves.
    """

    name: str
    image: ImageRef
    mask: Callable[[], NDArray[np.bool_]]
    file: str = ""


SMALLEST_AREA = 32 * 32
"""Pixels. Objects under it are passed over; COCO's evaluation calls them small."""

_PLACE = re.compile(
    r"\b(left|right|middle|cent(er|re)|top|bottom|upper|lower|front|back|background|foreground|behind|next|near(est)?|"
    r"close(r|st)?|far(ther|thest)?|corner|side|row|above|below|under|between|beside|first|second|third|last|edge|end|"
    r"facing|other|another|away|lft|rt|pic|picture|photo|image|[0-9]+(st|nd|rd|th)|[0-9]+ o.?clock)\b",
    re.IGNORECASE,
)


class _Annotation(msgspec.Struct, frozen=True):
    image_id: Id
    category_id: Id
    segmentation: msgspec.Raw
    id: Id = -1
    area: float | None = None
    iscrowd: int | bool = 0


class _Runs(msgspec.Struct, frozen=True):
    size: tuple[int, int]
    counts: str | list[int]


class _Segment(msgspec.Struct, frozen=True):
    id: int
    category_id: Id
    area: float
    iscrowd: int | bool = 0


class _Panoptic(msgspec.Struct, frozen=True):
    image_id: Id
    file_name: str
    segments_info: list[_Segment]


class _Sentence(msgspec.Struct, frozen=True):
    sent: str


class _Reference(msgspec.Struct, frozen=True):
    ann_id: Id
    sentences: list[_Sentence]
    ref_id: Id = -1


class _Expression(msgspec.Struct, frozen=True):
    sent: str
    ref_id: Id


def read_masks(annotations: Path, images: Path | None = None) -> tuple[MaskedObject, ...]:
    """The objects of a file of masks, or of a folder with exactly one such file, in the file's order.

    An object is named by its category, or by the first of its referring expressions that says nothing about its place
    in the photograph ("left man" is false elsewhere). What the file lacks is looked for in the JSON files beside it:
    RefCOCO references for COCO instances and the other way round, image names and categories for results. Given
    references, only the objects they speak of are returned. Photographs are looked for in `images` and the folders in
    it, else in the annotations' folder, those in it and those beside it.

    Passed over: crowds, categories that are no things (`isthing` 0, there or in categories beside the file), objects
    under `SMALLEST_AREA` pixels, objects whose photograph is not there. Masks are made when asked for.

    Raises `UsageError` for a path that is not there or a folder with several files of masks, `DataError` naming file,
    record and mend for what cannot be read, and if no object is left.
    """
    given = _given(annotations)
    file, names = _with_expressions(given)
    finder = _Finder(file, image_folders(annotations, images))
    if file.kind is Kind.PANOPTIC:
        found = tuple(_panoptic(file, finder))
    else:
        found = tuple(_instances(file, finder, names, named_only=given is not file))
    if not found:
        raise DataError(
            f"no object is left: its photographs ({finder.missing:,} not found) or its sizes do not serve",
            where=file.path.name,
            mend="Give the folder that holds the photographs (images).",
        )
    return found


def _given(annotations: Path) -> JsonFile:
    """The file itself, or the one file of a folder that holds masks."""
    if not annotations.is_dir():
        return JsonFile(annotations)
    files = [file for path in json_files(annotations) if (file := JsonFile(path)).kind in MASKS]
    if len(files) == 1:
        return files[0]
    names = ", ".join(file.path.name for file in files[:6]) or "none"
    raise UsageError(f"{annotations}: this folder must hold exactly one JSON file of masks; found: {names}. Give one.")


def _with_expressions(given: JsonFile) -> tuple[JsonFile, dict[Id, list[str]]]:
    """The file of masks that belongs to the given file, and the expressions for its annotations by their ids."""
    if given.kind in (Kind.PANOPTIC, Kind.RESULTS):
        return given, {}
    if given.kind is Kind.INSTANCES:
        near = [JsonFile(path) for path in _beside(given) if mentions(path, "ann_id") or mentions(path, "ref_id")]
        return given, _expressions([file for file in near if file.kind in (Kind.REFERENCES, Kind.EXPRESSIONS)])
    if given.kind not in (Kind.REFERENCES, Kind.EXPRESSIONS):
        raise DataError(
            "there are no masks in it",
            where=given.path.name,
            mend="Give a COCO instances, panoptic or results file, or RefCOCO references saved as JSON.",
        )
    near = [JsonFile(path) for path in _beside(given)]
    masks = [file for file in near if file.kind is Kind.INSTANCES]
    references = [given, *(file for file in near if file.kind is Kind.REFERENCES)]
    names = _expressions(references)
    if len(masks) != 1 or not names:
        what = "instances" if len(masks) != 1 else "references (ref_id, ann_id)"
        raise DataError(
            f"the expressions need one file of {what} beside them",
            where=given.path.name,
            mend="Put the COCO instances, and the references saved as JSON, into the same folder.",
        )
    return masks[0], names


def _beside(file: JsonFile) -> list[Path]:
    return [path for path in json_files(file.path.parent) if path.name != file.path.name]


def _expressions(files: list[JsonFile]) -> dict[Id, list[str]]:
    """The expressions by annotation: those that come with references, and those that name a reference."""
    by_annotation: dict[Id, list[str]] = {}
    annotation_of: dict[Id, Id] = {}
    for file in (file for file in files if file.kind is Kind.REFERENCES):
        for _, reference in file.records(file.main_key(), _Reference, "reference"):
            annotation_of[reference.ref_id] = reference.ann_id
            by_annotation.setdefault(reference.ann_id, []).extend(said.sent for said in reference.sentences)
    for file in (file for file in files if file.kind is Kind.EXPRESSIONS):
        for _, expression in file.records(file.main_key(), _Expression, "expression"):
            if expression.ref_id in annotation_of:
                by_annotation.setdefault(annotation_of[expression.ref_id], []).append(expression.sent)
    return by_annotation


class _Finder:
    """Image and category by id, from the file or from those beside it."""

    def __init__(self, file: JsonFile, folders: list[Folder]) -> None:
        self.missing = 0
        self._told: dict[Id, Category] = {}
        self._folders = folders
        self._images, self._categories = file.images(), file.categories()
        if not self._images or not self._categories:
            for path in _beside(file):
                near = JsonFile(path)
                self._images = self._images or near.images()
                self._categories = self._categories or near.categories()
        if all(category.isthing is None for category in self._categories.values()):
            telling = [JsonFile(path) for path in _beside(file) if mentions(path, "isthing")]
            self._told = {key: value for other in telling for key, value in other.categories().items()}
        if not self._categories:
            raise DataError(
                "there are no categories in it or beside it",
                where=file.path.name,
                mend="Put a JSON file with the list of categories (id, name) into the same folder.",
            )

    def image(self, image_id: Id, where: str) -> tuple[ImageRef, ImageInfo] | None:
        """Where the photograph is, and what the file says of it; None if it is not there."""
        info = self._images.get(image_id, ImageInfo(image_id, ""))
        for folder in self._folders:
            path = folder.find(image_id, info.file_name, where)
            if path is not None:
                self._folders = [folder, *(other for other in self._folders if other is not folder)]
                return ImageRef(name=info.file_name or path.name, path=str(path)), info
        self.missing += 1
        return None

    def category(self, category_id: Id, where: str) -> Category:
        if category_id not in self._categories:
            raise DataError(f"there is no category {category_id!r:.40}", where=where, mend="Add it to the categories.")
        category = self._categories[category_id]
        told = self._told.get(category_id)
        return told if told is not None and told.name == category.name else category


def _instances(
    file: JsonFile, finder: _Finder, names: dict[Id, list[str]], *, named_only: bool
) -> Iterator[MaskedObject]:
    key = file.main_key() if file.kind is Kind.RESULTS else "annotations"
    for where, annotation in file.records(key, _Annotation, "result" if file.kind is Kind.RESULTS else "annotation"):
        if annotation.iscrowd or (named_only and annotation.id not in names):
            continue
        area = _area(annotation, where) if annotation.area is None else annotation.area
        category = finder.category(annotation.category_id, where)
        name = _name(names.get(annotation.id, []), category)
        if area < SMALLEST_AREA or category.isthing == 0 or not name:
            continue
        found = finder.image(annotation.image_id, where)
        if found is not None:
            ref, info = found
            yield MaskedObject(name, ref, partial(_stored_mask, annotation.segmentation, info, where))


def _name(expressions: list[str], category: Category) -> str:
    cleaned = (clean_name(text) for text in expressions)
    return next((text for text in cleaned if text and not _PLACE.search(text)), clean_name(category.name))


def _area(annotation: _Annotation, where: str) -> float:
    stored = _segmentation(annotation.segmentation, where)
    try:
        if isinstance(stored, list):
            return raster.area_of_polygons(stored)
        return float(sum(_counts(stored)[1::2]))
    except (ValueError, OverflowError) as error:
        raise _no_mask(error, where) from error


def _segmentation(raw: msgspec.Raw, where: str) -> _Runs | list[list[float]]:
    try:
        return msgspec.json.decode(raw, type=_Runs | list[list[float]])
    except msgspec.MsgspecError as error:
        raise _no_mask(error, where) from error


def _counts(runs: _Runs) -> list[int]:
    return raster.unpack_counts(runs.counts) if isinstance(runs.counts, str) else runs.counts


def _stored_mask(raw: msgspec.Raw, info: ImageInfo, where: str) -> NDArray[np.bool_]:
    """The mask of run lengths or polygons."""
    stored = _segmentation(raw, where)
    said = (info.height, info.width)
    height, width = stored.size if isinstance(stored, _Runs) else said
    try:
        if min(height, width) < 1 or height * width > DEFAULT_LIMITS.max_pixels:
            raise ValueError(f"a picture of {width}×{height} pixels is not to be had")
        if min(said) > 0 and (height, width) != said:
            raise ValueError(f"it is {width}×{height} pixels, the photograph {info.width}×{info.height}")
        if isinstance(stored, _Runs):
            return raster.mask_of_counts(_counts(stored), height, width)
        return raster.mask_of_polygons(stored, height, width)
    except (ValueError, OverflowError) as error:
        raise _no_mask(error, where) from error


def _no_mask(error: Exception, where: str) -> DataError:
    return DataError(f"this is no mask: {error}", where=where, mend="Mend or remove it.")


def _panoptic(file: JsonFile, finder: _Finder) -> Iterator[MaskedObject]:
    # COCO lays the PNG files into a folder named like the JSON file.
    home = file.path.parent
    folders = [Folder(path) for path in (file.path.with_suffix(""), home, home / "panoptic") if path.is_dir()]
    for where, annotation in file.records("annotations", _Panoptic, "annotation"):
        png = next((path for folder in folders if (path := folder.find("", annotation.file_name, where))), None)
        if png is None:
            raise DataError(
                f"its mask {annotation.file_name!r:.60} is not there",
                where=where,
                mend=f"Put the PNG files into {file.path.stem}, beside the JSON file.",
            )
        for number, segment in enumerate(annotation.segments_info, start=1):
            place = f"{where}, segment {number}"
            category = finder.category(segment.category_id, place)
            name = clean_name(category.name)
            if segment.iscrowd or segment.area < SMALLEST_AREA or category.isthing == 0 or not name:
                continue
            found = finder.image(annotation.image_id, place)
            if found is not None:
                yield MaskedObject(name, found[0], partial(_segment_mask, str(png), segment.id, place), str(png))


def _segment_mask(png: str, segment: int, where: str) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = _segment_ids(png) == segment
    if not mask.any():
        raise DataError(
            f"{Path(png).name} has no pixel of the segment {segment}", where=where, mend="Mend or remove it."
        )
    return mask


@lru_cache(maxsize=4)
def _segment_ids(png: str) -> NDArray[np.int64]:
    colours = np.asarray(pixels(load(ImageRef(name=Path(png).name, path=png))), dtype=np.int64)
    ids: NDArray[np.int64] = colours[..., 0] + 256 * colours[..., 1] + 65536 * colours[..., 2]
    return ids
