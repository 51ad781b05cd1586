"""What model-written code may use, and what of it comes back."""

from __future__ import annotations

from typing import Annotated

import msgspec

_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class SandboxLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one Python process. Sizes are in bytes, times in seconds.

    `memory` holds for all processes of the sandbox together, files in its `/tmp` included (where there are no control
    groups: for each process alone). `processes` counts threads too. `cores` is how much processor time it gets in each
    second, and `cpu_seconds` what one process may use in its whole life. `call_seconds` is the time on the wall
    for one call, `start_seconds` for the start. `tmp_bytes` bounds the files that it holds, and `open_files` how many
    it has open.

    `written_bytes` is what one call may print before it is stopped; the model is shown `output_chars` characters of it.
    `pictures` come back from one call at most; larger ones than `picture_side` and `picture_pixels` (pixels) or
    `picture_bytes` (as PNG) are scaled down inside, and refused outside. `pictures_pixels` bounds those of one call
    together.
    """

    memory: _Count = 1 << 30
    processes: _Count = 32
    cores: _Seconds = 1.0
    cpu_seconds: _Count = 300
    call_seconds: _Seconds = 30.0
    start_seconds: _Seconds = 30.0
    tmp_bytes: _Count = 128 << 20
    open_files: _Count = 256
    written_bytes: _Count = 16 << 20
    output_chars: _Count = 32_000
    pictures: _Count = 8
    picture_side: _Count = 4096
    picture_pixels: _Count = 16_777_216
    picture_bytes: _Count = 8 << 20
    pictures_pixels: _Count = 33_554_432
