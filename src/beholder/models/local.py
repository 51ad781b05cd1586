"""Models that run in this process: what may be chosen of them, their folder, and what they are asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from beholder.errors import UsageError
from beholder.images.load import Image, load
from beholder.models.chat_body import json_value
from beholder.sample import Ask, ImagePart, Message, Sampling
from beholder.seeds import seed_for

LOCAL = ("transformers", "vllm")
"""The kinds that run in this process."""

DTYPES = ("auto", "float32", "bfloat16", "float16")

_READ_WHOLE = frozenset((".json", ".jinja", ".txt", ".model", ".py"))
_WEIGHTS = frozenset((".safetensors", ".gguf"))
_LARGEST_WHOLE = 64 << 20
_PROBES, _PROBE = 64, 64 << 10

_Count = Annotated[int, msgspec.Meta(ge=1)]


class LocalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a model in this process is run.

    `dtype` is one of `DTYPES`; `auto`: as the folder says. `device`: `auto`, `cpu`, `cuda`, `cuda:1`, `mps`.
    `batch_size` is how many questions are worked on at once; None: one by one (transformers), or as many as wait
    (vLLM). `min_pixels` and `max_pixels` bound a picture's pixels, for processors that know such bounds.
    `trust_remote_code`: Python files of the folder may be run.
    """

    dtype: str = "auto"
    device: str = "auto"
    batch_size: _Count | None = None
    min_pixels: _Count | None = None
    max_pixels: _Count | None = None
    trust_remote_code: bool = False

    @property
    def pixels(self) -> dict[str, int]:
        """The bounds that were given."""
        given = {"min_pixels": self.min_pixels, "max_pixels": self.max_pixels}
        return {name: value for name, value in given.items() if value is not None}


class OwnDecoding(msgspec.Struct, frozen=True):
    """What a folder's `generation_config.json` says of decoding; None: nothing."""

    do_sample: bool | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = None
    top_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    top_k: int | None = None
    max_new_tokens: _Count | None = None
    repetition_penalty: Annotated[float, msgspec.Meta(gt=0)] | None = None


class Decoding(msgspec.Struct, frozen=True):
    """How one answer is decoded. `temperature` 0: the likeliest token each time, whatever else is set. `top_k` 0: no
    bound. `limit` is the longest answer, in tokens. `seed` names the draws; it counts only where something is drawn.
    """

    temperature: float
    top_p: float
    top_k: int
    limit: int
    seed: int


class Row(msgspec.Struct, frozen=True):
    """One question. `prompt` is it as the chat template wrote it, "" where the engine of the model writes it;
    `pictures` are the published bytes of its pictures in their order."""

    messages: tuple[Message, ...]
    prompt: str
    pictures: tuple[bytes, ...]
    decoding: Decoding


class Generated(msgspec.Struct, frozen=True):
    """One answer. `tokens` are its ids, the one that ended it too; `text` is without the tokenizer's special ones,
    `marked` with them, where they are known. `finish` is `stop` or `length`. `seconds` is the time that its whole batch
    took.
    """

    text: str
    marked: str
    tokens: tuple[int, ...]
    finish: str
    prompt_tokens: int
    seconds: float


USUAL_LIMIT = 4096
"""OUR choice: the longest answer, in tokens, where neither the plan nor the folder says."""


def runs_here(model: str) -> bool:
    """Whether a model of that name (`transformers/PATH`) runs in this process, its weights too."""
    return model.partition("/")[0] in LOCAL


def model_folder(name: str) -> Path:
    """The folder that `KIND/PATH` names. `UsageError` if it holds no model."""
    folder = Path(name.partition("/")[2]).expanduser()
    if not folder.is_dir():
        raise UsageError(f"--model {name}: there is no folder {folder}. Give the folder of a downloaded model.")
    if not (folder / "config.json").is_file():
        raise UsageError(f"--model {name}: {folder} holds no config.json, so it is not a model's folder.")
    return folder


def json_of(folder: Path, name: str) -> dict[str, Any]:
    """The object in a JSON file of a model's folder, {} if there is no such file. `UsageError` if it is no object."""
    file = folder / name
    try:
        value = msgspec.json.decode(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}). Fetch the model again.") from None
    if not isinstance(value, dict):
        raise UsageError(f"{file} is not a JSON object. Fetch the model again.")
    return value


def own_decoding(folder: Path) -> OwnDecoding:
    """What the folder says of decoding. `UsageError` if it says what cannot be."""
    said = json_of(folder, "generation_config.json")
    try:
        return msgspec.convert(said, OwnDecoding)
    except msgspec.ValidationError as error:
        raise UsageError(f"{folder / 'generation_config.json'}: {error}. Correct it.") from None


def folder_digest(folder: Path) -> str:
    """32 hex digits that say which model a folder holds.

    Settings, tokenizer, template and code are read whole. Of each file of weights go in its name, its size and 64
    pieces of 64 KiB spread evenly over it, which reads 4 MB of any number of GB: two trainings differ in every piece,
    a file in which a few numbers were changed by hand may pass for the old one.
    """
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(folder.rglob("*")):
        suffix = file.suffix.lower()
        if suffix not in _READ_WHOLE | _WEIGHTS or not file.is_file():
            continue
        try:
            size = file.stat().st_size
            whole = suffix in _READ_WHOLE and size <= _LARGEST_WHOLE
            digest.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode("utf-8", "surrogateescape"))
            digest.update(file.read_bytes() if whole else _probes(file, size))
        except OSError as error:
            raise UsageError(f"{file} cannot be read ({error.strerror}). Mend the model's folder.") from None
    return digest.hexdigest()


def _probes(file: Path, size: int) -> bytes:
    if size <= _PROBES * _PROBE:
        return file.read_bytes()
    pieces = []
    with file.open("rb") as opened:
        for number in range(_PROBES):
            opened.seek((size - _PROBE) * number // (_PROBES - 1))
            pieces.append(opened.read(_PROBE))
    return b"".join(pieces)


def decoding(ask: Ask, own: OwnDecoding, run_seed: int) -> Decoding:
    """How an ask is decoded. What the plan leaves open is as the model's own `generation_config.json` says (`own`);
    where that is silent too, the likeliest token is taken.

    The draws are named by the run's seed, the sample, epoch, vote and turn: neither what else is in a batch nor the
    order of answers changes one.
    """
    sampling: Sampling = ask.sampling
    temperature = sampling.temperature
    if temperature is None:
        usual = 1.0 if own.temperature is None else own.temperature
        temperature = usual if own.do_sample else 0.0
    seed = sampling.seed if sampling.seed is not None else run_seed
    return Decoding(
        temperature=temperature,
        top_p=next((top_p for top_p in (sampling.top_p, own.top_p) if top_p is not None), 1.0),
        top_k=max(0, own.top_k or 0),
        limit=sampling.max_tokens or own.max_new_tokens or USUAL_LIMIT,
        seed=seed_for(seed, ask.sample.key, ask.epoch, ask.vote, "decode", len(ask.messages)),
    )


def pictures_by_place(ask: Ask) -> dict[int, Image]:
    """The sample's own pictures, and those made by tools that the messages show, by place. Raises as `load` does."""
    own = len(ask.sample.images)
    shown = {part.index for part in picture_parts(ask.messages)}
    return {place: load(ref) for place, ref in enumerate(ask.pictures) if place < own or place in shown}


def picture_parts(messages: tuple[Message, ...]) -> list[ImagePart]:
    """The pictures of a conversation in their order."""
    return [part for message in messages for part in message.parts if isinstance(part, ImagePart)]


def picture_record(image: Image) -> dict[str, Any]:
    """What the journal keeps of a picture that was handed to a model in this process: its pixels, upright, in RGB."""
    reasons = []
    if image.exif_orientation != 1:
        reasons.append(f"the picture was turned (EXIF orientation {image.exif_orientation})")
    if image.mode != "RGB":
        reasons.append(f"colour mode {image.mode} became RGB")
    if "animated" in image.flags:
        reasons.append("only the first frame of an animation is shown")
    return {
        "image": image.sha256,
        "sha256": image.sha256,
        "width": image.width,
        "height": image.height,
        "format": image.format,
        "n_bytes": image.n_bytes,
        "flags": list(image.flags),
        "reasons": reasons,
        "policy": "pixels",
    }


def request_record(model: str, ask: Ask, images: Mapping[int, Image], told: Mapping[str, Any]) -> bytes:
    """The request as it is journaled: as on the chat wire, pictures by their hashes; `told` stands beside."""
    messages = []
    for message in ask.messages:
        content = [
            {"type": "image_url", "image_url": {"url": f"sha256:{images[part.index].sha256}"}}
            if isinstance(part, ImagePart)
            else {"type": "text", "text": part.text}
            for part in message.parts
        ]
        messages.append({"role": message.role, "content": content})
    return json_value({"model": model, "messages": messages, **told})


def first_line(error: Exception) -> str:
    """An error of another library in one line of at most 300 characters."""
    words = " ".join(str(error).split("\n\n")[0].split())
    return f"{type(error).__name__}: {words}"[:300].rstrip(" .")
