"""The forms that connect an account without a redirect: with a credential, or by pairing a phone.

They are routes of the API, which are known and documented before any connector is loaded. A platform that has no form
is connected by redirect. The manifests say which fields of a form may be shown.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate.contracts.platforms import ConnectMethod, Kind, Platform
from socialgate.core.shapes import NonBlankText, RequestBody

_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"

ProfileId = Annotated[str, Meta(max_length=40, description="The profile that the account will belong to.")]
Secret = Annotated[str, Meta(min_length=1, max_length=2000)]


class ConnectBody(RequestBody, frozen=True, kw_only=True):
    """What a customer enters to connect an account."""

    profile_id: ProfileId

    @property
    def form_values(self) -> dict[str, str]:
        """What the connector needs: the fields by their public names, without the profile."""
        params: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in params.items() if name != "profileId" and value is not None}


class WasenderConnection(ConnectBody, frozen=True, kw_only=True):
    """A WhatsApp number to pair by QR code, through WaSender."""

    name: Annotated[NonBlankText, Meta(max_length=100, description="Display name, also of the session at WaSender.")]
    phone_number: Annotated[
        str, Meta(pattern=r"^\+[1-9][0-9]{6,14}$(?!\n)", description="The number to pair, such as +51987654321.")
    ]
    access_token: (
        Annotated[Secret, Meta(description="A WaSender personal access token. By default, that of this service.")]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID, "name": "Shop phone", "phoneNumber": "+51987654321"}


class WhatsappCloudConnection(ConnectBody, frozen=True, kw_only=True):
    """A WhatsApp Cloud API number."""

    phone_number_id: Annotated[str, Meta(min_length=1, max_length=64, description="Meta's id of the number.")]
    waba_id: Annotated[str, Meta(min_length=1, max_length=64, description="Id of the WhatsApp Business Account.")]
    access_token: Annotated[Secret, Meta(description="A system user's token with both WhatsApp permissions.")]
    app_secret: Annotated[Secret, Meta(description="Secret of the Meta app that sends the webhooks.")]
    pin: (
        Annotated[
            str,
            Meta(
                pattern=r"^[0-9]{6}$(?!\n)",
                description="Six digits of your choice, if the number is not registered yet.",
            ),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _EXAMPLE_PROFILE_ID,
            "phoneNumberId": "106540352242922",
            "wabaId": "102290129340398",
            "accessToken": "EAAG...",
            "appSecret": "0123456789abcdef",
        }


class TelegramConnection(ConnectBody, frozen=True, kw_only=True):
    """A Telegram bot."""

    bot_token: Annotated[Secret, Meta(description="The token from BotFather.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID, "botToken": "123456789:AAF-made-up"}


class SignInForm(msgspec.Struct, frozen=True, kw_only=True):
    """The route that connects accounts of a platform: what it takes, its documentation, and what is special about the
    account in its example.
    """

    platform: Platform
    kind: Kind
    method: ConnectMethod
    body: type[ConnectBody]
    documentation: str
    account: Mapping[str, Any]

    @property
    def path(self) -> str:
        return f"/connect/{self.platform}"


_CONNECT_FORMS = (
    SignInForm(
        platform=Platform.WASENDER,
        kind=Kind.WHATSAPP_QR,
        method=ConnectMethod.QR,
        body=WasenderConnection,
        documentation=(
            "Start pairing a WhatsApp number. Show the person the code from `GET /accounts/{accountId}/wasender/qr`."
            "\n\n"
            "With an `Idempotency-Key` it is safe to retry, even if the first response was lost: no second session is "
            "created at WaSender. If it is unknown whether a session exists, the response is 502 and names the "
            "operation."
        ),
        account={
            "platformAccountId": "+51987654321",
            "name": "Shop phone",
            "username": "+51987654321",
            "profileUrl": "https://wa.me/51987654321",
            "status": "connecting",
            "connectedAt": None,
            "lastCheckedAt": None,
        },
    ),
    SignInForm(
        platform=Platform.WHATSAPP_CLOUD,
        kind=Kind.WHATSAPP_CLOUD,
        method=ConnectMethod.CREDENTIAL,
        body=WhatsappCloudConnection,
        documentation="Connect a WhatsApp Cloud API number. It is verified with Meta, and its webhooks are set up.",
        account={
            "platformAccountId": "106540352242922",
            "name": "Bakery Lima",
            "username": "+51987654321",
            "profileUrl": None,
            "lastCheckedAt": None,
        },
    ),
    SignInForm(
        platform=Platform.TELEGRAM,
        kind=Kind.TELEGRAM_BOT,
        method=ConnectMethod.CREDENTIAL,
        body=TelegramConnection,
        documentation="Connect a Telegram bot. Its token is verified, and its webhook is set up.",
        account={
            "platformAccountId": "123456789",
            "name": "Bakery Lima",
            "username": "bakerylima_bot",
            "profileUrl": "https://t.me/bakerylima_bot",
            "lastCheckedAt": None,
        },
    ),
)
CONNECT_FORMS_BY_PLATFORM: Mapping[Platform, SignInForm] = {form.platform: form for form in _CONNECT_FORMS}
REDIRECT_PLATFORMS = tuple(platform for platform in Platform if platform not in CONNECT_FORMS_BY_PLATFORM)


def uses_qr_pairing(platform: Platform) -> bool:
    """Return whether accounts of a platform are connected by scanning a code."""
    form = CONNECT_FORMS_BY_PLATFORM.get(platform)
    return form is not None and form.method is ConnectMethod.QR
