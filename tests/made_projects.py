"""Small annotation projects for tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from beholder.annotate.consensus import settle
from beholder.annotate.forms import form_of
from beholder.annotate.items import Annotator, NewItem, Proposal
from beholder.annotate.metaphors import value_of
from beholder.annotate.project import Project
from beholder.annotation import Annotation, structure_faults
from beholder.sample import ImageRef

YES = {"metaphor": "yes", "target": "smoking", "source": "gun", "sentiment": "negative"}
NO = {"metaphor": "no", "sentiment": "neutral"}


def picture(shade: int = 0, size: tuple[int, int] = (8, 6)) -> ImageRef:
    """A picture of one colour."""
    sink = io.BytesIO()
    Image.new("RGB", size, (shade, 90, 120)).save(sink, "PNG")
    return ImageRef(name=f"p{shade}.png", data=sink.getvalue())


def metaphor(target: str = "smoking", source: str = "gun", sentiment: str = "negative") -> Annotation:
    """An annotator that sees a metaphor."""
    return Annotation(metaphor=True, target=target, source=source, sentiment=sentiment)


def literal(sentiment: str = "neutral") -> Annotation:
    """An annotator that sees none."""
    return Annotation(metaphor=False, target=None, source=None, sentiment=sentiment)


def item(key: str, said: Sequence[Annotation | None] = (), shade: int = 0) -> NewItem:
    """An item of the form m3r with what annotators said of it."""
    return NewItem(
        key=key,
        record={"id": key, "text": f"text of {key}", "language": "en"},
        images=(picture(shade),),
        title=key,
        where=f"data.jsonl, record {key}",
        proposals=tuple(
            Proposal(
                number, value_of(one) if one else {}, "" if one else "failed", structure_faults(one) if one else ()
            )
            for number, one in enumerate(said)
        ),
        consensus=settle(said, str.__eq__) if said else None,
    )


def make_project(folder: Path, items: Sequence[NewItem] | None = None, form: str = "m3r", people: int = 1) -> Project:
    """A project of one adjudicated and one settled item, or of these items."""
    made = items or [
        item("b", [metaphor()] * 5),
        item("a", [metaphor(), metaphor(), literal(), literal(), None], shade=1),
    ]
    n = max(len(one.proposals) for one in made)
    names = [Annotator(f"openai/secret-{number}", f"runs/{number}") for number in range(n)]
    return Project.create(folder, form_of(form), made, annotators=names, people=people, agree=3 if n else 0)
