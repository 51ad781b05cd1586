"""GIF: the blocks, to the trailer (GIF89a specification)."""

from __future__ import annotations

from beholder.images.header import CUT_SHORT, Damaged, Header

_EXTENSION, _PICTURE, _TRAILER = 0x21, 0x2C, 0x3B
_GRAPHIC_CONTROL = 0xF9
_MOST_BLOCKS = 1_000_000


def read(data: bytes) -> Header:
    """Size, transparency of the first frame, and the number of frames (a GIF does not declare it: they are
    counted).

    The size covers the screen and the first frame. A file that only lacks its trailer is whole; one that ends
    inside a block is cut short. Raises `Damaged`.
    """
    walk = _Walk(data)
    try:
        walk.run()
    except IndexError:
        raise Damaged(f"{CUT_SHORT}: the GIF ends in the middle of a block") from None
    if walk.position > len(data) or (walk.position == len(data) and walk.frames == 0):
        raise Damaged(f"{CUT_SHORT}: the GIF ends before its picture")
    if walk.frames == 0:
        raise Damaged("the GIF holds no picture")
    return Header(
        format="GIF",
        width=walk.width,
        height=walk.height,
        mode="P",
        alpha=walk.transparent,
        frames=walk.frames,
        complete=walk.clean,
    )


class _Walk:
    """Position and findings of one pass over the blocks; reading past the end is an IndexError."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 13
        self.steps = 0
        self.frames = 0
        self.transparent = False
        self.clean = True
        self.width = self.height = 0

    def run(self) -> None:
        data = self.data
        self.width, self.height = self._short(6), self._short(8)
        self._skip_palette(data[10])
        while self.position < len(data):
            introducer = data[self.position]
            if introducer == _TRAILER:
                return
            if introducer == _EXTENSION:
                self._extension()
            elif introducer == _PICTURE:
                self._picture()
            else:
                self.clean = False  # decoders skip such bytes, so the decoder has to say
                self._step()
                self.position += 1

    def _extension(self) -> None:
        label, size, packed = self.data[self.position + 1 : self.position + 4].ljust(3, b"\0")
        if label == _GRAPHIC_CONTROL and size >= 4 and self.frames == 0:
            self.transparent = bool(packed & 1)
        self.position += 2
        self._skip_blocks()

    def _picture(self) -> None:
        at = self.position
        packed = self.data[at + 9]
        if self.frames == 0:
            self.width = max(self.width, self._short(at + 1) + self._short(at + 5))
            self.height = max(self.height, self._short(at + 3) + self._short(at + 7))
        self.position = at + 10
        self._skip_palette(packed)
        self.position += 1  # the code size
        self._skip_blocks()
        self.frames += 1

    def _skip_palette(self, packed: int) -> None:
        if packed & 0x80:
            self.position += 3 << ((packed & 7) + 1)

    def _skip_blocks(self) -> None:
        data, position = self.data, self.position
        while size := data[position]:
            position += size + 1
            self._step()
        self.position = position + 1

    def _step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_BLOCKS:
            raise Damaged("the GIF has more than 1,000,000 blocks")

    def _short(self, at: int) -> int:
        return self.data[at] | self.data[at + 1] << 8
