"""What the options of an experiment come to: one plan over the data, the tools of an arm, how models are reached.

An experiment takes the options of `beholder run`; its command hands their values on by name, as typer has read them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from beholder.cli.asking import Asking, data_of, selection_of
from beholder.cli.experiment_arms import Reach
from beholder.engine.plan import Plan
from beholder.tools.settings import ToolSettings

if TYPE_CHECKING:
    from rich.console import Console


class Ready(msgspec.Struct, frozen=True):
    """An experiment's plan before its arms differ, what run.json keeps besides it, and how models are reached.

    `options` are the values of the command's options by name.
    """

    plan: Plan
    settings: dict[str, Any]
    reach: Reach
    options: dict[str, Any]

    def tools(self, arm: str) -> ToolSettings | None:
        """The tools of an arm (`none`, `visual`, …) within the budgets that were asked for."""
        from beholder.cli.tools_options import make_tools

        given = self.options
        return make_tools(
            arm,
            protocol=given["tool_protocol"],
            turns=given["max_turns"],
            tokens=given["max_tool_tokens"],
            seconds=given["max_seconds"],
            repeats=given["max_repeats"],
            pictures=given["max_pictures"],
            ocr=bool(given.get("ocr")) and arm in ("visual", "both"),
            probe=False,
            placebo=False,
            sandbox=given["sandbox"],
        )


def prepare(options: dict[str, Any], benchmark: str, console: Console, *, data: Path | None = None) -> Ready:
    """Reads the options and the data. `UsageError` or `DataError` names what cannot be used.

    `data` stands in for `--data`.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.cost_options import price_of
    from beholder.cli.endpoint import check_one_server
    from beholder.cli.judges import named_judges
    from beholder.cli.run import read_template
    from beholder.engine.plan import make_plan
    from beholder.models.served import service_of
    from beholder.report.plain_text import plain
    from beholder.store.pins import check_pin

    found = find_benchmark(benchmark)
    asking = Asking(**{name: options[name] for name in Asking.__struct_fields__})
    runs_dir: Path = options["runs_dir"]
    names = [name for name in (options["model"], options.get("plain_model")) if name]
    check_one_server(names, asking.base_url, asking.api_key_env)
    served = next((name for name in names if service_of(name) is not None), options["model"])
    endpoint = asking.endpoint(served)
    judges, kept = asking.judges(found, runs_dir, named_judges(options), names)
    settings = asking.settings(endpoint) | kept
    source = data if data is not None else data_of(options["data"], found.name, console)
    template = options.get("prompt")
    plan = make_plan(
        found,
        source,
        images=options["images"],
        categories=None,
        template=read_template(template) if template is not None else None,
        sampling=asking.sampling(found),
        votes=None,
        epochs=1,
        order="random",
        seed=asking.run_seed,
        selection=selection_of(options["limit"], options["where"], options["ids"]),
    )
    check_pin(runs_dir, source, plan.data_sha256, accept=options["accept"])
    for sentence in found.notices(plan.n_samples) if found.notices is not None else []:
        console.print(plain(sentence, one_line=True), style="yellow", soft_wrap=True)
    prices = {name: price_of(name, endpoint if service_of(name) is not None else None, None) for name in names}
    reach = Reach(endpoint, asking.engine_options(runs_dir, judges, prices))
    return Ready(plan, settings, reach, options)
