"""What goes into an annotation project and what comes out of it: items, proposals, decisions."""

from __future__ import annotations

import unicodedata
from typing import Any

import msgspec

from beholder.annotate.consensus import Consensus
from beholder.annotate.forms import Value
from beholder.errors import UsageError
from beholder.report.plain_text import plain, seen
from beholder.sample import ImageRef

OPEN = "open"
"""State of an item that no model has proposed anything for; the others are `consensus.ADJUDICATE` and `CONFIRM`."""
DONE, SKIPPED = "done", "skipped"
"""State of an item that was decided or put off; it hides what its state was before."""
SAVE, SKIP, UNDO, REFUSED = "save", "skip", "undo", "refused"
"""Actions in the history of an item. A refused save was based on a revision that no longer held."""

LONGEST_NAME = 60
LONGEST_NOTE = 2_000


class Annotator(msgspec.Struct, frozen=True):
    """A model that proposes. `name` and `run` (the folder of its answers) are never shown beside a proposal."""

    name: str
    run: str = ""


class Proposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one annotator says of an item, in the form's own fields.

    `annotator` is its number, from 0. `missing` is a word for why there is no answer that can be read (`failed`,
    `refused`, `unparsed`, `truncated`), `faults` are the rules that the answer breaks.
    """

    annotator: int
    value: Value = {}
    missing: str = ""
    faults: tuple[str, ...] = ()


class NewItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item to be put into a project.

    `record` is what the page shows and what a release begins with (field → text or other JSON); `where` names file and
    record for messages. `draft` is what the page fills in before a person has decided, drawn up by the annotator
    `drafted_by` where it holds an explanation.
    """

    key: str
    record: dict[str, Any]
    images: tuple[ImageRef, ...] = ()
    title: str = ""
    where: str = ""
    proposals: tuple[Proposal, ...] = ()
    consensus: Consensus | None = None
    draft: Value = {}
    drafted_by: int | None = None


class KeptApart(msgspec.Struct, frozen=True):
    """A record that could not become an item: its place in the data, and why in one line."""

    place: str
    why: str


class Picture(msgspec.Struct, frozen=True):
    """A picture of an item by the hash of its bytes; sizes in pixels as seen (after EXIF orientation)."""

    sha256: str
    mime: str
    width: int
    height: int


class ShownProposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """A proposal without its author. `letter` says nothing: an annotator has another one at each item."""

    letter: str
    value: Value
    missing: str = ""
    faults: tuple[str, ...] = ()


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of an item's history. `time` is UTC in ISO 8601; `restores` is the revision that an undo went back to."""

    author: str
    time: str
    action: str
    value: Value
    note: str
    revision: int
    restores: int | None = None


class QueueRow(msgspec.Struct, frozen=True):
    """An item in the list of what is to be done; `revision` is that of the decision that holds, 0 for none."""

    key: str
    position: int
    title: str
    state: str
    why: str
    revision: int


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """An item as a person sees it.

    `image` is the hash of its first picture, which boxes refer to, "" if it has none. The numbers of annotators in
    `consensus` are places in `proposals`. `value` is the decision that holds, or the draft where nobody has decided.
    """

    key: str
    position: int
    record: dict[str, Any]
    image: str
    images: tuple[Picture, ...]
    proposals: tuple[ShownProposal, ...]
    consensus: Consensus | None
    value: Value
    state: str
    why: str
    revision: int
    note: str
    history: tuple[Decision, ...]


class Stale(UsageError):
    """A save or an undo was based on a decision that no longer holds. `item` is the item as it stands; what was to be
    saved is in its history as `refused`."""

    def __init__(self, item: Item) -> None:
        self.item = item
        by = next((row.author for row in reversed(item.history) if row.action != REFUSED), "somebody")
        super().__init__(f"{by} has changed this item in the meantime. Your version is kept in its history.")


def author_of(text: str) -> str:
    """The name of a person as it is kept: one line, composed Unicode. `UsageError` if nothing is left or it is long."""
    name = unicodedata.normalize("NFC", plain(text[: 4 * LONGEST_NAME], one_line=True))
    if not person_of(name) or len(name) > LONGEST_NAME:
        raise UsageError(f"Give your name, with at most {LONGEST_NAME} characters: every decision is kept with one.")
    return name


def person_of(name: str) -> str:
    """What tells one person from another: a name without case, blanks and characters that are not seen.

    >>> person_of("Ada L."), person_of("ada\u200b  L.")
    ('adal.', 'adal.')
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return seen(folded)


def note_of(text: str) -> str:
    """A note as it is kept. `UsageError` if it is too long."""
    note = plain(text[: 2 * LONGEST_NOTE]).strip()
    if len(note) > LONGEST_NOTE:
        raise UsageError(f"The note is too long; at most {LONGEST_NOTE:,} characters are kept.")
    return note
