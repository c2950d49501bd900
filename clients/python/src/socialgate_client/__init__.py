"""The client for Socialgate: one API for social, messaging and advertising accounts.

client = Socialgate()
post = client.posts.create(profile_id="prf_…", content="Fresh bread", targets=["acc_…"])
"""

from ._async.client import AsyncSocialgate
from ._async.pages import AsyncPages
from ._call import Call, RawResponse
from ._errors import (
    ApiError,
    AuthenticationError,
    ChecksumMismatch,
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
from ._streams import StreamFrame
from ._sync.client import Socialgate
from ._sync.pages import Pages
from ._version import __version__
from ._webhooks import Webhooks

__all__ = [
    "OMIT",
    "ApiError",
    "AsyncPages",
    "AsyncSocialgate",
    "AuthenticationError",
    "Call",
    "ChecksumMismatch",
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
    "StreamFrame",
    "TaskFailed",
    "Timeout",
    "UploadInterrupted",
    "ValidationError",
    "WebhookVerificationError",
    "Webhooks",
    "__version__",
]
