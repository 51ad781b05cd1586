"""A folder's processor and weights in memory, and batches of questions put through them by transformers and torch."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from beholder.errors import Owner, UsageError
from beholder.images.load import load, pixels
from beholder.models.local import Decoding, Generated, LocalOptions, Row, first_line
from beholder.models.transformers_batching import in_halves
from beholder.sample import Failure, ImageRef

_PICTURE = {"type": "image"}
_TEXT = {"type": "text", "text": "?"}


_HEEDED = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token_id",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "sequence_bias",
    "suppress_tokens",
)
"""Settings of a folder's generation config that hold. `Draws` chooses tokens and `_Until` ends answers; the rest would
let an answer depend on the clock, on its batch, or on code of others."""


class Unprocessable(Exception):
    """The processor cannot take a question as it is."""


class TooLong(Exception):
    """A question leaves no room for an answer in the model's context."""


class Processor:
    """A folder's processor: chat template, tokenizer, pictures. For several threads, once it is made."""

    def __init__(self, name: str, folder: Path, options: LocalOptions) -> None:
        _be_quiet()
        self._name = name
        trust = options.trust_remote_code
        try:
            config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=trust)
            if not trust and type(config) not in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
                raise UsageError(f"--model {name} is a {config.model_type}, which takes no pictures with a question.")
            self._whole = transformers.AutoProcessor.from_pretrained(
                folder, local_files_only=True, trust_remote_code=trust
            )
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the folder, it is told in one line
            raise _unloadable(name, error) from None
        self.tokenizer: Any = getattr(self._whole, "tokenizer", None)
        eyes = getattr(self._whole, "image_processor", None)
        if self.tokenizer is None or eyes is None:
            raise UsageError(f"--model {name}: its folder holds no processor that takes pictures and text.")
        if not (getattr(self._whole, "chat_template", None) or getattr(self.tokenizer, "chat_template", None)):
            raise UsageError(f"--model {name}: its folder holds no chat template. Add chat_template.jinja.")
        if options.pixels:
            self._whole.image_processor = bounded(name, eyes, options.pixels)
        self.tokenizer.padding_side = "left"  # answers are written to the right of each question
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.kind = type(self._whole).__name__
        self.context = getattr(config.get_text_config(), "max_position_embeddings", None)
        try:
            alone = self.render(_question(1))
        except Unprocessable as error:
            raise UsageError(f"--model {name}: {error}. Mend the template in its folder.") from None
        pair = self._if_rendered(_question(2))
        if alone == self._if_rendered(_question(0)):
            raise UsageError(f"--model {name}: its chat template leaves pictures out. Mend it in its folder.")
        self.most_pictures = 1 if pair is None else 0
        """How many the template takes; 0: any number."""
        self._mark = self._picture_mark(alone, pair)

    @property
    def takes_system_messages(self) -> bool:
        """Whether the chat template takes a system message."""
        return self._if_rendered([{"role": "system", "content": [_TEXT]}, *_question(1)]) is not None

    def render(self, messages: Sequence[dict[str, Any]]) -> str:
        """The conversation as the chat template writes it, up to where the model goes on. Raises `Unprocessable`."""
        try:
            return str(self._whole.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False))
        except Exception as error:  # noqa: BLE001 - the template is the folder's own program
            raise Unprocessable(f"its chat template fails ({first_line(error)})") from None

    def _if_rendered(self, messages: Sequence[dict[str, Any]]) -> str | None:
        try:
            return self.render(messages)
        except Unprocessable:
            return None

    def inputs(self, rows: Sequence[Row]) -> Any:
        """The tensors of a batch, padded on the left. Raises `Unprocessable`, `TooLong`."""
        for row in rows:
            if self._mark is not None and row.prompt.count(self._mark) != len(row.pictures):
                raise Unprocessable(
                    f"the prompt holds {row.prompt.count(self._mark)} marks {self._mark} for {len(row.pictures)} "
                    "pictures: the text of the item holds the model's own mark, or the template left a picture out"
                )
        pictures = [[_decoded(data) for data in row.pictures] for row in rows]
        begins = self.tokenizer.bos_token
        written = begins is not None and all(row.prompt.startswith(begins) for row in rows)
        try:
            made = self._whole(
                text=[row.prompt for row in rows],
                images=pictures if any(pictures) else None,
                padding=True,
                return_tensors="pt",
                add_special_tokens=not written,
            )
        except Exception as error:  # noqa: BLE001 - each processor has reasons of its own
            raise Unprocessable(f"its processor cannot take this item ({first_line(error)})") from None
        longest = int(made["input_ids"].shape[1])
        if self.context and longest >= self.context:
            raise TooLong(f"The question has {longest} tokens, and the model's context is {self.context}.")
        return made

    def _picture_mark(self, alone: str, pair: str | None) -> str | None:
        """The text that stands for one picture in rendered prompts with one and two; None if none is certain."""
        for name in ("image_token", "boi_token"):
            mark = getattr(self._whole, name, None)
            if isinstance(mark, str) and mark and alone.count(mark) == 1 and (pair is None or pair.count(mark) == 2):
                return mark
        return None


def _question(pictures: int) -> list[dict[str, Any]]:
    """A message with so many pictures, as chat templates take it."""
    return [{"role": "user", "content": [_PICTURE] * pictures + [_TEXT]}]


def bounded(name: str, eyes: Any, bounds: dict[str, int]) -> Any:
    """The image processor with other bounds on a picture's pixels. `UsageError` if it knows none."""
    known = getattr(getattr(eyes, "valid_kwargs", None), "__annotations__", {})
    if not all(bound in known or hasattr(eyes, bound) for bound in bounds):
        option = " and ".join("--" + bound.replace("_", "-") for bound in bounds)
        raise UsageError(f"--model {name}: {type(eyes).__name__} knows no bounds on pixels. Leave {option} out.")
    return type(eyes).from_dict(eyes.to_dict(), **bounds)


class Weights:
    """A model in memory, ready to answer. Used by one thread."""

    def __init__(
        self, name: str, folder: Path, options: LocalOptions, processor: Processor, penalty: float | None
    ) -> None:
        self._processor = processor
        self._penalty = penalty
        self.device = chosen_device(options.device)
        try:
            self._model, told = transformers.AutoModelForImageTextToText.from_pretrained(
                folder,
                dtype=options.dtype,
                local_files_only=True,
                use_safetensors=True,  # the other form is a pickle
                trust_remote_code=options.trust_remote_code,
                output_loading_info=True,
            )
            self._model = self._model.to(self.device).eval()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the folder, it is told in one line
            raise _unloadable(name, error) from None
        missing = sorted(told["missing_keys"])
        if missing:  # transformers fills them with random numbers
            raise UsageError(f"--model {name}: its files lack {len(missing)} weights, such as {missing[0]}.")
        own = self._model.generation_config
        ends = own.eos_token_id if isinstance(own.eos_token_id, list) else [own.eos_token_id]
        self._ends = {*ends, processor.tokenizer.eos_token_id} - {None}
        # In place of the folder's: `generate` takes from there what is not said to it.
        self._model.generation_config = transformers.GenerationConfig(
            **{setting: getattr(own, setting, None) for setting in _HEEDED},
            eos_token_id=sorted(self._ends),
            pad_token_id=processor.tokenizer.pad_token_id,
            do_sample=False,
        )

    def answer(self, rows: Sequence[Row], unwanted: Callable[[], bool]) -> list[Generated | Failure]:
        """The answers of a batch; what cannot be answered becomes a failure of its own."""
        return in_halves(rows, lambda part: self._attempt(part, unwanted), _failure, _free_memory)

    def _attempt(self, rows: Sequence[Row], unwanted: Callable[[], bool]) -> list[Generated | Failure]:
        started = time.monotonic()
        inputs = self._processor.inputs(rows)
        width, lengths = inputs["input_ids"].shape[1], inputs["attention_mask"].sum(dim=1).tolist()
        context = self._processor.context
        limits = [
            min(row.decoding.limit, context - length) if context else row.decoding.limit
            for row, length in zip(rows, lengths, strict=True)
        ]
        chooses: list[Any] = [Draws([row.decoding for row in rows])]
        if self._penalty is not None:
            chooses.insert(0, Penalty(self._penalty, [width - length for length in lengths]))
        with torch.inference_mode():
            made = self._model.generate(
                **inputs.to(self.device, dtype=self._model.dtype),
                max_new_tokens=max(limits),
                logits_processor=transformers.LogitsProcessorList(chooses),
                stopping_criteria=transformers.StoppingCriteriaList([_Until(width, limits, unwanted)]),
            )
        answers = made[:, width:].tolist()
        seconds = time.monotonic() - started
        return [self._told(*one, seconds) for one in zip(answers, limits, lengths, strict=True)]

    def _told(self, tokens: list[int], limit: int, prompt_tokens: int, seconds: float) -> Generated:
        end = next((place for place, token in enumerate(tokens[:limit]) if token in self._ends), None)
        tokens = tokens[:limit] if end is None else tokens[: end + 1]
        text, marked = (
            self._processor.tokenizer.decode(tokens, skip_special_tokens=skip, clean_up_tokenization_spaces=False)
            for skip in (True, False)
        )
        finish = "length" if end is None else "stop"
        return Generated(text, marked, tuple(tokens), finish, prompt_tokens, seconds)


class Penalty(transformers.LogitsProcessor):  # type: ignore[misc]
    """The penalty on what was said before, padding left out: a token that pads may also be one that ends an answer."""

    def __init__(self, penalty: float, starts: Sequence[int]) -> None:
        self._one = transformers.RepetitionPenaltyLogitsProcessor(float(penalty))
        self._starts = starts

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return torch.cat(
            [
                self._one(input_ids[row : row + 1, start:], scores[row : row + 1])
                for row, start in enumerate(self._starts)
            ]
        )


class Draws(transformers.LogitsProcessor):  # type: ignore[misc]
    """Chooses each row's next token by the row's own settings, and leaves only that one possible.

    Each row draws from a generator of its own, one number a step, so what else is in the batch changes nothing. The
    number picks a token by its place in the sum of the probabilities, the likeliest first: a difference in the last
    digits of the probabilities hardly ever changes the choice.
    """

    def __init__(self, decodings: Sequence[Decoding]) -> None:
        self._rows = [(one, random.Random(one.seed)) for one in decodings]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        chosen = scores.argmax(dim=-1)
        for place, (how, generator) in enumerate(self._rows):
            if how.temperature > 0:
                chosen[place] = _drawn(scores[place], how, generator.random())
        only = torch.full_like(scores, float("-inf"))
        return only.scatter(1, chosen[:, None], 0.0)


def _drawn(scores: torch.Tensor, how: Decoding, number: float) -> torch.Tensor:
    """The token that a number in [0, 1) picks. `top_k` cuts first, and `top_p` is a share of what that leaves."""
    probabilities, tokens = (scores.float() / how.temperature).softmax(dim=-1).sort(descending=True, stable=True)
    probabilities = probabilities[: how.top_k or None]
    sums = probabilities.cumsum(dim=-1)
    if how.top_p < 1:
        sums = sums[: max(1, int((sums - probabilities < how.top_p * sums[-1]).sum()))]
    # The first place whose sum reaches the number: never one behind it that adds nothing, being impossible.
    return tokens[torch.searchsorted(sums, sums[-1] * number)]


class _Until(transformers.StoppingCriteria):  # type: ignore[misc]
    """Ends each row at its own limit, and all rows when nobody waits for them any more."""

    def __init__(self, width: int, limits: Sequence[int], unwanted: Callable[[], bool]) -> None:
        self._ends = torch.tensor([width + limit for limit in limits])
        self._unwanted = unwanted

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        over = self._unwanted()
        return (input_ids.shape[1] >= self._ends).to(input_ids.device) | torch.full(
            (len(input_ids),), over, device=input_ids.device
        )


def chosen_device(name: str) -> str:
    """The device of a name; `auto` is the best that there is. `UsageError` if it is not there."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return next(kind for kind, usable in there.items() if usable)
    kind = name.partition(":")[0]
    if kind not in there:
        raise UsageError(f"--device {name!r} is not known. Choose auto, cpu, cuda (or cuda:1) or mps.")
    if not there[kind]:
        raise UsageError(f"--device {name}: torch {torch.__version__} finds no such device here. Use --device cpu.")
    return name


def _unloadable(name: str, error: Exception) -> UsageError:
    if isinstance(error, ImportError) and "torchvision" in str(error).lower():
        mend = "pip install torchvision, in the build that goes with your torch"
        return UsageError(f"--model {name} needs torchvision: {mend}.")
    if "trust_remote_code" in str(error):
        mend = "If you trust them, give --trust-remote-code"
        return UsageError(f"--model {name} needs Python files of its folder to be run. {mend}.")
    return UsageError(f"--model {name} cannot be loaded ({first_line(error)}).")


def _decoded(data: bytes) -> Any:
    return pixels(load(ImageRef(name="picture", data=data)))


def _failure(error: Exception) -> Failure:
    if isinstance(error, Unprocessable):
        return Failure(owner=Owner.DATA, kind="processor", message=f"The model cannot be asked this: {error}.")
    if isinstance(error, TooLong):
        return Failure(owner=Owner.PROVIDER, kind="context", message=str(error))
    if isinstance(error, torch.OutOfMemoryError | MemoryError) or "out of memory" in str(error).lower():
        mend = "Use a smaller --max-pixels or --max-tokens, another --dtype, or a larger machine."
        said = f"There is not enough memory for this one question ({first_line(error)}). {mend}"
        return Failure(owner=Owner.US, kind="out_of_memory", message=said, retryable=True)
    return Failure(
        owner=Owner.US, kind="generation", message=f"Generating failed ({first_line(error)}).", retryable=True
    )


def _free_memory() -> None:
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _be_quiet() -> None:
    """Their progress bars and hints would run into our progress line."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
