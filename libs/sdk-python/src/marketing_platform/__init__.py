"""The Python client of the marketing platform. Every operation of the API is a typed method."""

from .client import AsyncMarketingPlatform, MarketingPlatform
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    IdempotencyKeyReusedError,
    MarketingPlatformError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    ValidationError,
    WebhookVerificationError,
)
from .request import VERSION as __version__
from .request import Options
from .webhooks import verify_webhook, verify_webhook_batch

__all__ = [
    "ApiError",
    "AsyncMarketingPlatform",
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "IdempotencyKeyReusedError",
    "MarketingPlatform",
    "MarketingPlatformError",
    "NotFoundError",
    "Options",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimitError",
    "RequestTimeoutError",
    "ServerError",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
    "verify_webhook_batch",
]
