"""Verifies webhooks by the Standard Webhooks specification (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import WebhookVerificationError
from .types import WebhookEvent


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300.0,
) -> WebhookEvent:
    """The event of a webhook. `body` is the raw body: a parsed and serialised one has another signature.

    Pass several secrets while you rotate them. `tolerance` is how many seconds the timestamp may differ from this machine's clock.
    """
    found = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not found.get(name):
            raise WebhookVerificationError(f"The header {name} is missing. Pass the headers as they arrived.")
    timestamp = found["webhook-timestamp"]
    if not timestamp.isascii() or not timestamp.isdigit():
        raise WebhookVerificationError("The header webhook-timestamp is not a number of seconds.")
    differs_by = abs(time.time() - int(timestamp))
    if differs_by > tolerance:
        raise WebhookVerificationError(f"The timestamp differs by {differs_by:.0f} s from this clock; {tolerance:.0f} s are allowed.")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{found['webhook-id']}.{timestamp}.".encode() + raw
    given = [one[3:] for one in found["webhook-signature"].split(" ") if one.startswith("v1,")]
    for one in [secret] if isinstance(secret, str) else secret:
        expected = base64.b64encode(hmac.new(_key(one), signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given):
            return cast(WebhookEvent, json.loads(raw))
    raise WebhookVerificationError("The signature does not match. Check the secret, and that the body is passed as it arrived.")


def verify_webhook_batch(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300.0,
) -> list[WebhookEvent]:
    """The events of a request to a webhook with `batch`. Verifies the signature as `verify_webhook` does, and also takes a single event."""
    event = verify_webhook(body, headers, secret, tolerance=tolerance)
    return cast(list[WebhookEvent], event["events"]) if event["type"] == "batch" else [event]


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise WebhookVerificationError("Pass the secret of the webhook, which starts with whsec_.")
    return key
