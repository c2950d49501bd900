"""Inviting somebody to connect accounts: the connect links of a profile, a new one, and deleting one."""

from typing import Annotated

from msgspec import Meta, field

from socialgate.areas.connect_links.schemas import (
    DEFAULT_EXPIRY_HOURS,
    MAX_EXPIRY_HOURS,
    Color,
    ConnectLinksQuery,
    LinkBrand,
    NewConnectLink,
)
from socialgate.areas.connect_links.service import ConnectLinkService
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.pages.accounts import ACCOUNTS_PATH
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.platforms import Platform
from socialgate.contracts.sign_in_forms import ProfileId
from socialgate.web.schemas import RequestBody

INVITATIONS_PATH = f"{ACCOUNTS_PATH}/invitations"
# Each row has its dialog with it.
_MAX_ROWS = 25


class InvitationForm(RequestBody, frozen=True, kw_only=True):
    """What a person fills in for a connect link."""

    profile_id: ProfileId
    platforms: list[Platform] = field(default_factory=list)
    expires_in_hours: Annotated[int, Meta(ge=1, le=MAX_EXPIRY_HOURS)] = DEFAULT_EXPIRY_HOURS
    name: Annotated[str, Meta(max_length=60)] | None = None
    color: Color | None = None
    has_color: bool = False
    redirect_url: Annotated[str, Meta(max_length=2048)] | None = None

    def to_link(self) -> NewConnectLink:
        color = self.color if self.has_color else None
        return NewConnectLink(
            profile_id=self.profile_id,
            platforms=self.platforms or None,
            expires_in_hours=self.expires_in_hours,
            brand=LinkBrand(name=self.name, color=color) if self.name or color else None,
            redirect_url=self.redirect_url,
        )


@console_page(INVITATIONS_PATH, "invitations.html", query=ListPageQuery)
async def invitations_page(visit: Visit, params: ListPageQuery, connect_links: ConnectLinkService) -> Values:
    query = ConnectLinksQuery(limit=_MAX_ROWS, cursor=params.cursor, profile_id=params.profile)
    return {
        "links": await visit.work.read(connect_links.list, visit.caller, query),
        "platforms": [(str(platform), name) for platform, name in visit.platform_names.items()],
    }


@invitations_page.form("create", InvitationForm, path="")
async def create_invitation(visit: Visit, data: InvitationForm, connect_links: ConnectLinkService) -> Outcome:
    """Show the URL in this response. It is nowhere afterwards."""
    created = await visit.work.write(connect_links.create, visit.caller, data.to_link())
    return Shown("invitation_created.html", {"created": created})


@invitations_page.form("delete", path="/{link_id:str}/delete")
async def delete_invitation(visit: Visit, link_id: str, connect_links: ConnectLinkService) -> Outcome:
    await visit.work.write(connect_links.delete, visit.caller, link_id)
    return Done("The link was deleted and no longer works.")
