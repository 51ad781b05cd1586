"""What can go wrong, and whose fault it is.

    BeholderError
    ├── UsageError       the person at the keyboard must change something      (exit code 2)
    ├── DataError        a record or an image cannot be used                   (owner: data)
    └── ProviderError    the model's server failed or refused                  (owner: provider)
        └── AuthError    the key was not accepted: nothing else will work      (stops the run)

An error is classified once, where it happens. Errors that belong to one item become that item's
`Failure` (data, not a crash); the others reach the command line as one plain line.
"""

from __future__ import annotations

from enum import StrEnum


class Owner(StrEnum):
    """Who has to mend a failure. The model itself is never an owner: its bad answers are scored."""

    PROVIDER = "provider"
    DATA = "data"
    JUDGE = "judge"
    US = "us"


class BeholderError(Exception):
    """Base of every error that Beholder raises on purpose; its text is one line fit to print."""


class UsageError(BeholderError):
    """Something the user gave cannot work. The message names the file or option and the mend."""


class DataError(BeholderError):
    """A record or an image cannot be used.

    `where` names the file and the record (`data.jsonl, record 12`), `mend` what to do about it.
    """

    def __init__(self, message: str, *, where: str = "", mend: str = "") -> None:
        self.message = message
        self.where = where
        self.mend = mend
        super().__init__(": ".join(part for part in (where, message) if part) + (f". {mend}" if mend else ""))


class ProviderError(BeholderError):
    """The model's server failed.

    `kind` is a short machine word (`http_429`, `timeout`, `connection`, `broken_body`, `empty_choices`,
    `request`); `retryable` says if asking again can help; `retry_after` is in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        self.kind = kind
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        super().__init__(message)


class AuthError(ProviderError):
    """The server answered 401 or 403. The run stops at once: no other request can succeed."""
