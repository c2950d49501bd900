"""The client for Socialgate: one API for social, messaging and advertising accounts.

client = Socialgate()
post = client.posts.create(profile_id="prf_…", content="Fresh bread", targets=["acc_…"])
"""

from ._call import Call, RawResponse
from ._client import AsyncSocialgate, Socialgate
from ._errors import (
    ApiError,
    AuthenticationError,
    Conflict,
    ConnectionError,  # noqa: A004 - what it is called in every client
    NotFound,
    PaymentRequired,
    PermissionDenied,
    PlatformError,
    RateLimited,
    ServerError,
    SocialgateError,
    TaskFailed,
    Timeout,
    UploadInterrupted,
    ValidationError,
    WebhookVerificationError,
)
from ._models import OMIT, Model, Omit
from ._pages import AsyncPages, Pages
from ._version import __version__
from ._webhooks import Webhooks

__all__ = [
    "OMIT",
    "ApiError",
    "AsyncPages",
    "AsyncSocialgate",
    "AuthenticationError",
    "Call",
    "Conflict",
    "ConnectionError",
    "Model",
    "NotFound",
    "Omit",
    "Pages",
    "PaymentRequired",
    "PermissionDenied",
    "PlatformError",
    "RateLimited",
    "RawResponse",
    "ServerError",
    "Socialgate",
    "SocialgateError",
    "TaskFailed",
    "Timeout",
    "UploadInterrupted",
    "ValidationError",
    "WebhookVerificationError",
    "Webhooks",
    "__version__",
]
