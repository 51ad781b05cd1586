"""The example set of M3R-Bench: 24 pairs of picture and text of our own, for tests, documentation and demonstration.

It is an example and not the benchmark: the authors' 1,000 items are not in it, and a model's figures on it say nothing
about the paper's. Half of the pairs are metaphors and half of the texts are Chinese. The pictures are drawn by code;
`example_records.json` annotates them and names parts of each drawing, whose boxes are where the drawing put them.

    records.jsonl       our schema (docs/m3r-data.md), one record a line
    images/01.png …     640 × 480 pixels
    scripts/*.json      scripted models and judges (`example_scripts`), none of them a real one
    README.txt          what it is, and the commands
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from beholder.annotation import Annotation, Evidence, Explanation
from beholder.benchmarks.m3r import example_literal_drawn as drawn
from beholder.benchmarks.m3r import example_literal_photos as photos
from beholder.benchmarks.m3r import example_metaphors_en as english
from beholder.benchmarks.m3r import example_metaphors_zh as chinese
from beholder.benchmarks.m3r.example_canvas import Canvas
from beholder.benchmarks.m3r.example_scripts import scripts_for
from beholder.errors import UsageError

RECORDS, IMAGES, SCRIPTS, README = "records.jsonl", "images", "scripts", "README.txt"
SPLIT = "example"

DRAWINGS: dict[str, Callable[[], Canvas]] = {
    draw.__name__: draw
    for draw in (
        english.cigarette_bomb,
        english.iceberg_debt,
        english.bulb_plant,
        english.hourglass_forest,
        english.book_city,
        english.head_machine,
        chinese.phone_leash,
        chinese.wallet_tap,
        chinese.book_boat,
        chinese.lung_tree,
        chinese.bottle_fish,
        chinese.clock_cake,
        drawn.visitors_chart,
        drawn.burning_house,
        drawn.egg_timer,
        drawn.led_bulb,
        drawn.wet_floor,
        drawn.dried_plant,
        drawn.birthday_cake,
        photos.coffee_hours,
        photos.cat_is_home,
        photos.rocket_on_pad,
        photos.deep_field,
        photos.old_coins,
    )
}


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evidence as `example_records.json` has it; `part` names the part of the drawing that gives the box."""

    kind: str
    text: str
    part: str = ""


class Reasons(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An explanation as `example_records.json` has it."""

    evidence: tuple[Piece, ...]
    mapping: str
    sentiment: str


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pair as `example_records.json` has it. `draw` names its drawing; `origin` is `drawn` or `photograph`."""

    draw: str
    language: str
    origin: str
    text: str
    metaphor: bool
    target: str | None
    source: str | None
    sentiment: str
    explanation: Reasons

    def annotation(self, sheet: Canvas) -> Annotation:
        """The gold, with the boxes that the drawing gives."""
        pieces = (
            Evidence(piece.kind, piece.text, sheet.parts[piece.part] if piece.part else None)
            for piece in self.explanation.evidence
        )
        explanation = Explanation(tuple(pieces), self.explanation.mapping, self.explanation.sentiment)
        return Annotation(self.metaphor, self.target, self.source, self.sentiment, explanation)


def example_items() -> list[Item]:
    """The 24 pairs, in their order."""
    text = resources.files(__package__).joinpath("example_records.json").read_bytes()
    return msgspec.json.decode(text, type=list[Item])


def write_example(out: Path) -> Path:
    """Draws the example set into the new folder `out`, which it returns. The bytes depend on Pillow's version alone.

    It is whole or is not there. `UsageError` if `out` is there already or cannot be written.
    """
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out} is there already. Give the name of a new folder.")
    items = example_items()
    with _new_folder(out) as folder:
        sheets = [DRAWINGS[item.draw]() for item in items]
        golds = [item.annotation(sheet) for item, sheet in zip(items, sheets, strict=True)]
        lines = [_line(place, item, gold) for place, (item, gold) in enumerate(zip(items, golds, strict=True), start=1)]
        (folder / IMAGES).mkdir()
        (folder / SCRIPTS).mkdir()
        for place, sheet in enumerate(sheets, start=1):
            (folder / IMAGES / f"{place:02}.png").write_bytes(sheet.png())
        (folder / RECORDS).write_text("".join(lines), encoding="utf-8")
        for name, script in scripts_for([item.draw for item in items], golds).items():
            text = json.dumps(script, ensure_ascii=False, indent=1) + "\n"
            (folder / SCRIPTS / f"{name}.json").write_text(text, encoding="utf-8")
        (folder / README).write_text(_README, encoding="utf-8")
    return out


def _line(place: int, item: Item, gold: Annotation) -> str:
    record: dict[str, Any] = {
        "id": f"example-{place:02}",
        "image": f"{IMAGES}/{place:02}.png",
        "text": item.text,
        "language": item.language,
        "origin": item.origin,
        "split": SPLIT,
        **msgspec.to_builtins(gold),
        "author": "the authors of Beholder",
        "licence": "that of Beholder; photographs: public domain or CC0",
        "example": True,
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder to write in that becomes `out` if all goes well and is removed otherwise."""
    folder = out.parent / f".{out.name}.{secrets.token_hex(4)}.partial"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        yield folder
        os.rename(folder, out)
    except OSError as fault:
        raise UsageError(f"{out} cannot be written: {fault.strerror or fault}.") from fault
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_README = """\
This is an example of 24 items, not the benchmark.

M3R-Bench asks whether a picture with its text is a metaphor, of what (target) by what (source), with which sentiment,
and why. These 24 pairs were made for tests and demonstration of Beholder: 12 are metaphors, 12 are not; 12 texts are
English, 12 Chinese. A model's figures on them say nothing about its figures on M3R-Bench.

records.jsonl   the pairs with all labels and explanations; boxes are left, top, right, bottom as shares of the picture
images/         the pictures, drawn by code; five hold photographs that are in the public domain or CC0
scripts/        answers in the order of the items, for Beholder's scripted models. They were written for this example
                and are not those of any real model or judge:
                model.json                        a model under test: partly right, and it often overlooks the picture
                judge.json, judge-2.json          two judges of its explanations; judge.json fails twice, on purpose
                annotator-1.json … -5.json        five annotators that agree on most items

In this folder:

  beholder run m3r --data . --model scripted/scripts/model.json --judge scripted/scripts/judge.json \\
      --judge scripted/scripts/judge-2.json
  beholder annotate propose --data . --out ../project --annotator scripted/scripts/annotator-1.json \\
      --annotator scripted/scripts/annotator-2.json --annotator scripted/scripts/annotator-3.json \\
      --annotator scripted/scripts/annotator-4.json --annotator scripted/scripts/annotator-5.json
  beholder experiment joint --data . --model scripted/scripts/model.json
"""
