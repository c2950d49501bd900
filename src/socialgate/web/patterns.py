"""What the patterns of fields mean, in words for error messages."""

_EMAIL_PHRASE = "an email address such as ada@example.com"
PIN_PHRASE = "six digits"
VISIBLE_TEXT_PHRASE = "a text with at least one visible character"
_URL_PHRASE = "a URL that starts with http:// or https://"
# What the patterns of fields mean. A test checks that none is missing.
PATTERN_PHRASES = {
    r"^[^@\s]{1,64}@[^@\s]{1,189}$(?!\n)": _EMAIL_PHRASE,
    r"^[^@\s]+@[^@\s]+$(?!\n)": _EMAIL_PHRASE,
    "^https?://": _URL_PHRASE,
    "^https?://[^ ]+$": f"{_URL_PHRASE}, without spaces",
    r"^https?://[^\s/?#]+\S*$": f"{_URL_PHRASE}, without spaces",
    r"^([01][0-9]|2[0-3]):[0-5][0-9]$(?!\n)": "a time of day such as 09:00",
    r"^[0-9]{4}-(0[1-9]|1[0-2])$(?!\n)": "a month such as 2026-11",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$(?!\n)": "a date and a time such as 2026-11-19T09:00",
    "^[A-Za-z0-9_]+$": "letters A to Z, digits and underscores",
    "^[a-z_]+$": "lower-case letters and underscores",
    r"^#[0-9a-fA-F]{6}$(?!\n)": "a color such as #0f766e",
    r"^(blur|#[0-9a-fA-F]{6})$(?!\n)": "blur, or a color such as #0f766e",
    "^[A-Z]{2}$": "a two-letter country code such as DE",
    "^[A-Z]{3}$": "a three-letter currency code such as EUR",
    r"^(auto|[1-9]\d{1,3}x[1-9]\d{1,3})$": "auto, or a width and a height such as 1024x1024",
    "^[a-z]{2}_[A-Z]{2}$": "a language and a country such as pt_BR",
    r"^\+[1-9][0-9]{6,14}$(?!\n)": "a phone number with its country code such as +51987654321",
    r"^[0-9]{6}$(?!\n)": PIN_PHRASE,
    "^[0-9]{8}$": "eight digits such as 19970216",
    "^[a-z]{2}$": "a two-letter language code such as es",
    r"^[0-9]$(?!\n)": "a digit",
    r"\S": VISIBLE_TEXT_PHRASE,
}
