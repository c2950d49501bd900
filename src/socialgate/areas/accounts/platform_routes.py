"""What each kind of account can do. Any credential may read it."""

from socialgate.areas.accounts.capability_matrix import CapabilityMatrix
from socialgate.areas.accounts.routes import ACCOUNTS_TAG
from socialgate.areas.accounts.schemas import PlatformKind, PlatformKinds, PlatformsQuery
from socialgate.contracts.platforms import Kind
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import route


@route("GET", "/platforms", sdk="platforms.list", tag=ACCOUNTS_TAG, query=PlatformsQuery)
async def list_platforms(params: PlatformsQuery, matrix: CapabilityMatrix, work: UnitOfWork) -> PlatformKinds:
    """List every kind of account: how to connect it, what it can do, and the limits that our validation uses."""
    del work  # it only shows that there is a credential
    return matrix.build(params.kinds)


@route(
    "GET",
    "/platforms/{kind:str}",
    sdk="platforms.get",
    tag=ACCOUNTS_TAG,
    choices={"kind": tuple(Kind)},
    raises=(NotFound,),
)
async def show_platform(kind: str, matrix: CapabilityMatrix, work: UnitOfWork) -> PlatformKind:
    """Return one kind of account, such as `instagram`: what it can do, and the options of its posts and messages."""
    del work  # it only shows that there is a credential
    return matrix.show_kind(kind)


routes = [list_platforms, show_platform]
