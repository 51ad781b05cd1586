"""An image as one provider's server gets it.

The published bytes go out as they are. Only where a policy forces it (a format, a colour mode or a rotation
that servers read differently, a limit on size) is a new encoding made; what was sent, and why it differs, is
in the `Sent`. The same image, policy and number of images always give the same bytes (with the same version
of Pillow).
"""

from __future__ import annotations

import hashlib
from io import BytesIO
from math import isqrt
from typing import Any

import msgspec
import PIL.Image
import pybase64

from beholder.errors import DataError, UsageError
from beholder.images.header import MIME
from beholder.images.load import Image, flattened

_READ_ALIKE = frozenset(("1", "L", "P", "RGB"))
"""Colour modes that every server shows as they are. With transparency, servers differ: see `encode`."""

_TRANSPARENT = frozenset(("LA", "RGBA"))
_MOST_TRIES = 30


class WirePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider takes. A limit of 0 means: none.

    `max_bytes` limits the base64 text of one image (providers count that, a third more than the file).
    `max_side` and `max_pixels` limit the size in pixels: larger pictures are scaled down. `min_side`: smaller
    pictures are padded with white on the right and below, so that coordinates keep their meaning.
    `max_aspect`: a longer side of more than so many shorter sides is refused. In a request of more than
    `many_images` images, `max_side` is at most `many_max_side`. `formats` go out as published, others are
    re-encoded. `apply_exif`: send upright pixels; False for a server known to turn pictures itself.
    `jpeg_quality` (1 to 95) is for forced re-encoding.
    """

    name: str
    max_bytes: int = 0
    max_side: int = 0
    max_pixels: int = 0
    min_side: int = 0
    max_aspect: float = 0
    many_images: int = 0
    many_max_side: int = 0
    formats: tuple[str, ...] = ("JPEG", "PNG", "WEBP", "GIF")
    apply_exif: bool = True
    jpeg_quality: int = 95

    def __post_init__(self) -> None:
        if not {"JPEG", "PNG"} & set(self.formats):
            raise UsageError(f"Wire policy {self.name!r}: formats must include JPEG or PNG.")
        if not 1 <= self.jpeg_quality <= 95:
            raise UsageError(f"Wire policy {self.name!r}: jpeg_quality must be 1 to 95.")
        if any(0 < side < self.min_side for side in (self.max_side, self.many_max_side)):
            raise UsageError(f"Wire policy {self.name!r}: min_side is above max_side.")

    def largest_side(self, n_images: int) -> int:
        """The limit on the longer side in a request of `n_images` images, in pixels; 0: none."""
        sides = [self.max_side]
        if self.many_images and n_images > self.many_images:
            sides.append(self.many_max_side)
        return min((side for side in sides if side), default=0)


OPENAI_COMPATIBLE = WirePolicy(name="openai-compatible")
"""Any server of the OpenAI chat wire: no limits of its own are assumed."""

ANTHROPIC = WirePolicy(name="anthropic", max_bytes=5 * 1024 * 1024, max_side=8000, many_images=20, many_max_side=2000)
"""Messages API: 8000 px, 2000 px in a request of more than 20 images (its vision guide); 5 MB (its error messages)."""

GOOGLE = WirePolicy(name="google", formats=("JPEG", "PNG", "WEBP"))
"""Gemini API: it takes PNG, JPEG, WEBP, HEIC and HEIF, no GIF (its guide to image understanding)."""

QWEN_VL = WirePolicy(name="qwen-vl", min_side=28, max_aspect=200)
"""Servers of Qwen2-VL and Qwen2.5-VL: their image processor fails under 28 px a side and over aspect 200."""

POLICIES = {policy.name: policy for policy in (OPENAI_COMPATIBLE, ANTHROPIC, GOOGLE, QWEN_VL)}


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """What goes out for one image.

    `base64` is ASCII and `data_url` the whole address (`data:image/jpeg;base64,…`), ready to be spliced into a
    JSON body; they are kept apart because joining them copies the picture. `sha256`, `width`,
    `height` (as the server should see them), `format` and `n_bytes` describe the bytes before base64; `image`
    is the hash of the published bytes. `flags` says what was done: `exif_applied`, `mode_converted`,
    `first_frame`, `resized`, `padded`, `reencoded`. `reasons` says why, in words. `policy` is the policy's
    name.
    """

    prefix: bytes
    base64: bytes
    sha256: str
    image: str
    width: int
    height: int
    format: str
    n_bytes: int
    flags: tuple[str, ...]
    reasons: tuple[str, ...]
    policy: str

    @property
    def data_url(self) -> bytes:
        """The address that holds the picture."""
        return self.prefix + self.base64

    def __repr__(self) -> str:
        size = f"{self.format} {self.width}x{self.height}, {self.n_bytes:,} bytes"
        return f"Sent({size}, flags {self.flags}, sha256 {self.sha256[:12]})"


def base64_length(n_bytes: int) -> int:
    """Characters of the base64 text of `n_bytes` bytes."""
    return (n_bytes + 2) // 3 * 4


def encode(image: Image, policy: WirePolicy, n_images: int = 1) -> Sent:
    """The image as `policy` wants it in a request that carries `n_images` images in all.

    OUR choice: transparent pixels are laid over white, because servers differ in what they put behind them;
    an image with an alpha channel that is opaque everywhere goes out as published. A JPEG is re-encoded as
    JPEG of high quality without colour subsampling, anything else as PNG, or as JPEG where only that meets
    `max_bytes`. Aspect limits hold for the image as published, before padding.

    Raises `DataError` where the image is beyond `max_aspect`, cannot be decoded, or cannot be made to fit.
    """
    _check_aspect(image, policy)
    changes = _changes(image, policy, n_images)
    picture: PIL.Image.Image | None = None
    if "alpha" in image.flags:
        picture, transparent = flattened(image)
        if transparent:
            changes["mode_converted"] = "transparent pixels were laid over white"
    if not changes:
        return _sent(image, image.data, image.sha256, image.format, (image.width, image.height), {}, policy)
    if picture is None:
        picture, _ = flattened(image)
    if image.exif_orientation != 1:
        changes.setdefault("exif_applied", f"the picture was turned (EXIF orientation {image.exif_orientation})")
    if image.mode != "RGB":
        changes.setdefault("mode_converted", f"colour mode {image.mode} became RGB")
    return _reencoded(image, picture, policy, n_images, changes)


def sent_record(sent: Sent) -> dict[str, Any]:
    """What the journal keeps of a sent image: all but the bytes, as plain JSON values."""
    return {
        "image": sent.image,
        "sha256": sent.sha256,
        "width": sent.width,
        "height": sent.height,
        "format": sent.format,
        "n_bytes": sent.n_bytes,
        "flags": list(sent.flags),
        "reasons": list(sent.reasons),
        "policy": sent.policy,
    }


def _check_aspect(image: Image, policy: WirePolicy) -> None:
    long, short = max(image.width, image.height), min(image.width, image.height)
    if policy.max_aspect and long > policy.max_aspect * short:
        raise DataError(
            f"the image is {image.width}x{image.height}, an aspect of {long / short:g}; "
            f"{policy.name} takes at most {policy.max_aspect:g} (max_aspect)",
            where=image.name,
            mend="Use a model without this limit, or leave the record out",
        )


def _changes(image: Image, policy: WirePolicy, n_images: int) -> dict[str, str]:
    """flag -> reason, for each thing that keeps the published bytes from going out; transparency aside."""
    width, height = image.width, image.height
    changes: dict[str, str] = {}
    if policy.apply_exif and image.exif_orientation != 1:
        changes["exif_applied"] = f"the picture was turned (EXIF orientation {image.exif_orientation})"
    if image.mode not in _READ_ALIKE | _TRANSPARENT:
        changes["mode_converted"] = f"colour mode {image.mode} became RGB"
    if "animated" in image.flags:
        changes["first_frame"] = "only the first frame of an animation is sent"
    if image.format not in policy.formats:
        changes["reencoded"] = f"{policy.name} does not take {image.format}"
    side = policy.largest_side(n_images)
    fitted = _fitted(width, height, side, policy.max_pixels)
    if fitted != (width, height):
        many = f" in a request of {n_images} images" if side != policy.max_side else ""
        changes["resized"] = f"{width}x{height} is above the limits of {policy.name} on pixels{many}"
    if min(fitted) < policy.min_side:
        changes["padded"] = f"a side is below {policy.min_side} px"
    if policy.max_bytes and base64_length(image.n_bytes) > policy.max_bytes:
        changes["reencoded"] = f"{base64_length(image.n_bytes):,} bytes as base64, the limit is {policy.max_bytes:,}"
    return changes


def _fitted(width: int, height: int, side: int, area: int) -> tuple[int, int]:
    """The largest size of the same shape with no side above `side` and at most `area` pixels in all."""
    long = max(width, height)
    if side and long > side:
        width, height = max(1, width * side // long), max(1, height * side // long)
    if area and width * height > area:
        width, height = max(1, isqrt(width * area // height)), max(1, isqrt(height * area // width))
        width, height = min(width, max(1, area // height)), min(height, max(1, area // width))
    return width, height


def _reencoded(
    image: Image, picture: PIL.Image.Image, policy: WirePolicy, n_images: int, changes: dict[str, str]
) -> Sent:
    """Scale, pad and compress; then trade format and size for bytes until the text fits `max_bytes`."""
    size = _fitted(*picture.size, policy.largest_side(n_images), policy.max_pixels)
    kind = "JPEG" if (image.format == "JPEG" or "PNG" not in policy.formats) and "JPEG" in policy.formats else "PNG"
    for _ in range(_MOST_TRIES):
        canvas = _padded(_scaled(picture, size), policy.min_side)
        data = _compressed(canvas, kind, policy.jpeg_quality, image.name)
        if not policy.max_bytes or base64_length(len(data)) <= policy.max_bytes:
            if size != picture.size:
                changes.setdefault("resized", "made smaller to meet the limit on bytes")
            changes.setdefault("reencoded", "; ".join(changes.values()))
            digest = hashlib.sha256(data).hexdigest()
            return _sent(image, data, digest, kind, canvas.size, changes, policy)
        if kind == "PNG" and "JPEG" in policy.formats:
            kind = "JPEG"
        else:
            size = max(1, size[0] * 4 // 5), max(1, size[1] * 4 // 5)
    raise DataError(
        f"the image cannot be made to fit {policy.max_bytes:,} bytes as base64 (max_bytes of {policy.name})",
        where=image.name,
        mend="Raise the limit of the wire policy",
    )


def _scaled(picture: PIL.Image.Image, size: tuple[int, int]) -> PIL.Image.Image:
    return picture if picture.size == size else picture.resize(size, PIL.Image.Resampling.LANCZOS)


def _padded(picture: PIL.Image.Image, min_side: int) -> PIL.Image.Image:
    size = max(picture.width, min_side), max(picture.height, min_side)
    if size == picture.size:
        return picture
    canvas = PIL.Image.new("RGB", size, (255, 255, 255))
    canvas.paste(picture, (0, 0))
    return canvas


def _compressed(picture: PIL.Image.Image, kind: str, quality: int, name: str) -> bytes:
    """The bytes of an RGB picture. JPEG cannot hold a side above 65,535 px: a `DataError`."""
    buffer = BytesIO()
    try:
        if kind == "JPEG":
            picture.save(buffer, "JPEG", quality=quality, subsampling=0)
        else:
            picture.save(buffer, "PNG")
    except (OSError, ValueError, MemoryError) as error:
        raise DataError(
            f"a picture of {picture.width}x{picture.height} cannot be encoded as {kind}", where=name
        ) from error
    return buffer.getvalue()


def _sent(
    image: Image,
    data: bytes,
    digest: str,
    kind: str,
    size: tuple[int, int],
    changes: dict[str, str],
    policy: WirePolicy,
) -> Sent:
    order = ("exif_applied", "mode_converted", "first_frame", "resized", "padded", "reencoded")
    return Sent(
        prefix=b"data:" + MIME[kind].encode("ascii") + b";base64,",
        base64=pybase64.b64encode(data),
        sha256=digest,
        image=image.sha256,
        width=size[0],
        height=size[1],
        format=kind,
        n_bytes=len(data),
        flags=tuple(flag for flag in order if flag in changes),
        reasons=tuple(dict.fromkeys(changes[flag] for flag in order if flag in changes)),
        policy=policy.name,
    )
