"""From samples to prepared requests: threads that read, check and encode images ahead of the event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import msgspec

from beholder.errors import DataError, Owner
from beholder.models.model import Model, Prepared
from beholder.sample import Ask, Failure, Response, Sample
from beholder.store.cache import ResponseCache
from beholder.store.folder import Blobs


class Ready(msgspec.Struct, frozen=True):
    """One ask, ready to be sent: `response` is set when nothing has to be sent (cached, or its image is unusable).

    `weight` is what it holds of the gate's bytes; `images` are the hashes of the sample's images.
    """

    prepared: Prepared
    images: tuple[str, ...]
    weight: int
    response: Response | None = None


class Gate:
    """Bounds what is prepared and not yet answered, in items and in bytes; one item is always let through."""

    def __init__(self, items: int, n_bytes: int) -> None:
        self._items, self._bytes = items, n_bytes
        self._held_items = self._held_bytes = 0
        self._condition = threading.Condition()
        self._closed = False

    def enter(self, weight: int) -> bool:
        """Waits for room; False if the gate was closed meanwhile."""
        with self._condition:
            while not self._closed and self._held_items and not self._has_room(weight):
                self._condition.wait()
            self._held_items += 1
            self._held_bytes += weight
            return not self._closed

    def _has_room(self, weight: int) -> bool:
        return self._held_items < self._items and self._held_bytes + weight <= self._bytes

    def leave(self, weight: int) -> None:
        """Gives an item's room back."""
        with self._condition:
            self._held_items -= 1
            self._held_bytes -= weight
            self._condition.notify()

    def close(self) -> None:
        """Lets everybody out; nothing more is let in."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()


class Feeder:
    """Runs `threads` threads that take samples in order and hand `Ready` items to `deliver`; None comes last, once.

    An error in the data stream itself is delivered as an exception in place of an item.
    """

    def __init__(
        self,
        samples: Iterator[Sample],
        asks_for: Callable[[Sample], list[Ask]],
        model: Model,
        blobs: Blobs,
        cache: ResponseCache | None,
        gate: Gate,
        deliver: Callable[[Ready | BaseException | None], None],
        threads: int = 2,
    ) -> None:
        self._samples = samples
        self._asks_for = asks_for
        self._model = model
        self._blobs = blobs
        self._cache = cache
        self._gate = gate
        self._deliver = deliver
        self._lock = threading.Lock()
        self._running = threads
        self._stopped = False
        self._threads = [threading.Thread(target=self._feed, name=f"feeder-{n}", daemon=True) for n in range(threads)]

    def start(self) -> None:
        """Begins to feed."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Asks the threads to end after the sample at hand, and waits for them."""
        self._stopped = True
        self._gate.close()
        for thread in self._threads:
            thread.join()

    def _feed(self) -> None:
        try:
            while not self._stopped:
                with self._lock:
                    sample = next(self._samples, None)
                if sample is None:
                    break
                for ready in self._make_ready(sample):
                    if not self._gate.enter(ready.weight):
                        return
                    self._deliver(ready)
        except Exception as error:  # noqa: BLE001 - handed to the event loop, which stops the run with it
            self._stopped = True
            self._deliver(error)
        finally:
            with self._lock:
                self._running -= 1
                last = self._running == 0
            if last:
                self._deliver(None)

    def _make_ready(self, sample: Sample) -> list[Ready]:
        asks = self._asks_for(sample)
        if not asks:
            return []
        try:
            # Replayed conversations about one sample have pictures of their own.
            groups = [[ask] for ask in asks] if any(ask.made for ask in asks) else [asks]
            prepared = [one for group in groups for one in self._model.prepare(group)]
            for blob in (blob for one in prepared for blob in one.blobs):
                self._blobs.keep(blob.sha256, blob.data, blob.path)
        except DataError as error:
            failure = Failure(owner=Owner.DATA, kind="image", message=str(error))
            response = Response(failure=failure)
            return [Ready(Prepared(ask=ask, request_hash=""), (), 0, _for_ask(response, ask)) for ask in asks]
        images = tuple(blob.sha256 for blob in prepared[0].blobs)
        ready = []
        for one in prepared:
            found = self._cache.get(one.request_hash) if self._cache is not None else None
            if found is not None:
                bare = msgspec.structs.replace(one, chunks=(), blobs=())
                ready.append(Ready(bare, images, 0, _for_ask(found, one.ask)))
                continue
            one = msgspec.structs.replace(one, blobs=())
            ready.append(Ready(one, images, sum(map(len, one.chunks))))
        return ready


def _for_ask(response: Response, ask: Ask) -> Response:
    return msgspec.structs.replace(response, order=ask.order, max_tokens=ask.sampling.max_tokens)
