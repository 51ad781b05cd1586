"""The pictures of a request, encoded; those of conversations with several turns are found again at the later ones."""

from __future__ import annotations

import threading
from collections import OrderedDict

from beholder.images.load import Image, load
from beholder.images.wire import Sent, WirePolicy, encode
from beholder.sample import Ask, ImagePart, ImageRef

_LARGEST = 128 << 20


class EncodedPictures:
    """The pictures last used, with what was sent of them; at most 128 MB of what is sent. For several threads."""

    def __init__(self, policy: WirePolicy) -> None:
        self.policy = policy
        self._held: OrderedDict[tuple[ImageRef, int], tuple[Image, Sent]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, ref: ImageRef, n_images: int) -> tuple[Image, Sent]:
        """The picture, and what is sent of it in a request of so many. Raises `DataError` as `load` and `encode` do."""
        key = ref, self.policy.largest_side(n_images)
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
                return found
        image = load(ref)
        sent = encode(image, self.policy, n_images)
        with self._lock:
            if key not in self._held:
                self._held[key] = image, sent
                self._size += len(sent.base64) + len(image.data)
            while self._size > _LARGEST and len(self._held) > 1:
                _, (old, gone) = self._held.popitem(last=False)
                self._size -= len(gone.base64) + len(old.data)
        return image, sent


def pictures_of(ask: Ask, encoded: EncodedPictures) -> dict[int, tuple[Image, Sent]]:
    """The pictures of a request by their places: the sample's own, and of those that tools made the ones it shows.

    They are kept in `encoded` only where there are or were other turns, with the same pictures.
    """
    shown = {part.index for message in ask.messages for part in message.parts if isinstance(part, ImagePart)}
    own = len(ask.sample.images)
    refs = {place: ref for place, ref in enumerate(ask.pictures) if place < own or place in shown}
    if ask.tools or ask.made:
        return {place: encoded.get(ref, len(refs)) for place, ref in refs.items()}
    images = {place: load(ref) for place, ref in refs.items()}
    return {place: (image, encode(image, encoded.policy, len(refs))) for place, image in images.items()}
