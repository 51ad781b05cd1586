"""The options of models that run in this process (`transformers/PATH`, `vllm/PATH`), and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from beholder.models.local import LocalOptions

_LOCAL = "Models that run here"

Dtype = Annotated[
    str,
    typer.Option(
        metavar="TYPE", help="auto (as the folder says), float32, bfloat16 or float16.", rich_help_panel=_LOCAL
    ),
]
Device = Annotated[
    str, typer.Option(metavar="NAME", help="auto, cpu, cuda (or cuda:1) or mps.", rich_help_panel=_LOCAL)
]
BatchSize = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=4096,
        help="Questions worked on at once (default: 1 for transformers, as many as wait for vllm).",
        rich_help_panel=_LOCAL,
    ),
]
MinPixels = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Pictures are enlarged to N pixels at least.", rich_help_panel=_LOCAL),
]
MaxPixels = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Pictures are scaled down to N pixels at most.", rich_help_panel=_LOCAL),
]
TrustRemoteCode = Annotated[
    bool,
    typer.Option("--trust-remote-code", help="Run the Python files of the model's folder.", rich_help_panel=_LOCAL),
]


def local_options(models: Sequence[str], given: Mapping[str, Any]) -> LocalOptions:
    """What those options say, by their names. `UsageError` names a wrong one, or one that no model heeds."""
    from beholder.errors import UsageError
    from beholder.models.local import DTYPES, LocalOptions, runs_here

    made = LocalOptions(**{name: given[name] for name in LocalOptions.__struct_fields__})
    if made != LocalOptions() and not any(map(runs_here, models)):
        raise UsageError(
            "--dtype, --device, --batch-size, --min-pixels, --max-pixels and --trust-remote-code go with "
            "transformers/PATH or vllm/PATH. Leave them out."
        )
    if made.dtype not in DTYPES:
        raise UsageError(f"--dtype {made.dtype!r} is not known. Choose {', '.join(DTYPES)}.")
    if made.min_pixels and made.max_pixels and made.min_pixels > made.max_pixels:
        raise UsageError(f"--min-pixels {made.min_pixels} is above --max-pixels {made.max_pixels}. Correct one.")
    return made


def kept_of(model: str, local: LocalOptions) -> dict[str, Any]:
    """What run.json keeps of them for a model that runs here; nothing for another."""
    import msgspec

    from beholder.models.local import runs_here

    return {"local": msgspec.to_builtins(local)} if runs_here(model) else {}


BatchSizeAgain = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=4096, help="Questions that a model here works on at once.")
]
DeviceAgain = Annotated[str | None, typer.Option(metavar="NAME", help="Where a model here runs: cpu, cuda, mps.")]
TrustAgain = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run the Python files of the model's folder, as the run did.")
]


def local_again(stored: LocalOptions, given: Mapping[str, Any]) -> LocalOptions:
    """The options of a run that is gone on with; what is given now holds.

    That code of a folder may be run is never taken from run.json, which may be somebody else's.
    """
    import msgspec

    from beholder.errors import UsageError

    if stored.trust_remote_code and not given["trust_remote_code"]:
        raise UsageError("The run's model was read with --trust-remote-code. If you trust it, give that again.")
    return msgspec.structs.replace(
        stored, batch_size=given["batch_size"] or stored.batch_size, device=given["device"] or stored.device
    )
