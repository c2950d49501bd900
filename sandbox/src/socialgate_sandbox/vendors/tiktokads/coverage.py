"""What the endpoints of the simulated TikTok Ads check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=("/business-api.tiktok.com/portal/*", "*/oauth*/*token/"),
        checked="The app's id and secret; codes, which work once and for an hour; revocation.",
        not_checked="App review: every permission of the portal is available.",
    ),
    EndpointCoverage(
        title="Webhooks",
        paths=("*/subscription/*",),
        checked="The app; the entity and its details; permission for the ad account or form; the callback URL.",
        not_checked="The TLS certificate of the callback.",
    ),
    EndpointCoverage(
        title="Leads",
        paths=("*/page/*", "*/lead/*"),
        checked=(
            "Token and role in the ad account; forms and fields; export tasks with their regions; one test lead per "
            "form."
        ),
        not_checked="Retention: leads stay until a reset.",
    ),
    EndpointCoverage(
        title="Catalogs",
        paths=("*/catalog/*", "*/store/*", "*.csv"),
        checked=(
            "Token and Business Center; names, types and conditions of sets; each product with its required fields, "
            "prices, links and images; sizes of batches; how often a batch may be sent."
        ),
        not_checked="Product policies beyond the review that follows after a minute.",
    ),
    EndpointCoverage(
        title="Images and videos",
        paths=("*/file/*",),
        checked="Token; type, size, dimensions and signature of the file; URLs, which are downloaded.",
        not_checked="Codecs and bit rates.",
    ),
    EndpointCoverage(
        title="Campaigns, ad groups and ads",
        paths=("*/campaign/*", "*/adgroup/*", "*/ad/*"),
        checked=(
            "Token and ad account; objectives, goals, bids, budgets with their minimums, schedules, placements, "
            "targeting, identities, creatives and calls to action, and which of them fit together; names that are "
            "taken; repeated request ids; deleted objects; the number of ads."
        ),
        not_checked=(
            "Content policies, except for three phrases that the review rejects; Smart+ and Reach & Frequency "
            "campaigns."
        ),
    ),
    EndpointCoverage(
        title="Identities and posts",
        paths=("*/identity/*", "*/tt_video/*"),
        checked="Token; kind of identity; authorization codes of posts and their expiry.",
        not_checked="Nothing that we know of.",
    ),
    EndpointCoverage(
        title="Audiences",
        paths=("*/dmp/*", "*/segment/*"),
        checked="Token; types of hashes and of rules; sizes, sources and countries; sharing.",
        not_checked="Whether a hash belongs to a person: each counts as one.",
    ),
    EndpointCoverage(
        title="Pixels and conversions",
        paths=("*/pixel/*", "*/crm/*", "*/event/*", "*/custom_conversion/*"),
        checked=(
            "Token; event sources and whose they are; names, times and properties of events; duplicates by `event_id`; "
            "rules of custom conversions."
        ),
        not_checked="Matching of events with people.",
    ),
    EndpointCoverage(
        title="Reports",
        paths=("*/report/*",),
        checked=(
            "Token; levels, dimensions, metrics and filters, and which of them fit together; ranges of dates; states "
            "of tasks."
        ),
        not_checked="Metrics that are not simulated are refused as unknown.",
    ),
    EndpointCoverage(
        title="Targeting and accounts",
        paths=("*",),
        checked=(
            "Token; ad accounts and Business Centers that it can access; values of parameters; pages; the limits of "
            "calls per second and minute."
        ),
        not_checked="Only a selection of places and interests exists.",
    ),
)
