"""The judge `embedding/FOLDER`, with a small model that the real library made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from beholder.benchmarks.m3r.score import read_verdict
from beholder.errors import UsageError
from beholder.judges.embedding import make
from beholder.sample import Judged
from made_judged import GOLD, said, sample

VECTORS = {"smoking": (1, 0, 0), "cigarette": (1, 1, 0), "gun": (0, 1, 0), "pistol": (0, 1, 0), "peace": (0, -1, 0)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[UNK]", *VECTORS]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.array([(0, 0, 0), *VECTORS.values()], dtype=np.float32)
    place = tmp_path_factory.mktemp("model")
    StaticModel(vectors=vectors, tokenizer=tokenizer, config={}).save_pretrained(place)
    return place


@pytest.mark.parametrize(
    ("target", "source", "similarity"),
    [
        ("cigarette", "pistol", {"target": 0.707107, "source": 1.0}),
        ("Smoking", "peace", {"target": 1.0, "source": 0.0}),  # the gold's own word; below 0
        ("nothing known", "pistol", {"target": 0.0, "source": 1.0}),
        ("cigarette", None, {"target": 0.707107}),
    ],
)
def test_similarity_is_the_cosine_of_the_vectors(folder: Path, target: str, source: Any, similarity: Any) -> None:
    answer = said(msgspec.structs.replace(GOLD, metaphor=msgspec.UNSET, target=target, source=source))
    verdict = make(str(folder))(sample(), answer)
    assert {slot: said["similarity"] for slot, said in json.loads(verdict).items()} == pytest.approx(similarity)
    assert read_verdict(Judged("slots", "embedding", verdict)) == json.loads(verdict)


@pytest.mark.parametrize(("rest", "told"), [("", "incomplete"), ("nowhere", "no config.json")])
def test_what_is_no_folder_of_a_model(tmp_path: Path, rest: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        make(rest and str(tmp_path / rest))


def test_a_broken_model_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="cannot be read as a model") as error:
        make(str(tmp_path))
    assert "\n" not in str(error.value)


def test_without_the_library_the_line_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(UsageError, match=r"pip install 'beholder\[embeddings\]'"):
        make(str(folder))
