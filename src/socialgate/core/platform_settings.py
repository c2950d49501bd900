"""What a deployment tells about itself to platforms: the apps that it registered there.

An `…_url` puts a simulator or a proxy in the place of a platform's hosts: `https://graph.facebook.com/v26.0/me` is then
`<url>/graph.facebook.com/v26.0/me`. Telegram and WaSender have one host, whose place the address takes whole.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

Url = Annotated[str, Meta(pattern=r"^https?://")]

_STANDS_IN = "Address that stands in for all hosts of {}, for tests and proxies. Unset: the platform itself."


class PlatformSettings(msgspec.Struct, frozen=True, kw_only=True):
    meta_app_id: Annotated[str | None, Meta(description="App id from developers.facebook.com.")] = None
    meta_app_secret: Annotated[str | None, Meta(description="App secret of the Meta app.")] = None
    meta_verify_token: Annotated[
        str | None, Meta(description="The word that Meta is to send when it asks for `/webhooks/meta`.")
    ] = None
    meta_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("Meta"))] = None
    threads_app_id: Annotated[
        str | None, Meta(description="Threads app id, which is not the id of the Meta app around it.")
    ] = None
    threads_app_secret: Annotated[str | None, Meta(description="Threads app secret.")] = None
    threads_verify_token: Annotated[
        str | None, Meta(description="The word that Threads is to send when it asks for `/webhooks/threads`.")
    ] = None
    threads_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("Threads"))] = None
    tiktok_app_id: Annotated[str | None, Meta(description="Client key from developers.tiktok.com.")] = None
    tiktok_app_secret: Annotated[str | None, Meta(description="Client secret of the TikTok app.")] = None
    tiktok_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("TikTok"))] = None
    tiktokads_app_id: Annotated[
        str | None, Meta(description="App id from the TikTok API for Business, another than TikTok's.")
    ] = None
    tiktokads_app_secret: Annotated[str | None, Meta(description="Secret of that app.")] = None
    tiktokads_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("TikTok for Business"))] = None
    google_app_id: Annotated[
        str | None, Meta(description="OAuth client id from console.cloud.google.com, of the type web application.")
    ] = None
    google_app_secret: Annotated[str | None, Meta(description="Secret of that OAuth client.")] = None
    google_verify_token: Annotated[
        str | None,
        Meta(description="Secret audience of a Pub/Sub subscription that pushes to `/webhooks/google`."),
    ] = None
    google_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("Google"))] = None
    wasender_app_secret: Annotated[
        str | None, Meta(description="Personal access token of WaSender, for customers who bring none.")
    ] = None
    wasender_url: Annotated[
        Url | None, Meta(description="Address of a WaSender server. Unset: https://www.wasenderapi.com.")
    ] = None
    whatsapp_cloud_url: Annotated[Url | None, Meta(description=_STANDS_IN.format("WhatsApp's Cloud API"))] = None
    telegram_url: Annotated[
        Url | None, Meta(description="Address of a Bot API server. Unset: https://api.telegram.org.")
    ] = None
    connect_redirects: Annotated[
        str,
        Meta(
            description="Origins, comma-separated, to which a browser may be sent after connecting an account, such "
            "as `https://app.example.com`. Our own is always allowed."
        ),
    ] = ""
