"""What a leak check found: on a terminal, and as one HTML page with the pictures side by side.

The page holds all it needs. Text from data is escaped, and the page's content policy lets no script in.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from rich.console import Console

import beholder
from beholder.audit.leaks import Copies, Leaks, Named, PictureLeak, SideFacts
from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.images.thumbnail import thumbnail
from beholder.report.figures import count, counted, percent
from beholder.report.html_texts import line
from beholder.report.terminal import bare_table, cell, say
from beholder.sample import ImageRef
from beholder.store.folder import write_atomically

SHOWN = 20
"""What a terminal lists of each kind; `--json` lists all."""
PAIRS = 300
"""Pairs of pictures, of texts, and copies, that a page holds of each."""
_SIDE = 220
_STYLE = """:root { color-scheme: light dark; --line: #8885; --soft: #777; }
body { max-width: 980px; margin: 0 auto; padding: 24px 16px 80px; font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 32px 0 8px; } p { margin: 6px 0; }
.soft { color: var(--soft); font-size: 0.9rem; } .big { font-size: 1.3rem; font-weight: 650; }
td, th { text-align: left; padding: 2px 24px 2px 0; } td + td { text-align: right; font-variant-numeric: tabular-nums; }
section { border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; margin: 12px 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 8px 20px; }
.pair > div { min-width: 0; }
figure { margin: 0; min-width: 0; } img { display: block; max-width: 100%; background: #8882; }
figcaption, .words { font-size: 0.88rem; } .words { margin: 0; }"""
_POLICY = "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'"
Again = Callable[[set[str], set[str]], Iterable[tuple[str, bytes]]]
"""Reads pictures of the training data and of the evaluation again, by their SHA-256."""


def print_leaks(console: Console, leaks: Leaks) -> None:
    """The counts, then the first of what was found of each kind."""
    sides = f"{_held(leaks.eval)} against {_held(leaks.train)}"
    console.print(cell(f"evaluation of {sides} of training data", "bold"), soft_wrap=True)
    say(console, verdict(leaks), "red" if leaks.found else "yellow" if leaks.unseen else "green")
    if leaks.by_kind:
        shown = bare_table("how", "items of the evaluation")
        for how, number in leaks.by_kind.items():
            shown.add_row(cell(_told(how)), cell(count(number)))
        console.print(shown)
    for sentence in notes(leaks):
        say(console, sentence, "yellow")
    if leaks.pictures:
        _print_pictures(console, leaks.pictures)
    for text in leaks.texts[:SHOWN]:
        words = f"{text.eval} has the text of {text.train} ({_told('text: ' + text.how)}): {text.eval_text}"
        say(console, line(words, 300))
    _rest(console, len(leaks.texts), "text")
    for name, side in (("evaluation", leaks.eval), ("training data", leaks.train)):
        _print_side(console, name, side)


def verdict(leaks: Leaks) -> str:
    """What was found, in a sentence or two."""
    items = counted(leaks.eval.items, "item")
    if not leaks.found:
        return f"No picture and no text of the {items} was found in the training data."
    found = f"{count(len(leaks.touched))} of {items} ({percent(leaks.share)}) are touched: "
    parts = [
        f"{count(number)} by {what}"
        for number, what in (
            (leaks.picture_only, "their picture, though the text is another"),
            (leaks.text_only, "their text alone"),
            (leaks.both, "both"),
        )
        if number
    ]
    return f"{found}{', '.join(parts)}. {count(len(leaks.clean))} are clean."


def notes(leaks: Leaks) -> Iterator[str]:
    """What the figures do not cover."""
    if leaks.unknown:
        yield (
            f"{counted(len(leaks.unknown), 'item')} of the evaluation: a picture cannot be read, or there is neither "
            "picture nor text, so nothing is known."
        )
    if leaks.uncompared:
        yield (
            f"{counted(leaks.uncompared, 'text')} of the evaluation were not compared: too short, or all words of them "
            "stand everywhere."
        )
    for name, side in (("evaluation", leaks.eval), ("training data", leaks.train)):
        if side.unreadable:
            yield f"{counted(len(side.unreadable), 'picture')} of the {name} cannot be read."
        if side.unusable:
            yield f"{counted(len(side.unusable), 'record')} of the {name} cannot be used."
        if side.bare:
            yield f"{counted(side.bare, 'item')} of the {name}: neither picture nor text in the columns looked at."
        for what, number in (("pictures", side.pictures + len(side.unreadable)), ("texts", side.texts)):
            if not number:
                yield f"The {name} shows no {what} in the columns looked at, so {what} were not compared."
    if not leaks.transforms:
        yield "Mirrored, turned and cut pictures were not looked for (--transforms)."


def write_leak_page(leaks: Leaks, out: Path, again: Again) -> None:
    """Writes the page. Pictures are read once more, those that it shows. `UsageError` if it cannot be written."""
    pairs = leaks.pictures[:PAIRS]
    copies = (leaks.eval.copies[:PAIRS], leaks.train.copies[:PAIRS])
    shown = [{one.sha256 for each in side for one in each.pictures} for side in copies]
    wanted = {pair.train.sha256 for pair in pairs} | shown[1], {pair.eval.sha256 for pair in pairs} | shown[0]
    small = {digest: address for digest, data in again(*wanted) if (address := _address(data))}
    try:
        write_atomically(out, "".join(_page(leaks, small)).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}. Choose another --html.") from error


def _page(leaks: Leaks, small: dict[str, str]) -> Iterator[str]:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(digest)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
    yield f"<title>Leaks</title><style>{_STYLE}</style></head>\n<body><h1>Leaks</h1>"
    yield f'<p class="soft">evaluation of {_held(leaks.eval)} against {_held(leaks.train)} of training data · '
    yield f'Beholder {beholder.__version__}</p><p class="big">{_text(verdict(leaks))}</p>'
    if leaks.by_kind:
        yield "<table><tr><th>how</th><th>items of the evaluation</th></tr>"
        for how, number in leaks.by_kind.items():
            yield f"<tr><td>{_text(_told(how))}</td><td>{count(number)}</td></tr>"
        yield "</table>"
    for sentence in notes(leaks):
        yield f'<p class="soft">{_text(sentence)}</p>'
    yield from _pictures(leaks.pictures, small)
    if leaks.texts:
        yield f"<h2>{counted(len(leaks.texts), 'text')}</h2>{_first(len(leaks.texts))}"
        for found in leaks.texts[:PAIRS]:
            yield f'<section><p class="soft">{_text(_told("text: " + found.how))}</p><div class="pair">'
            for name, said in ((found.eval, found.eval_text), (found.train, found.train_text)):
                yield f'<div><p class="soft">{_text(name)}</p><p class="words">{_text(said, 500)}</p></div>'
            yield "</div></section>\n"
    for name, side in (("evaluation", leaks.eval), ("training data", leaks.train)):
        yield from _copies(name, side.copies, small)
    yield "</body></html>\n"


def _pictures(pairs: Sequence[PictureLeak], small: dict[str, str]) -> Iterator[str]:
    if not pairs:
        return
    yield f"<h2>{counted(len(pairs), 'pair')} of pictures: evaluation, training data</h2>{_first(len(pairs))}"
    for pair in pairs[:PAIRS]:
        yield f'<section><p class="soft">{_text(_told(pair.how))}</p><div class="pair">'
        yield f"{_figure(pair.eval, small)}{_figure(pair.train, small)}</div></section>\n"


def _copies(name: str, copies: Sequence[Copies], small: dict[str, str]) -> Iterator[str]:
    if not copies:
        return
    yield f"<h2>{counted(len(copies), 'picture')} of the {name}, there several times</h2>{_first(len(copies))}"
    for each in copies[:PAIRS]:
        yield f'<section><p class="soft">{_text(_told(each.how))}</p><div class="pair">'
        yield "".join(_figure(one, small) for one in each.pictures[:SHOWN])
        yield "</div></section>\n"


def _figure(one: Named, small: dict[str, str]) -> str:
    address = small.get(one.sha256)
    image = f'<img src="{address}" alt="">' if address else '<p class="soft">no picture to show</p>'
    names = one.origins if len(one.origins) > 1 else (one.picture,)
    named = ", ".join(name.rpartition("/")[2] for name in names[:3]) + (" …" if len(names) > 3 else "")
    items = f"{counted(one.items, 'item')}: {', '.join(one.keys[:3])}{' …' if one.items > 3 else ''}"
    caption = f'{_text(named)}<br><span class="soft">{_text(items)}</span>'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _address(data: bytes) -> str:
    try:
        small = thumbnail(load(ImageRef("picture", data=data)), _SIDE)
    except DataError:
        return ""
    return f"data:image/webp;base64,{base64.b64encode(small).decode()}"


def _first(number: int) -> str:
    return f'<p class="soft">The first {PAIRS} of them; --json lists all.</p>' if number > PAIRS else ""


def _text(words: str, limit: int = 200) -> str:
    return escape(line(words, limit))


def _held(side: SideFacts) -> str:
    return f"{counted(side.items, 'item')} and {counted(side.pictures, 'picture')}"


_KINDS = {
    "bytes": "the same file",
    "pixels": "the same pixels, another file",
    "look": "looks the same (saved again, resized)",
    "crop": "one is cut out of the other",
    "text: same": "the same text",
    "text: run": "13 words in a row",
    "text: most": "most of the text",
}


def _told(how: str) -> str:
    return _KINDS.get(how, how)


def _print_pictures(console: Console, pairs: Sequence[PictureLeak]) -> None:
    shown = bare_table("picture of the evaluation", "items", "in the training data", "items", "how", texts=5)
    for pair in pairs[:SHOWN]:
        cells = (pair.eval.picture, count(pair.eval.items), pair.train.picture, count(pair.train.items))
        shown.add_row(*map(cell, (*cells, _told(pair.how))))
    console.print()
    console.print(shown)
    _rest(console, len(pairs), "pair")


def _print_side(console: Console, name: str, side: SideFacts) -> None:
    if side.copies:
        say(console, f"{counted(len(side.copies), 'picture')} of the {name}, there several times:", "bold")
    for each in side.copies[:SHOWN]:
        names = [origin for one in each.pictures for origin in (one.origins if len(one.origins) > 1 else [one.picture])]
        say(console, line(f"{_told(each.how)}: {', '.join(names)}", 300))
    _rest(console, len(side.copies), "picture")
    for lost in side.unreadable[:SHOWN]:
        say(console, line(f"{name}, {lost.item}: {lost.picture}: {lost.problem}", 300), "red")
    for bad in side.unusable[:SHOWN]:
        say(console, line(f"{name}, {bad.where}: {bad.problem}. {bad.mend}", 300), "red")
    _rest(console, len(side.unreadable) + len(side.unusable), "such")


def _rest(console: Console, number: int, noun: str) -> None:
    if number > SHOWN:
        say(console, f"… and {count(number - SHOWN)} more (--json lists all): {noun}s.", "dim")
