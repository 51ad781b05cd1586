"""How fast `beholder audit leaks` is: pictures looked at a second, and looks compared once they are known.

    python benchmarks/leaks.py [--eval 14099] [--train 13607] [--planted 500] [--pictures 200] [--transforms]

The looks to compare are made: the grey values of smooth random pictures, hashed as real ones are, so that hashes are as
uneven as those of photographs; `--planted` pictures of the training side are noisy copies of the evaluation's. For the
pictures a second, JPEGs of 1024x768 are made, read, decoded and fingerprinted in as many threads as there are cores.
`--transforms` also compares mirrored, turned and cut ones; it is measured on 1,434 x 1,384 pictures unless told
otherwise. Prints one JSON row each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import PIL.Image
from made_data import make_images

from beholder.audit.leak_pictures import Gallery, Shown, between
from beholder.audit.leak_sides import Place, read_side
from beholder.audit.leak_texts import text_leaks
from beholder.audit.picture_cache import PictureCache
from beholder.images.fingerprint import SMALL, Fingerprint
from beholder.images.similar import look_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=int, default=0)
    parser.add_argument("--train", type=int, default=0)
    parser.add_argument("--planted", type=int, default=500)
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--transforms", action="store_true")
    options = parser.parse_args()
    sizes = (1_434, 1_384) if options.transforms else (14_099, 13_607)
    n_eval, n_train = options.eval or sizes[0], options.train or sizes[1]
    for row in (
        compared(n_eval, n_train, options.planted, transforms=options.transforms),
        texts(14_099, 13_607),
        looked_at(options.pictures, corners=options.transforms),
    ):
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        row |= {"peak_mb": round(memory), "cores": os.cpu_count(), "python": platform.python_version()}
        print(json.dumps(row), flush=True)


def compared(n_eval: int, n_train: int, planted: int, *, transforms: bool) -> dict[str, object]:
    """Seconds to compare two sides whose pictures are known."""
    rng = np.random.default_rng(0)
    ones = [smooth(rng) for _ in range(n_eval)]
    others = [noisy(rng, ones[number]) for number in range(planted)]
    others += [smooth(rng) for _ in range(n_train - planted)]
    made = [
        [shown(grey, number, rng, corners=transforms) for number, grey in enumerate(side)] for side in (ones, others)
    ]
    begun = time.perf_counter()
    found = between(*made, transforms=transforms)
    seconds = time.perf_counter() - begun
    right = {one.one for one in found if one.one == one.other}
    return {
        "compared": [n_eval, n_train],
        "transforms": transforms,
        "seconds": round(seconds, 2),
        "planted": planted,
        "found": len(right),
        "others": len(found) - len(right),
    }


def smooth(rng: np.random.Generator) -> PIL.Image.Image:
    small = PIL.Image.fromarray(rng.integers(0, 256, (6, 8), dtype=np.uint8))
    return small.resize((SMALL, SMALL), PIL.Image.Resampling.BICUBIC)


def noisy(rng: np.random.Generator, grey: PIL.Image.Image) -> PIL.Image.Image:
    values = np.asarray(grey, np.int16) + rng.integers(-6, 7, (SMALL, SMALL))
    return PIL.Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def shown(grey: PIL.Image.Image, number: int, rng: np.random.Generator, *, corners: bool) -> Shown:
    """A picture as it is known; its corners are random, as those of different pictures are."""
    from beholder.images import crops

    marked = b""
    if corners:
        points = np.zeros(crops.CORNERS, crops._CORNER)
        points["x"], points["y"] = rng.uniform(0, 1000, (2, crops.CORNERS))
        points["bits"] = rng.integers(0, 256, (crops.CORNERS, 32))
        marked = points.tobytes()
    name = f"{number} {rng.integers(1 << 62)}"
    print_ = Fingerprint(name, name, look_of(grey), grey.tobytes(), 1000, 1000, marked)
    return Shown(print_, name, [number], {name: name})


def texts(n_eval: int, n_train: int) -> dict[str, object]:
    """Seconds to compare statements of twenty words, a hundred of them in both."""
    rng = np.random.default_rng(1)
    words = np.array([f"word{number}" for number in range(5000)])
    ours = [" ".join(words[rng.zipf(1.3, 20) % 5000]) for _ in range(n_eval)]
    theirs = ours[:100] + [" ".join(words[rng.zipf(1.3, 20) % 5000]) for _ in range(n_train - 100)]
    begun = time.perf_counter()
    found = text_leaks(ours, theirs)
    return {
        "texts": [n_eval, n_train],
        "seconds": round(time.perf_counter() - begun, 2),
        "planted": 100,
        "found": len(found.leaks),
    }


def looked_at(number: int, *, corners: bool) -> dict[str, object]:
    """Pictures a second, the first time and once they are in the cache."""
    with tempfile.TemporaryDirectory(prefix="beholder-bench-") as work:
        make_images(Path(work) / "images", number)
        for file in (Path(work) / "images").iterdir():
            os.utime(file, (1e9, 1e9))  # what was written a moment ago is looked at each time
        row: dict[str, object] = {"pictures": number, "corners": corners}
        for name in ("first", "again"):
            cache = PictureCache(Path(work) / "cache")
            gallery = Gallery(cache, corners=corners)
            begun = time.perf_counter()
            items = sum(1 for _ in gallery.through(read_side(Place(Path(work) / "images"), print)))
            row[f"{name}_per_s"] = round(items / (time.perf_counter() - begun))
            cache.close()
        return row


if __name__ == "__main__":
    main()
