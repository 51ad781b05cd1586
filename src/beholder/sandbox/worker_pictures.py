"""Inside the sandbox: what the code shows or saves, as PNG. Runs among the model's code, so nothing here is trusted."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from io import BytesIO
from typing import Any

import PIL.Image

_EXTENSIONS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
_MOST_FILES_LOOKED_AT = 2_000
_WHITE = (255, 255, 255, 255)


class Gallery:
    """The pictures of the running call, each once, in the order in which they were made.

    `folder` is where saved files are looked for; `limits` are those of `SandboxLimits`, by name.
    """

    def __init__(self, folder: str, limits: dict[str, Any]) -> None:
        self._folder = folder
        self._limits = limits
        self._files: dict[str, tuple[int, int, int]] = {}
        self._begin()

    def _begin(self) -> None:
        self._made: list[bytes] = []
        self._known: set[bytes] = set()
        self._left_out = 0
        self._pixels = 0
        self._scaled = False
        self._unreadable: list[str] = []

    def show(self, picture: PIL.Image.Image) -> None:
        """A picture that is shown now, after those that were saved before it."""
        if len(self._made) < self._limits["pictures"]:  # file times are too coarse to tell which was first
            self._take_saved(last=False)
        self._add(picture)

    def _add(self, picture: PIL.Image.Image) -> None:
        """Equal ones count once."""
        if picture.width < 1 or picture.height < 1:
            return
        if len(self._made) >= self._limits["pictures"]:
            self._left_out += 1
            return
        shown = self._within_bounds(_as_rgb(picture))
        name = hashlib.sha256(b"%d %d " % shown.size + shown.tobytes()).digest()
        if name in self._known:
            return
        if self._pixels + shown.width * shown.height > self._limits["pictures_pixels"]:
            self._left_out += 1
            return
        encoded, shown = self._encoded(shown)
        self._known.add(name)
        self._pixels += shown.width * shown.height
        self._made.append(encoded)

    def collect(self) -> tuple[list[bytes], list[str]]:
        """The PNGs of this call in order, and notes for the model; the next call begins empty."""
        self._take_saved(last=True)
        made = self._made
        notes = []
        if self._left_out:
            notes.append(
                f"[{self._left_out} more pictures were left out: one call can show {self._limits['pictures']}]"
            )
        if self._scaled:
            notes.append(f"[large pictures were scaled down, to at most {self._limits['picture_side']} pixels a side]")
        if self._unreadable:
            notes.append(f"[no pictures that can be read: {', '.join(self._unreadable[:5])}]")
        self._begin()
        return made, notes

    def _take_saved(self, *, last: bool) -> None:
        """Adds what was saved since the last look. What cannot be read may not be written yet, unless it is the `last`
        look of this call."""
        for _, path in self._saved():
            if len(self._made) >= self._limits["pictures"]:
                self._left_out += 1
                continue
            try:
                with PIL.Image.open(path) as opened:
                    opened.load()
                    self._add(opened)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - the decoders raise almost anything on files of the model's making
                if last:
                    self._unreadable.append(os.path.basename(path)[:80])
                else:
                    del self._files[path]

    def _saved(self) -> list[tuple[int, str]]:
        """(when, path) of the picture files that are new or changed since the last look."""
        found: list[tuple[int, str]] = []
        looked_at = 0
        for folder, _, names in os.walk(self._folder):
            for name in names:
                looked_at += 1
                if looked_at > _MOST_FILES_LOOKED_AT:
                    return sorted(found)
                if not name.lower().endswith(_EXTENSIONS):
                    continue
                path = os.path.join(folder, name)
                try:
                    about = os.lstat(path)
                except OSError:
                    continue
                state = (about.st_mtime_ns, about.st_size, about.st_ino)
                if stat.S_ISREG(about.st_mode) and self._files.get(path) != state:
                    self._files[path] = state
                    found.append((about.st_mtime_ns, path))
        return sorted(found)

    def _within_bounds(self, picture: PIL.Image.Image) -> PIL.Image.Image:
        share = min(
            1.0,
            self._limits["picture_side"] / max(picture.size),
            (self._limits["picture_pixels"] / (picture.width * picture.height)) ** 0.5,
        )
        return self._scaled_by(picture, share) if share < 1 else picture

    def _encoded(self, picture: PIL.Image.Image) -> tuple[bytes, PIL.Image.Image]:
        while True:
            buffer = BytesIO()
            picture.save(buffer, "PNG", compress_level=1)
            if buffer.tell() <= self._limits["picture_bytes"]:
                return buffer.getvalue(), picture
            picture = self._scaled_by(picture, 0.7)

    def _scaled_by(self, picture: PIL.Image.Image, share: float) -> PIL.Image.Image:
        self._scaled = True
        return picture.resize((max(1, int(picture.width * share)), max(1, int(picture.height * share))))


def _as_rgb(picture: PIL.Image.Image) -> PIL.Image.Image:
    """8 bits a channel, transparent pixels over white."""
    if picture.mode == "RGB":
        return picture
    if picture.mode.startswith("I;16"):
        return picture.convert("I").point(lambda level: level / 256).convert("L").convert("RGB")
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    paper = PIL.Image.new("RGBA", layer.size, _WHITE)
    paper.alpha_composite(layer)
    return paper.convert("RGB")


def show_into(gallery: Gallery) -> None:
    """Let `Image.show`, `plt.show`, `Figure.show` and `cv2.imshow` put pictures into the gallery."""

    def show(self: PIL.Image.Image, *_: Any, **__: Any) -> None:
        gallery.show(self)

    PIL.Image.Image.show = show  # type: ignore[method-assign]
    changes = {"cv2": _change_opencv, "matplotlib.backend_bases": _change_figures}
    sys.meta_path.insert(0, _Changed({name: (change, gallery) for name, change in changes.items()}))


def is_figure(value: object) -> bool:
    """Whether a value is a figure of matplotlib (which is not loaded just to find out)."""
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def add_figure(gallery: Gallery, figure: Any) -> None:
    """A figure as it looks now, at its own resolution."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    with PIL.Image.open(buffer) as drawn:
        gallery.show(drawn)


class _Changed:
    """Changes modules when they are imported: a finder that stands before Python's own."""

    def __init__(self, changes: dict[str, tuple[Callable[[Any, Gallery], None], Gallery]]) -> None:
        self._changes = changes

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The module's own spec, with a loader that changes the module after it was run."""
        if name not in self._changes:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        change, gallery = self._changes[name]
        run = spec.loader.exec_module

        def run_and_change(module: Any) -> None:
            run(module)
            change(module, gallery)

        spec.loader.exec_module = run_and_change  # type: ignore[method-assign]
        return spec


def _change_figures(backend_bases: Any, gallery: Gallery) -> None:
    """A figure that is shown is done with, as in a notebook: the next plot begins a new one."""

    def show(self: Any) -> None:
        add_figure(gallery, self.canvas.figure)
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy(self)

    backend_bases.FigureManagerBase.show = show


def _change_opencv(cv2: Any, gallery: Gallery) -> None:
    """OpenCV without windows refuses `imshow`; here it shows."""

    def imshow(_: str, pixels: Any) -> None:
        import numpy as np

        levels = np.asarray(pixels)
        if levels.dtype.kind == "f":  # OpenCV shows 0..1 as black..white
            levels = np.clip(levels * 255, 0, 255)
        elif levels.dtype == bool:
            levels = levels * 255
        levels = levels.astype(np.uint8)
        if levels.ndim == 3 and levels.shape[2] >= 3:
            levels = levels[:, :, [2, 1, 0]]
        gallery.show(PIL.Image.fromarray(np.ascontiguousarray(levels.squeeze())))

    cv2.imshow = imshow
    cv2.waitKey = lambda *_: -1
    for name in (
        "namedWindow",
        "resizeWindow",
        "moveWindow",
        "destroyWindow",
        "destroyAllWindows",
        "startWindowThread",
    ):
        setattr(cv2, name, lambda *_, **__: None)
