"""Models by name: `KIND/REST`, such as `openai/qwen2.5-vl-7b`, `replay/answers.jsonl`, `random`."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beholder.errors import UsageError

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark
    from beholder.models.endpoint import Endpoint
    from beholder.models.local import LocalOptions
    from beholder.models.model import Model

KINDS: dict[str, str] = {
    "openai": "openai/NAME: any OpenAI-compatible endpoint (vLLM, SGLang, Ollama, Azure, OpenAI); needs --base-url",
    "openai-responses": "openai-responses/NAME: OpenAI's Responses API, code interpreter too; needs beholder[openai]",
    "anthropic": "anthropic/NAME: Anthropic's Messages API; needs beholder[anthropic]",
    "google": "google/NAME: Google's Gemini API; needs beholder[google]",
    "transformers": "transformers/PATH: a local folder, run here by transformers; needs torch, beholder[transformers]",
    "vllm": "vllm/PATH: a local folder, run here by vLLM's offline engine; needs vllm, a GPU",
    "replay": "replay/FILE: answers recorded as JSON lines (key, response, optional vote)",
    "scripted": "scripted/FILE: a fixed list of answers, played by item position (fake)",
    "random": "random: blind guesses in the asked format (baseline)",
    "constant": "constant/TEXT: always the same answer (baseline)",
    "classical": "classical: plain computer vision, for the synthetic families (baseline)",
    "static": "static: the same vision at one glance, the picture small and unchanged (baseline)",
    "classical-tools": "classical-tools: the eyes of static, and tools: calls, programs (baseline; needs --tools)",
    "bad-tools": "bad-tools/KIND: goes wrong with tools: wrong-direction, useless, never-stops, malformed (fake)",
}
"""Kind → one line for `beholder list`."""

_ON_A_SERVER: dict[str, str] = {
    "openai": "beholder.models.openai:OpenAIModel",
    "openai-responses": "beholder.models.responses:ResponsesModel",
    "anthropic": "beholder.models.anthropic:AnthropicModel",
    "google": "beholder.models.google:GoogleModel",
}
"""Kind → the class of its wire, made from the name and the endpoint (`models.served` says where and with whose key)."""

_HERE: dict[str, str] = {
    "transformers": "beholder.models.transformers:TransformersModel",
    "vllm": "beholder.models.vllm:VllmModel",
}
"""Kind → the class that runs a folder's weights in this process, made from the name, the options and the seed."""

_COMPLETE = (*_ON_A_SERVER, *_HERE, "replay", "scripted", "constant", "bad-tools")
"""Kinds that mean nothing without a name."""


def make_model(
    name: str, benchmark: Benchmark, *, seed: int, endpoint: Endpoint | None, local: LocalOptions | None = None
) -> Model:
    """The model of that name. `UsageError` names the nearest kinds if there is none.

    `local` says how one that runs in this process is run.
    """
    kind, _, rest = name.partition("/")
    if kind not in KINDS:
        from beholder.models.own import own_model

        own = own_model(name)
        if own is not None:
            return own
        near = difflib.get_close_matches(kind.lower(), KINDS, n=2, cutoff=0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(
            f"There is no kind of model {kind!r} (in --model {name}).{hint} Known: {', '.join(KINDS)}. "
            "A model behind an endpoint is written openai/NAME, one of your own path/to/file.py:Class."
        )
    if kind in _COMPLETE and not rest:
        raise UsageError(f"--model {name} is incomplete. Write {KINDS[kind].partition(':')[0]}.")
    if kind in _ON_A_SERVER:
        if endpoint is None:
            raise UsageError(f"--model {name} needs --base-url, such as http://localhost:8000/v1.")
        made: Model = _class(_ON_A_SERVER[kind])(name, endpoint)
        return made
    if kind in _HERE:
        from beholder.models.local import LocalOptions

        run_here: Model = _class(_HERE[kind])(name, local or LocalOptions(), seed)
        return run_here
    if kind in ("classical", "static"):
        from beholder.models.classical import ClassicalModel

        return ClassicalModel(kind, benchmark.name)
    if kind == "classical-tools":
        from beholder.models.classical_tools import ClassicalToolsModel

        return ClassicalToolsModel(kind, benchmark.name)
    if kind == "bad-tools":
        from beholder.models.bad_tools import bad_tool_user

        return bad_tool_user(rest)
    from beholder.models import fakes

    if kind == "random":
        return fakes.random_guesser(benchmark.guess, seed)
    if kind == "constant":
        return fakes.constant(rest)
    return fakes.replay(Path(rest)) if kind == "replay" else fakes.scripted(Path(rest))


def _class(path: str) -> Any:
    """The class that `module:Class` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
