"""Imported runs, made of a log of another tool and the data it is about."""

from __future__ import annotations

from pathlib import Path

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.peers.importing import Import, Source, write_run
from beholder.peers.matching import match
from beholder.peers.peer_log import PeerLog
from beholder.sample import Sample


def samples(data: Path, name: str = "tfq") -> list[Sample]:
    return list(benchmark(name).load(data, LoadOptions()))


def imported(log: PeerLog, data: Path, runs: Path, name: str = "tfq") -> Path:
    everything = samples(data, name)
    matched = match(log.answers, everything)
    source = Source(peer=log.peer, file="log", sha256="0" * 64, model=log.model, matched_by=matched.way)
    wanted = Import(
        found=benchmark(name),
        log=log,
        source=source,
        answers=matched.answers,
        data=str(data),
        data_sha256="1" * 64,
        everything=everything,
    )
    return write_run(wanted, runs)[0].folder
