"""Reads the samples that lmms-eval logs with `--log_samples`: `…samples_TASK.jsonl`, one object a document.

Known fields: `doc_id`, `input` (the text of the prompt), `target`, `resps` (what the model said; left out where it is
equal to the next), `filtered_resps`, `token_counts`; older versions have `doc` (the data's record) and `arguments`.
Every other field is the value of one of the task's metrics. The file `…results.json` of the same run, where it lies
beside this one, tells model, version and decoding.

lmms-eval writes a request that failed as an answer, `[LMMS_EVAL_REQUEST_FAILED after N retries] …`, and scores it; here
it is a failure. It does not log why an answer ended, nor reasoning that came beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.records import Record, read_records
from beholder.errors import DataError, UsageError
from beholder.peers.peer_log import (
    MOST_ANSWERS,
    MOST_REPETITIONS,
    PeerAnswer,
    PeerLog,
    PeerScore,
    a_count,
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

NAME = "lmms-eval"
_KNOWN = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "token_counts",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "input",
        "input_media",
        "metrics",
    }
)
_FAILED = "[LMMS_EVAL_REQUEST_FAILED after "
_NUMBERS = ("score", "acc", "accuracy", "correct", "exact_match", "value")
_READ = ("parsed_pred", "pred_answer", "extracted_answer", "pred", "prediction")


def read(file: Path) -> PeerLog:
    """The log in `file`, with what the results file beside it tells. Errors name file and line."""
    answers: list[PeerAnswer] = []
    for record in read_records(file):
        answers += _answers(record)
        if len(answers) > MOST_ANSWERS:
            raise UsageError(f"{file}: it holds more than {MOST_ANSWERS:,} answers.")
    stem, _, task = file.stem.partition("samples_")
    results = file.with_name(f"{stem}results.json")
    told = decoded(read_bytes(results), results.name) if results.is_file() else {}
    version = words_of(told.get("lmms_eval_version") or "")
    configs = an_object(told.get("configs"), "'configs'", results.name)
    config = an_object(configs.get(task), "the task's config", results.name)
    settings = an_object(config.get("generation_kwargs"), "'generation_kwargs'", results.name)
    notes = () if told else (f"There is no {results.name} beside it, so model, version and decoding are not known.",)
    return PeerLog(
        peer=NAME,
        version="" if version.startswith("unknown") else version,
        model=words_of(told.get("model_name") or ""),
        task=task,
        created=words_of(told.get("date") or ""),
        generation=plain_settings(settings),
        answers=answers,
        notes=notes,
    )


def _answers(record: Record) -> Iterator[PeerAnswer]:
    value, where = record.value, record.where
    said = value.get("resps", value.get("filtered_resps"))
    if "resps" not in value and "filtered_resps" not in value:
        raise DataError(
            "it has neither 'resps' nor 'filtered_resps'",
            where=where,
            mend="Give a samples file that lmms-eval wrote with --log_samples.",
        )
    texts = list(_texts(said, where))
    if not texts:
        raise DataError("it holds no answer: 'resps' is empty", where=where)
    if len(texts) > MOST_REPETITIONS:
        raise DataError(f"it holds more than {MOST_REPETITIONS:,} answers", where=where)
    counts = value.get("token_counts")
    doc_id = a_count(value.get("doc_id"))
    scores = list(_scores(value, where))
    for repetition, text in enumerate(texts):
        used = counts[repetition] if isinstance(counts, list) and repetition < len(counts) else None
        yield PeerAnswer(
            where=where if len(texts) == 1 else f"{where}, answer {repetition + 1}",
            id=doc_id,
            index=doc_id,
            repetition=repetition,
            question=_question(value, where),
            gold=words_of(value.get("target", "")),
            response=_response(text, used if isinstance(used, dict) else {}),
            # What is scored is the first answer, where there are several.
            scores=dict(scores) if repetition == 0 else {},
            record=an_object(value.get("doc"), "'doc'", where),
        )


def _texts(said: Any, where: str) -> Iterator[str]:
    """The answers of a document: a text, a list of them, or a list for each request."""
    while isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
        said = said[0]
    for one in said if isinstance(said, list) else [said]:
        yield a_text(one, "the answer", where)


def _response(text: str, used: dict[str, Any]) -> Response:
    if text.startswith(_FAILED):
        return failed(text.partition("] ")[2] or text, "request")
    return Response(
        text=text,
        usage=Usage(
            prompt_tokens=a_count(used.get("input_tokens")),
            completion_tokens=a_count(used.get("output_tokens")),
            reasoning_tokens=a_count(used.get("reasoning_tokens")),
        ),
    )


def _question(value: dict[str, Any], where: str) -> str:
    """The text that was put to the model; older versions have it as the first of the arguments, more or less deep."""
    given = value.get("input", value.get("arguments"))
    while isinstance(given, list | dict) and given:
        given = given[0] if isinstance(given, list) else next(iter(given.values()))
    return a_text(given, "'input'", where) if isinstance(given, str) else ""


def _scores(value: dict[str, Any], where: str) -> Iterator[tuple[str, PeerScore]]:
    for name, given in scores_in({name: one for name, one in value.items() if name not in _KNOWN}, where):
        if isinstance(given, dict):
            number = next((given[field] for field in _NUMBERS if field in given), None)
            read = next((given[field] for field in _READ if isinstance(given.get(field), str)), None)
            yield name, PeerScore(share(number), words_of(given if number is None else number), read)
        elif isinstance(given, int | float):
            yield name, PeerScore(share(given), words_of(given))
