"""Annotation projects to look at, and a real server of them on loopback."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
from running_server import Running, running

from beholder.annotate.consensus import settle
from beholder.annotate.forms import Form, form_of
from beholder.annotate.items import Annotator, NewItem, Proposal
from beholder.annotate.project import Project
from beholder.annotation import Annotation
from beholder.sample import ImageRef
from beholder.web.annotate_api import router
from beholder.web.app import make_app

NAMES = (
    "openai/secret-alpha",
    "openai/secret-beta",
    "openai/secret-gamma",
    "openai/secret-delta",
    "openai/secret-epsilon",
)
"""The models that propose; no page may show them."""


def picture(width: int = 640, height: int = 420, shade: int = 0) -> ImageRef:
    """A drawn scene with a thing in its middle."""
    drawn = PIL.Image.new("RGB", (width, height), (214, 226 - shade % 60, 235))
    pen = PIL.ImageDraw.Draw(drawn)
    pen.rectangle((0, height * 0.72, width, height), fill=(120, 150, 110))
    pen.ellipse((width * 0.35, height * 0.3, width * 0.65, height * 0.75), fill=(190, 80 + shade % 90, 60))
    pen.rectangle((width * 0.47, height * 0.12, width * 0.53, height * 0.32), fill=(60, 60, 70))
    written = io.BytesIO()
    drawn.save(written, "PNG")
    return ImageRef(data=written.getvalue(), name="scene.png")


def said(
    metaphor: str, target: str = "", source: str = "", sentiment: str = "negative", mapping: str = ""
) -> dict[str, Any]:
    """A proposal in the fields of the form `m3r`."""
    value: dict[str, Any] = {"metaphor": metaphor, "target": target, "source": source, "sentiment": sentiment}
    value["evidence"] = [
        {"kind": "visual", "text": "a round thing on a meadow", "box": [0.35, 0.3, 0.65, 0.75]},
        {"kind": "textual", "text": "“about to burst”"},
    ]
    value["mapping"] = mapping
    return {name: filled for name, filled in value.items() if filled}


AGREED = [
    said("yes", "the market", "a balloon", mapping="The round thing swells as prices do, and is as thin."),
    said("yes", "the market", "a balloon", mapping="It is a balloon, and the text speaks of prices."),
    said("yes", "The Market", "balloon"),
    said("yes", "housing prices", "a bubble"),
    said("no", sentiment="neutral", mapping="It is only a picture of a meadow."),
]
SPLIT = [
    said("yes", "debt", "a bomb"),
    said("yes", "the economy", "a bomb"),
    said("no", sentiment="neutral"),
    said("no", sentiment="neutral"),
]
"""Four answers; the fifth model gives none."""


def annotation(value: dict[str, Any]) -> Annotation:
    """The labels of a filled-in form."""
    yes = value["metaphor"] == "yes"
    slots = (value["target"], value["source"]) if yes else (None, None)
    return Annotation(metaphor=yes, target=slots[0], source=slots[1], sentiment=value["sentiment"])


def item(key: str, text: str, proposals: list[dict[str, Any]], *, shade: int = 0, **record: Any) -> NewItem:
    """An item on which five models were asked."""
    told = [*map(annotation, proposals), *[None] * (5 - len(proposals))]
    given = [Proposal(number, value) for number, value in enumerate(proposals)]
    given += [Proposal(number, missing="refused") for number in range(len(proposals), 5)]
    consensus = settle(told, lambda one, other: one.lower().removeprefix("a ") == other.lower().removeprefix("a "))
    return NewItem(
        key=key,
        record={"text": text, "language": "en", "id": f"record-{key}"} | record,
        images=(picture(shade=shade),),
        title=text,
        proposals=tuple(given),
        consensus=consensus,
        draft=proposals[0] if consensus.state == "confirm" else {},
    )


def made(folder: Path, records: list[NewItem] | None = None, form: Form | None = None) -> Path:
    """A project of four items: two to be confirmed, one to be decided, one without proposals."""
    chosen = records or [
        item("one-0", "House prices: about to burst.", AGREED),
        item("two/0", "National debt keeps ticking.", SPLIT, shade=40),
        item("three-0", "房价：随时会破。", AGREED, shade=80),
        NewItem(
            key="four-0", record={"text": "A meadow in May."}, images=(picture(400, 900),), title="A meadow in May."
        ),
    ]
    asked = any(record.proposals for record in chosen)
    annotators = [Annotator(name) for name in NAMES] if asked else []
    Project.create(folder, form or form_of("m3r"), chosen, annotators=annotators, agree=3 if asked else 0).close()
    return folder


@dataclass
class Served(Running):
    """A project that a server on loopback gives out. `project` is a second opening of it, for looking."""

    project: Project


@contextmanager
def serving(folder: Path, *, token: str = "", names: tuple[str, ...] = (), page: str = "annotate") -> Iterator[Served]:
    """The annotation page of a project."""
    with (
        Project.open(folder) as project,
        Project.open(folder) as looking,
        running(make_app(page, [router(project)]), token=token, names=names) as server,
    ):
        yield Served(server.port, server.server, server.said, looking)
