"""What a person is asked about an item: a form, which is data, and the rules that a filled-in form must keep.

Three forms ship (`PRESETS`); a user's own is a JSON file of the same structure.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from beholder.annotation import TEXTUAL, VISUAL, is_inside
from beholder.errors import UsageError
from beholder.report.plain_text import plain, seen

PRESETS = ("m3r", "item-check", "error-labels")
KINDS = ("choice", "text", "longtext", "evidence")
LONGEST = {"text": 500, "longtext": 10_000}
"""Characters that a field of a kind may hold."""
MOST_PIECES = 40
LONGEST_PIECE = 1_000
"""Pieces of evidence in a field, and characters of one."""

_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]
_Label = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Option = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
_Key = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]\Z")]

Value = dict[str, Any]
"""A filled-in form: field name → text, option, or a list of {kind, text, box}. A field that is left blank is absent."""


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing that is asked.

    `kind` is `choice` (one of `options`, with a key of the keyboard for each in `keys`, or none), `text` (one line),
    `longtext`, or `evidence` (a list of pieces with an optional box, shares of width and height). `when` is (field,
    option): this field is asked only where that choice, which comes before it, was made. `help` is a sentence or two.
    `refused` are words that a text must not be, in small letters: those by which its readers mean that there is none.
    """

    name: _Name
    kind: Literal["choice", "text", "longtext", "evidence"]
    label: _Label
    options: Annotated[tuple[_Option, ...], msgspec.Meta(max_length=40)] = ()
    keys: tuple[_Key, ...] = ()
    when: tuple[str, str] | None = None
    required: bool = False
    help: Annotated[str, msgspec.Meta(max_length=600)] = ""
    refused: Annotated[tuple[_Option, ...], msgspec.Meta(max_length=40)] = ()


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields in the order in which they are asked.

    `mode` is `shared` (one decision an item, whoever makes it) or `each` (each person has their own, for agreement).
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{0,39}\Z")]
    title: _Label
    fields: Annotated[tuple[Field, ...], msgspec.Meta(min_length=1, max_length=40)]
    mode: Literal["shared", "each"] = "shared"


def form_of(name: str) -> Form:
    """A form by the name of a preset, or by the path of a JSON file. `UsageError` says what is wrong with it."""
    if name in PRESETS:
        return read_form(resources.files(__package__).joinpath("presets", f"{name}.json").read_bytes(), name)
    path = Path(name)
    if path.suffix.lower() != ".json":
        raise UsageError(f"There is no form {name!r}. Choose of {', '.join(PRESETS)}, or give a JSON file.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"The form {name} cannot be read ({error.strerror or error}).") from None
    form = read_form(data, name)
    if form.name in PRESETS:
        raise UsageError(f"{name}: {form.name} is the name of a form that ships. Give yours another one.")
    return form


def read_form(data: bytes, name: str = "form") -> Form:
    """The form that a JSON text describes. `name` is for messages; `UsageError` says what is wrong."""
    try:
        form = msgspec.json.decode(data, type=Form)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"The form {name} cannot be used ({error}). docs/annotate.md shows one.") from None
    check_form(form, name)
    return form


def check_form(form: Form, name: str) -> None:
    """Raises `UsageError` for a form whose parts do not fit together. `name` says where it stands."""
    for fault in _faults(form):
        raise UsageError(f"The form {name} cannot be used: {fault}.")


def _faults(form: Form) -> list[str]:
    """What is wrong with a form beyond the types of its parts."""
    faults = []
    names = [field.name for field in form.fields]
    keys = [key for field in form.fields for key in field.keys]
    faults += [f"two fields are called {name}" for name in sorted(set(names)) if names.count(name) > 1]
    faults += [f"the key {key} is given to two options" for key in sorted(set(keys)) if keys.count(key) > 1]
    earlier: dict[str, tuple[str, ...]] = {}
    for field in form.fields:
        is_choice = field.kind == "choice"
        if is_choice and (len(field.options) < 2 or len(set(field.options)) < len(field.options)):
            faults.append(f"the choice {field.name} needs at least two options, all different")
        if not is_choice and (field.options or field.keys):
            faults.append(f"{field.name} is a {field.kind}, which has no options and no keys")
        if is_choice and field.keys and len(field.keys) != len(field.options):
            faults.append(f"{field.name} has {len(field.options)} options and {len(field.keys)} keys")
        if field.when is not None and field.when[1] not in earlier.get(field.when[0], ()):
            named = f"{field.when[0]}={field.when[1]}"
            faults.append(f"{field.name} depends on {named}, which is no option of an earlier choice")
        if is_choice:
            earlier[field.name] = field.options
    return faults


def is_asked(field: Field, value: Value) -> bool:
    """Whether a field is asked, given what was filled in."""
    return field.when is None or value.get(field.when[0]) == field.when[1]


def is_blank(filled: Any) -> bool:
    """Whether a field's content says nothing: no piece, or no character that can be seen."""
    return not seen(filled) if isinstance(filled, str) else filled is None or filled == []


def tidy(form: Form, value: Value) -> Value:
    """A value as it is kept: fields in the form's order, texts without space around them, blank fields left out.

    The value must be one that `check_value` has nothing against.
    """
    kept: Value = {}
    for field in form.fields:
        filled: Any = value.get(field.name)
        if is_blank(filled):
            continue
        kept[field.name] = [_tidy_piece(piece) for piece in filled] if field.kind == "evidence" else filled.strip()
    return kept


def _tidy_piece(piece: dict[str, Any]) -> dict[str, Any]:
    box = piece.get("box")
    rest = {"kind": piece["kind"], "text": piece["text"].strip()}
    return rest if box is None else rest | {"box": [float(edge) for edge in box]}


def check_value(form: Form, value: Any, *, complete: bool = True) -> list[str]:
    """What is wrong with a filled-in form, a sentence each; [] if nothing is. Any JSON value may be given.

    Unless it has to be `complete`, required fields may be blank.
    """
    if not isinstance(value, dict):
        return ["The value must be an object with a field for each question."]
    known = {field.name for field in form.fields}
    wrong = [f"There is no field {_shown(name)}." for name in value if name not in known]
    for field in form.fields:
        filled = value.get(field.name)
        if is_blank(filled):
            if complete and field.required and is_asked(field, value):
                wrong.append(f"{field.label}: please fill this in.")
        elif not is_asked(field, value):
            assert field.when is not None
            wrong.append(f"{field.label}: leave this empty unless {_label(form, field.when[0])} is {field.when[1]}.")
        else:
            wrong += [f"{field.label}: {fault}" for fault in _wrong_in(field, filled)]
    return wrong


def _wrong_in(field: Field, filled: Any) -> list[str]:
    if field.kind == "evidence":
        return _wrong_pieces(filled)
    if not isinstance(filled, str):
        return ["this must be text."]
    if field.kind == "choice":
        return [] if filled in field.options else [f"{_shown(filled)} is none of {', '.join(field.options)}."]
    if filled.strip().lower() in field.refused:
        return [f"{_shown(filled)} says that there is none; name it."]
    return _wrong_text(filled, LONGEST[field.kind], one_line=field.kind == "text")


def _wrong_text(text: str, longest: int, *, one_line: bool = False) -> list[str]:
    if len(text) > longest:
        return [f"this has {len(text):,} characters, at most {longest:,} are kept."]
    if one_line and len(text.strip().splitlines()) > 1:
        return ["this must be one line."]
    if any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        return ["this holds a character that cannot be stored."]
    return []


def _wrong_pieces(pieces: Any) -> list[str]:
    if not isinstance(pieces, list):
        return ["this must be a list of pieces."]
    if len(pieces) > MOST_PIECES:
        return [f"there are {len(pieces):,} pieces, at most {MOST_PIECES} are kept."]
    return [f"piece {number}: {fault}" for number, piece in enumerate(pieces, 1) for fault in _wrong_piece(piece)]


def _wrong_piece(piece: Any) -> list[str]:
    if not isinstance(piece, dict) or not set(piece) <= {"kind", "text", "box"}:
        return ["this must have a kind, a text and perhaps a box, and nothing else."]
    wrong = []
    if piece.get("kind") not in (VISUAL, TEXTUAL):
        wrong.append(f"its kind must be {VISUAL} or {TEXTUAL}.")
    text = piece.get("text")
    if not isinstance(text, str) or is_blank(text):
        wrong.append("please say what is seen or read.")
    else:
        wrong += _wrong_text(text, LONGEST_PIECE)
    if piece.get("box") is not None and not _is_box(piece["box"]):
        wrong.append("its box must lie inside the picture: left, top, right, bottom, each from 0 to 1.")
    return wrong


def _is_box(box: Any) -> bool:
    if not isinstance(box, list | tuple) or len(box) != 4:
        return False
    if not all(isinstance(edge, int | float) and not isinstance(edge, bool) and 0 <= edge <= 1 for edge in box):
        return False  # also what is no number at all, or a whole number beyond any float
    left, top, right, bottom = box
    return is_inside((left, top, right, bottom))


def _label(form: Form, name: str) -> str:
    return next(field.label for field in form.fields if field.name == name)


def _shown(text: str) -> str:
    return repr(plain(text, one_line=True, limit=40))
