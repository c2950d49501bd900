"""Meta's SDK for Python, pointed at the recording server. It ships no types, so here everything is Any."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from facebook_business.adobjects.ad import Ad as _Ad
from facebook_business.adobjects.adaccount import AdAccount as _AdAccount
from facebook_business.adobjects.adcreative import AdCreative as _AdCreative
from facebook_business.adobjects.adreportrun import AdReportRun as _AdReportRun
from facebook_business.adobjects.adset import AdSet as _AdSet
from facebook_business.adobjects.adspixel import AdsPixel as _AdsPixel
from facebook_business.adobjects.advideo import AdVideo as _AdVideo
from facebook_business.adobjects.business import Business as _Business
from facebook_business.adobjects.campaign import Campaign as _Campaign
from facebook_business.adobjects.comment import Comment as _Comment
from facebook_business.adobjects.commercemerchantsettings import CommerceMerchantSettings as _Shop
from facebook_business.adobjects.customaudience import CustomAudience as _CustomAudience
from facebook_business.adobjects.customconversion import CustomConversion as _CustomConversion
from facebook_business.adobjects.igcomment import IGComment as _IGComment
from facebook_business.adobjects.igmedia import IGMedia as _IGMedia
from facebook_business.adobjects.iguser import IGUser as _IGUser
from facebook_business.adobjects.lead import Lead as _Lead
from facebook_business.adobjects.leadgenform import LeadgenForm as _LeadgenForm
from facebook_business.adobjects.page import Page as _Page
from facebook_business.adobjects.pagepost import PagePost as _PagePost
from facebook_business.adobjects.productcatalog import ProductCatalog as _ProductCatalog
from facebook_business.adobjects.productitem import ProductItem as _ProductItem
from facebook_business.adobjects.productset import ProductSet as _ProductSet
from facebook_business.adobjects.profile import Profile as _Profile
from facebook_business.adobjects.targetingsearch import TargetingSearch as _TargetingSearch
from facebook_business.adobjects.unifiedthread import UnifiedThread as _UnifiedThread
from facebook_business.adobjects.user import User as _User
from facebook_business.adobjects.whatsappbusinessaccount import WhatsAppBusinessAccount as _Waba
from facebook_business.api import FacebookAdsApi, FacebookRequest
from facebook_business.session import FacebookSession
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from parity.comparing import names
from parity.operations import APP, TOKEN
from parity.recording import SDK, Recorder

__all__ = ["api", "names"]

Ad: Any = _Ad
AdAccount: Any = _AdAccount
AdCreative: Any = _AdCreative
AdReportRun: Any = _AdReportRun
AdSet: Any = _AdSet
AdsPixel: Any = _AdsPixel
AdVideo: Any = _AdVideo
Business: Any = _Business
Campaign: Any = _Campaign
Comment: Any = _Comment
CustomAudience: Any = _CustomAudience
CustomConversion: Any = _CustomConversion
IGComment: Any = _IGComment
IGMedia: Any = _IGMedia
IGUser: Any = _IGUser
Lead: Any = _Lead
LeadgenForm: Any = _LeadgenForm
Page: Any = _Page
PagePost: Any = _PagePost
ProductCatalog: Any = _ProductCatalog
ProductItem: Any = _ProductItem
ProductSet: Any = _ProductSet
Profile: Any = _Profile
Shop: Any = _Shop
TargetingSearch: Any = _TargetingSearch
UnifiedThread: Any = _UnifiedThread
User: Any = _User
_ADD = FacebookRequest.add_param
# Parameters of all lists.
_EVERYWHERE = frozenset({"limit"})
Waba: Any = _Waba


class _Redirected(HTTPAdapter):
    """Sends what is meant for a host of Meta to the recording server. Some hosts are built into the SDK."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        request.url = f"{self._base}/{(request.url or '').removeprefix('https://')}"
        return super().send(request, *args, **options)


def _add_param(request: Any, key: str, value: Any) -> Any:
    """Add a parameter as the SDK does, and say so if the call has none of this name: it only checks types itself."""
    if not request._param_checker.is_valid_key(key) and key not in _EVERYWHERE:
        warnings.warn(f"{request._endpoint} has no parameter {key}", stacklevel=2)
    return _ADD(request, key, value)


@contextmanager
def api(recorder: Recorder) -> Iterator[Any]:
    session = FacebookSession(APP.id, APP.secret, TOKEN)
    session.requests.mount("https://", _Redirected(recorder.base(SDK)))
    with patch.object(FacebookRequest, "add_param", _add_param):
        yield FacebookAdsApi(session)
    session.requests.close()
