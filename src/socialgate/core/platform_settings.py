"""What a deployment configures about platforms: the apps that it registered there.

An `…_url` replaces a platform's hosts with a simulator or a proxy: `https://graph.facebook.com/v26.0/me` becomes
`<url>/graph.facebook.com/v26.0/me`. Telegram and WaSender have one host, which the URL replaces completely.
"""

from typing import Annotated

from msgspec import Meta

from socialgate.core.ai_settings import AiSettings, HttpUrl

_BASE_URL_DESCRIPTION = "URL that replaces all hosts of {}, for tests and proxies. Unset: the platform itself."


# Structs cannot have two bases.
class PlatformSettings(AiSettings, frozen=True, kw_only=True):
    meta_app_id: Annotated[str | None, Meta(description="App id from developers.facebook.com.")] = None
    meta_app_secret: Annotated[str | None, Meta(description="App secret of the Meta app.")] = None
    meta_verify_token: Annotated[str | None, Meta(description="Verify token that Meta sends to `/webhooks/meta`.")] = (
        None
    )
    meta_url: Annotated[HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("Meta"))] = None
    threads_app_id: Annotated[
        str | None, Meta(description="Threads app id, which differs from the id of the Meta app that contains it.")
    ] = None
    threads_app_secret: Annotated[str | None, Meta(description="Threads app secret.")] = None
    threads_verify_token: Annotated[
        str | None, Meta(description="Verify token that Threads sends to `/webhooks/threads`.")
    ] = None
    threads_url: Annotated[HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("Threads"))] = None
    tiktok_app_id: Annotated[str | None, Meta(description="Client key from developers.tiktok.com.")] = None
    tiktok_app_secret: Annotated[str | None, Meta(description="Client secret of the TikTok app.")] = None
    tiktok_url: Annotated[HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("TikTok"))] = None
    tiktokads_app_id: Annotated[
        str | None, Meta(description="App id from TikTok API for Business, which differs from TikTok's.")
    ] = None
    tiktokads_app_secret: Annotated[str | None, Meta(description="Secret of that app.")] = None
    tiktokads_url: Annotated[HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("TikTok for Business"))] = (
        None
    )
    google_app_id: Annotated[
        str | None, Meta(description="OAuth client id from console.cloud.google.com, of the type web application.")
    ] = None
    google_app_secret: Annotated[str | None, Meta(description="Secret of that OAuth client.")] = None
    google_verify_token: Annotated[
        str | None,
        Meta(description="Secret audience of a Pub/Sub subscription that pushes to `/webhooks/google`."),
    ] = None
    google_url: Annotated[HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("Google"))] = None
    wasender_app_secret: Annotated[
        str | None, Meta(description="WaSender personal access token, for customers who do not provide their own.")
    ] = None
    wasender_url: Annotated[
        HttpUrl | None, Meta(description="URL of a WaSender server. Unset: https://www.wasenderapi.com.")
    ] = None
    whatsapp_cloud_url: Annotated[
        HttpUrl | None, Meta(description=_BASE_URL_DESCRIPTION.format("WhatsApp's Cloud API"))
    ] = None
    telegram_url: Annotated[
        HttpUrl | None, Meta(description="URL of a Bot API server. Unset: https://api.telegram.org.")
    ] = None
    connect_redirects: Annotated[
        str,
        Meta(
            description=(
                "Allowed origins of `redirectUrl` after connecting an account, comma-separated, such as "
                "`https://app.example.com`. Our own is always allowed."
            )
        ),
    ] = ""
