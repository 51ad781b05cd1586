"""Writes a run as a log that Inspect opens (`inspect view`, `inspect_ai.log.read_eval_log`): its `.json` format.

A sample's id is our content key, so that the log can be imported again; votes and epochs are its epochs, in that order
of counting (the metadata has both). The input is the prompt as our template makes it, with the pictures by name (or by
the file, where copies are made). Each of our scorers is a score with its outcome, flags and reason; where there is no
value (the response failed, or the scorer cannot judge it) there is no score, and a failed response is the sample's
error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import benchmark_of, plan_of, read_result
from beholder.engine.plan import Plan
from beholder.errors import UsageError
from beholder.peers.exporting import Exported, Wanted
from beholder.peers.importing import TEMPLATE
from beholder.peers.own_samples import record_of
from beholder.peers.pictures import PictureCopies, hash_of
from beholder.report.as_json import dump
from beholder.sample import ImagePart, Part, Response, Sample
from beholder.score import Metrics, Score
from beholder.store import reading, schema
from beholder.store.folder import RunInfo, read_info

_STOPS = {"stop": "stop", "length": "max_tokens", "tool_calls": "tool_calls", "content_filter": "content_filter"}


def write_inspect(wanted: Wanted, out: BinaryIO) -> Exported:
    """The log, sample by sample: a run of any size takes little memory."""
    info = read_info(wanted.folder)
    plan = plan_of(info)
    found = benchmark_of(info, plan)
    result = read_result(wanted.folder, info, plan, found)
    copies = PictureCopies(wanted.folder, wanted.pictures) if wanted.pictures is not None else None
    model = str(info.settings.get("model", "")) or "unknown"
    tally = result.tally
    head = {
        "version": 2,
        "status": "success" if result.complete else "cancelled",
        "eval": _spec(info, plan, found, model),
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": _decoding(plan)},
        "results": {
            "total_samples": plan.n_asks,
            "completed_samples": tally.answered,
            "scores": _results(result.metrics),
        },
        "stats": {"started_at": info.created, "completed_at": info.finished or info.created},
    }
    rows = 0
    out.write(dump(head).encode()[:-1] + b',"samples":[')
    for sample in _samples(wanted, plan, found, model, copies):
        out.write((b",\n" if rows else b"\n") + dump(sample).encode())
        rows += 1
    out.write(b"\n]}\n")
    return Exported(rows) if copies is None else Exported(rows, copies.copied, copies.missing)


def _spec(info: RunInfo, plan: Plan, found: Benchmark, model: str) -> dict[str, Any]:
    repetitions = plan.votes * plan.epochs
    return {
        "eval_id": info.plan_hash,
        "run_id": info.plan_hash,
        "task_id": info.plan_hash,
        "created": info.created,
        "task": f"beholder/{found.name.replace('-', '_')}",
        "task_version": 0,
        "dataset": {"name": found.name, "samples": plan.n_samples, "shuffled": False},
        "model": model,
        "model_generate_config": _decoding(plan),
        "config": {"epochs": repetitions},
        "packages": {"beholder": str(info.environment.get("beholder", ""))},
        "scorers": [{"name": name, "options": {}, "metadata": {}} for name in found.scorers],
        "metadata": {
            "benchmark": found.name,
            "paper": found.paper,
            "votes": plan.votes,
            "epochs": plan.epochs,
            "data_sha256": plan.data_sha256,
            "prompt_sha256": info.plan.get("prompt_sha256", ""),
            "headline": list(found.headline),
        },
    }


def _decoding(plan: Plan) -> dict[str, Any]:
    sampling = plan.sampling
    given = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
    }
    return {name: value for name, value in given.items() if value is not None}


def _results(metrics: Metrics) -> list[dict[str, Any]]:
    """Our figures by scorer. One without a value is left out: Inspect has no such thing."""
    return [
        {
            "name": scorer,
            "scorer": scorer,
            "params": {},
            "metrics": {
                name: {
                    "name": name,
                    "value": figure.value,
                    "params": {},
                    "metadata": {"n": figure.n, "failed": figure.failed, "low": figure.low, "high": figure.high},
                }
                for name, figure in figures.items()
                if figure.value is not None
            },
        }
        for scorer, figures in metrics.items()
    ]


def _samples(
    wanted: Wanted, plan: Plan, found: Benchmark, model: str, copies: PictureCopies | None
) -> Iterator[dict[str, Any]]:
    sample: Sample | None = None
    with contextlib.closing(schema.open_to_read(wanted.folder / "run.db")) as db:
        for stored in reading.responses(db):
            if wanted.epoch not in (None, stored.epoch):
                continue
            if sample is None or sample.key != stored.key:
                sample = reading.sample(db, stored.key)
            assert sample is not None  # responses are read together with their samples
            scores = reading.scores_of(db, stored.number)
            yield _sample(sample, stored, scores, plan, found, model, copies)


def _sample(
    sample: Sample,
    stored: reading.StoredResponse,
    scores: dict[str, Score],
    plan: Plan,
    found: Benchmark,
    model: str,
    copies: PictureCopies | None,
) -> dict[str, Any]:
    response = stored.response
    asked = {"role": "user", "content": _content(_parts(sample, response, plan, found), sample, copies)}
    message = _message(response, model)
    failed = response.failure is not None
    error = {"message": f"{response.failure.owner.value}: {response.failure.message}"} if response.failure else None
    return {
        "id": sample.key,
        "epoch": stored.epoch * plan.votes + stored.vote + 1,
        "input": [asked],
        **({"choices": list(sample.options)} if sample.options else {}),
        "target": reading.target_text(sample),
        "messages": [asked] if failed else [asked, message],
        "output": _output(response, message, model),
        "scores": {name: one for name, score in scores.items() if not failed and (one := _score(score)) is not None},
        "metadata": {
            **record_of(sample),
            "record_id": sample.record_id,
            "category": sample.category,
            "difficulty": sample.difficulty,
            "group": sample.group,
            "cluster": sample.cluster,
            "vote": stored.vote,
            "epoch": stored.epoch,
            **({"order": list(response.order)} if response.order else {}),
        },
        **({"error": error | {"traceback": "", "traceback_ansi": ""}} if error is not None else {}),
    }


def _parts(sample: Sample, response: Response, plan: Plan, found: Benchmark) -> tuple[Part, ...]:
    """The prompt; the bare question where it is not known (an imported run) or cannot be made (a foreign run.json)."""
    if plan.template == TEMPLATE:
        return sample.parts
    try:
        return found.prompt(sample, plan.template, response.order)
    except UsageError:
        return sample.parts


def _content(parts: tuple[Part, ...], sample: Sample, copies: PictureCopies | None) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for part in parts:
        if not isinstance(part, ImagePart):
            content.append({"type": "text", "text": part.text})
            continue
        ref = sample.images[part.index] if part.index < len(sample.images) else None
        digest = hash_of(ref) if ref is not None else ""
        copy = copies.name_of(digest) if copies is not None and digest else None
        named = f"[picture {part.index + 1}: {ref.name if ref is not None else 'not there'}]"
        content.append({"type": "image", "image": copy} if copy else {"type": "text", "text": named})
    return content


def _message(response: Response, model: str) -> dict[str, Any]:
    text = response.text or ""
    content: Any = text
    if response.reasoning:
        content = [{"type": "reasoning", "reasoning": response.reasoning}, {"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "model": response.served_model or model, "source": "generate"}


def _output(response: Response, message: dict[str, Any], model: str) -> dict[str, Any]:
    if response.failure is not None:
        return {"model": model, "choices": [], "completion": ""}
    usage = response.usage
    counts = {
        "input_tokens": usage.prompt_tokens or 0,
        "output_tokens": usage.completion_tokens or 0,
        "total_tokens": (usage.prompt_tokens or 0) + (usage.completion_tokens or 0),
    }
    extra = {
        "reasoning_tokens": usage.reasoning_tokens,
        "input_tokens_cache_read": usage.cache_read_tokens,
        "input_tokens_cache_write": usage.cache_write_tokens,
    }
    counts |= {name: number for name, number in extra.items() if number is not None}
    known = usage.prompt_tokens is not None or usage.completion_tokens is not None
    return {
        "model": response.served_model or model,
        "choices": [{"message": message, "stop_reason": _STOPS.get(response.finish or "", "unknown")}],
        "completion": response.text or "",
        **({"usage": counts} if known else {}),
        **({"time": response.latency} if response.latency is not None else {}),
    }


def _score(score: Score) -> dict[str, Any] | None:
    """A score as Inspect has it; None where there is no value, which is not a wrong answer."""
    if score.value is None:
        return None
    return {
        "value": score.value,
        **({"answer": score.extracted} if score.extracted is not None else {}),
        "explanation": score.reason,
        "metadata": {"outcome": score.outcome.value, "flags": list(score.flags)},
    }
