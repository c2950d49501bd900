from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AdAccount, ListedAccountStatus
from socialgate.contracts.platforms import Kind
from socialgate.contracts.sign_in_forms import ProfileId
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_AD_ACCOUNT_ID = "act_1200000001"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"


class ConnectQuery(QueryParameters, frozen=True, kw_only=True):
    """Which profile to connect the account to, and where to send the person afterwards."""

    profile_id: ProfileId
    redirect_url: (
        Annotated[
            str,
            Meta(
                max_length=2048,
                description="Where the browser is redirected at the end: a URL of this service, or one that the "
                "deployment allows with SOCIALGATE_CONNECT_REDIRECTS; on a service that only this machine can reach, "
                "also any URL on localhost. Without it, a page shows the result, and the "
                "person chooses there what to connect if there is a choice.",
            ),
        ]
        | None
    ) = None
    kind: Annotated[list[Kind], Meta(description="Only these kinds of accounts. Can be repeated.")] | None = None
    same_browser: Annotated[
        bool,
        Meta(
            description="Whether only the browser that opened `authUrl` may finish. `authUrl` is then a URL of this "
            "service, which sets a cookie and redirects the browser to the platform."
        ),
    ] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID}


class ConnectStartQuery(QueryParameters, frozen=True, kw_only=True):
    """The attempt that a browser continues."""

    ticket: Annotated[str, Meta(max_length=100, description="From the `authUrl` of `GET /connect/{platform}`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"ticket": "Zm9v"}


class ConnectStarted(ResponseModel, frozen=True, kw_only=True):
    """Send the person's browser to `authUrl`. It is valid for one attempt, for ten minutes."""

    auth_url: str
    """Where to send the person's browser."""
    state: str
    """Identifies the attempt: the platform sends it back to this service. You do not need it."""
    expires_at: datetime
    """Until when the person can finish."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "authUrl": "https://www.facebook.com/v26.0/dialog/oauth?client_id=1&state=Zm9v",
            "state": "Zm9v",
            "expiresAt": _EXAMPLE_TIME,
        }


class ConnectableAccount(ResponseModel, frozen=True, kw_only=True):
    """An account that the person who signed in can connect. `connectedAccountId` is set if it is already connected."""

    id: str
    """The platform's own id. Send it in `ids` to connect the account."""
    kind: Kind
    """What kind of account it is."""
    name: str
    """Its name on the platform."""
    username: str | None
    """Its handle. Null if the kind has none."""
    avatar_url: str | None
    """The URL of its picture on the platform. Null if there is none."""
    connected_account_id: str | None
    """Our id, if the account is already connected to one of your profiles; otherwise null."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "17841400000000001",
            "kind": "instagram",
            "name": "Bakery Lima",
            "username": "bakerylima",
            "avatarUrl": None,
            "connectedAccountId": None,
        }


class ConnectableAccounts(ResponseModel, frozen=True, kw_only=True):
    """Everything that can be connected with the granted permissions."""

    data: list[ConnectableAccount]
    """The accounts, in the order in which the platform lists them."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [ConnectableAccount.example()]}

    @classmethod
    def example_of_ads(cls) -> dict[str, Any]:
        of_ads = {"id": _EXAMPLE_AD_ACCOUNT_ID, "kind": "meta_ads", "name": "Bakery Lima Ads", "username": None}
        return {"data": [ConnectableAccount.example() | of_ads]}


class AccountSelectionBody(RequestBody, frozen=True, kw_only=True):
    """Which of the available accounts to connect."""

    ids: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=300)]],
        Meta(min_length=1, max_length=100, description="`id`s from the list of available accounts."),
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"ids": ["17841400000000001"]}


class AdAccountChoice(AccountSelectionBody, frozen=True, kw_only=True):
    """Which of the available ad accounts to connect."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"ids": [_EXAMPLE_AD_ACCOUNT_ID]}


class ConnectedAccounts(ResponseModel, frozen=True, kw_only=True):
    """The accounts that are now connected."""

    data: list[Account]
    """The chosen accounts. Those that were connected before are reconnected."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [Account.example()]}


class ConnectedAdAccounts(ResponseModel, frozen=True, kw_only=True):
    """The ad accounts that are now connected."""

    data: list[AdAccount]
    """The chosen ad accounts. Those that were connected before are reconnected."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [AdAccount.example()]}


class PairingQrCode(ResponseModel, frozen=True, kw_only=True):
    """The status of pairing a phone. While it is waiting there is a code: request a new one when it has expired."""

    status: ListedAccountStatus
    """`connecting` until the code is scanned, then `connected`."""
    qr: str | None
    """The content of the code, to draw it yourself. Null if there is no code to scan."""
    image: str | None
    """The code as a PNG image, as a `data:` URL. Null if there is no code to scan."""
    svg: str | None
    """The code as an SVG image. Null if there is no code to scan."""
    expires_at: datetime | None
    """When the code expires. Null if there is no code to scan."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "status": "connecting",
            "qr": "2@DTMx",
            "image": "data:image/png;base64,iVBORw0KGgo=",
            "svg": "<svg/>",
            "expiresAt": _EXAMPLE_TIME,
        }
