"""The Hugging Face hub: what a repository holds at a revision, and its files one by one.

`huggingface_hub` asks and downloads; `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE` and the proxies mean what they mean to
it. Its own way to a folder (`hf_hub_download`) throws the half of a file away when it is broken off, and shards are
large: so each file is put together here, in a part that the next call goes on with.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

import beholder
from beholder.errors import ProviderError, UsageError

PARTS = ".fetching"
"""Folder of what is not whole yet, inside the folder of the data."""
NEWEST = "main"
_PATIENCE = 30.0
_BLOCK = 1 << 20
_LIBRARY = "beholder"
_SHA256 = re.compile(r"[0-9a-f]{64}")


class HubFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a repository. `sha256` is known of large (LFS) files, of others `blob`, the SHA-1 that git gives."""

    name: str
    bytes: int
    sha256: str = ""
    blob: str = ""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What the hub holds of a repository at one commit. `licence` is what its card says, "" if nothing."""

    repository: str
    commit: str
    licence: str
    files: tuple[HubFile, ...]

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(file.bytes for file in self.files)


def ask(repository: str, revision: str) -> Offer:
    """What a repository holds at a revision (a commit, a branch, a tag).

    `UsageError` if it or the revision is not there, or must not be read; `ProviderError` if the hub cannot be reached.
    """
    with _told_plainly(repository, revision):
        api = _hub().HfApi(endpoint=_endpoint(), library_name=_LIBRARY, library_version=beholder.__version__)
        info = api.dataset_info(repository, revision=revision, files_metadata=True, timeout=_PATIENCE)
    if not info.sha or info.siblings is None:
        raise ProviderError(f"{_where()} does not say what {repository} holds.", kind="broken_body")
    card = info.card_data
    said = (card.get("license") if card is not None else None) or ""
    return Offer(
        repository=repository,
        commit=info.sha,
        licence=", ".join(map(str, said)) if isinstance(said, list) else str(said),
        files=tuple(_file(one) for one in info.siblings),
    )


def download(offer: Offer, file: HubFile, folder: Path) -> str:
    """Brings a file into the folder and returns its SHA-256; goes on with the part of it that is there already.

    `ProviderError` if the hub breaks off (the part stays) or if what came is not what the hub lists (it is deleted).
    """
    check_name(file.name)
    parts = folder / PARTS
    parts.mkdir(parents=True, exist_ok=True)
    part = parts / f"{hashlib.sha256(file.name.encode()).hexdigest()[:12]}-{(file.sha256 or file.blob)[:24]}"
    with part.open("ab") as sink, _told_plainly(offer.repository, offer.commit):
        _alone(sink.fileno(), folder)
        if sink.tell() > file.bytes:
            sink.seek(0)
            sink.truncate()
        from huggingface_hub import file_download, utils

        if not sys.stderr.isatty():
            utils.disable_progress_bars()  # type: ignore[attr-defined]
        headers = utils.build_hf_headers(library_name=_LIBRARY, library_version=beholder.__version__)  # type: ignore[attr-defined]
        address = file_download.hf_hub_url(
            offer.repository, file.name, repo_type="dataset", revision=offer.commit, endpoint=_endpoint()
        )
        file_download.http_get(
            address,
            sink,
            resume_size=sink.tell(),
            headers=headers | {"Accept-Encoding": "identity"},
            expected_size=file.bytes,
            displayed_filename=file.name,
        )
    found = sha256_of(part)
    if not is_the_one(part, file, found):
        part.unlink()
        raise ProviderError(
            f"{file.name}: what came is not the file that {_where()} lists (its SHA-256 is {found[:12]}…); it was "
            "thrown away. The same command fetches it again.",
            kind="checksum",
            retryable=True,
        )
    target = folder / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(target)
    return found


def check_name(name: str) -> None:
    """`UsageError` unless a file's name stays inside a folder: a repository is not trusted to say where we write."""
    parts = PurePosixPath(name).parts
    odd = not parts or name.startswith("/") or ".." in parts or any(char in name for char in "\\:\0")
    if odd or parts[0].startswith("."):
        raise UsageError(f"A file is called {name[:60]!r}, which is no name inside a folder. It is not fetched.")


def is_the_one(path: Path, file: HubFile, sha256: str) -> bool:
    """Whether a file whose SHA-256 is given is the one that the hub lists."""
    if file.sha256:
        return sha256 == file.sha256
    return bool(file.blob) and _git_blob(path) == file.blob


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _git_blob(path: Path) -> str:
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _file(one: Any) -> HubFile:
    large = one.lfs
    sha256 = str(large.sha256) if large is not None and _SHA256.fullmatch(str(large.sha256)) else ""
    size = large.size if large is not None else one.size
    return HubFile(name=one.rfilename, bytes=int(size or 0), sha256=sha256, blob=one.blob_id or "")


def _alone(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"Another command is fetching into {folder}. Wait for it.") from None


def _hub() -> Any:
    """The package, with what it tells its makers about this machine switched off unless the user has said otherwise."""
    if find_spec("huggingface_hub") is None:
        raise UsageError("Fetching data needs the extra: pip install 'beholder[hub]'. --from copies without it.")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import huggingface_hub

    return huggingface_hub


def _endpoint() -> str | None:
    """The hub's address where the user names one; read each time, not when the package is loaded."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or None


def _where() -> str:
    from beholder.models.address import scrub_url

    return scrub_url(_endpoint() or "https://huggingface.co")


@contextlib.contextmanager
def _told_plainly(repository: str, revision: str) -> Iterator[None]:
    """What can go wrong between here and the hub, each in one line."""
    _hub()
    from huggingface_hub import errors

    wire: type[Exception] = errors.HfHubHTTPError.__bases__[0]  # of the HTTP library that this version stands on
    try:
        yield
    except errors.GatedRepoError:
        raise UsageError(
            f"{repository} is gated: accept its terms on its page, and put a token of that account into HF_TOKEN."
        ) from None
    except errors.RepositoryNotFoundError:
        raise UsageError(
            f"{_where()} has no data set {repository}, or it is private: then put a token that may read it into "
            "HF_TOKEN."
        ) from None
    except errors.RevisionNotFoundError:
        raise UsageError(
            f"{repository} has no revision {revision[:60]!r}. Give a commit, branch or tag it has."
        ) from None
    except errors.EntryNotFoundError:
        raise UsageError(
            f"{repository} lacks a file that it lists at {revision[:12]}. Try another --revision."
        ) from None
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        mend = "Check HF_TOKEN." if status in (401, 403) else "The same command goes on when it answers again."
        raise ProviderError(f"{_where()} answered {status}. {mend}", kind=f"http_{status}", status=status) from None
    except (errors.OfflineModeIsEnabled, wire) as error:
        raise ProviderError(
            f"{_where()} cannot be reached ({type(error).__name__}). The same command goes on when it can; "
            "--from FOLDER copies from a folder that holds the files.",
            kind="connection",
            retryable=True,
        ) from None
    except OSError as error:
        if error.errno is not None:  # of this machine: a full disk, a folder that must not be written
            raise
        raise ProviderError(
            f"{repository}: {str(error).splitlines()[0][:200]} The same command goes on.", kind="broken_body"
        ) from None
