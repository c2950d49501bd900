"""Links to a page on which people without a login connect accounts to one profile."""

from collections.abc import Sequence

from socialgate.areas.connect_links.routes import routes
from socialgate.areas.connect_links.service import handle_profile_deleted
from socialgate.areas.connect_links.store import purge_links, purge_uses
from socialgate.areas.connect_links.uses import ConnectLinkUses
from socialgate.contracts.connect_links import LinkUses
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners() -> Sequence[FactListener]:
    return [ProfileDeleted.build_listener(handle_profile_deleted)]


AREA = Area(
    routes=routes,
    services={LinkUses: ConnectLinkUses},
    fact_listeners=_build_listeners,
    purges={"connect_links": purge_links, "connect_link_uses": purge_uses},
)
