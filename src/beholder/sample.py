"""The vocabulary of one item on its way to a model and back: images, samples, requests, responses."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from beholder.annotation import Annotation
from beholder.errors import Owner


class ImageRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the published bytes of an image are. Loading it (`beholder.images.load`) gives an `Image`.

    Exactly one of `path` (a file on disk) and `data` (the encoded bytes, as Parquet files embed them) is set.
    `name` is what the record calls it and is only for messages.
    """

    name: str
    path: str | None = None
    data: bytes | None = None


class TextPart(msgspec.Struct, frozen=True, tag="text"):
    """Plain text of a prompt."""

    text: str


class ImagePart(msgspec.Struct, frozen=True, tag="image"):
    """The place of an image in a prompt: `index` counts the pictures of the ask from 0 (`Ask.pictures`)."""

    index: int


Part = TextPart | ImagePart


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as a model is told of it. `parameters` is the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolCall(msgspec.Struct, frozen=True):
    """A model's wish to have a tool run. `arguments` is the JSON text as the model wrote it, whatever it is."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation. `role` is `system`, `user`, `assistant` or `tool`.

    `calls` are the tool calls of an assistant's message; `answers` is the id of the call that a tool's message answers.
    `native` is an assistant's message in its provider's own form (JSON), which that provider wants back as it was:
    thoughts with their signatures. Other wires pass it by.
    """

    role: str
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    native: str = ""


class BooleanTarget(msgspec.Struct, frozen=True, tag="boolean"):
    """Gold of a true/false statement."""

    value: bool


class PreferenceTarget(msgspec.Struct, frozen=True, tag="preference"):
    """Gold of a comparison: which of the stored answers is better, counted from 0."""

    preferred: int


class OrderedListTarget(msgspec.Struct, frozen=True, tag="ordered_list"):
    """Gold that is a list of whole numbers in a fixed order, such as the piece numbers of a jigsaw."""

    values: tuple[int, ...]


class ChoiceTarget(msgspec.Struct, frozen=True, tag="choice"):
    """Gold of a multiple-choice question: option letters in capitals, in alphabetical order.

    `several` says that the *question* lets one choose more than one option; it never follows from the gold.
    """

    letters: str
    several: bool = False


class NumberTarget(msgspec.Struct, frozen=True, tag="number"):
    """Gold that is one number, as the record writes it (`"72"`, `"11.1"`)."""

    written: str


class TextTarget(msgspec.Struct, frozen=True, tag="text"):
    """Gold that is text to be found in the answer, case as printed."""

    text: str


class PlaceTarget(msgspec.Struct, frozen=True, tag="place"):
    """Gold that is a place in a grid: row from the top and column from the left, both from 1."""

    row: int
    column: int


class NumberSetTarget(msgspec.Struct, frozen=True, tag="number_set"):
    """Gold that is a set of whole numbers, ascending, such as the patches in which two pictures differ."""

    values: tuple[int, ...]


class MetaphorTarget(msgspec.Struct, frozen=True, tag="metaphor"):
    """Gold of a metaphor item. A label that the data does not give is UNSET in it, which is not the same as None."""

    annotation: Annotation


Target = (
    BooleanTarget
    | PreferenceTarget
    | OrderedListTarget
    | ChoiceTarget
    | NumberTarget
    | TextTarget
    | PlaceTarget
    | NumberSetTarget
    | MetaphorTarget
)


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of a benchmark, before any model has seen it.

    `key` identifies the item across runs: a hash of its content plus an occurrence number (`sample_key`).
    `index` is its position in the data, from 0. `group` is for all-or-nothing metrics, `cluster` for intervals
    (items that share an image or a source are not independent). `parts` is the question as the data gives it;
    the prompt that is sent is made from it by the benchmark. `source` names file and record for messages.
    """

    key: str
    index: int
    benchmark: str
    images: tuple[ImageRef, ...]
    parts: tuple[Part, ...]
    target: Target
    split: str = ""
    options: tuple[str, ...] = ()
    category: str = ""
    difficulty: str = ""
    group: str = ""
    cluster: str = ""
    record_id: str = ""
    source: str = ""
    metadata: dict[str, Any] = {}

    @property
    def question(self) -> str:
        """The text of the question as the data gives it."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


class KeyMaker:
    """Makes sample keys: the hash of an item's content, numbered when the same content comes again.

    >>> make = KeyMaker("demo")
    >>> first, second = make("a cat", "T"), make("a cat", "T")
    >>> first[:-2] == second[:-2], first[-2:], second[-2:]
    (True, '-0', '-1')
    """

    def __init__(self, benchmark: str) -> None:
        self._benchmark = benchmark
        self._seen: Counter[bytes] = Counter()

    def __call__(self, *content: str | bytes | int) -> str:
        digest = content_digest((self._benchmark, *content))
        occurrence = self._seen[digest]
        self._seen[digest] += 1
        return f"{digest.hex()}-{occurrence}"


def content_digest(fields: Iterable[str | bytes | int]) -> bytes:
    """A 10-byte BLAKE2b digest of the fields; each is length-prefixed, so that no two lists collide by joining."""
    pieces: list[bytes] = []
    for field in fields:
        data = field if isinstance(field, bytes) else str(field).encode("utf-8", "surrogatepass")
        pieces += (len(data).to_bytes(8, "big"), data)
    return hashlib.blake2b(b"".join(pieces), digest_size=10).digest()


class Sampling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the model is asked to decode. None means: not sent, the server's default holds."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One question to put to a model: a sample, which repetition of it, and the messages to send.

    `vote` counts the K judgements of one item, `epoch` the repetitions of the whole run (both from 0).
    `order` is the order in which stored answers are shown: `(1, 0)` shows the second stored answer first;
    empty where nothing is reordered. `tools` are those that the model may call, `made` the pictures that they have
    made so far in this conversation. `provider_tools`: the provider may run code that the model writes.
    """

    sample: Sample
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    vote: int = 0
    epoch: int = 0
    order: tuple[int, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    made: tuple[ImageRef, ...] = ()
    provider_tools: bool = False

    @property
    def pictures(self) -> tuple[ImageRef, ...]:
        """What `ImagePart.index` counts: the sample's images, then those that tools have made."""
        return self.sample.images + self.made


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the server counted them; None where it did not say.

    `prompt_tokens` is all that went in, also what came from (`cache_read_tokens`) or went into (`cache_write_tokens`)
    the provider's cache of prompts; `completion_tokens` all that came out, `reasoning_tokens` of it thoughts. `cost` is
    in US dollars at the prices of the day, None where they are not known (`models.prices`).
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost: float | None = None


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no answer, and who has to mend it. `retryable`: a resume should ask again."""

    owner: Owner
    kind: str
    message: str
    status: int | None = None
    retryable: bool = False


FROM_FILE = "file"
"""`Extracted.by` of an answer that stood in a result file: whoever made it is not known."""


class Extracted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody else read out of a response: an extractor model, or whoever made a result file.

    `answer` is what they wrote, None where they gave nothing back; `by` names them (a model, or `FROM_FILE`). `failure`
    is set if a called extractor failed, and then there is no answer.
    """

    answer: str | None
    by: str
    failure: Failure | None = None


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a judge said of a response: its verdict in `purpose`'s own JSON, or the `failure` that left none.

    `purpose` is that of the benchmark's `JudgeTask`; `judge` names who was asked.
    """

    purpose: str
    judge: str
    answer: str | None = None
    failure: Failure | None = None


class Conduct(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a conversation with tools went, in a few figures; its turns are kept beside the response (`trajectory`).

    `attempt` says which attempt at the sample this was, from 0; `turns` and `calls` count the model's messages and its
    tool calls; `ended` is the word of `trajectory.Ended`; `seconds` is the time from question to answer.
    """

    attempt: int
    turns: int
    calls: int
    ended: str
    seconds: float = 0.0


class Response(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came back for one `Ask`: an answer, or a `failure`.

    `text` is the visible answer and `reasoning` the separate reasoning channel (`reasoning_content`); either may be
    None. `finish` is the server's word (`stop`, `length`, `content_filter`, …). `max_tokens` is the limit that
    was asked for. `order` repeats the `Ask`. `latency` is in seconds, for the attempt that succeeded; `attempts`
    counts all. `raw` is the server's body as it came. `images` describes what was sent for each image. `extracted` is
    what somebody else read out of the text, None if nobody was asked; `judged` is what judges said of it, each that was
    asked. Both are kept beside the response, not in it.
    `calls` are the tool calls that the model asks for in place of an answer, `native` that message as the provider
    wrote it, where it wants it back (`Message.native`). Where tools were used, `conduct` says how it went, and `usage`
    is the sum over all turns.
    """

    text: str | None = None
    reasoning: str | None = None
    finish: str | None = None
    failure: Failure | None = None
    order: tuple[int, ...] = ()
    max_tokens: int | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    usage: Usage = Usage()
    latency: float | None = None
    attempts: int = 1
    request_hash: str = ""
    cached: bool = False
    raw: bytes | None = None
    images: tuple[dict[str, Any], ...] = ()
    extracted: Extracted | None = None
    judged: tuple[Judged, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    native: str = ""
    conduct: Conduct | None = None
