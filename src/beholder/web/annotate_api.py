"""The routes of the annotation page: an annotation project as JSON, and decisions into it.

    GET  /api/project             the form, counts, and what the page has to know once
    GET  /api/queue               the items in the order in which they should be done
    GET  /api/items/KEY           an item as this person may see it
    PUT  /api/items/KEY           {value, note, revision, action}: a decision; 409 with the item if it came too late
    POST /api/items/KEY/undo      {revision}
    GET  /images/SHA256           a picture of the project

Who decides is in the header `X-Author`, percent-encoded. Nothing here names a model.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from beholder.annotate.forms import LONGEST, LONGEST_PIECE, MOST_PIECES, Value, check_value
from beholder.annotate.items import LONGEST_NAME, LONGEST_NOTE, SAVE, SKIP, Item, Stale, author_of
from beholder.annotate.project import Project
from beholder.errors import DataError, UsageError
from beholder.images.shown import as_shown
from beholder.web.app import as_error, as_json

_HASH = re.compile(r"[0-9a-f]{64}\Z")


Revision = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Decided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a PUT."""

    value: Value
    revision: Revision
    note: str = ""
    action: str = SAVE


class Undone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an undo."""

    revision: Revision


def router(project: Project) -> APIRouter:
    """The routes over one open project. What reads or writes it runs in threads."""
    routes = APIRouter()

    async def about(request: Request) -> Response:
        return as_json(await run_in_threadpool(project_facts, project))

    async def queue(request: Request) -> Response:
        return await run_in_threadpool(_queue, project, request)

    async def item(request: Request) -> Response:
        return await run_in_threadpool(_item, project, request)

    async def save(request: Request) -> Response:
        return await run_in_threadpool(_save, project, request, await request.body())

    async def undo(request: Request) -> Response:
        return await run_in_threadpool(_undo, project, request, await request.body())

    async def picture(request: Request) -> Response:
        return await run_in_threadpool(_picture, project, request.path_params["sha256"])

    for path, method, route in [
        ("/api/project", "GET", about),
        ("/api/queue", "GET", queue),
        ("/api/items/{key:path}/undo", "POST", undo),
        ("/api/items/{key:path}", "GET", item),
        ("/api/items/{key:path}", "PUT", save),
        ("/images/{sha256}", "GET", picture),
    ]:
        routes.add_api_route(path, route, methods=[method], response_model=None)
    return routes


def project_facts(project: Project) -> dict[str, Any]:
    """What the page has to know once. `id` tells projects on one address apart; it does not give away the folder."""
    place = f"{project.info.created} {project.folder.resolve()}"
    return {
        "id": hashlib.sha256(place.encode(errors="replace")).hexdigest()[:16],
        "form": project.form,
        "limits": {
            **LONGEST,
            "piece": LONGEST_PIECE,
            "pieces": MOST_PIECES,
            "note": LONGEST_NOTE,
            "name": LONGEST_NAME,
        },
        "progress": project.progress(),
    }


def item_facts(project: Project, item: Item) -> dict[str, Any]:
    """An item as the page reads it."""
    return msgspec.to_builtins(item) | {"consensus": consensus_facts(project, item)}  # type: ignore[no-any-return]


def consensus_facts(project: Project, item: Item) -> dict[str, Any] | None:
    """What the models settled, field by field, in words: the page need not know which form has which fields.

    `who` holds places in `proposals`, from 0.
    """
    made = item.consensus
    if made is None:
        return None
    labels = {field.name: field.label for field in project.form.fields}
    pair = f"{labels.get('target', 'Target')} → {labels.get('source', 'Source')}"
    fields = [
        {
            "name": field.name,
            "label": pair if field.name == "pair" else labels.get(field.name, field.name),
            "settled": field.settled,
            "value": None if field.value is None else _in_words(field.value),
            "votes": [{"value": _in_words(vote.value), "who": vote.who} for vote in field.votes],
        }
        for field in made.fields
    ]
    equivalences = [[_in_words(one.first), _in_words(one.second)] for one in made.proposed_equivalences]
    return {
        "annotators": made.annotators,
        "agree": made.agree,
        "fields": fields,
        "missing": made.missing,
        "why": made.why,
        "equivalences": equivalences,
    }


def _in_words(value: bool | str | tuple[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else " → ".join(value)


def _queue(project: Project, request: Request) -> Response:
    try:
        rows = project.queue(_author(request))
    except UsageError as error:
        return as_error(str(error), 422)
    return as_json({"rows": rows})


def _item(project: Project, request: Request) -> Response:
    found = _found(project, request)
    return found if isinstance(found, Response) else as_json(item_facts(project, found[1]))


def _save(project: Project, request: Request, body: bytes) -> Response:
    found = _found(project, request)
    if isinstance(found, Response):
        return found
    author, item = found
    try:
        said = msgspec.json.decode(body, type=Decided)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return as_error(f"The decision cannot be read ({error}).", 400)
    if said.action not in (SAVE, SKIP):
        return as_error(f"There is no such action; choose {SAVE} or {SKIP}.", 422)
    wrong = check_value(project.form, said.value, complete=said.action == SAVE)
    if wrong:
        return as_error(wrong[0], 422, faults=wrong)
    try:
        project.save(
            item.key, author=author, value=said.value, note=said.note, revision=said.revision, action=said.action
        )
    except Stale as stale:
        return as_error(str(stale), 409, item=item_facts(project, stale.item))
    except UsageError as error:
        return as_error(str(error), 422, faults=[str(error)])
    return _as_it_stands(project, item.key, author)


def _undo(project: Project, request: Request, body: bytes) -> Response:
    found = _found(project, request)
    if isinstance(found, Response):
        return found
    author, item = found
    try:
        said = msgspec.json.decode(body, type=Undone)
        project.undo(item.key, author=author, revision=said.revision)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return as_error(f"The request cannot be read ({error}).", 400)
    except Stale as stale:
        return as_error(str(stale), 409, item=item_facts(project, stale.item))
    except UsageError as error:
        return as_error(str(error), 422)
    return _as_it_stands(project, item.key, author)


def _picture(project: Project, sha256: str) -> Response:
    """A picture by its hash, which never changes, so that the browser may keep it."""
    if not _HASH.match(sha256):
        return as_error("A picture is named by the 64 hexadecimal digits of its SHA-256.", 404)
    try:
        data, mime = as_shown(project.picture(sha256)[0])
    except (UsageError, DataError):
        return as_error("No item of this project has such a picture, or it cannot be read.", 404)
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(data, media_type=mime, headers=headers)


def _as_it_stands(project: Project, key: str, author: str) -> Response:
    return as_json({"item": item_facts(project, project.item(key, author))})


def _found(project: Project, request: Request) -> tuple[str, Item] | Response:
    """Who asks and the item that is meant, or what is wrong with either."""
    try:
        author = _author(request)
    except UsageError as error:
        return as_error(str(error), 422)
    try:
        return author, project.item(request.path_params["key"], author)
    except UsageError as error:
        return as_error(str(error), 404)


def _author(request: Request) -> str:
    return author_of(unquote(request.headers.get("x-author", "")[:2_000], errors="replace"))
