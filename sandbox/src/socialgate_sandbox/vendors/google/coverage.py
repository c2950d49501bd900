"""What the endpoints of the simulated Google check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=(
            "/accounts.google.com/o/*",
            "*/token",
            "*/revoke",
            "*userinfo*",
            "*tokeninfo*",
            "*/me",
            "*/certs",
            "*/keys*",
            "*openid-configuration*",
            "*/robot/*",
        ),
        checked=(
            "The app's id and secret, the redirect URI, the scopes, and codes, which work once, within their lifetime "
            "and with the same redirect URI; PKCE; `prompt` and `access_type`. Expiry, refresh and revocation of "
            "tokens; ID tokens are signed."
        ),
        not_checked="App verification, test users, and unverified-app warnings.",
    ),
    EndpointCoverage(
        title="Security events",
        paths=("*risc*",),
        checked="The signed token of the service account; the URL and the events of the stream.",
        not_checked="The TLS certificate of the receiver.",
    ),
    EndpointCoverage(
        title="New videos of channels",
        paths=("/pubsubhubbub.appspot.com/*",),
        checked="Mode, topic, and the callback, which must return the challenge.",
        not_checked="How often a subscriber is verified again.",
    ),
    EndpointCoverage(
        title="Calendar",
        paths=("*/calendar/*",),
        checked=(
            "Scope and access role; times, time zones and recurrence rules; guests and reminders; `If-Match`; sync "
            "tokens and how they are combined with other parameters; notification channels."
        ),
        not_checked="Usage limits. Parameters that are not simulated are ignored.",
    ),
    EndpointCoverage(
        title="Business Profile",
        paths=("/mybusiness*", "/businessprofile*"),
        checked=(
            "Scope and role; unknown names in bodies and queries; read masks; posts with their topics, media and calls "
            "to action; replies to reviews; metrics and ranges of dates."
        ),
        not_checked="Verification of locations: it is set in the simulation.",
    ),
    EndpointCoverage(
        title="YouTube Analytics",
        paths=("/youtubeanalytics*",),
        checked=(
            "Scope; metrics, dimensions, filters and sort orders, and which of them fit together; dates; the daily "
            "quota."
        ),
        not_checked="Content owner reports are not simulated.",
    ),
    EndpointCoverage(
        title="YouTube",
        paths=("*/youtube/*",),
        checked=(
            "Scope; required and unknown parts and parameters; titles, descriptions, tags, categories, publish times "
            "and localizations; resumable uploads with their ranges; comments with their lengths and moderation; "
            "suspended and missing channels; the daily quotas."
        ),
        not_checked="Copyright and community guidelines: the outcome of processing is set with verbs.",
    ),
    EndpointCoverage(
        title="Files",
        paths=("*/picture/*", "*/media/*"),
        checked="Whether the file exists.",
        not_checked="Signatures and expiry of the URL.",
    ),
    EndpointCoverage(
        title="Batches",
        paths=("*",),
        checked="1 to 100 calls, each checked as if made alone.",
        not_checked="The size of a batch in bytes.",
    ),
)
