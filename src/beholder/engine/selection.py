"""Which items of a data set a run takes: the first N, those where a field has a value, those on a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from difflib import get_close_matches
from pathlib import Path

import msgspec

from beholder.errors import UsageError
from beholder.sample import Sample

FIELDS = ("category", "difficulty", "group", "split", "record_id", "source")
_FIELDS_SHOWN = 24


class Condition(msgspec.Struct, frozen=True):
    """`field=value` or `field!=value`, compared as text. A field is one of `FIELDS` or a name in the metadata."""

    field: str
    value: str
    equal: bool = True

    def holds(self, sample: Sample) -> bool:
        """Whether the sample meets the condition."""
        actual = getattr(sample, self.field) if self.field in FIELDS else sample.metadata.get(self.field, "")
        return (str(actual) == self.value) is self.equal


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the user asked for with --limit, --where and --ids. Empty: everything.

    All conditions must hold. `ids` are keys or record ids. `limit` counts what is left after that.
    """

    limit: int | None = None
    where: tuple[Condition, ...] = ()
    ids: tuple[str, ...] = ()

    def choose(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """The chosen samples, in data order, streaming.

        A field of a condition that no sample has is a `UsageError` when the data ends: a misspelt `field!=value` would
        select everything. While a field has not been seen yet, the data is read on beyond the limit.
        """
        wanted = set(self.ids)
        unseen = {condition.field for condition in self.where}.difference(FIELDS)
        names: set[str] = set()
        left = self.limit
        for sample in samples:
            if unseen:
                names.update(sample.metadata)
                unseen -= names
            if left == 0:
                if not unseen:
                    return
                continue
            if all(condition.holds(sample) for condition in self.where) and (
                not wanted or sample.key in wanted or sample.record_id in wanted
            ):
                yield sample
                if left is not None:
                    left -= 1
                    if left == 0 and not unseen:
                        return
        if unseen:
            raise UsageError(_unknown_field(min(unseen), names))


def _unknown_field(field: str, names: Set[str]) -> str:
    known = [*FIELDS, *sorted(names)]
    near = get_close_matches(field, known, n=2)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    more = f" and {len(known) - _FIELDS_SHOWN} more" if len(known) > _FIELDS_SHOWN else ""
    return f"--where: no item has a field {field!r}.{hint} The fields are {', '.join(known[:_FIELDS_SHOWN])}{more}."


def parse_condition(text: str) -> Condition:
    """A condition from the command line.

    >>> parse_condition("category=reasoning")
    Condition(field='category', value='reasoning', equal=True)
    >>> parse_condition("difficulty!=hard").equal
    False
    """
    field, equals, value = text.partition("=")
    equal = not field.endswith("!")
    field, value = field.rstrip("!").strip(), value.removeprefix("=")  # `a==b` means what it looks like
    if not equals or not field:
        raise UsageError(
            f"--where {text!r} is not a condition. Write field=value or field!=value, such as category=general."
        )
    return Condition(field, value.strip().strip("'\""), equal)


def read_ids(file: Path) -> tuple[str, ...]:
    """The ids or keys in a file, one a line; empty lines and lines that begin with # are skipped."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()  # editors on Windows begin a file with a mark
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--ids {file} cannot be read ({error}).") from None
    ids = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not ids:
        raise UsageError(f"--ids {file} names no items. Put one key or record id on each line.")
    return ids
