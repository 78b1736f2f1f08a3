"""The clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import httpx

from .generated.async_resources import AsyncResources
from .generated.resources import Resources
from .listen import listen, listen_async
from .request import Options, Request, Settings
from .transport import AsyncTransport, Transport
from .types import WebhookEvent


class MarketingPlatform(Resources):
    """The client. Use it as a context manager, or call `close`, to close its connections."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 60.0,
        max_retries: int = 3,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(Settings(api_key, base_url, timeout, max_retries, headers or {}), http_client)
        super().__init__(self._transport)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: Options | None = None,
    ) -> Any:
        """Calls an operation that is newer than your version of this package."""
        request = Request(method, path, query=query or {}, body=body, is_write=method.upper() != "GET")
        return self._transport.send(request, options)

    def listen(self, events: Sequence[str] | None = None) -> Iterator[WebhookEvent]:
        """The events of the account as they happen: types of events, groups such as `contact.*`, or all. It reconnects, and then
        continues with every event since. Raises a ConflictError after a minute without a connection."""
        return listen(self._transport, events)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> MarketingPlatform:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMarketingPlatform(AsyncResources):
    """The client for asyncio. Use it with `async with`, or call `close`, to close its connections."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 60.0,
        max_retries: int = 3,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = AsyncTransport(Settings(api_key, base_url, timeout, max_retries, headers or {}), http_client)
        super().__init__(self._transport)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: Options | None = None,
    ) -> Any:
        """Calls an operation that is newer than your version of this package."""
        request = Request(method, path, query=query or {}, body=body, is_write=method.upper() != "GET")
        return await self._transport.send(request, options)

    def listen(self, events: Sequence[str] | None = None) -> AsyncIterator[WebhookEvent]:
        """The events of the account as they happen: types of events, groups such as `contact.*`, or all. It reconnects, and then
        continues with every event since. Raises a ConflictError after a minute without a connection."""
        return listen_async(self._transport, events)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncMarketingPlatform:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
