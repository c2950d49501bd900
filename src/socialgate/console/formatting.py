"""How numbers, times and bodies are formatted for people."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import msgspec

from socialgate.areas.hooks.schemas import DeliveryAttempt
from socialgate.contracts.money import Money, format_amount
from socialgate.core.egress import SendFailureReason

_BYTES_PER_UNIT = 1024
_KNOWN_STATUS_CODES = {int(status) for status in HTTPStatus}
_REASON_VALUES = {str(reason) for reason in SendFailureReason}
_TIME_UNITS = (
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
    (timedelta(seconds=1), "second"),
)

# What each status is called, and its tone. The words are those of the API, in the same form on every page.
_STATUS_WORDS = {
    "published": ("Published", "good"),
    "scheduled": ("Scheduled", "run"),
    "preparing": ("Preparing files", "run"),
    "publishing": ("Publishing", "run"),
    "partial": ("Partly published", "warn"),
    "draft": ("Draft", ""),
    "cancelled": ("Cancelled", ""),
    "failed": ("Failed", "bad"),
    "pending": ("Pending", "run"),
    "unconfirmed": ("Unconfirmed", "warn"),
    "connected": ("Connected", "good"),
    "connecting": ("Connecting", "run"),
    "needs_reconnection": ("Reconnect needed", "bad"),
    "expired": ("Expired", "bad"),
    "healthy": ("Healthy", "good"),
    "warning": ("Limited", "warn"),
    "error": ("Broken", "bad"),
    "unknown": ("Unknown", ""),
    "succeeded": ("Succeeded", "good"),
    "delivering": ("Delivering", "run"),
    "held": ("Held", "warn"),
    "queued": ("Queued", "run"),
    "running": ("Running", "run"),
    "removed": ("Removed", ""),
    "left": ("Left behind", "warn"),
    "active": ("Active", "good"),
    "disabled": ("Disabled", ""),
    "paused": ("Paused", ""),
    "inReview": ("In review", "run"),
    "processing": ("Processing", "run"),
    "rejected": ("Rejected", "bad"),
    "blocked": ("Stopped", "bad"),
    "approved": ("Approved", "good"),
    "sent": ("Sent", "run"),
}
# Operations are named after routes, such as `adsets.create`. People say the verb first.
# Every operation and every task has a name: `tests/console/test_console_names.py` finds those that are missing.
_OPERATION_NAMES = {
    "adcreatives.create": "Create an ad creative",
    "ads.boost": "Boost a post",
    "ads.create": "Create an ad",
    "ads.darkpost": "Advertise a post that is not on the page",
    "ads.delete": "Delete a campaign, an ad set or an ad",
    "ads.update": "Change a campaign, an ad set or an ad",
    "adsets.create": "Create an ad set",
    "audiences.create": "Create an audience",
    "audiences.delete": "Delete an audience",
    "audiences.update": "Change an audience",
    "calendar.create": "Create a calendar event",
    "calendar.delete": "Delete a calendar event",
    "calendar.patch": "Change a calendar event",
    "campaigns.create": "Create a campaign",
    "catalogs.create": "Create a catalog",
    "comments.create": "Write a comment",
    "comments.delete": "Delete a comment",
    "comments.hide": "Hide or show a comment",
    "connect.telegram": "Connect a Telegram bot",
    "connect.wasender": "Connect a WhatsApp number by QR code",
    "connect.whatsapp-cloud": "Connect a WhatsApp Business number",
    "customConversions.create": "Create a custom conversion",
    "customConversions.delete": "Delete a custom conversion",
    "customConversions.update": "Change a custom conversion",
    "leads.createForm": "Create a lead form",
    "messages.read": "Mark a message as read",
    "messages.send": "Send a message",
    "pixelEvents.send": "Send pixel events",
    "posts.delete": "Delete a post",
    "productSets.create": "Create a product set",
    "products.create": "Create or change a product",
    "products.delete": "Delete a product",
}
_TASK_NAMES = {
    "ads.audienceUpload": "Add people to an audience",
    "ads.report": "Create an ad report",
    "ai.audio": "Generate audio",
    "ai.copy": "Generate a text",
    "ai.image": "Generate an image",
    "ai.reply": "Generate a reply",
    "ai.video": "Generate a video",
    "media.prepare": "Change a file to fit a platform",
    "products.batch": "Import products",
}
# What an account can be used for: capabilities and permissions. Other capabilities are of no use by themselves.
_USE_NAMES = {
    "adInsights": "Read numbers of ads",
    "adTargeting": "Find places and interests for ads",
    "ads": "Create and change ads",
    "audiences": "Create audiences",
    "calendar": "Read and change calendar events",
    "comment": "Read and answer comments",
    "commerce": "Create catalogs",
    "createLeadForm": "Create lead forms",
    "customConversions": "Create custom conversions",
    "deletePost": "Delete posts",
    "history": "Read posts that are live",
    "message": "Receive and send messages",
    "pixels": "Use pixels",
    "post": "Publish posts",
    "products": "Change products",
    "readInsights": "Read numbers",
    "readLeads": "Receive leads",
    "shops": "Read shops",
    "tagLocation": "Tag places",
    "template": "Use message templates",
}
_ABBREVIATIONS = {"ai": "AI", "api": "API", "id": "ID", "url": "URL"}
_MINUS = "\u2212"
_THOUSAND = 1000
_MAX_INITIALS = 2

_REASON_PHRASES = {
    SendFailureReason.URL_INVALID: "the URL is not valid",
    SendFailureReason.REQUEST_INVALID: "the request could not be created",
    SendFailureReason.DNS_FAILED: "the host name was not found",
    SendFailureReason.ADDRESS_REFUSED: "the host is in a network that hooks may not reach",
    SendFailureReason.CONNECT_REFUSED: "connection refused",
    SendFailureReason.CONNECT_TIMEOUT: "the connection timed out",
    SendFailureReason.CONNECT_FAILED: "the connection failed",
    SendFailureReason.TLS_EXPIRED: "its certificate has expired",
    SendFailureReason.TLS_NOT_YET_VALID: "its certificate is not valid yet",
    SendFailureReason.TLS_WRONG_HOST: "its certificate is for a different host",
    SendFailureReason.TLS_UNKNOWN_ISSUER: "its certificate is not signed by a trusted authority",
    SendFailureReason.TLS_FAILED: "the TLS handshake failed",
    SendFailureReason.TIMEOUT: "no response in time",
    SendFailureReason.ANSWER_TOO_SLOW: "the response did not end in time",
    SendFailureReason.ANSWER_INVALID: "the response was not valid HTTP",
    SendFailureReason.CONNECTION_LOST: "the connection broke before the response",
    SendFailureReason.INTERRUPTED: "it was interrupted on our side",
}


def outcome(attempt: DeliveryAttempt) -> str:
    """Say how an attempt went: the response, or why there was none."""
    if attempt.status_code is not None:
        phrase = HTTPStatus(attempt.status_code).phrase if attempt.status_code in _KNOWN_STATUS_CODES else ""
        return f"responded {attempt.status_code} {phrase}".rstrip()
    if attempt.error is None:
        return "no response"
    # What exactly went wrong follows the reason.
    reason = attempt.error.partition(":")[0]
    return _REASON_PHRASES[SendFailureReason(reason)] if reason in _REASON_VALUES else attempt.error


def when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Format how far away a time is, in the largest unit that fits."""
    distance = abs(now - moment)
    for unit, name in _TIME_UNITS:
        if distance >= unit:
            # Until a time that is almost 7 days away, 7 days remain for people; since one, 6 have passed.
            return (
                f"{count(distance // unit, name)} ago" if moment < now else f"in {count(round(distance / unit), name)}"
            )
    return "just now" if moment <= now else "in a moment"


def near(moment: datetime, now: datetime, zone: tzinfo) -> str:
    """Format a time as people say it: how long ago up to a day, then the date."""
    return ago(moment, now) if abs(now - moment) < timedelta(days=1) else short_date(moment, now, zone)


def short_date(moment: datetime, now: datetime, zone: tzinfo) -> str:
    """Format a date with its time, and with the year if it is another one."""
    local = moment.astimezone(zone)
    year = "" if local.year == now.astimezone(zone).year else f" {local.year}"
    return f"{local.day}\u00a0{local:%b}{year}, {local:%H:%M}"


def long_date(moment: datetime, zone: tzinfo) -> str:
    """Format a time completely, for the hint that appears on a short one."""
    local = moment.astimezone(zone)
    return f"{local:%A}, {local.day} {local:%B %Y}, {local:%H:%M:%S} ({zone})"


def day_name(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local:%A}, {local.day} {local:%B}"


def weekday(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%a}"


def clock_time(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%H:%M}"


def zone_name(zone: tzinfo, now: datetime) -> str:
    """Format a time zone as people know it: the city with its offset."""
    name = str(zone).rpartition("/")[2].replace("_", " ")
    minutes = round((now.astimezone(zone).utcoffset() or timedelta()) / timedelta(minutes=1))
    if not minutes:
        return name if name == "UTC" else f"{name} (UTC)"
    hours, rest = divmod(abs(minutes), 60)
    sign = "+" if minutes > 0 else _MINUS
    return f"{name} (UTC{sign}{hours}:{rest:02})" if rest else f"{name} (UTC{sign}{hours})"


def greeting(now: datetime, zone: tzinfo) -> str:
    hour = now.astimezone(zone).hour
    return "Good morning" if 5 <= hour < 12 else "Good afternoon" if 12 <= hour < 18 else "Good evening"  # noqa: PLR2004 - hours of the day


def short_number(number: float) -> str:
    """Format a large number in few characters, such as 92.1 k. The exact one belongs in a hint."""
    amount, unit = float(number), ""
    for larger in ("k", "M", "B"):
        if abs(amount) < 10 * _THOUSAND and not unit and number == int(number):
            return f"{int(number):,}"
        if abs(amount) < _THOUSAND:
            break
        amount, unit = amount / _THOUSAND, larger
    return f"{amount:,.1f}".removesuffix(".0") + (f"\u00a0{unit}" if unit else "")


def exact_number(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"


def signed_number(number: float) -> str:
    return ("+" if number > 0 else _MINUS if number < 0 else "±") + short_number(abs(number))


def money(amount: int, currency: str) -> str:
    """Format an amount in the smallest unit of its currency. All currencies that plans are sold in have cents."""
    return f"{amount / 100:,.2f}\u00a0{currency}".replace(".00\u00a0", "\u00a0")


def price(amount: Money) -> str:
    """Format an amount with the decimals of its currency."""
    whole, _, decimals = format_amount(amount).partition(".")
    return f"{int(whole):,}{f'.{decimals}' if decimals.strip('0') else ''}\u00a0{amount.currency}"


def status_word(status: str) -> str:
    return _STATUS_WORDS.get(status, (words(status), ""))[0]


def status_tone(status: str) -> str:
    return _STATUS_WORDS.get(status, ("", ""))[1]


def list_statuses(kind: type[StrEnum]) -> list[tuple[str, str]]:
    """List the values of a status with their words, for a filter."""
    return [(str(status), status_word(status)) for status in kind]


def words(name: str) -> str:
    """Turn the name of a value into words: `needs_reconnection` and `readInsights` into what people read."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    plain = " ".join(_ABBREVIATIONS.get(word, word) for word in spaced.replace("_", " ").replace("-", " ").split())
    return plain[:1].upper() + plain[1:]


def operation_words(operation: str) -> str:
    """Say what an operation does. Older versions may have stored one that does not exist any more."""
    return _OPERATION_NAMES.get(operation) or words(operation.replace(".", " "))


def task_words(kind: str) -> str:
    """Say what a task does, like `operation_words`."""
    return _TASK_NAMES.get(kind) or words(kind.replace(".", " "))


def use_words(name: str) -> str:
    """Say what an account can be used for, like `operation_words`."""
    return _USE_NAMES.get(name) or words(name)


def list_uses(capabilities: Sequence[str]) -> list[str]:
    """List the capabilities of an account that people use, without those that only serve others."""
    return [name for name in capabilities if name in _USE_NAMES]


def moment(text: str) -> datetime:
    """Read a time that is stored as text."""
    return datetime.fromisoformat(text)


def initials(name: str) -> str:
    """Return the letters that stand for a name."""
    parts = [part for part in name.replace("@", " ").split() if part[0].isalnum()]
    return "".join(part[0] for part in parts[:_MAX_INITIALS]).upper() or "?"


def excerpt(text: str, most: int = 120) -> str:
    """Shorten a text to one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def pretty_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def count(number: int, thing: str) -> str:
    """Format a number with its unit, without a line break in between."""
    return f"{number:,}\u00a0{thing}{'' if number == 1 else 's'}"


def per_period(seconds: int) -> str:
    """Say how often something may be done: per day, or every 5 minutes."""
    for unit, name in _TIME_UNITS:
        number, rest = divmod(seconds, round(unit / timedelta(seconds=1)))
        if number and not rest:
            return f"per {name}" if number == 1 else f"every {count(number, name)}"
    return ""


def bytes_in_words(number: int) -> str:
    """Format a number of bytes in a unit that leaves few digits, without a line break in between."""
    amount, unit = float(number), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < _BYTES_PER_UNIT:
            break
        amount, unit = amount / _BYTES_PER_UNIT, larger
    return f"{amount:,.0f}\u00a0bytes" if unit == "bytes" else f"{amount:,.1f}\u00a0{unit}"


def first_sentence(documentation: str) -> str:
    """Shorten a text for a list, without code marks."""
    return " ".join(documentation.split()).replace("`", "").partition(". ")[0].removesuffix(".") + "."


def indented(body: str) -> str:
    """Indent JSON. Anything else stays as it is."""
    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        return body


FILTERS: Sequence[Callable[..., str | datetime]] = (
    ago,
    bytes_in_words,
    clock_time,
    count,
    day_name,
    exact_number,
    excerpt,
    first_sentence,
    greeting,
    indented,
    initials,
    long_date,
    money,
    near,
    operation_words,
    outcome,
    per_period,
    pretty_json,
    price,
    short_date,
    short_number,
    signed_number,
    status_tone,
    status_word,
    task_words,
    use_words,
    weekday,
    words,
    moment,
    zone_name,
)
