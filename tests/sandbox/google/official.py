"""Google's own libraries. What they ship of types is not enough for a strict check, so here they are Any."""

from typing import Any

from google.auth import crypt as _crypt
from google.auth import exceptions as _exceptions
from google.auth import jwt as _jwt
from google.auth.transport import requests as _requests
from google.oauth2 import credentials as _credentials
from google.oauth2 import id_token as _id_token
from googleapiclient import channel as _channel  # type: ignore[import-untyped]  # ships none at all
from googleapiclient import discovery as _discovery
from googleapiclient import discovery_cache as _discovery_cache
from googleapiclient import errors as _errors
from googleapiclient import http as _http

channel: Any = _channel
credentials: Any = _credentials
crypt: Any = _crypt
discovery: Any = _discovery
discovery_cache: Any = _discovery_cache
http: Any = _http
id_token: Any = _id_token
jwt: Any = _jwt
requests: Any = _requests
HttpError = _errors.HttpError
RefreshError = _exceptions.RefreshError
