"""What the endpoints of the simulated Threads check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=(
            "*/oauth/authorize*",
            "*/oauth/access_token",
            "*/access_token",
            "*/refresh_access_token",
            "*/debug_token",
        ),
        checked=(
            "The app's id and secret, the redirect URI, the scopes, and codes, which work once, within their lifetime "
            "and with the same redirect URI. Tokens: expiry, revocation, exchange, and refresh after 24 hours at the "
            "earliest."
        ),
        not_checked="App review, and testers of the app.",
    ),
    EndpointCoverage(
        title="Publishing",
        paths=("*/threads", "*/threads_publish", "*/threads_publishing_limit", "*/repost", "*/{ThreadsMedia}"),
        checked=(
            "Permissions; lengths, links, topics, polls, text attachments and other options; media, which is "
            "downloaded and read; the processing time of containers; carousels; 250 posts and 1,000 replies a day."
        ),
        not_checked="Copyright and content policies.",
    ),
    EndpointCoverage(
        title="Replies",
        paths=("*/replies", "*/conversation", "*/manage_reply", "*/mentions"),
        checked="Permissions; whose post it is; which replies can be hidden.",
        not_checked="Nothing that we know of.",
    ),
    EndpointCoverage(
        title="Insights",
        paths=("*insights",),
        checked="Permission; names, periods and breakdowns of metrics; dates.",
        not_checked="Metrics that are not simulated are refused as unknown.",
    ),
    EndpointCoverage(
        title="Files",
        paths=("*/picture/*", "*/media/{name}"),
        checked="Whether the file exists.",
        not_checked="Signatures and expiry of the URL.",
    ),
    EndpointCoverage(
        title="Reading",
        paths=("*",),
        checked="Permissions; fields that the API does not have; pages; dates.",
        not_checked="The weekly limit of keyword searches.",
    ),
)
