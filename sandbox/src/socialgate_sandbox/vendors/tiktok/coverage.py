"""What the endpoints of the simulated TikTok check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=("/www.tiktok.com/*", "*/oauth/*"),
        checked=(
            "The app's id and secret, the redirect URI, the scopes, and codes, which work once, within their lifetime "
            "and with the same redirect URI; PKCE. Refresh tokens, their rotation, and revocation."
        ),
        not_checked="App review, and the URL prefixes of the app.",
    ),
    EndpointCoverage(
        title="Publishing",
        paths=("*/publish/*", "/open-upload.tiktokapis.com/*"),
        checked=(
            "The scope; the documented number of calls a minute per token; the creator's privacy levels, switches and "
            "maximum duration; drafts and posts per day; unaudited apps; verified URL prefixes; chunks with their "
            "sizes and ranges; the type, size and duration of the file, which are read from its bytes."
        ),
        not_checked="Content policies: the fate of a post is set with verbs.",
    ),
    EndpointCoverage(
        title="Profiles and videos",
        paths=("*/user/info/", "*/video/*"),
        checked="The scope; the limit of calls per token; fields; cursors and page sizes.",
        not_checked="Nothing that we know of.",
    ),
    EndpointCoverage(
        title="Files",
        paths=("*",),
        checked="Whether the file exists.",
        not_checked="Signatures and expiry of the URL.",
    ),
)
