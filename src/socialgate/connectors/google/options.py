"""What a post can say beyond its text and media, as JSON Schema."""

from typing import Any

# Formats are told to people, and patterns are what is checked.
_MOMENT = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
}
_URL = {"type": "string", "format": "uri", "pattern": "^https?://[^ ]+$"}
_DATE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "year": {"type": "integer", "minimum": 1, "maximum": 9999},
        "month": {"type": "integer", "minimum": 1, "maximum": 12},
        "day": {"type": "integer", "minimum": 1, "maximum": 31},
    },
    "required": ["year", "month", "day"],
}
_TIME = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "hours": {"type": "integer", "minimum": 0, "maximum": 24},
        "minutes": {"type": "integer", "minimum": 0, "maximum": 59},
        "seconds": {"type": "integer", "minimum": 0, "maximum": 59},
        "nanos": {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    },
}

YOUTUBE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": {
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "pattern": "^[^<>]*$",
            "description": "The title of the video. The text of the post is its description.",
        },
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "Words to find it by, at most 500 characters in all.",
        },
        "categoryId": {
            "type": "string",
            "pattern": "^[0-9]+$",
            "default": "22",
            "description": "The number of a YouTube category; 22 is People & Blogs.",
        },
        "privacyStatus": {
            "enum": ["public", "unlisted", "private"],
            "default": "public",
            "description": "Who can see it.",
        },
        "publishAt": _MOMENT | {"description": "YouTube makes a private video public then."},
        "madeForKids": {"type": "boolean", "default": False, "description": "Whether it is made for children."},
        "containsSyntheticMedia": {
            "type": "boolean",
            "default": False,
            "description": "Whether it shows what looks real and was made by a machine.",
        },
        "embeddable": {"type": "boolean", "default": True, "description": "Whether other sites may show it."},
        "license": {
            "enum": ["youtube", "creativeCommon"],
            "default": "youtube",
            "description": "What others may do with it.",
        },
        "publicStatsViewable": {"type": "boolean", "default": True, "description": "Whether all see its numbers."},
        "notifySubscribers": {"type": "boolean", "default": True, "description": "Whether subscribers are told."},
        "defaultLanguage": {"type": "string", "description": "The language of title and description, such as `en`."},
        "defaultAudioLanguage": {"type": "string", "description": "The language that is spoken, such as `en`."},
        "recordingDate": _MOMENT | {"description": "When it was filmed."},
    },
    "required": ["title"],
    "dependentSchemas": {
        "publishAt": {"properties": {"privacyStatus": {"const": "private"}}, "required": ["privacyStatus"]},
    },
}

BUSINESS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "form": {
            "enum": ["standard", "event", "offer"],
            "default": "standard",
            "description": "What kind of post it is. Events and offers need `event`.",
        },
        "languageCode": {"type": "string", "description": "The language of the text, such as `en`."},
        "callToAction": {
            "type": "object",
            "additionalProperties": False,
            "description": "The button under the post. An offer has its own, and a call takes no url.",
            "properties": {
                "actionType": {
                    "enum": ["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"],
                    "description": "What the button says.",
                },
                "url": _URL | {"description": "Where it leads."},
            },
            "required": ["actionType"],
            "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
            "then": {"required": ["url"]},
        },
        "event": {
            "type": "object",
            "additionalProperties": False,
            "description": "What happens and when, in the time of the place; for an offer, how long it holds.",
            "properties": {
                "title": {"type": "string", "minLength": 1, "description": "The name of the event or the offer."},
                "schedule": {
                    "type": "object",
                    "additionalProperties": False,
                    "description": "From when to when. Without times it is whole days.",
                    "properties": {
                        "startDate": _DATE | {"description": "The first day."},
                        "startTime": _TIME | {"description": "When it begins that day."},
                        "endDate": _DATE | {"description": "The last day."},
                        "endTime": _TIME | {"description": "When it ends that day."},
                    },
                    "required": ["startDate", "endDate"],
                },
            },
            "required": ["title", "schedule"],
        },
        "offer": {
            "type": "object",
            "additionalProperties": False,
            "description": "Offers only: how one gets it.",
            "properties": {
                "couponCode": {"type": "string", "description": "The code to name in the shop."},
                "redeemOnlineUrl": _URL | {"description": "Where it can be had online."},
                "termsConditions": {"type": "string", "description": "What it depends on."},
            },
        },
    },
    "if": {"properties": {"form": {"enum": ["event", "offer"]}}, "required": ["form"]},
    "then": {"required": ["event"]},
}
