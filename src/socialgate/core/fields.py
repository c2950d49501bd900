"""Types of fields that many objects have, with their descriptions, so that each is written once."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

CreatedAt = Annotated[datetime, Meta(description="When it was created.")]
UpdatedAt = Annotated[datetime, Meta(description="When it was last changed.")]
NextCursor = Annotated[str | None, Meta(description="Send it as `cursor` to get the next page. Null on the last page.")]
AccountIdField = Annotated[str, Meta(description="The id of the account, `acc_…`.")]
AdAccountIdField = Annotated[str, Meta(description="The id of the ad account, `adacc_…`.")]
ProfileIdField = Annotated[str, Meta(description="The id of the profile that it belongs to, `prf_…`.")]
PlatformField = Annotated[str, Meta(description="The platform of the account, such as `meta`; see `GET /platforms`.")]
AccountKindField = Annotated[str, Meta(description="The kind of account, such as `instagram`; see `GET /platforms`.")]
IsDeleted = Annotated[Literal[True], Meta(description="Always true: a failure is returned as an error.")]
