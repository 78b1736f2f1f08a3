"""Signatures of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import unittest

from marketing_platform import WebhookVerificationError, verify_webhook, verify_webhook_batch

SECRET = "whsec_" + base64.b64encode(b"a secret of 24 bytes ...").decode()
BODY = '{"type": "contact.created", "data": {"email": "ada@example.com"}}'


def headers_of(body: str, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = base64.b64encode(hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,AAAA v1,{signature}"}


class Webhooks(unittest.TestCase):
    def test_a_signed_webhook_is_its_event(self) -> None:
        self.assertEqual(verify_webhook(BODY, headers_of(BODY), SECRET)["type"], "contact.created")
        self.assertEqual(verify_webhook(BODY.encode(), headers_of(BODY), ["whsec_AAAA", SECRET])["type"], "contact.created")

    def test_the_events_of_a_batch_and_a_single_event_are_both_a_list(self) -> None:
        batch = f'{{"id": "batch_1", "type": "batch", "events": [{BODY}, {BODY}]}}'
        for body, count in ((batch, 2), (BODY, 1)):
            types = [event["type"] for event in verify_webhook_batch(body, headers_of(body), SECRET)]
            self.assertEqual(types, ["contact.created"] * count)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook_batch(batch, headers_of(BODY), SECRET)

    def test_a_changed_late_or_unsigned_webhook_is_refused(self) -> None:
        good = headers_of(BODY)
        for body, headers, secret in (
            (BODY.replace("ada", "eve"), good, SECRET),
            (BODY, headers_of(BODY, at=time.time() - 600), SECRET),
            (BODY, {**good, "Webhook-Timestamp": "٣"}, SECRET),
            (BODY, {name: value for name, value in good.items() if name != "Webhook-Signature"}, SECRET),
            (BODY, {**good, "Webhook-Signature": "v1,ü"}, SECRET),
            (BODY, good, "whsec_AAAA"),
            (BODY, good, "not a secret"),
        ):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(body, headers, secret)


if __name__ == "__main__":
    unittest.main()
