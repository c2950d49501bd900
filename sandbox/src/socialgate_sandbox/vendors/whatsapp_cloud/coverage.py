"""What the endpoints of the simulated WhatsApp Cloud API check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage
from socialgate_sandbox.vendors.whatsapp_cloud.send_api import MESSAGE_TYPES

COVERAGE = (
    EndpointCoverage(
        title="Sign-in",
        paths=("/www.facebook.com/*", "*/oauth/access_token", "*/debug_token"),
        checked=(
            "In Embedded Signup: the app's id and secret, the redirect URI, the scopes, and codes, which work once, "
            "within their lifetime and with the same redirect URI. Tokens: expiry, revocation, `appsecret_proof`."
        ),
        not_checked="App review, business verification, and payment methods.",
    ),
    EndpointCoverage(
        title="Messages",
        paths=("*/messages",),
        checked=(
            "The token and its permission; whether the number is registered and in good standing; the recipient; the "
            "type of the message with its fields, lengths, buttons and rows; media ids, and links, which are "
            "downloaded; templates, their parameters and their approval; the 24-hour window, whose end is reported by "
            "webhook as on the real platform."
        ),
        not_checked=(
            "Throughput and messaging limits, and spam: cause them with `fail`. Unknown members of a message are "
            "ignored, as on the real platform."
        ),
        actions=MESSAGE_TYPES,
    ),
    EndpointCoverage(
        title="Templates",
        paths=("*/message_templates", "*/{WhatsAppMessageTemplate}"),
        checked=(
            "Permission; name, language, category, components and their examples; names that are taken. A template is "
            "approved or rejected with the verb `template`."
        ),
        not_checked="The content: no policy is applied.",
    ),
    EndpointCoverage(
        title="Media",
        paths=("*/media", "*/{WhatsAppMedia}", "*/whatsapp_business/attachments/*"),
        checked="Permission; type and size of a file; the lifetime of its URL; the token of the download.",
        not_checked="Codecs, and the dimensions of images and videos.",
    ),
    EndpointCoverage(
        title="Webhooks",
        paths=("*/subscriptions", "*/subscribed_apps"),
        checked="Permission; the object and its fields; the callback URL, which must return the challenge.",
        not_checked="The TLS certificate of the callback.",
    ),
    EndpointCoverage(
        title="Files",
        paths=("*/picture/*",),
        checked="Whether the file exists.",
        not_checked="Signatures and expiry of the URL.",
    ),
    EndpointCoverage(
        title="Accounts and numbers",
        paths=("*",),
        checked=(
            "Permission, and whether the token can access the account; fields that the Graph API does not have; PINs, "
            "profiles and blocked users."
        ),
        not_checked=(
            "Fields without a value in the simulation are left out; edges that Meta's SDK declares but the sandbox "
            "does not simulate are empty lists."
        ),
    ),
)
