"""What the endpoints of the simulated WaSender check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Sessions",
        paths=("/api/whatsapp-sessions*", "/api/status", "/api/user"),
        checked=(
            "The customer's token or the session's key; the subscription and its number of sessions; names, phone "
            "numbers and webhook settings; whether a phone has scanned the QR code, which changes every 20 seconds."
        ),
        not_checked="Whether the phone number exists. Any phone can be linked with the verb `scan`.",
    ),
    EndpointCoverage(
        title="Messages",
        paths=("/api/send-message", "/api/messages/*", "/api/send-presence-update"),
        checked=(
            "The key; whether the session is connected; the recipient; exactly one kind of content, with its fields; "
            "the sending limits of the plan and of the account protection."
        ),
        not_checked="Whether WhatsApp would block the number for spam.",
    ),
    EndpointCoverage(
        title="Contacts and groups",
        paths=("/api/contacts*", "/api/on-whatsapp/*", "/api/groups*"),
        checked="The key; whether the session is connected; whether the contact or group exists.",
        not_checked="Privacy settings of contacts.",
    ),
    EndpointCoverage(
        title="Media",
        paths=("*",),
        checked=(
            "The key; the type and size of uploads; the keys of media that are decrypted; how long a file is available."
        ),
        not_checked="Whether a file can be played.",
    ),
)
