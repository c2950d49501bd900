"""Types of fields that objects of advertising share, and the ids in their examples."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

EXAMPLE_AD_ACCOUNT_ID = "adacc_01h455vb4pex5vsknk084sn02q"
CAMPAIGN, ADSET, AD, CREATIVE = (f"12033000000000000{number}" for number in range(1, 5))
EXAMPLE_PIXEL_ID, EXAMPLE_AUDIENCE_ID = "6980000000000001", "23850000000000001"
_OPTIONS_DESCRIPTION = (
    "Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."
)

AdAccountId = Annotated[
    str, Meta(min_length=1, max_length=40, description="The id of an ad account, from `GET /adaccounts`.")
]
PlatformId = Annotated[str, Meta(min_length=1, max_length=100)]
AdObjectName = Annotated[str, Meta(min_length=1, max_length=400)]
HttpUrl = Annotated[str, Meta(max_length=2000, pattern=r"^https?://[^\s/?#]+\S*$")]
AwareDatetime = Annotated[datetime, Meta(tz=True)]
CountryCode = Annotated[str, Meta(pattern="^[A-Z]{2}$", description="ISO 3166 code, such as `PE`.")]
PlatformOptions = Annotated[Mapping[str, Any], Meta(max_length=50, description=_OPTIONS_DESCRIPTION)]
