from socialgate.areas.accounts.routes import CONNECT_TAG
from socialgate.areas.accounts.session import PlatformNotConfiguredError
from socialgate.areas.connect_links.schemas import ConnectLink, ConnectLinkCreated, ConnectLinksQuery, NewConnectLink
from socialgate.areas.connect_links.service import ConnectLinkService, LinkLimitError
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import route
from socialgate.web.schemas import DeletionConfirmation, Page


@route(
    "POST",
    "/connect/links",
    sdk="connect.links.create",
    tag=CONNECT_TAG,
    raises=(NotFound, PlatformNotConfiguredError, LinkLimitError),
)
async def create_link(data: NewConnectLink, work: UnitOfWork, connect_links: ConnectLinkService) -> ConnectLinkCreated:
    """Create a link to a page on which somebody without a login connects accounts to a profile.

    Send the person `url`: it is in this response only. The page offers the platforms, leads through the consent, the
    choice of accounts, the form or the code of each, and then to `redirectUrl` with `status=connected`, `denied` or
    `failed`, with `platform`, and with `accountIds`, separated by commas. Each account that is connected is reported
    with `account.connected`.
    """
    return await work.write(connect_links.create, work.caller, data)


@route("GET", "/connect/links", sdk="connect.links.list", tag=CONNECT_TAG, query=ConnectLinksQuery, raises=(NotFound,))
async def list_links(
    params: ConnectLinksQuery, work: UnitOfWork, connect_links: ConnectLinkService
) -> Page[ConnectLink]:
    """List the connect links, newest first, without their URLs. Expired links are listed for 30 more days."""
    return await work.read(connect_links.list, work.caller, params)


@route("GET", "/connect/links/{link_id:str}", sdk="connect.links.get", tag=CONNECT_TAG)
async def show_link(link_id: str, work: UnitOfWork, connect_links: ConnectLinkService) -> ConnectLink:
    """Return one connect link, with the accounts that were connected with it."""
    return await work.read(connect_links.get, work.caller, link_id)


@route(
    "DELETE",
    "/connect/links/{link_id:str}",
    sdk="connect.links.delete",
    tag=CONNECT_TAG,
    example=DeletionConfirmation.example_of("lnk"),
)
async def delete_link(link_id: str, work: UnitOfWork, connect_links: ConnectLinkService) -> DeletionConfirmation:
    """Delete a connect link. Its page stops working immediately; what was connected with it stays."""
    return await work.write(connect_links.delete, work.caller, link_id)


routes = [create_link, list_links, show_link, delete_link]
