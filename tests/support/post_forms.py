"""Every form of a post that a kind of account takes, found out by asking, so that none is forgotten.

A form is what the option `form` says together with the types of the files. Which forms there are, and which options go
with each, follows from the manifest and from what `POST /posts/validate` says: nothing is listed here but a sample of
each option that is no plain choice. An option, a choice or a type of file that has no sample is an error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.contracts.platforms import Kind, KindManifest

MEDIA_TYPES = ("image", "video", "audio", "document")
# Beside the typed options: a picture in front of a film, a first comment, and no text. Every kind is asked for them.
THUMBNAIL = "+thumbnail"
FIRST_COMMENT = "+firstComment"
NO_TEXT = "+noText"
SEVERAL = 3
# Stand in the samples where there must be a post that exists already.
SOME_POST, SOME_MESSAGE = "1000000001", 1_000_000_002

PostOptions = dict[str, Any]
_DAY = {"year": 2031, "month": 2, "day": 28}
_NIGHT = {"year": 2031, "month": 3, "day": 1}
_EVENT = {
    "title": "Night of the open oven 🥐 & more",
    "schedule": {
        "startDate": _DAY,
        "startTime": {"hours": 22, "minutes": 30, "seconds": 15, "nanos": 500},
        "endDate": _NIGHT,
        "endTime": {"hours": 2, "minutes": 0, "seconds": 0, "nanos": 0},
    },
}
_ACTIONS = ("BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP")

SAMPLES: Mapping[Kind, Mapping[str, Sequence[Any]]] = {
    Kind.FACEBOOK_PAGE: {
        "link": ["https://example.com/menu?today=1&more=%3Ctwo%3E"],
        "title": ["Kneading & <folding> 🥐"],
        "placeId": ["104857600000102"],
    },
    Kind.INSTAGRAM: {
        "thumbOffset": [1500],
        "audioName": ["Oven & fan ♫"],
        "locationId": ["104857600000102"],
        "collaborators": [["okafor.media", "cleo.m"]],
        "userTags": [
            [
                {"username": "okafor.media", "x": 0.25, "y": 0.75, "mediaIndex": 1},
                {"username": "cleo.m", "x": 0, "y": 1, "mediaIndex": 0},
            ],
            [{"username": "okafor.media", "x": 0.5, "y": 0.125}],
            [{"username": "cleo.m"}],
        ],
    },
    Kind.THREADS: {
        "thread": [["Second 🥐\n<part> & more", "The last"]],
        "topicTag": ["bread 🥐 <and> butter"],
        "locationId": ["104857600000102"],
        "replyToId": [SOME_POST],
        "quotePostId": [SOME_POST],
        "linkAttachment": ["https://example.com/menu?today=1&more=2"],
        "poll": [["Rye 🌾", "Spelt", "Wheat & rye", "<None>"], ["Yes", "No"]],
        "textAttachment": [{"plaintext": "A long recipe.\n" * 99, "linkAttachmentUrl": "https://example.com/recipe"}],
        "gif": [{"gifId": "tenor-4711", "provider": "TENOR"}],
        "spoilers": [[{"offset": 2, "length": 3}, {"offset": 8, "length": 1}]],
        "countries": [["SE", "PE"]],
    },
    Kind.TIKTOK: {
        "title": ["Three loaves & <one> 🥐"],
        "description": ["Another text than that of the post\n你好"],
        "coverTimestampMs": [1500],
        "photoCoverIndex": [2, 0],
    },
    Kind.YOUTUBE: {
        "title": ["How to fold 🥐 & bake"],
        "tags": [["sour dough", "bread", "🥐"]],
        "categoryId": ["26"],
        "publishAt": ["2031-02-28T22:30:15Z"],
        "defaultLanguage": ["sv"],
        "defaultAudioLanguage": ["es-419"],
        "recordingDate": ["2026-10-01T06:00:00Z"],
    },
    Kind.GOOGLE_BUSINESS: {
        "languageCode": ["sv"],
        "callToAction": [
            *({"actionType": action, "url": f"https://example.com/{action}?a=1&b=2"} for action in _ACTIONS),
            {"actionType": "CALL"},
        ],
        "event": [_EVENT],
        "offer": [
            {
                "couponCode": "BUN-2-FOR-1",
                "redeemOnlineUrl": "https://example.com/redeem",
                "termsConditions": "Once per guest & day <while stocks last>",
            }
        ],
    },
    Kind.TELEGRAM_BOT: {
        "chatId": ["@adasbakery", "-1002000000002"],
        "messageThreadId": [7],
        "replyToMessageId": [SOME_MESSAGE],
        "buttons": [
            [
                [
                    {"text": "Menu 🥐", "url": "https://example.com/menu?a=1&b=2"},
                    {"text": "Call", "callbackData": "call<1>"},
                ],
                [{"text": "App", "url": "tg://resolve?domain=adasbakery"}],
            ]
        ],
    },
}
# Both are allowed, and then one is left out: a cover wins over a moment of the film, and films for children have no
# comments.
_EXCLUSIVE_OPTIONS: Mapping[Kind, Callable[[PostOptions], bool]] = {
    Kind.INSTAGRAM: lambda payload: THUMBNAIL in payload and "thumbOffset" in payload,
    Kind.YOUTUBE: lambda payload: FIRST_COMMENT in payload and payload.get("madeForKids") is True,
}


class Form(msgspec.Struct, frozen=True):
    """What the option `form` says, if the kind has it, and the types of the files."""

    word: str | None
    files: tuple[str, ...]

    @property
    def has_video(self) -> bool:
        return any(mime_type.startswith("video/") for mime_type in self.files)


class Case(msgspec.Struct, frozen=True):
    """A post to be published: its form, and what is said beside text and files."""

    kind: Kind
    number: int
    form: Form
    all_options: PostOptions

    @property
    def name(self) -> str:
        files = "+".join(file.rpartition("/")[2] for file in self.form.files) or "text"
        return f"{self.kind} {self.number} {self.form.word or ''} {files}".replace("  ", " ")

    @property
    def options(self) -> PostOptions:
        return {name: value for name, value in self.all_options.items() if not name.startswith("+")}


IsValid = Callable[[Form, PostOptions], bool]


def find_cases(manifest: KindManifest, is_valid: IsValid) -> list[Case]:
    """Find every form, and for each as many posts as it takes to say every option that it knows.

    Of a choice, each possible value is said at least once for the kind.
    """
    search = _Search(manifest, is_valid)
    forms = [(form, base) for form in _forms(manifest) if (base := search.base(form)) is not None]
    assert forms, f"nothing can be posted on {manifest.kind}"
    result = [(form, payload) for form, base in forms for payload in search.with_options(form, base)]
    result += search.leftovers(forms)
    return [
        Case(manifest.kind, number, form, payload if form.word is None else {"form": form.word, **payload})
        for number, (form, payload) in enumerate(result)
    ]


class _Search:
    """`unseen` holds the values that no case has had so far."""

    def __init__(self, manifest: KindManifest, is_valid: IsValid) -> None:
        self._manifest = manifest
        self._is_valid = is_valid
        self._samples = {name: list(values) for name, values in _samples(manifest)}
        self._unseen = {name: list(values) for name, values in self._samples.items()}
        self._first_types = {rule.mime_types[0] for rule in manifest.media.values()}

    def base(self, form: Form) -> PostOptions | None:
        """Give the least that must be said with a form, None if there is no such form."""
        tries: list[PostOptions] = [{}, *({name: values[0]} for name, values in self._samples.items())]
        return next((payload for payload in tries if self._fits(form, payload)), None)

    def with_options(self, form: Form, base: PostOptions) -> Iterator[PostOptions]:
        """Say every option that goes with a form. Of the types of a medium, only the first is tried with them all."""
        names = [name for name in self._samples if name not in base and set(form.files) <= self._first_types]
        left = [
            name for name in names if any(self._fits(form, {**base, name: sample}) for sample in self._samples[name])
        ]
        yield self._filled(form, base, left)
        while left:
            yield self._filled(form, base, left)
        yield from self._without_text(form, base, names)

    def _without_text(self, form: Form, base: PostOptions, names: Sequence[str]) -> Iterator[PostOptions]:
        """Leave the text out where that is allowed: by the form itself, or by what stands in place of a text."""
        silent: PostOptions = {**base, NO_TEXT: True}
        tries = [silent, *({**silent, name: self._samples[name][0]} for name in names)]
        allowed = [payload for payload in tries if self._fits(form, payload)]
        yield from allowed[:1] if silent in allowed else allowed

    def leftovers(self, forms: Sequence[tuple[Form, PostOptions]]) -> Iterator[tuple[Form, PostOptions]]:
        """Say what nobody has said, in any form that takes it, with another option if it needs one."""
        for name, values in self._unseen.items():
            others: list[PostOptions] = [{other: sample} for other in self._samples for sample in self._samples[other]]
            while values:
                tries = ((form, {**base, **other, name: values[0]}) for other in [{}, *others] for form, base in forms)
                result = next(((form, payload) for form, payload in tries if self._fits(form, payload)), None)
                assert result is not None, f"{self._manifest.kind}: {name} can never be {values[0]!r}"
                values.pop(0)
                yield result

    def _filled(self, form: Form, base: PostOptions, left: list[str]) -> PostOptions:
        """Say as many of the options that are left as go together, and take them off. Unseen values come first."""
        payload: PostOptions = dict(base)
        for name in list(left):
            values = [*self._unseen[name], *self._samples[name]]
            value = next((item for item in values if self._fits(form, {**payload, name: item})), None)
            if value is not None:
                payload[name] = value
                left.remove(name)
        assert len(payload) > len(base) or not left, f"{form} takes {left} alone, and not at all"
        for name, value in payload.items():
            self._unseen[name][:] = [item for item in self._unseen[name] if item != value]
        return payload

    def _fits(self, form: Form, payload: PostOptions) -> bool:
        if payload.get(THUMBNAIL) and not form.has_video:
            return False
        if form.word is not None:
            payload = {"form": form.word, **payload}
        apart = _EXCLUSIVE_OPTIONS.get(self._manifest.kind)
        return not (apart is not None and apart(payload)) and self._is_valid(form, payload)


def _forms(manifest: KindManifest) -> Iterator[Form]:
    words = _choices(manifest.options["properties"].get("form", {})) or [None]
    if "form" in manifest.options["properties"] and "default" not in manifest.options["properties"]["form"]:
        words = [None, *words]
    for word in words:
        for files in _files(manifest):
            yield Form(word, files)


def _files(manifest: KindManifest) -> Iterator[tuple[str, ...]]:
    """Give no file, one of each type, several of each kind of medium, and what can be mixed."""
    yield ()
    rules = {name: rule for name, rule in manifest.media.items() if name in MEDIA_TYPES}
    for rule in rules.values():
        yield from ((mime_type,) for mime_type in rule.mime_types)
        if rule.max_count > 1:
            yield (rule.mime_types[0],) * SEVERAL
    firsts = [rule.mime_types[0] for rule in rules.values()]
    yield from ((first, other) for place, first in enumerate(firsts) for other in firsts[place + 1 :])


def _samples(manifest: KindManifest) -> Iterator[tuple[str, Sequence[Any]]]:
    """Give values of every option. What must be said comes first."""
    properties, required = manifest.options["properties"], manifest.options.get("required", ())
    written = SAMPLES[manifest.kind]
    for name in sorted(properties, key=lambda name: name not in required):
        if name == "form":
            continue
        values = _choices(properties[name]) or written[name]
        missing = list(_find_missing_samples(properties[name], values))
        assert not missing, f"the samples of {manifest.kind}/{name} leave out {missing}"
        yield name, values
    if "video" in manifest.media:
        yield THUMBNAIL, [True]
    yield FIRST_COMMENT, ["First! 🥐\n<b>&amp;</b> שלום"]


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    return [True, False] if schema.get("type") == "boolean" else list(schema.get("enum", ()))


def _find_missing_samples(schema: Mapping[str, Any], values: Sequence[Any], path: str = "") -> Iterator[str]:
    """Name the members and choices inside an option that no sample has."""
    if "items" in schema:
        yield from _find_missing_samples(schema["items"], [item for value in values for item in value], f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        payload = [value[name] for value in values if name in value]
        if not payload:
            yield f"{path}.{name}"
        yield from _find_missing_samples(inner, payload, f"{path}.{name}")
    yield from (f"{path}={choice}" for choice in schema.get("enum", ()) if choice not in values)
