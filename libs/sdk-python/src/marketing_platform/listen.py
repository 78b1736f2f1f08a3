"""The events of an account as they happen, without a public URL."""

from __future__ import annotations

import asyncio
import codecs
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import cast

from .errors import ConnectionFailedError, RequestTimeoutError
from .request import Options, Request
from .transport import AsyncDownload, AsyncTransport, Download, Transport
from .types import WebhookEvent

RECONNECT_S = 1.0
# Events are kept for a minute after a connection is lost, so there is time for several attempts.
OPTIONS: Options = {"max_retries": 8, "headers": {"accept": "text/event-stream"}}


class _Stream:
    """What was received, over all connections."""

    def __init__(self, events: Sequence[str] | None) -> None:
        self._query = {"events": events or None}
        self._after: str | None = None

    def request(self) -> Request:
        """The stream from the last event on."""
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        return Request("GET", "/v2/webhooks/stream", query=self._query if self._after is None else {"after": self._after})

    def events_in(self, part: bytes) -> Iterator[WebhookEvent]:
        """The events that a part of the response completes: one field per line, and an empty line after each."""
        *blocks, self._text = (self._text + self._decoder.decode(part)).split("\n\n")
        for block in blocks:
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            self._after = fields.get("id", self._after)
            if "data" in fields:
                yield cast(WebhookEvent, json.loads(fields["data"]))


def listen(client: Transport, events: Sequence[str] | None) -> Iterator[WebhookEvent]:
    """Reconnects, and then continues with every event since."""
    stream = _Stream(events)
    while True:
        with Download(client, stream.request(), OPTIONS) as parts:
            try:
                for part in parts:
                    yield from stream.events_in(part)
            except (ConnectionFailedError, RequestTimeoutError):
                pass
        time.sleep(RECONNECT_S)


async def listen_async(client: AsyncTransport, events: Sequence[str] | None) -> AsyncIterator[WebhookEvent]:
    """Reconnects, and then continues with every event since."""
    stream = _Stream(events)
    while True:
        async with AsyncDownload(client, stream.request(), OPTIONS) as parts:
            try:
                async for part in parts:
                    for event in stream.events_in(part):
                        yield event
            except (ConnectionFailedError, RequestTimeoutError):
                pass
        await asyncio.sleep(RECONNECT_S)
