"""Sends requests with retries. Everything that goes wrong until the last byte is an error of this package."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, TypeVar

import httpx

from .errors import ApiError, ConnectionFailedError, MarketingPlatformError, RequestTimeoutError, error_for
from .request import Call, Options, Request, Settings, prepare
from .retry import delay_before, is_retryable, retry_after_of


Result = TypeVar("Result")


def _failure(response: httpx.Response) -> ApiError:
    return error_for(response, retry_after_of(response.headers.get("retry-after")))


def _result(response: httpx.Response, content: bytes) -> Any:
    """The `data` of a response, or all of it where it has no envelope."""
    if not content and "json" not in response.headers.get("content-type", ""):
        return None
    try:
        parsed = json.loads(content)
    except ValueError as error:
        raise ConnectionFailedError("The response is not complete JSON.") from error
    return parsed["data"] if isinstance(parsed, dict) and "success" in parsed and "data" in parsed else parsed


def _lost(call: Call, error: Exception) -> MarketingPlatformError:
    if isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return RequestTimeoutError(f"No complete response within {call.timeout} s from {call.sent['url']}.")
    if isinstance(error, httpx.ConnectError):
        return ConnectionFailedError(f"Could not connect to {call.sent['url']}: {error}")
    return ConnectionFailedError(f"The response from {call.sent['url']} ended early: {error}")


def _pause(call: Call, retry: int, error: MarketingPlatformError) -> float:
    """Seconds until the next attempt. Raises the error when there is none."""
    error.idempotency_key = call.idempotency_key
    worth_it = not isinstance(error, ApiError) or is_retryable(error.status, error.code)
    delay = delay_before(retry, error.retry_after if isinstance(error, ApiError) else None)
    if not worth_it or retry > call.retries or delay is None:
        raise error
    return delay


class Transport:
    """Sends requests, one after the other."""

    def __init__(self, settings: Settings, http: httpx.Client | None = None) -> None:
        self._settings = settings
        self._http = http or httpx.Client()

    def send(self, request: Request, options: Options | None = None) -> Any:
        """The result of a request, after as many attempts as it takes."""
        call = self.prepare(request, options)
        return self.retried(call, lambda: self._attempt(call))

    def prepare(self, request: Request, options: Options | None) -> Call:
        """What all attempts of a request send."""
        return prepare(self._settings, request, options)

    def retried(self, call: Call, attempt: Callable[[], Result]) -> Result:
        """The result of the first attempt that succeeds."""
        retry = 1
        while True:
            try:
                return attempt()
            except MarketingPlatformError as error:
                time.sleep(_pause(call, retry, error))
                retry += 1

    def _attempt(self, call: Call) -> Any:
        deadline = time.monotonic() + call.timeout
        with self.open(call) as response:
            parts = []
            try:
                for part in response.iter_bytes():
                    parts.append(part)
                    if time.monotonic() > deadline:
                        raise TimeoutError
            except (httpx.HTTPError, TimeoutError) as error:
                raise _lost(call, error) from error
            return _result(response, b"".join(parts))

    @contextmanager
    def open(self, call: Call) -> Iterator[httpx.Response]:
        """A successful response, as soon as its headers are there."""
        try:
            response = self._http.send(self._http.build_request(**call.sent, timeout=call.timeout), stream=True)
        except httpx.HTTPError as error:
            raise _lost(call, error) from error
        try:
            if not response.is_success:
                try:
                    response.read()
                except httpx.HTTPError as error:
                    raise _lost(call, error) from error
                raise _failure(response)
            yield response
        finally:
            response.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()


class Download:
    """A file: `with mp.contacts.exports.download(id) as parts: ...` reads it part by part."""

    def __init__(self, client: Transport, request: Request, options: Options | None) -> None:
        self._client = client
        self._call = client.prepare(request, options)

    def __enter__(self) -> Iterator[bytes]:
        return self._parts(self._client.retried(self._call, self._open))

    def _open(self) -> httpx.Response:
        self._opened = self._client.open(self._call)
        return self._opened.__enter__()

    def _parts(self, response: httpx.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_bytes()
        except httpx.HTTPError as error:
            raise _lost(self._call, error) from error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._opened.__exit__(kind, error, trace)

    def read(self) -> bytes:
        """The whole file."""
        with self as parts:
            return b"".join(parts)


class AsyncTransport:
    """Sends requests without blocking the event loop."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient | None = None) -> None:
        self._settings = settings
        self._http = http or httpx.AsyncClient()

    async def send(self, request: Request, options: Options | None = None) -> Any:
        """The result of a request, after as many attempts as it takes."""
        call = self.prepare(request, options)
        return await self.retried(call, lambda: self._attempt(call))

    def prepare(self, request: Request, options: Options | None) -> Call:
        """What all attempts of a request send."""
        return prepare(self._settings, request, options)

    async def retried(self, call: Call, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """The result of the first attempt that succeeds."""
        retry = 1
        while True:
            try:
                return await attempt()
            except MarketingPlatformError as error:
                await asyncio.sleep(_pause(call, retry, error))
                retry += 1

    async def _attempt(self, call: Call) -> Any:
        try:
            async with asyncio.timeout(call.timeout), self.open(call) as response:
                try:
                    return _result(response, await response.aread())
                except httpx.HTTPError as error:
                    raise _lost(call, error) from error
        except TimeoutError as error:
            raise _lost(call, error) from error

    @asynccontextmanager
    async def open(self, call: Call) -> AsyncIterator[httpx.Response]:
        """A successful response, as soon as its headers are there."""
        try:
            response = await self._http.send(self._http.build_request(**call.sent, timeout=call.timeout), stream=True)
        except httpx.HTTPError as error:
            raise _lost(call, error) from error
        try:
            if not response.is_success:
                try:
                    await response.aread()
                except httpx.HTTPError as error:
                    raise _lost(call, error) from error
                raise _failure(response)
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()


class AsyncDownload:
    """A file: `async with mp.contacts.exports.download(id) as parts: ...` reads it part by part."""

    def __init__(self, client: AsyncTransport, request: Request, options: Options | None) -> None:
        self._client = client
        self._call = client.prepare(request, options)

    async def __aenter__(self) -> AsyncIterator[bytes]:
        return self._parts(await self._client.retried(self._call, self._open))

    async def _open(self) -> httpx.Response:
        self._opened = self._client.open(self._call)
        return await self._opened.__aenter__()

    async def _parts(self, response: httpx.Response) -> AsyncIterator[bytes]:
        try:
            async for part in response.aiter_bytes():
                yield part
        except httpx.HTTPError as error:
            raise _lost(self._call, error) from error

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._opened.__aexit__(kind, error, trace)

    async def read(self) -> bytes:
        """The whole file."""
        async with self as parts:
            return b"".join([part async for part in parts])
