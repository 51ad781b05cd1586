"""Runs as one HTML page that opens anywhere: figures, a chart, and the samples with everything that was said.

The page holds all it needs and asks nothing of any network. Text from models and data is never markup: what is written
here is escaped, what the page's script shows is set as text, and its content policy lets no other script or style in.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import beholder
from beholder.engine.lifecycle import Result
from beholder.errors import UsageError
from beholder.report.changed_items import changes_data, changes_section
from beholder.report.figures import count
from beholder.report.html_experiment import ExperimentPart
from beholder.report.html_facts import OUTCOMES, comparisons, facts, outcomes, published
from beholder.report.html_figures import headlines, parts_chart, tables
from beholder.report.html_metaphors import FILTERS as METAPHOR_FILTERS
from beholder.report.html_metaphors import TOLD, metaphors, rubrics
from beholder.report.html_pictures import NOT_THERE, Images, Picture, Pictures
from beholder.report.html_runs import Runs, side_by_side, text
from beholder.report.html_samples import count_samples, samples_object
from beholder.report.html_tools import tools
from beholder.report.html_trajectories import FILTERS
from beholder.store.folder import read_info, write_atomically

SAMPLES = 2000
"""Samples that a page holds unless more are asked for: it has to open in a second."""
_POLICY = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: 'self' file:; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
)
_FILTERS = (
    ("run", "run"),
    ("scorer", "scorer"),
    ("outcome", "outcome"),
    ("category", "category"),
    ("tools", "tool use"),
    ("metaphor", "metaphor"),
    ("changed", "gained or lost"),
)
_CHECKS = (("disagree", "scorers disagree"), ("differ", "runs differ"))


def write_html(
    results: Sequence[Result],
    out: Path,
    *,
    images: Images = Images.BESIDE,
    limit: int = SAMPLES,
    names: Sequence[str] = (),
    experiment: ExperimentPart | None = None,
) -> Path:
    """Writes the page of one or more runs of one benchmark to `out`, and returns it.

    `names` are what the runs are called (default: their models); `experiment` is what there is to say of all of them.
    With `Images.BESIDE` the large pictures lie in a folder beside it (`pictures_folder`). The page is there whole or
    not at all. `UsageError` if the runs are of several benchmarks, or `out` cannot be written.
    """
    found = sorted({result.found.name for result in results})
    if len(found) != 1:
        raise UsageError(f"A report is about one benchmark; these runs are of {', '.join(found) or 'none'}.")
    if out.is_dir():
        raise UsageError(f"{out} is a folder. Give --out the name of a file, or --format site for a folder of pages.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        pictures = Pictures(images, pictures_folder(out))
        samples = samples_object(results, pictures, limit)
        page = "".join(_page(side_by_side(results, names), samples, pictures.make(), experiment))
        write_atomically(out, page.encode("utf-8", "backslashreplace"))
        pictures.sweep()
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{error.filename or out} cannot be written: {reason}. Choose another --out.") from error
    return out


def pictures_folder(out: Path) -> Path:
    """Where the large pictures of a page lie."""
    return out.with_name(f"{out.stem if out.suffix == '.html' else out.name}_images")


def _page(
    runs: Runs, samples: list[dict[str, Any]], pictures: list[Picture], experiment: ExperimentPart | None
) -> Iterator[str]:
    script, style = _part("metaphor.js") + _part("page.js"), _part("page.css") + _part("metaphor.css")
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    policy = _POLICY.format(_digest(script), _digest(style))
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # An empty icon: browsers would ask a server for one.
    yield '<meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">'
    title = f"{runs.found.title}: {', '.join(runs.names)}"
    yield f"<title>{text(title)}</title><style>{style}</style></head>\n<body><main>"
    yield f'<h1>{text(runs.found.title)}</h1><p class="soft">{text(runs.found.paper)} · {text(_when(runs))}</p>'
    changes = experiment.changes if experiment is not None else ()
    if experiment is not None:
        yield experiment.found
        yield changes_section(changes, samples)
    for section in (headlines, parts_chart, tables, outcomes):
        yield section(runs)
    if experiment is None:
        yield comparisons(runs)
    yield metaphors(runs, samples)
    yield tools(runs, tasks=experiment is None or not experiment.tells_turns)
    for section in (published, facts):
        yield section(runs)
    gone = {place for place, picture in enumerate(pictures) if not picture.small} | {NOT_THERE}
    yield _samples(runs, samples, sum(place in gone for sample in samples for place in sample["p"]))
    yield f"</main>\n{_DIALOG}\n"
    data = {
        "runs": runs.names,
        "scorers": list(runs.found.scorers),
        "scorer": runs.scorer,
        "outcomes": OUTCOMES,
        "tools": list(FILTERS.items()),
        "metaphor": list(METAPHOR_FILTERS.items()),
        "told": TOLD,
        "rubrics": rubrics(runs),
        "changes": changes_data(changes, samples),
        "samples": samples,
        "pictures": [_small(picture) for picture in pictures],
    }
    yield f'<script type="application/json" id="data">{_as_data(data)}</script>\n<script>{script}</script>\n'
    # Large pictures come last: the samples are there before a browser has read them.
    for place, picture in enumerate(pictures):
        if picture.large.startswith("data:"):
            yield f'<script type="text/plain" id="large-{place}">{picture.large}</script>\n'
    yield "</body></html>\n"


_DIALOG = (
    '<dialog id="large" aria-label="picture, large"><div class="tools"><span id="large-note"></span>'
    '<button type="button" id="large-size">Full size</button>'
    '<button type="button" id="large-close">Close</button></div>'
    '<div class="stage" id="large-stage"><img id="large-image" alt="the picture, large"></div></dialog>'
)


def _small(picture: Picture) -> list[str | int]:
    """[small address, width, height, large address]; the last is empty where a script element of its own holds it."""
    beside = "" if picture.large.startswith("data:") else picture.large
    return [picture.small, picture.width, picture.height, beside]


def _as_data(data: dict[str, Any]) -> str:
    """JSON in which nothing can end the script element or begin a comment."""
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return written.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _part(name: str) -> str:
    return resources.files("beholder.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _when(runs: Runs) -> str:
    days = sorted({read_info(result.folder).created[:10] for result in runs.results})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return f"run on {span} · report by Beholder {beholder.__version__}"


def _samples(runs: Runs, samples: list[dict[str, Any]], missing: int) -> str:
    """The filters, and the empty list that the script fills."""
    shown, there = len(samples), count_samples(runs.results)
    notes = [
        f"The first {count(shown)} of {count(there)} samples; --samples N holds more." if shown < there else "",
        f"{count(missing)} pictures are not here: the runs hold no whole copy of them. Blind baselines look at none."
        if missing
        else "",
    ]
    said = "".join(f'<p class="note">{note}</p>' for note in notes if note)
    selects = "".join(
        f'<label>{name}<select id="f-{key}" autocomplete="off"></select></label>' for key, name in _FILTERS
    )
    search = (
        '<label class="text">text<input type="search" id="f-text" placeholder="question, answer, id"'
        ' autocomplete="off"></label>'
    )
    checks = "".join(
        f'<label class="check"><input type="checkbox" id="f-{key}" autocomplete="off">{name}</label>'
        for key, name in _CHECKS
    )
    return (
        f'<h2 id="samples-title">Samples</h2>{said}'
        f'<div class="filters" id="filters" hidden role="search" aria-label="filter the samples">{selects}{search}'
        f'{checks}<span class="shown"><output id="count"></output>'
        '<button type="button" class="more" id="clear">Show all</button></span></div>'
        '<noscript><p class="warn">The samples need JavaScript; the figures above do not.</p></noscript>'
        '<div id="samples"></div><div id="end"></div>'
    )
