"""Links with which people connect accounts on a page of ours."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from socialgate.contracts.platforms import Platform
from socialgate.contracts.sign_in_forms import ProfileId
from socialgate.core.fields import CreatedAt, ProfileIdField
from socialgate.core.shapes import StoredValue
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import NonBlankText, RequestBody, ResponseModel

MAX_EXPIRY_HOURS = 168
DEFAULT_EXPIRY_HOURS = 24
MAX_USES = 1000
MAX_EMBED_ORIGINS = 10
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"

Color = Annotated[
    str, Meta(pattern=r"^#[0-9a-fA-F]{6}$(?!\n)", description="The color of the main buttons, such as `#0f766e`.")
]


class LinkBrand(RequestBody, StoredValue, frozen=True, kw_only=True):
    """How the page of a link looks: like yours."""

    name: (
        Annotated[
            NonBlankText, Meta(max_length=60, description="The name of your product or company, as people know it.")
        ]
        | None
    ) = None
    logo_media_id: (
        Annotated[str, Meta(max_length=40, description="An image from `POST /upload`. It is kept as long as the link.")]
        | None
    ) = None
    color: Color | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Bakery Planner", "logoMediaId": None, "color": "#0f766e"}


class NewConnectLink(RequestBody, frozen=True, kw_only=True):
    """A link for one profile. Anyone who has it can connect accounts to the profile, and nothing else."""

    profile_id: ProfileId
    platforms: (
        Annotated[
            list[Platform],
            Meta(min_length=1, max_length=20, description="What the page offers. Unset: every configured platform."),
        ]
        | None
    ) = None
    redirect_url: (
        Annotated[
            str,
            Meta(
                max_length=2048,
                description="Where the person goes at the end, with `status`, `platform` and `accountIds` added. The "
                "rules are those of `GET /connect/{platform}`. Unset: the person stays on the page.",
            ),
        ]
        | None
    ) = None
    expires_in_hours: Annotated[
        int, Meta(ge=1, le=MAX_EXPIRY_HOURS, description="For how many hours the link works.")
    ] = DEFAULT_EXPIRY_HOURS
    uses: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_USES,
            description="How often each kind of account can be connected with the link. One sign-in with several "
            "chosen accounts is one use, and for Meta it covers Pages, Instagram and ad accounts.",
        ),
    ] = 1
    brand: LinkBrand | None = None
    """How the page looks. Unset: neutral."""
    embed_origins: (
        Annotated[
            list[Annotated[str, Meta(max_length=300)]],
            Meta(
                max_length=MAX_EMBED_ORIGINS,
                description="The origins of your pages that may show the page in an iframe, such as "
                "`https://app.example.com`. Unset: none.",
            ),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _EXAMPLE_PROFILE_ID,
            "platforms": ["meta", "telegram"],
            "expiresInHours": 48,
            "brand": LinkBrand.example(),
        }


class ConnectLink(ResponseModel, frozen=True, kw_only=True):
    """A link to the page on which somebody connects accounts. Its URL is only in the response that created it."""

    id: str
    """The id of the link, `lnk_…`. It is not part of the URL."""
    profile_id: ProfileIdField
    platforms: list[Platform] | None
    """What the page offers. Null offers every configured platform."""
    redirect_url: str | None
    """Where the person goes at the end. Null if the person stays on the page."""
    uses: int
    """How often each kind of account can be connected with it."""
    brand: LinkBrand | None
    """How the page looks."""
    embed_origins: list[str]
    """The origins that may show the page in an iframe."""
    account_ids: list[str]
    """The accounts that were connected with it, `acc_…` or `adacc_…`, oldest first."""
    expires_at: datetime
    """When the link stops working."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "lnk_01h455vb4pex5vsknk084sn02q",
            "profileId": _EXAMPLE_PROFILE_ID,
            "platforms": ["meta", "telegram"],
            "redirectUrl": "https://app.example.com/connected",
            "uses": 1,
            "brand": LinkBrand.example(),
            "embedOrigins": [],
            "accountIds": ["acc_01h455vb4pex5vsknk084sn02q"],
            "expiresAt": "2026-11-17T09:30:00Z",
            "createdAt": "2026-11-15T09:30:00Z",
        }


class ConnectLinkCreated(ConnectLink, frozen=True, kw_only=True):
    """A new link. `url` is only in this response; a replay has `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("url",)

    url: str | UnsetType = UNSET
    """Where to send the person. Anyone who knows it can use the link, so treat it like a password."""
    secret_withheld: bool | UnsetType = UNSET
    """True in a replayed response, instead of `url`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        own = {"accountIds": [], "url": "https://social.example.com/c/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE"}
        return {**ConnectLink.example(), **own}


class ConnectLinksQuery(ListQuery, frozen=True, kw_only=True):
    """Which links to list."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only links of this profile.")] | None = None
