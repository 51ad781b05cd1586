"""Pixels out of bytes, with Pillow, for pictures whose header was read and found within bounds.

What is shown: upright (EXIF orientation applied), RGB, 8 bits. OUR choices where a format leaves it open:
transparent pixels are laid over white; 16-bit channels keep their high byte; CMYK is converted without its
ICC profile, and ICC profiles are ignored throughout, as the usual image processors of vision-language models
do; of an animation the first frame is taken.
"""

from __future__ import annotations

from io import BytesIO

import PIL.Image
from PIL import UnidentifiedImageError

from beholder.images import gif, jpeg, png, webp
from beholder.images.header import Damaged, Header, sniff

_READERS = {"JPEG": jpeg.read, "PNG": png.read, "GIF": gif.read, "WEBP": webp.read}
_TURNS = {
    2: PIL.Image.Transpose.FLIP_LEFT_RIGHT,
    3: PIL.Image.Transpose.ROTATE_180,
    4: PIL.Image.Transpose.FLIP_TOP_BOTTOM,
    5: PIL.Image.Transpose.TRANSPOSE,
    6: PIL.Image.Transpose.ROTATE_270,
    7: PIL.Image.Transpose.TRANSVERSE,
    8: PIL.Image.Transpose.ROTATE_90,
}
_ORIENTATION_TAG = 0x0112
_WHITE = (255, 255, 255, 255)


def read_header(data: bytes) -> Header:
    """The header of any format that can be read. Raises `Damaged`."""
    kind = sniff(data)
    read = _READERS.get(kind)
    return read(data) if read else _read_other(data, kind)


def upright_size(header: Header) -> tuple[int, int]:
    """(width, height) as seen."""
    if header.orientation >= 5:
        return header.height, header.width
    return header.width, header.height


def decode(data: bytes, header: Header) -> tuple[PIL.Image.Image, bool]:
    """The upright RGB picture, and whether any of its pixels was transparent.

    `header` must come from `read_header(data)`, and its size must have been checked against the limits: the
    decoder is refused if it finds another size. Raises `Damaged`, whatever the bytes are.
    """
    if header.format == "JPEG":
        shown = jpeg.bare(data)
    elif header.format == "PNG":
        shown = png.bare(data)
    else:
        shown = data
    # Pillow turns TIFF pictures upright by itself, and only those.
    turned = header.format == "TIFF"
    expected = upright_size(header) if turned else (header.width, header.height)
    try:
        with PIL.Image.open(BytesIO(shown), formats=(header.format,)) as opened:
            if opened.size != expected:
                raise Damaged(f"the picture is {opened.size}, its header says {expected}")
            opened.load()
            if header.format == "PNG" and (level := png.grey_transparency(data)) is not None:
                opened.info["transparency"] = level
            picture, transparent = _to_rgb(opened, header)
        if not turned and (turn := _TURNS.get(header.orientation)) is not None:
            picture = picture.transpose(turn)
    except Exception as error:
        # The decoders raise almost any class on hostile bytes; each of them means the same: bad data.
        raise _damaged(error) from error
    return picture, transparent


def _to_rgb(opened: PIL.Image.Image, header: Header) -> tuple[PIL.Image.Image, bool]:
    """(RGB picture over white, had transparent pixels). Raises what Pillow raises, and `Damaged`."""
    if opened.mode.startswith("I;16"):
        # Pillow's own conversion clips at 255. Two bytes a pixel: the high byte is second unless big-endian.
        high = 0 if opened.mode == "I;16B" else 1
        return PIL.Image.frombytes("L", opened.size, opened.tobytes()[high::2]).convert("RGB"), False
    if opened.mode in ("I", "F"):
        raise Damaged(f"the picture has 32-bit pixels (mode {opened.mode}), with no agreed way to show them")
    if not header.alpha:
        opened.info.pop("transparency", None)  # one colour of 16 bits, which 8-bit pixels cannot be compared with
    if not opened.has_transparency_data:
        return opened.convert("RGB"), False
    layer = opened.convert("RGBA")
    lowest, _ = layer.getchannel("A").getextrema()
    if lowest == 255:
        return layer.convert("RGB"), False
    paper = PIL.Image.new("RGBA", layer.size, _WHITE)
    paper.alpha_composite(layer)
    return paper.convert("RGB"), True


def _read_other(data: bytes, kind: str) -> Header:
    """BMP and TIFF, by Pillow's own reading of the header. Never `complete`: they have no end to look for."""
    try:
        with PIL.Image.open(BytesIO(data), formats=(kind,)) as opened:
            width, height = opened.size
            mode, alpha = opened.mode, opened.has_transparency_data
            tags = getattr(opened, "tag_v2", {})
            said = tags.get(_ORIENTATION_TAG, 1)
    except Exception as error:
        # As in `decode`: any class, one meaning.
        raise _damaged(error) from error
    orientation = said if isinstance(said, int) and 1 <= said <= 8 else 1
    if orientation >= 5:
        width, height = height, width
    return Header(
        format=kind,
        width=width,
        height=height,
        mode=mode,
        alpha=alpha,
        orientation=orientation,
        complete=False,
    )


def _damaged(error: Exception) -> Damaged:
    if isinstance(error, Damaged):
        return error
    if isinstance(error, UnidentifiedImageError):  # its text names a memory address
        return Damaged("the picture cannot be decoded")
    detail = " ".join(str(error).split())[:200] or type(error).__name__
    return Damaged(f"the picture cannot be decoded ({detail})")
