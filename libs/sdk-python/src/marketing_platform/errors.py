"""The errors that this package raises."""

from __future__ import annotations

from typing import Any

import httpx


class MarketingPlatformError(Exception):
    """Every error of this package."""

    idempotency_key: str | None = None
    """Of the write that failed. Whether it took effect is not always known: pass the key again, and it takes effect once."""


class ApiError(MarketingPlatformError):
    """The platform rejected the request."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        request_id: str | None = None,
        details: list[dict[str, Any]] | None = None,
        doc_url: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id
        """Quote it when you ask for support."""
        self.details = details or []
        """For a ValidationError, one entry per problem; for limits, the limit and its current use."""
        self.doc_url = doc_url
        self.retry_after = retry_after
        """Seconds until a retry can succeed, if the platform says so."""


class ValidationError(ApiError):
    """The request is invalid: `details` names each field."""


class AuthenticationError(ApiError):
    """The API key or token is missing or not valid."""


class PermissionDeniedError(ApiError):
    """The key, the plan, the account's status or the IP address does not allow the request."""


class NotFoundError(ApiError):
    """The resource does not exist in this account."""


class ConflictError(ApiError):
    """The request conflicts with the current state, such as an email address that another contact has."""


class PreconditionFailedError(ApiError):
    """The resource has changed since the ETag in `if_match`."""


class IdempotencyKeyReusedError(ApiError):
    """The idempotency key was used for a different request."""


class RateLimitError(ApiError):
    """Too many requests: `code` is `RATE_LIMITED` (per second) or `QUOTA_EXCEEDED` (per day)."""


class ServerError(ApiError):
    """The platform failed or is temporarily unavailable."""


class ConnectionFailedError(MarketingPlatformError):
    """No complete response: the connection failed in every attempt."""


class RequestTimeoutError(ConnectionFailedError):
    """No complete response within `timeout`, in every attempt."""


class WebhookVerificationError(MarketingPlatformError):
    """The webhook is not signed with the secret, or is too old."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: ValidationError,
    429: RateLimitError,
}
_BY_CODE: dict[str, type[ApiError]] = {
    "VALIDATION_ERROR": ValidationError,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReusedError,
    "QUOTA_EXCEEDED": RateLimitError,
}


def error_for(response: httpx.Response, retry_after: float | None) -> ApiError:
    """Reads the standard form of an error, OAuth's, or, from a proxy in between, neither. The body must have been read."""
    status = response.status_code
    try:
        body = response.json()
    except ValueError:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    request_id = response.headers.get("x-request-id")
    if isinstance(error, dict):
        code = str(error.get("code", "UNKNOWN"))
        found = _BY_CODE.get(code) or _BY_STATUS.get(status) or (ServerError if status >= 500 else ApiError)
        return found(
            status,
            code,
            str(error.get("message", f"The platform responded with {status}.")),
            request_id=error.get("request_id") or request_id,
            details=error.get("details"),
            doc_url=error.get("doc_url"),
            retry_after=retry_after,
        )
    found = _BY_STATUS.get(status) or (ServerError if status >= 500 else ApiError)
    described = body.get("error_description") if isinstance(body, dict) else None
    message = described or f"The response has status {status} and no description of the error."
    return found(status, error if isinstance(error, str) else "UNKNOWN", message, request_id=request_id, retry_after=retry_after)
