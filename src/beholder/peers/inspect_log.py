"""Reads logs of Inspect: `.eval` (a zip archive, see `inspect_zip`) and `.json`.

A sample's answer is its last completion; its `scores` are kept as they are written (`C` is 1, `P` one half, `I` and `N`
0, as Inspect counts them). Epochs are repetitions. A sample with an `error` has no answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from beholder.errors import DataError, UsageError
from beholder.peers.inspect_zip import EvalEntries
from beholder.peers.messages import FINISHES, picture_in, said_in, words
from beholder.peers.peer_log import (
    LONGEST_TEXT,
    MOST_ANSWERS,
    MOST_PICTURES,
    PeerAnswer,
    PeerLog,
    PeerScore,
    a_count,
    a_list,
    a_name,
    a_repetition,
    a_text,
    an_object,
    decoded,
    failed,
    plain_settings,
    read_bytes,
    scores_in,
    share,
    words_of,
)
from beholder.sample import Response, Usage

NAME = "inspect"
_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_ATTACHMENT = "attachment://"
_AROUND = " \n'\"()"
"""What stands around the parts of an error that was written as a value of Python's."""


def read(file: Path) -> PeerLog:
    """The log in `file`. `UsageError` or `DataError` says in one line what cannot be read."""
    if file.suffix.lower() == ".eval":
        entries = EvalEntries(file)
        try:
            header = decoded(entries.header(), file.name)
            ids = _ids(header, file.name)
            answers = [_answer(decoded(data, where), where, ids) for where, data in entries.samples()]
        finally:
            entries.close()
    else:
        header = decoded(read_bytes(file), file.name)
        ids = _ids(header, file.name)
        samples = a_list(header.get("samples"), "'samples'", file.name)
        if len(samples) > MOST_ANSWERS:
            raise UsageError(f"{file}: it holds more than {MOST_ANSWERS:,} samples.")
        answers = [
            _answer(an_object(sample, "a sample", where), where, ids)
            for where, sample in ((f"{file.name}, sample {n}", one) for n, one in enumerate(samples, start=1))
        ]
    spec = _spec(header, file.name)
    packages = an_object(spec.get("packages"), "'packages'", file.name)
    status = words_of(a_text(header.get("status"), "'status'", file.name))
    notes = (f"The log's status is {status!r}: the run had not come to its end.",) if status != "success" else ()
    return PeerLog(
        peer=NAME,
        version=words_of(packages.get("inspect_ai", "")),
        model=a_text(spec.get("model"), "'model'", file.name),
        task=a_text(spec.get("task"), "'task'", file.name),
        created=words_of(spec.get("created", "")),
        generation=plain_settings(an_object(spec.get("model_generate_config"), "'model_generate_config'", file.name)),
        answers=sorted(answers, key=lambda one: (one.index is None, one.index or 0, one.repetition)),
        notes=notes,
    )


def _spec(header: dict[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(header.get("eval"), dict):
        raise DataError("this is not an Inspect log: it has no 'eval'", where=where)
    found: dict[str, Any] = header["eval"]
    return found


def _ids(header: dict[str, Any], where: str) -> dict[str, int]:
    """Sample id → its position in the tool's data set, where the header lists them."""
    listed = an_object(_spec(header, where).get("dataset"), "'dataset'", where).get("sample_ids")
    return {str(name): place for place, name in enumerate(listed)} if isinstance(listed, list) else {}


def _answer(sample: dict[str, Any], where: str, ids: dict[str, int]) -> PeerAnswer:
    name = a_name(sample.get("id"), "'id'", where)
    repetition = a_repetition(sample.get("epoch", 1), 1, "'epoch'", where)
    question, pictures = _input(sample, where)
    scores = an_object(sample.get("scores"), "'scores'", where)
    return PeerAnswer(
        where=f"{where} (id {str(name)[:40]}, epoch {repetition + 1})",
        id=name,
        index=ids.get(str(name)),
        repetition=repetition,
        question=question,
        gold=_gold(sample.get("target"), where),
        response=_response(sample, where),
        scores={label: _score(value, where) for label, value in scores_in(scores, where)},
        record=an_object(sample.get("metadata"), "'metadata'", where),
        pictures=pictures,
    )


def _gold(target: Any, where: str) -> str:
    if isinstance(target, list):
        return ", ".join(a_text(one, "'target'", where) for one in target[:100])
    return a_text(target, "'target'", where)


def _response(sample: dict[str, Any], where: str) -> Response:
    error = sample.get("error")
    if error is not None:
        message = an_object(error, "'error'", where).get("message") if not isinstance(error, str) else error
        return failed(_without_request(a_text(message, "the error's message", where)) or "The sample failed.")
    output = an_object(sample.get("output"), "'output'", where)
    choices = a_list(output.get("choices"), "'choices'", where)
    if not choices:
        limit = sample.get("limit")
        why = f" (it reached its limit of {words_of(limit.get('type'))})" if isinstance(limit, dict) else ""
        return failed(f"The log holds no answer to this sample{why}.", "not_recorded")
    choice = an_object(choices[0], "a choice", where)
    message = an_object(choice.get("message"), "'message'", where)
    text, reasoning = said_in(message.get("content"), where)
    usage = an_object(output.get("usage"), "'usage'", where)
    served = a_text(output.get("model"), "'model'", where)
    seconds = output.get("time")
    return Response(
        text=text,
        reasoning=reasoning or None,
        finish=FINISHES.get(words(choice.get("stop_reason"))),
        served_model=served[:200] or None,
        latency=float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else None,
        usage=Usage(
            prompt_tokens=a_count(usage.get("input_tokens")),
            completion_tokens=a_count(usage.get("output_tokens")),
            reasoning_tokens=a_count(usage.get("reasoning_tokens")),
            cache_read_tokens=a_count(usage.get("input_tokens_cache_read")),
            cache_write_tokens=a_count(usage.get("input_tokens_cache_write")),
        ),
    )


def _without_request(message: str) -> str:
    """An error without the request that Inspect writes into it, which holds the whole prompt."""
    said = message.replace("\\n", "\n").replace("\\'", "'").strip()
    before, found, after = said.partition("Request:")
    reason = after.rpartition("\n}")[2] if found else ""
    if not reason:
        return said[:2000]
    return f"{before.strip(_AROUND)}: {reason.strip(_AROUND)}".replace("('", ": ")[:2000]


def _input(sample: dict[str, Any], where: str) -> tuple[str, tuple[bytes, ...]]:
    """The text that was put to the model, and the pictures that stand in the log."""
    given = sample.get("input")
    if isinstance(given, str):
        return a_text(given, "'input'", where), ()
    attachments = an_object(sample.get("attachments"), "'attachments'", where)
    texts: list[str] = []
    pictures: list[bytes] = []
    for message in a_list(given, "'input'", where):
        content = an_object(message, "a message", where).get("content")
        for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            piece = an_object(part, "a part of the input", where)
            if piece.get("type") == "text":
                texts.append(_attached(a_text(piece.get("text"), "the input", where), attachments))
            elif piece.get("type") == "image":
                pictures += picture_in(_attached(words(piece.get("image")), attachments))
            if len(pictures) > MOST_PICTURES or sum(map(len, texts)) > LONGEST_TEXT:
                raise DataError(
                    f"its input has more than {MOST_PICTURES} pictures or {LONGEST_TEXT:,} characters", where=where
                )
    return "\n".join(texts), tuple(pictures)


def _attached(text: str, attachments: dict[str, Any]) -> str:
    """What Inspect has moved to the attachments because it is long."""
    return words(attachments.get(text.removeprefix(_ATTACHMENT))) if text.startswith(_ATTACHMENT) else text


def _score(given: Any, where: str) -> PeerScore:
    score = an_object(given, "a score", where)
    value = score.get("value")
    answer = score.get("answer")
    return PeerScore(
        value=_VALUES[value] if isinstance(value, str) and value in _VALUES else share(value),
        written=words_of(value),
        answer=None if answer is None else a_text(answer, "the score's answer", where)[:2000],
        explanation=a_text(score.get("explanation"), "the explanation", where)[:2000],
    )
