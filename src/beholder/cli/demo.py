"""`beholder demo`: fresh puzzles, two baselines through the real engine, and their paired comparison."""

from __future__ import annotations

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
    import shutil

    from rich.text import Text

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.endpoint import default_base_url, make_endpoint, settings_of
    from beholder.cli.run import check_all, run_all
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.plan import make_plan
    from beholder.engine.selection import Selection
    from beholder.models import make_model
    from beholder.report.comparison import compare
    from beholder.report.comparison_report import print_comparison
    from beholder.report.run_report import print_result
    from beholder.report.terminal import make_console
    from beholder.sample import Sampling
    from beholder.synth.dataset import write_dataset
    from beholder.synth.jigsaw import SIZES, generate

    console = make_console()
    found = find_benchmark("jigsaw")
    url = base_url or default_base_url()
    endpoint = None
    if url is not None and model:
        endpoint = make_endpoint(
            base_url=url,
            key_variable="OPENAI_API_KEY",
            headers=[],
            extra_body=None,
            proxy=None,
            ca_file=None,
            max_connections=max_connections,
            timeout=600.0,
            connect_timeout=10.0,
            max_tokens_field="max_tokens",
        )
    models = [make_model(name, found, seed=seed, endpoint=endpoint) for name in ("random", "classical", *(model or []))]

    asyncio.run(check_all(models))
    folder = runs_dir / f"demo-jigsaw-{n}-{seed}"
    if folder.exists():
        shutil.rmtree(folder)
    write_dataset(generate(n, seed, SIZES, photos), folder)
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
    results = asyncio.run(run_all(plan, models, options, settings, runs_dir, console))
    for result in results:
        print_result(console, result)
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
            f"           or:  beholder run jigsaw --data {runs_dir}/demo-jigsaw-{n}-{seed} --model openai/NAME "
            "--base-url http://localhost:8000/v1"
        ),
        soft_wrap=True,
    )
