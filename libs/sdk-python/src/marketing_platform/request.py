"""What a method asks for, and what is sent."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import IO, Any, TypedDict
from urllib.parse import quote, urlsplit

VERSION = "0.1.0"

Content = str | bytes | IO[bytes] | Iterable[bytes]
"""A file to upload. One that can be read only once is not sent again."""


class Options(TypedDict, total=False):
    """Options of one call."""

    timeout: float
    """Seconds for the response to be complete; of a download, for its next part."""
    max_retries: int
    idempotency_key: str
    """For a write. By default every call gets its own key, which its retries keep; pass one that survives a restart of your program."""
    if_match: str
    """The `ETag` of the last read: the write fails with a PreconditionFailedError if the resource has changed since."""
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Request:
    """One call of an operation."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    form: Mapping[str, Any] | None = None
    content: Content | None = None
    content_type: str | None = None
    is_write: bool = False
    is_public: bool = False

    def at(self, cursor: str) -> Request:
        """The same list from a cursor on: a parameter of the query or, for a search, a field of the body."""
        if self.body is None:
            return replace(self, query={**self.query, "cursor": cursor})
        return replace(self, body={**self.body, "cursor": cursor})


@dataclass(frozen=True)
class Settings:
    """Options of a client."""

    api_key: str
    base_url: str
    timeout: float = 60.0
    max_retries: int = 3
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.api_key:
            raise ValueError("Pass an api_key, which you create in the dashboard under Settings → API Keys.")
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("Pass the URL of your platform as base_url, such as https://marketing.example.com.")
        if parts.path.rstrip("/").endswith("/v2"):
            raise ValueError("Pass base_url without /v2, such as https://marketing.example.com. Methods add the path.")


@dataclass(frozen=True)
class Call:
    """A request as it is sent, the same in every attempt."""

    sent: dict[str, Any]
    timeout: float
    retries: int
    idempotency_key: str | None


def segment(value: str) -> str:
    """One segment of a path. An empty one would make another path of it."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise TypeError("Pass a non-empty ID.")
    return quote(value, safe="")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).isoformat()
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


def prepare(settings: Settings, request: Request, options: Options | None) -> Call:
    """Everything that all attempts have in common."""
    own = options or {}
    headers = {"accept": "application/json, */*;q=0.5", "user-agent": f"marketing-platform-python/{VERSION}"}
    headers.update(settings.headers)
    headers.update(own.get("headers", {}))
    if not request.is_public:
        headers["authorization"] = f"Bearer {settings.api_key}"
    if "if_match" in own:
        headers["if-match"] = own["if_match"]
    key = own.get("idempotency_key") or str(uuid.uuid4()) if request.is_write else None
    if key is not None:
        headers["idempotency-key"] = key
    sent: dict[str, Any] = {
        "method": request.method,
        "url": settings.base_url.rstrip("/") + request.path,
        "params": {name: _text(value) for name, value in request.query.items() if value is not None},
        "headers": headers,
    }
    if request.content is not None:
        sent["content"] = request.content
        headers["content-type"] = request.content_type or "application/octet-stream"
    elif request.form is not None:
        sent["data"] = {name: _text(value) for name, value in request.form.items()}
    elif request.body is not None:
        sent["json"] = request.body
    is_repeatable = request.content is None or isinstance(request.content, (str, bytes))
    retries = own.get("max_retries", settings.max_retries) if is_repeatable else 0
    return Call(sent, own.get("timeout", settings.timeout), retries, key)
