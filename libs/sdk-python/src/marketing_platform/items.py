"""Lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Generic, TypedDict, TypeVar

from .request import Options, Request
from .transport import AsyncTransport, Transport

Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    pagination: dict[str, Any]


class Items(Generic[Item]):
    """A list. Iterating gives every item of every page, and requests each page when it is needed; nothing is requested before."""

    def __init__(self, client: Transport, request: Request, options: Options | None) -> None:
        self._client = client
        self._request = request
        self._options = options

    def page(self) -> Page[Item]:
        """The first page."""
        page: Page[Item] = self._client.send(self._request, self._options)
        return page

    def pages(self) -> Iterator[Page[Item]]:
        """Page by page."""
        page = self.page()
        yield page
        while (cursor := page["pagination"]["next_cursor"]) is not None:
            page = self._client.send(self._request.at(cursor), self._options)
            yield page

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page["items"]


class AsyncItems(Generic[Item]):
    """As `Items`, with `async for`."""

    def __init__(self, client: AsyncTransport, request: Request, options: Options | None) -> None:
        self._client = client
        self._request = request
        self._options = options

    async def page(self) -> Page[Item]:
        """The first page."""
        page: Page[Item] = await self._client.send(self._request, self._options)
        return page

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Page by page."""
        page = await self.page()
        yield page
        while (cursor := page["pagination"]["next_cursor"]) is not None:
            page = await self._client.send(self._request.at(cursor), self._options)
            yield page

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page["items"]:
                yield item
