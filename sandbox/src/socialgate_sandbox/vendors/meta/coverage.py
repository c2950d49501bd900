"""What the endpoints of the simulated Meta check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=("/www.facebook.com/*", "*/oauth/access_token", "*/debug_token", "*/{User}/permissions"),
        checked=(
            "The app's id and secret, the redirect URI, the scopes, and codes, which work once, within their lifetime "
            "and with the same redirect URI. Tokens: expiry, revocation, granted permissions, `appsecret_proof`."
        ),
        not_checked="App review, business verification, and roles in the app.",
    ),
    EndpointCoverage(
        title="Webhooks",
        paths=("*/subscriptions", "*/subscribed_apps"),
        checked="Tokens and permissions; objects and fields; the callback URL, which must return the challenge.",
        not_checked="The TLS certificate of the callback.",
    ),
    EndpointCoverage(
        title="Lead forms",
        paths=("*/leadgen_forms", "*/{LeadGenForm}*", "*/{UserLeadGenInfo}"),
        checked=(
            "Page token, permissions and Leads Access Manager; names, questions, keys and the privacy policy of forms; "
            "filters of leads."
        ),
        not_checked="Retention: leads stay until a reset.",
    ),
    EndpointCoverage(
        title="Messages",
        paths=("*/{Page}/messages", "*/conversations", "*/{UnifiedThread}/*"),
        checked=(
            "Page token and permissions; the recipient; the 24-hour window and the tag HUMAN_AGENT; texts, quick "
            "replies, buttons, templates and attachments with their limits; replies, reactions and sender actions; "
            "private replies, one per comment and within their time."
        ),
        not_checked="Message rate limits, and policies for content.",
    ),
    EndpointCoverage(
        title="Catalogs",
        paths=(
            "*product_catalogs",
            "*/{ProductCatalog}*",
            "*/{ProductItem}*",
            "*/{ProductSet}*",
            "*commerce_merchant_settings",
            "*/{CommerceMerchantSettings}*",
        ),
        checked=(
            "Permissions and business roles; fields, prices, links and images of products; filters of sets; sizes of "
            "batches and their handles."
        ),
        not_checked="Commerce policies: products are approved after a minute.",
    ),
    EndpointCoverage(
        title="Instagram",
        paths=("*/{ShadowIG*", "*/ig-api-upload/*"),
        checked=(
            "Permissions, and the connection between Page and account; captions, hashtags, tags, locations and other "
            "options; media, which is downloaded and read; the processing time of containers; carousels; the "
            "publishing limit; comments and replies; names, periods and breakdowns of metrics."
        ),
        not_checked="Copyright and content policies.",
    ),
    EndpointCoverage(
        title="Ads",
        paths=(
            "*/{Ad*",
            "*/{CustomAudience}*",
            "*/{CustomConversion}*",
            "*/adaccounts",
            "*ad_accounts",
            "*/adspixels",
            "*/search",
        ),
        checked=(
            "Permissions and the state of the ad account; objectives, goals, bids, budgets with their minimums, "
            "schedules, targeting, declarations, creatives and media, and which of them fit together; hashes of "
            "audiences; events of the Conversions API; fields, breakdowns, levels and filters of insights; the amount "
            "of data."
        ),
        not_checked=(
            "Content policies, except for three phrases that the review rejects. Unknown parameters are ignored, as on "
            "the real platform. Only a selection of regions, cities and interests exists."
        ),
    ),
    EndpointCoverage(
        title="Files",
        paths=("*/picture/*", "*/media/{name}"),
        checked="Whether the file exists.",
        not_checked="Signatures and expiry of the URL.",
    ),
    EndpointCoverage(
        title="Pages and accounts",
        paths=("*",),
        checked=(
            "Tokens, permissions and roles; fields that the Graph API does not have; messages, links, schedules and "
            "media of posts, which are downloaded and read; upload sessions with their offsets; comments and "
            "reactions; names and periods of metrics; pages of lists; steps of batches."
        ),
        not_checked=(
            "Fields without a value in the simulation are left out; edges that Meta's SDK declares but the sandbox "
            "does not simulate are empty lists. Rate limits are reported in headers, and only enforced with `fail` or "
            "`throttle`."
        ),
    ),
)
