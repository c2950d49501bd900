"""What a post can say beyond its text and media, as JSON Schema."""

from typing import Any

Schema = dict[str, Any]


def _object(properties: Schema, **rest: Any) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties, **rest}


def _flag(description: str, *, default: bool) -> Schema:
    return {"type": "boolean", "default": default, "description": description}


def _choice(description: str, *words: str, **rest: Any) -> Schema:
    return {"enum": list(words), "description": description, **rest}


def _text(description: str, **rest: Any) -> Schema:
    return {"type": "string", "description": description, **rest}


def _numbers(**ranges: tuple[int, int]) -> Schema:
    return {name: {"type": "integer", "minimum": least, "maximum": most} for name, (least, most) in ranges.items()}


# Formats are for people, and patterns are what is checked.
_MOMENT = {
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
}
_URL = {"format": "uri", "pattern": "^https?://[^ ]+$"}
_DATE = _object(_numbers(year=(1, 9999), month=(1, 12), day=(1, 31)), required=["year", "month", "day"])
_TIME = _object(_numbers(hours=(0, 24), minutes=(0, 59), seconds=(0, 59), nanos=(0, 999_999_999)))

YOUTUBE = _object(
    {
        "title": _text(
            "The title of the video. The text of the post is its description.",
            minLength=1,
            maxLength=100,
            pattern="^[^<>]*$",
        ),
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "Words to find it by, at most 500 characters in all.",
        },
        "categoryId": _text(
            "The number of a YouTube category; 22 is People & Blogs.", pattern="^[0-9]+$", default="22"
        ),
        "privacyStatus": _choice("Who can see it.", "public", "unlisted", "private", default="public"),
        "publishAt": _text("YouTube makes a private video public then.", **_MOMENT),
        "madeForKids": _flag("Whether it is made for children.", default=False),
        "containsSyntheticMedia": _flag("Whether it shows what looks real and was made by a machine.", default=False),
        "embeddable": _flag("Whether other sites may show it.", default=True),
        "license": _choice("What others may do with it.", "youtube", "creativeCommon", default="youtube"),
        "publicStatsViewable": _flag("Whether all see its numbers.", default=True),
        "notifySubscribers": _flag("Whether subscribers are notified.", default=True),
        "defaultLanguage": _text("The language of title and description, such as `en`."),
        "defaultAudioLanguage": _text("The language that is spoken, such as `en`."),
        "recordingDate": _text("When it was filmed.", **_MOMENT),
    },
    required=["title"],
    dependentSchemas={
        "publishAt": {"properties": {"privacyStatus": {"const": "private"}}, "required": ["privacyStatus"]},
    },
)

BUSINESS = _object(
    {
        "form": _choice(
            "What kind of post it is. Events and offers need `event`.",
            *("standard", "event", "offer"),
            default="standard",
        ),
        "languageCode": _text("The language of the text, such as `en`."),
        "callToAction": _object(
            {
                "actionType": _choice(
                    "What the button says.", "BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"
                ),
                "url": _text("Where it leads.", **_URL),
            },
            description="The button under the post. An offer has its own, and a call takes no url.",
            required=["actionType"],
            **{
                "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
                "then": {"required": ["url"]},
            },
        ),
        "event": _object(
            {
                "title": _text("The name of the event or the offer.", minLength=1),
                "schedule": _object(
                    {
                        "startDate": _DATE | {"description": "The first day."},
                        "startTime": _TIME | {"description": "When it begins that day."},
                        "endDate": _DATE | {"description": "The last day."},
                        "endTime": _TIME | {"description": "When it ends that day."},
                    },
                    description="From when to when. Without times it is whole days.",
                    required=["startDate", "endDate"],
                ),
            },
            description="What happens and when, in the time of the place; for an offer, how long it holds.",
            required=["title", "schedule"],
        ),
        "offer": _object(
            {
                "couponCode": _text("The code to name in the shop."),
                "redeemOnlineUrl": _text("Where it can be had online.", **_URL),
                "termsConditions": _text("What it depends on."),
            },
            description="Offers only: how one gets it.",
        ),
    },
    **{
        "if": {"properties": {"form": {"enum": ["event", "offer"]}}, "required": ["form"]},
        "then": {"required": ["event"]},
    },
)
