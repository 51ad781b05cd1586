"""Reads the reviews that evalscope writes: `reviews/MODEL/DATASET_SUBSET.jsonl`, or the folder of them.

A line is an item with the conversation and the score. Where the predictions of the same run lie where evalscope puts
them (`predictions/MODEL/` beside `reviews/`), why an answer ended and how many tokens it took is read from there, and
the version and the decoding from `configs/task_config.yaml`. evalscope leaves items out whose request failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from beholder.benchmarks.records import Record, read_records
from beholder.errors import DataError, UsageError
from beholder.peers.messages import FINISHES, picture_in, said_in, words
from beholder.peers.peer_log import (
    MOST_ANSWERS,
    PeerAnswer,
    PeerLog,
    PeerScore,
    a_count,
    a_list,
    a_name,
    a_repetition,
    a_text,
    an_object,
    plain_settings,
    read_bytes,
    scores_in,
    share,
    words_of,
)
from beholder.sample import Response, Usage

NAME = "evalscope"
_VERSION = re.compile(r"^evalscope_version: ([\w.+-]{1,40})$", re.MULTILINE)
_GENERATION = re.compile(r"^generation_config:\n((?:  [a-z_]{1,40}: [^\n]{1,80}\n)*)", re.MULTILINE)
_LARGEST_CONFIG = 1 << 20


class _Conversation(NamedTuple):
    """What was put to the model, the pictures in that, its last message (None if there is none), its reasoning."""

    question: str
    pictures: tuple[bytes, ...]
    said: str | None
    reasoning: str


def read(file: Path) -> PeerLog:
    """The reviews in `file`, or in all JSON lines of a folder. Errors name file and line."""
    files = sorted(file.glob("*.jsonl")) if file.is_dir() else [file]
    if not files:
        raise UsageError(f"{file}: there are no reviews (*.jsonl) in this folder.")
    answers: list[PeerAnswer] = []
    for one in files:
        predictions = _predictions(one)
        found = [_answer(record, predictions) for record in read_records(one)]
        answers += sorted(found, key=lambda answer: (answer.index or 0, answer.repetition))
        if len(answers) > MOST_ANSWERS:
            raise UsageError(f"{file}: it holds more than {MOST_ANSWERS:,} answers.")
    config = _config(files[0])
    version = _VERSION.search(config)
    return PeerLog(
        peer=NAME,
        version=version[1] if version else "",
        model=files[0].parent.name if files[0].parent.parent.name == "reviews" else "",
        task=", ".join(one.stem for one in files)[:200],
        generation=_generation(config),
        answers=answers,
    )


def _answer(record: Record, predictions: dict[int, dict[str, Any]]) -> PeerAnswer:
    value, where = record.value, record.where
    index = a_count(value.get("index"))
    if index is None or "sample_score" not in value:
        raise DataError(
            "it has no 'index' or no 'sample_score'", where=where, mend="Give a file of evalscope's reviews."
        )
    sample_score = an_object(value.get("sample_score"), "'sample_score'", where)
    score = an_object(sample_score.get("score"), "'score'", where)
    about = an_object(sample_score.get("sample_metadata"), "'sample_metadata'", where)
    talk = _conversation(value, where)
    group = a_count(sample_score.get("group_id"))
    known = a_name(about.get("id"), "'id'", where)
    return PeerAnswer(
        where=where,
        id=known if known is not None else group if group is not None else index,
        index=group if group is not None else index,
        repetition=a_repetition(sample_score.get("generation_index") or 0, 0, "'generation_index'", where),
        question=talk.question,
        pictures=talk.pictures,
        gold=", ".join(words_of(one) for one in a_list(value.get("target"), "'target'", where)[:20])
        if not isinstance(value.get("target"), str)
        else words_of(value["target"]),
        response=_response(talk.said, talk.reasoning, predictions.get(index, {}), score, where),
        scores=dict(_scores(score, where)),
        record={**about, "prompt": talk.question, "answer": _first(value.get("target"))},
    )


def _first(target: Any) -> Any:
    return target[0] if isinstance(target, list) and target else target


def _conversation(value: dict[str, Any], where: str) -> _Conversation:
    asked: list[str] = []
    pictures: list[bytes] = []
    said, reasoning = None, ""
    for one in a_list(value.get("messages"), "'messages'", where):
        message = an_object(one, "a message", where)
        content = message.get("content")
        if message.get("role") == "assistant":
            said, reasoning = said_in(content, where)
        elif message.get("role") == "user":
            asked.append(said_in(content, where)[0])
            for part in content if isinstance(content, list) else []:
                pictures += picture_in(words(an_object(part, "a part of a message", where).get("image")))
    return _Conversation("\n".join(asked), tuple(pictures), said, reasoning)


def _response(
    said: str | None, reasoning: str, prediction: dict[str, Any], score: dict[str, Any], where: str
) -> Response:
    if said is None:
        said = a_text(score.get("prediction"), "'prediction'", where)
    output = an_object(prediction.get("model_output"), "'model_output'", where)
    choices = a_list(output.get("choices"), "'choices'", where)
    choice = an_object(choices[0], "a choice", where) if choices else {}
    usage = an_object(output.get("usage"), "'usage'", where)
    return Response(
        text=said,
        reasoning=reasoning or None,
        finish=FINISHES.get(words(choice.get("stop_reason"))),
        served_model=words(output.get("model"))[:200] or None,
        usage=Usage(
            prompt_tokens=a_count(usage.get("input_tokens")),
            completion_tokens=a_count(usage.get("output_tokens")),
            reasoning_tokens=a_count(usage.get("reasoning_tokens")),
        ),
    )


def _scores(score: dict[str, Any], where: str) -> Iterator[tuple[str, PeerScore]]:
    read = score.get("extracted_prediction")
    answer = None if read is None else a_text(read, "'extracted_prediction'", where)[:2000]
    explanation = a_text(score.get("explanation"), "'explanation'", where)[:2000]
    for name, value in scores_in(an_object(score.get("value"), "'value'", where), where):
        yield name, PeerScore(share(value), words_of(value), answer, explanation)


def _run_folder(file: Path) -> Path | None:
    """The folder of the whole run, where the reviews lie as evalscope puts them."""
    return file.parent.parent.parent if file.parent.parent.name == "reviews" else None


def _predictions(file: Path) -> dict[int, dict[str, Any]]:
    folder = _run_folder(file)
    other = folder / "predictions" / file.parent.name / file.name if folder is not None else None
    if other is None or not other.is_file():
        return {}
    places = ((a_count(record.value.get("index")), record.value) for record in read_records(other))
    return {index: value for index, value in places if index is not None}


def _config(file: Path) -> str:
    folder = _run_folder(file)
    config = folder / "configs" / "task_config.yaml" if folder is not None else None
    if config is None or not config.is_file() or config.stat().st_size > _LARGEST_CONFIG:
        return ""
    return read_bytes(config).decode("utf-8", "replace")


def _generation(config: str) -> dict[str, Any]:
    """The lines `name: value` under `generation_config`: the few plain values that are there need no reader of YAML."""
    found = _GENERATION.search(config)
    settings: dict[str, Any] = {}
    for line in found[1].splitlines() if found else []:
        name, _, value = line.strip().partition(": ")
        try:
            settings[name] = float(value) if "." in value else int(value)
        except ValueError:
            settings[name] = value
    return plain_settings(settings)
