"""`beholder demo`: fresh puzzles, two baselines through the real engine, and their paired comparison."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer

from beholder.cli.options import MaxConnections, RunsDir


def demo(
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, help="How many puzzles.")] = 60,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the puzzles.")] = 2026,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", metavar="KIND/NAME", help="A real model to add, openai/NAME.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Where that model is served.")] = None,
    photos: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder of your own photographs.")] = None,
    max_connections: MaxConnections = 16,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Make fresh puzzles, run two baselines on them, and compare.

    The puzzles are jigsaws cut from photographs; the baselines are `random` and `classical`. With --model and
    --base-url, your model solves them too.
    """
    import asyncio

    from rich.text import Text

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import check_all, run_all
    from beholder.cli.endpoint import default_base_url, settings_of
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.plan import make_plan
    from beholder.engine.selection import Selection
    from beholder.models import make_model
    from beholder.models.endpoint import Endpoint
    from beholder.report.comparison import compare
    from beholder.report.comparison_report import print_comparison
    from beholder.report.run_report import print_result
    from beholder.report.terminal import make_console
    from beholder.sample import Sampling

    console = make_console()
    found = find_benchmark("jigsaw")
    url = base_url or default_base_url()
    endpoint = None
    if url is not None and model:
        endpoint = Endpoint(base_url=url, max_connections=max_connections)
    models = [make_model(name, found, seed=seed, endpoint=endpoint) for name in ("random", "classical", *(model or []))]

    asyncio.run(check_all(models))
    folder = fresh_puzzles(runs_dir, n, seed, photos)
    console.print(f"{n} fresh puzzles in {folder}", style="dim", soft_wrap=True)
    plan = make_plan(
        found,
        folder,
        images=None,
        categories=None,
        template=None,
        sampling=Sampling(temperature=0.0, max_tokens=2048),
        votes=None,
        epochs=1,
        order="random",
        seed=seed,
        selection=Selection(),
    )
    options = EngineOptions(concurrency=max_connections, cache=runs_dir / ".cache.db")
    settings: dict[str, Any] = {"max_retries": 7, "max_connections": max_connections, "cache": True}
    if endpoint is not None:
        settings["endpoint"] = settings_of(endpoint)
    results = asyncio.run(
        run_all(
            plan, models, options, settings, runs_dir, console, on_result=lambda result: print_result(console, result)
        )
    )
    baseline = results[0]
    for other in results[1:]:
        names = (baseline.model, other.model)
        console.print()
        print_comparison(
            console,
            compare(
                baseline.items,
                other.items,
                found.headline[0],
                voted=False,
                intersect=True,
                names=names,
                seed=seed,
            ),
            names,
        )
    console.print()
    console.print(Text("Look closer:    beholder show latest      and      beholder show latest 0"), soft_wrap=True)
    console.print(
        Text(
            "Your own model: make demo MODEL=openai/NAME BASE_URL=http://localhost:8000/v1\n"
            f"           or:  beholder run jigsaw --data {folder} --model openai/NAME "
            "--base-url http://localhost:8000/v1"
        ),
        soft_wrap=True,
    )


def fresh_puzzles(runs_dir: Path, n: int, seed: int, photos: Path | None) -> Path:
    """The data set of a demo, made unless it is there already: the same number, seed and photographs give the same one.

    The user's own photographs are in its name by their digest. A folder of that name that is not the data set, or no
    longer, is a `UsageError`: it may hold what earlier runs need, so it is never removed.
    """
    from beholder.errors import UsageError
    from beholder.synth.dataset import write_dataset
    from beholder.synth.jigsaw import SIZES, generate
    from beholder.synth.photographs import photos_in

    name = f"demo-jigsaw-{n}-{seed}"
    if photos is not None:
        digest = hashlib.sha256()
        for photo in photos_in(photos).items:
            content = photo.ref.data if photo.ref.path is None else Path(photo.ref.path).read_bytes()
            digest.update(photo.name.encode("utf-8", "surrogateescape") + b"\0")
            digest.update(hashlib.sha256(content or b"").digest())
        name += f"-{digest.hexdigest()[:8]}"
    folder = runs_dir / name
    if not folder.exists():
        return write_dataset(generate(n, seed, SIZES, photos), folder)
    if not _is_dataset(folder, n, seed):
        raise UsageError(
            f"{folder} is there already, but does not hold these {n} puzzles. Choose another --seed or --runs-dir."
        )
    return folder


def _is_dataset(folder: Path, n: int, seed: int) -> bool:
    """Whether a folder holds, unchanged, the puzzles that `generate` makes of this number and seed."""
    from beholder.errors import BeholderError
    from beholder.seeds import seed_for
    from beholder.synth.dataset import MANIFEST, RECORDS, read_manifest
    from beholder.synth.jigsaw import SIZES

    def intact(file: str, sha256: str) -> bool:
        return hashlib.sha256((folder / file).read_bytes()).hexdigest() == sha256

    try:
        made = read_manifest(folder / MANIFEST)
        drawn = [(item.certificate.seed, item.certificate.n) for item in made.items]
        asked = [(seed_for(seed, "jigsaw", "item", item), SIZES[item % len(SIZES)]) for item in range(n)]
        return (
            drawn == asked
            and intact(RECORDS, made.records)
            and all(intact(item.file, item.sha256) for item in made.items)
        )
    except (BeholderError, OSError):
        return False
