"""The options that say which tools a model may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from beholder.tools.settings import ToolSettings

_PANEL = "Which tools the model may use"
ToolArm = Annotated[
    str,
    typer.Option(
        "--tools",
        metavar="ARM",
        help="none, visual (crop, rotate, measure, …), python (code in a sandbox), both, rotate alone, or provider "
        "(its own code interpreter).",
        rich_help_panel=_PANEL,
    ),
]
ToolProtocol = Annotated[
    str,
    typer.Option(
        "--tool-protocol",
        metavar="HOW",
        help="native (the wire's own tool calls) or text (calls in tags, for models without them).",
        rich_help_panel=_PANEL,
    ),
]
ToolImages = Annotated[
    str,
    typer.Option(
        "--tool-images",
        metavar="WHERE",
        help="Where new pictures go: user (a message after the tools') or tool (the tool's own message).",
        rich_help_panel=_PANEL,
    ),
]
MaxTurns = Annotated[
    int,
    typer.Option("--max-turns", metavar="N", min=1, max=10_000, help="Messages of the model.", rich_help_panel=_PANEL),
]
ToolTokens = Annotated[
    int | None,
    typer.Option("--max-tool-tokens", metavar="N", min=1, help="Tokens over all turns.", rich_help_panel=_PANEL),
]
ToolSeconds = Annotated[
    float, typer.Option("--max-seconds", metavar="S", min=0.1, help="Seconds for an item.", rich_help_panel=_PANEL)
]
MaxRepeats = Annotated[
    int,
    typer.Option(
        "--max-repeats", metavar="N", min=1, max=10_000, help="Times the same call is run.", rich_help_panel=_PANEL
    ),
]
MaxPictures = Annotated[
    int | None,
    typer.Option(
        "--max-pictures",
        metavar="N",
        min=1,
        max=10_000,
        help="New pictures that a request shows; the oldest are left out (default: all, fewer if the server refuses).",
        rich_help_panel=_PANEL,
    ),
]
Ocr = Annotated[
    bool,
    typer.Option("--ocr", help="Among the visual tools, one that reads text (extra [ocr]).", rich_help_panel=_PANEL),
]
Probe = Annotated[
    bool,
    typer.Option("--probe", help="Ask for the answer so far after each new picture, aside.", rich_help_panel=_PANEL),
]
Placebo = Annotated[
    bool,
    typer.Option("--placebo", help="A control: tools say they are done and bring nothing.", rich_help_panel=_PANEL),
]
SandboxName = Annotated[
    str,
    typer.Option(
        "--sandbox",
        metavar="HOW",
        help="Where Python runs: bwrap, docker:IMAGE, podman:IMAGE, or none (no protection at all).",
        rich_help_panel=_PANEL,
    ),
]


def make_tools(
    arm: str,
    *,
    protocol: str,
    turns: int,
    tokens: int | None,
    seconds: float,
    repeats: int,
    pictures: int | None,
    ocr: bool,
    probe: bool,
    placebo: bool,
    sandbox: str,
) -> ToolSettings | None:
    """What the options say; None for `--tools none`. `UsageError` names the option that cannot be."""
    import msgspec

    from beholder.errors import UsageError
    from beholder.tools.settings import Arm, Budget, Protocol, ToolSettings

    arms = ["none", *(one.value for one in Arm)]
    if arm not in arms:
        raise UsageError(f"--tools {arm!r} is not known. Choose {', '.join(arms)}.")
    if protocol not in list(Protocol):
        raise UsageError(f"--tool-protocol {protocol!r} is not known. Choose {' or '.join(Protocol)}.")
    if ocr and arm not in (Arm.VISUAL, Arm.BOTH):
        raise UsageError("--ocr is one of the visual tools: give --tools visual or --tools both.")
    if arm == "none":
        if probe or placebo:
            raise UsageError(f"{'--probe' if probe else '--placebo'} is about tools: give --tools too.")
        return None
    if arm == Arm.PROVIDER:
        for option, given in (("--tool-protocol text", protocol == Protocol.TEXT), ("--probe", probe)):
            if given:
                raise UsageError(f"{option} is about our tools; --tools provider has none of them. Leave it out.")
        if placebo:
            raise UsageError("--placebo cannot stand in for tools that the provider runs. Choose another --tools.")
    budget = Budget(turns=turns, tokens=tokens, seconds=seconds, repeats=repeats, pictures=pictures)
    settings = ToolSettings(
        arm=Arm(arm),
        protocol=Protocol(protocol),
        budget=budget,
        ocr=ocr,
        probe=probe,
        placebo=placebo,
        sandbox=sandbox,
    )
    try:  # what run.json will hold has to be readable again
        return msgspec.convert(msgspec.to_builtins(settings), ToolSettings)
    except msgspec.ValidationError as error:
        raise UsageError(f"These limits of tools cannot be used: {error}.") from None


async def check_sandbox(settings: ToolSettings | None) -> None:
    """Tries out the sandbox that a run needs, if it needs one. `UsageError` with the mend if it does not work here."""
    from beholder.engine.lifecycle import open_sandboxes

    pool = await open_sandboxes(settings, 1, lambda warning: None)  # the run itself will say it
    if pool is not None:
        await pool.close()


def takes_pictures_with_tools(where: str) -> bool:
    """Whether new pictures go into the messages of tools. `UsageError` for another word."""
    from beholder.errors import UsageError

    if where not in ("user", "tool"):
        raise UsageError(f"--tool-images {where!r} is not known. Choose user or tool.")
    return where == "tool"
