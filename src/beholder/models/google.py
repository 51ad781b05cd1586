"""Google's Gemini API by the official SDK.

The SDK's own data classes are gone round: the request is our plain JSON (`google_body`), handed over as the body to
send, and the reply is taken as it came. The SDK brings the address, the key's header and its errors.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlunsplit

from beholder import __version__
from beholder.errors import ProviderError, UsageError
from beholder.images.wire import Sent
from beholder.models.address import split_url
from beholder.models.capabilities import Capabilities
from beholder.models.endpoint import Endpoint
from beholder.models.google_body import content_body, with_extra
from beholder.models.google_reply import read_content, refusal
from beholder.models.hosted import Base64Of, HostedModel, Refused
from beholder.models.listing import Listing, lacks
from beholder.sample import Ask, Response

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai.errors import APIError

API_VERSION = "v1"
"""What is asked where the address names no version; the SDK's own choice."""

_VERSION = re.compile(r"/(v\d+(?:alpha|beta)?\d*)$")


class GoogleModel(HostedModel):
    """One model behind Google's Gemini API, or behind a server that speaks it.

    Pictures of tools follow in a message of the user unless `Endpoint.pictures_in_tool_messages` says that the model
    (Gemini 3 and later) takes them in the answers of functions.
    """

    wire = "google"
    sdk = "google.genai"
    extra = "google"
    key_header = "x-goog-api-key"
    capabilities = Capabilities(tools=True, pictures_in_tool_messages=True, seed=True)
    _client: genai.Client | None = None
    _http: httpx2.AsyncClient | None = None

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        super().__init__(name, endpoint)
        if endpoint.stream:
            raise UsageError(f"{name}: answers of Google's API are not streamed here. Leave --stream out.")

    def identity(self) -> dict[str, Any]:
        there = {"pictures_in_tool_messages": True} if self.endpoint.pictures_in_tool_messages else {}
        return super().identity() | there

    def body(self, ask: Ask, sent: dict[int, Sent], base64_of: Base64Of) -> dict[str, Any]:
        return content_body(
            ask,
            sent,
            base64_of,
            seed=self.seed(ask),
            pictures_in_answers=self.endpoint.pictures_in_tool_messages,
        )

    def merged(self, body: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
        return with_extra(body, extra)

    async def call(self, body: dict[str, Any]) -> bytes:
        import httpx2
        from google.genai.errors import APIError

        try:
            reply = await self._open().aio.models.generate_content(
                model=self.model,
                contents="-",  # replaced by those of `body`
                config={"should_return_http_response": True, "http_options": {"extra_body": body}},
            )
        except APIError as error:
            raise _refused(error) from None
        except httpx2.HTTPError as error:
            raise self.broken(error) from None
        except (ValueError, RecursionError) as error:  # a body that the SDK could not read
            words = self.secrets.hidden(" ".join(str(error).split())[:100])
            raise ProviderError(
                f"The server's reply makes no sense ({words}).", kind="broken_body", retryable=True
            ) from None
        answer = reply.sdk_http_response
        return ((answer.body if answer is not None else None) or "").encode()

    def read(self, reply: bytes) -> Response:
        return read_content(reply)

    async def listing(self) -> Listing:
        found = await self._listed()
        if found.ids and lacks(found, self.model) and await self._is_known():
            return Listing(found.status)
        return found

    async def _listed(self) -> Listing:
        import httpx2
        from google.genai.errors import APIError

        try:
            pager = await self._open().aio.models.list(config={"page_size": 1000})
        except APIError as error:
            return _silent(_refused(error))
        except httpx2.HTTPError as error:
            raise self.broken(error) from None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # no list that the SDK can read
            return Listing(200)
        return Listing(200, tuple(one.name for one in pager.page if one.name))

    async def _is_known(self) -> bool:
        """Whether the server knows the model although its first page of models lacks it (an alias, a tuned one)."""
        import httpx2
        from google.genai.errors import APIError

        try:
            await self._open().aio.models.get(model=self.model)
        except APIError as error:
            return error.code != 404
        except (httpx2.HTTPError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return True  # nothing is known against it
        return True

    def _open(self) -> genai.Client:
        if self._client is None:
            from google import genai
            from google.genai.types import HttpOptions

            from beholder.models.http_client import open_client

            # It would warn about keys in the environment that are not sent: which one is, the options say.
            logging.getLogger("google_genai").setLevel(logging.ERROR)
            address, version, self._query = address_of(self.endpoint.base_url)
            own = {name.lower(): value for name, value in self.endpoint.headers.items()}
            self._without_key = not self.key and self.key_header not in own
            self._http = open_client(self.endpoint, self.proxy)
            self._http.event_hooks = {"request": [self._before_sending]}
            self._client = genai.Client(
                vertexai=False,
                api_key=self.key or "none",  # without one it takes another that is in the environment
                http_options=HttpOptions(
                    base_url=address,
                    api_version=version,
                    headers={"user-agent": f"beholder/{__version__}"} | own,
                    httpx_async_client=self._http,
                ),
            )
        return self._client

    async def _before_sending(self, request: httpx2.Request) -> None:
        """Sets what the SDK does not leave to the client that it is given: times, the address's query, no key."""
        assert self._http is not None
        request.extensions["timeout"] = self._http.timeout.as_dict()
        if self._query:
            request.url = request.url.copy_merge_params(self._query)
        if self._without_key:
            request.headers.pop(self.key_header, None)

    async def close(self) -> None:
        if self._client is not None and self._http is not None:
            await self._client.aio.aclose()
            self._client.close()
            await self._http.aclose()
            self._client = self._http = None


def address_of(base_url: str) -> tuple[str, str, dict[str, str]]:
    """The address that the SDK puts its paths behind, the version of the API, and the query of each request.

    >>> address_of("https://generativelanguage.googleapis.com/v1beta/")
    ('https://generativelanguage.googleapis.com', 'v1beta', {})
    """
    parts = split_url(base_url)
    path = parts.path.rstrip("/").removesuffix("/models")
    found = _VERSION.search(path)
    version = found[1] if found is not None else API_VERSION
    path = path[: found.start()] if found is not None else path
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), version, query


def _refused(error: APIError) -> Refused:
    body: bytes = error.response.content  # that of the client that we gave
    status, wait = refusal(error.code, body, error.response.headers.get("retry-after"))
    return Refused(status, body, wait)


def _silent(refused: Refused) -> Listing:
    """No list; a refused key is an error."""
    if refused.status in (401, 403):
        raise refused
    return Listing(refused.status)
