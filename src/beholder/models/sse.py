"""Server-sent events out of bytes that come in pieces of any size: pure, bounded, linear in time."""

from __future__ import annotations

LONGEST = 16 << 20
"""Bytes of the longest event, with `_OVERHEAD` for each of its lines."""

_OVERHEAD = 64


class TooLong(Exception):
    """An event is longer than `LONGEST`."""


class EventReader:
    """Gives the data of each event, as the standard has it: the texts of its `data` lines, joined by line ends.

    Lines end with LF, CR LF or CR; those that begin with a colon say nothing (they keep a connection open); the other
    fields (`event`, `id`, `retry`) are passed by. An event ends with an empty line.

    >>> reader = EventReader()
    >>> reader.feed(b": hello\\n\\ndata: a\\r\\ndata: b\\r"), reader.feed(b"\\n\\r\\ndata: c"), reader.end()
    ([], [b'a\\nb'], [b'c'])
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._held = 0
        self._after_cr = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that a piece completes. Raises `TooLong`."""
        if not piece:
            return []
        after_cr, self._after_cr = self._after_cr, piece.endswith(b"\r")
        if after_cr:  # a line end that was cut in two
            piece = piece.removeprefix(b"\n")
        events: list[bytes] = []
        *ended, rest = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in ended:
            self._add(line)
            self._end_line(events)
        self._add(rest)
        return events

    def end(self) -> list[bytes]:
        """What is left when no more comes: an event whose empty line is missing."""
        events: list[bytes] = []
        if self._line:
            self._end_line(events)
        self._end_event(events)
        return events

    def _add(self, text: bytes) -> None:
        self._line += text
        if self._held + len(self._line) > LONGEST:
            raise TooLong

    def _end_line(self, events: list[bytes]) -> None:
        line = bytes(self._line)
        self._line.clear()
        if not line:
            self._end_event(events)
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._held += len(value) + _OVERHEAD

    def _end_event(self, events: list[bytes]) -> None:
        if self._data:
            events.append(b"\n".join(self._data))
        self._data.clear()
        self._held = 0
