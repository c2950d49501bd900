"""What a post can say beyond its text and media, as JSON Schema."""

from socialgate.connectors.schema import MOMENT, URL, Schema, choice, flag, options, text


def _numbers(**ranges: tuple[int, int]) -> Schema:
    return {name: {"type": "integer", "minimum": least, "maximum": most} for name, (least, most) in ranges.items()}


_DATE = options(_numbers(year=(1, 9999), month=(1, 12), day=(1, 31)), required=["year", "month", "day"])
_TIME = options(_numbers(hours=(0, 24), minutes=(0, 59), seconds=(0, 59), nanos=(0, 999_999_999)))

YOUTUBE = options(
    {
        "title": text(
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
        "categoryId": text("The number of a YouTube category; 22 is People & Blogs.", pattern="^[0-9]+$", default="22"),
        "privacyStatus": choice("Who can see it.", "public", "unlisted", "private", default="public"),
        "publishAt": text("YouTube makes a private video public then.", **MOMENT),
        "madeForKids": flag("Whether it is made for children."),
        "containsSyntheticMedia": flag("Whether it shows what looks real and was made by a machine."),
        "embeddable": flag("Whether other sites may show it.", default=True),
        "license": choice("What others may do with it.", "youtube", "creativeCommon", default="youtube"),
        "publicStatsViewable": flag("Whether all see its numbers.", default=True),
        "notifySubscribers": flag("Whether subscribers are notified.", default=True),
        "defaultLanguage": text("The language of title and description, such as `en`."),
        "defaultAudioLanguage": text("The language that is spoken, such as `en`."),
        "recordingDate": text("When it was filmed.", **MOMENT),
    },
    required=["title"],
    dependentSchemas={
        "publishAt": {"properties": {"privacyStatus": {"const": "private"}}, "required": ["privacyStatus"]},
    },
)

BUSINESS = options(
    {
        "form": choice(
            "What kind of post it is. Events and offers need `event`.",
            *("standard", "event", "offer"),
            default="standard",
        ),
        "languageCode": text("The language of the text, such as `en`."),
        "callToAction": options(
            {
                "actionType": choice("What the button says.", "BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"),
                "url": text("Where it leads.", **URL),
            },
            description="The button under the post. An offer has its own, and a call takes no url.",
            required=["actionType"],
            **{
                "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
                "then": {"required": ["url"]},
            },
        ),
        "event": options(
            {
                "title": text("The name of the event or the offer.", minLength=1),
                "schedule": options(
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
        "offer": options(
            {
                "couponCode": text("The code to name in the shop."),
                "redeemOnlineUrl": text("Where it can be had online.", **URL),
                "termsConditions": text("What it depends on."),
            },
            description="Offers only: how one gets it.",
        ),
    },
    **{
        "if": {"properties": {"form": {"enum": ["event", "offer"]}}, "required": ["form"]},
        "then": {"required": ["event"]},
    },
)
