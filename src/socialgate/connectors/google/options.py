"""What a post can say beyond its text and media, as JSON Schema."""

from typing import Any

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
        "title": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[^<>]*$"},
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "At most 500 characters in all.",
        },
        "categoryId": {"type": "string", "pattern": "^[0-9]+$", "default": "22"},
        "privacyStatus": {"enum": ["public", "unlisted", "private"], "default": "public"},
        "publishAt": {
            "type": "string",
            "format": "date-time",
            "description": "YouTube makes a private video public then.",
        },
        "madeForKids": {"type": "boolean", "default": False},
        "containsSyntheticMedia": {"type": "boolean", "default": False},
        "embeddable": {"type": "boolean", "default": True},
        "license": {"enum": ["youtube", "creativeCommon"], "default": "youtube"},
        "publicStatsViewable": {"type": "boolean", "default": True},
        "notifySubscribers": {"type": "boolean", "default": True},
        "defaultLanguage": {"type": "string"},
        "defaultAudioLanguage": {"type": "string"},
        "recordingDate": {"type": "string", "format": "date-time"},
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
        "topicType": {"enum": ["STANDARD", "EVENT", "OFFER", "ALERT"], "default": "STANDARD"},
        "languageCode": {"type": "string"},
        "callToAction": {
            "type": "object",
            "additionalProperties": False,
            "description": "Ignored for an offer. A call takes no url.",
            "properties": {
                "actionType": {"enum": ["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"]},
                "url": {"type": "string", "format": "uri"},
            },
            "required": ["actionType"],
            "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
            "then": {"required": ["url"]},
        },
        "event": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "title": {"type": "string", "minLength": 1},
                "schedule": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"startDate": _DATE, "startTime": _TIME, "endDate": _DATE, "endTime": _TIME},
                    "required": ["startDate", "endDate"],
                },
            },
            "required": ["title", "schedule"],
        },
        "offer": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "couponCode": {"type": "string"},
                "redeemOnlineUrl": {"type": "string", "format": "uri"},
                "termsConditions": {"type": "string"},
            },
        },
    },
    "if": {"properties": {"topicType": {"enum": ["EVENT", "OFFER"]}}, "required": ["topicType"]},
    "then": {"required": ["event"]},
}
