"""A server that misbehaves, and what the client makes of it."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from marketing_platform import (
    AsyncMarketingPlatform,
    ConflictError,
    ConnectionFailedError,
    MarketingPlatform,
    RateLimitError,
    RequestTimeoutError,
)

Answer = Callable[[BaseHTTPRequestHandler], None]


def answers(status: int, body: str, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", headers.get("length", str(len(body.encode()))))
        for name, value in headers.items():
            if name != "length":
                handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def stays_silent(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.wfile.flush()
    time.sleep(3)


CREATED = answers(201, '{"success": true, "data": {"id": "contact_1"}}')
BROKEN = answers(201, '{"success": true', length="500")
EMPTY = answers(201, "")
BROKEN_CONFLICT = answers(409, '{"success": false, "error": {', length="500")
TRUNCATED = answers(201, '{"success": true')
UNAVAILABLE = answers(503, '{"success": false, "error": {"code": "SERVICE_UNAVAILABLE", "message": "Try again."}}', retry_after="0")
CONFLICT = answers(
    409,
    '{"success": false, "error": {"code": "CONFLICT", "message": "Another contact has this email.", "request_id": "req_1", "details": []}}',
)


class Exchanges(unittest.TestCase):
    def serve(self, *given: Answer) -> tuple[str, list[str | None]]:
        """The URL of a server that answers in this order, and the keys that it gets."""
        keys: list[str | None] = []
        paths: list[str] = []
        self.paths = paths
        rest = list(given)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                keys.append(self.headers.get("idempotency-key"))
                paths.append(self.path)
                self.close_connection = True
                rest.pop(0)(self)

            do_GET = do_POST = reply

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", keys

    def test_a_write_is_repeated_with_its_key_until_its_whole_response_has_arrived(self) -> None:
        for failing in (BROKEN, TRUNCATED, EMPTY, BROKEN_CONFLICT, UNAVAILABLE):
            url, keys = self.serve(failing, CREATED)
            with MarketingPlatform("key", url) as mp:
                self.assertEqual(mp.contacts.create({"email": "ada@example.com"})["id"], "contact_1")
            self.assertEqual(len(keys), 2)
            self.assertEqual(len(set(keys)), 1)
            self.assertIsNotNone(keys[0])

    def test_so_does_the_client_for_asyncio(self) -> None:
        async def create(url: str) -> str:
            async with AsyncMarketingPlatform("key", url) as mp:
                return (await mp.contacts.create({"email": "ada@example.com"}))["id"]

        for failing in (BROKEN, TRUNCATED, EMPTY, BROKEN_CONFLICT, UNAVAILABLE):
            url, keys = self.serve(failing, CREATED)
            self.assertEqual(asyncio.run(create(url)), "contact_1")
            self.assertEqual(len(set(keys)), 1)

    def test_a_response_that_stays_silent_ends_with_the_timeout_and_the_key_of_the_write(self) -> None:
        url, keys = self.serve(stays_silent)
        with MarketingPlatform("key", url, timeout=0.3, max_retries=0) as mp, self.assertRaises(RequestTimeoutError) as raised:
            mp.contacts.create({"email": "ada@example.com"})
        self.assertEqual(raised.exception.idempotency_key, keys[0])

        async def create(silent: str) -> None:
            async with AsyncMarketingPlatform("key", silent, timeout=0.3, max_retries=0) as mp:
                await mp.contacts.create({"email": "ada@example.com"})

        url, keys = self.serve(stays_silent)
        with self.assertRaises(RequestTimeoutError) as late:
            asyncio.run(create(url))
        self.assertEqual(late.exception.idempotency_key, keys[0])

    def test_a_download_is_opened_again_until_it_succeeds_and_one_that_breaks_off_is_an_error(self) -> None:
        url, _ = self.serve(UNAVAILABLE, answers(200, "a,b"), answers(200, "a", length="50"))
        with MarketingPlatform("key", url) as mp:
            self.assertEqual(mp.contacts.exports.download("export_1").read(), b"a,b")
            with self.assertRaises(ConnectionFailedError):
                mp.contacts.exports.download("export_1").read()

        async def read(url: str) -> bytes:
            async with AsyncMarketingPlatform("key", url) as mp:
                return await mp.contacts.exports.download("export_1").read()

        url, _ = self.serve(UNAVAILABLE, answers(200, "a,b"))
        self.assertEqual(asyncio.run(read(url)), b"a,b")

    def test_listen_gives_each_event_once_and_continues_after_the_last_one_when_the_connection_ends(self) -> None:
        def stream(*numbers: int, **headers: str) -> Answer:
            events = [f'id: s.{number}\nevent: contact.created\ndata: {{"id": "é{number}", "type": "contact.created"}}\n\n' for number in numbers]
            return answers(200, "retry: 1000\nid: s.0\n\n: alive\n\n" + "".join(events), **headers)

        given = (stream(1, 2, length="5000"), stream(3), CONFLICT)
        paths = ["/v2/webhooks/stream?events=contact.%2A", "/v2/webhooks/stream?after=s.2", "/v2/webhooks/stream?after=s.3"]
        seen: list[str] = []
        url, _ = self.serve(*given)
        with MarketingPlatform("key", url) as mp, self.assertRaises(ConflictError):
            for event in mp.listen(["contact.*"]):
                seen.append(event["id"])
        self.assertEqual((seen, self.paths), (["é1", "é2", "é3"], paths))

        async def listen(url: str) -> None:
            async with AsyncMarketingPlatform("key", url) as mp:
                async for event in mp.listen(["contact.*"]):
                    seen.append(event["id"])

        seen.clear()
        url, _ = self.serve(*given)
        with self.assertRaises(ConflictError):
            asyncio.run(listen(url))
        self.assertEqual((seen, self.paths), (["é1", "é2", "é3"], paths))

    def test_a_list_requests_its_pages_as_it_is_read(self) -> None:
        first = answers(200, '{"success": true, "data": {"items": [{"id": "a"}], "pagination": {"next_cursor": "two"}}}')
        last = answers(200, '{"success": true, "data": {"items": [{"id": "b"}], "pagination": {"next_cursor": null}}}')
        url, requests = self.serve(first, last)
        with MarketingPlatform("key", url) as mp:
            contacts = iter(mp.contacts.list(limit=1))
            self.assertEqual(next(contacts)["id"], "a")
            self.assertEqual(len(requests), 1)
            self.assertEqual([contact["id"] for contact in contacts], ["b"])

        async def ids(url: str) -> list[str]:
            async with AsyncMarketingPlatform("key", url) as mp:
                return [contact["id"] async for contact in mp.contacts.list(limit=1)]

        url, _ = self.serve(first, last)
        self.assertEqual(asyncio.run(ids(url)), ["a", "b"])

    def test_a_conflict_is_raised_at_once_with_what_the_platform_says(self) -> None:
        url, keys = self.serve(CONFLICT)
        with MarketingPlatform("key", url) as mp, self.assertRaises(ConflictError) as raised:
            mp.contacts.create({"email": "ada@example.com"})
        self.assertEqual((raised.exception.status, raised.exception.code, raised.exception.request_id), (409, "CONFLICT", "req_1"))
        self.assertEqual(len(keys), 1)

    def test_a_wait_of_over_a_minute_is_for_the_caller(self) -> None:
        limited = answers(429, '{"success": false, "error": {"code": "QUOTA_EXCEEDED", "message": "Tomorrow."}}', retry_after="3600")
        url, _ = self.serve(limited)
        with MarketingPlatform("key", url) as mp, self.assertRaises(RateLimitError) as raised:
            mp.contacts.get("contact_1")
        self.assertEqual(raised.exception.retry_after, 3600)

    def test_a_server_that_is_not_there_is_an_error_of_this_package(self) -> None:
        with MarketingPlatform("key", "http://127.0.0.1:1", max_retries=0) as mp, self.assertRaises(ConnectionFailedError):
            mp.contacts.get("contact_1")

    def test_a_client_says_what_is_wrong_with_its_options_and_ids(self) -> None:
        for url in ("localhost:8080", "https://example.com/v2", ""):
            with self.assertRaises(ValueError):
                MarketingPlatform("key", url)
        with MarketingPlatform("key", "http://127.0.0.1:1") as mp, self.assertRaises(TypeError):
            mp.contacts.get("")


if __name__ == "__main__":
    unittest.main()
