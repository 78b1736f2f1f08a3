"""When a request is sent again."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

_MAX_RETRY_AFTER = 60.0
"""A longer wait is for the caller to decide on: the error says it in `retry_after`."""
_FIRST_DELAY = 0.5
_MAX_DELAY = 8.0


def retry_after_of(value: str | None) -> float | None:
    """`Retry-After` in seconds; it is a number of seconds or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


def is_retryable(status: int, code: str) -> bool:
    """A conflict of idempotency means that an earlier attempt is still being processed: its response is worth waiting for."""
    return status in (408, 429) or status >= 500 or code == "IDEMPOTENCY_IN_PROGRESS"


def delay_before(retry: int, retry_after: float | None) -> float | None:
    """Seconds before the retry, or None if the platform asks for a longer wait than a caller would expect."""
    if retry_after is not None and retry_after > _MAX_RETRY_AFTER:
        return None
    if retry_after is not None:
        return retry_after + random.random() * _FIRST_DELAY
    return min(_MAX_DELAY, _FIRST_DELAY * 2.0 ** (retry - 1)) * (0.5 + random.random() / 2)
