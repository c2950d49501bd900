"""The names of routes in clients: `posts.create` is `client.posts.create(...)` in every language.

A route declares its resource and its method, and the `operationId` of the OpenAPI document follows from them. Methods
are words of the lists below, so that the same thing has the same name everywhere.
"""

import re
from typing import Final, Self

import msgspec

# Methods that start with a verb: `posts.create` is `createPost`, `leads.set_state` is `setLeadState`.
VERBS: Final = frozenset({
    *("list", "get", "create", "update", "delete"),
    *("cancel", "disconnect", "download", "head", "hide", "mark_read", "receive", "reconcile", "recover", "retry"),
    *("revoke", "rotate_secret", "send", "send_events", "send_whatsapp", "set_state", "simulate", "stream", "test"),
    *("upload", "validate", "verify", "delete_post", "boost"),
})  # fmt: skip
# Methods that are named after what they return or use: `accounts.health` is `accountHealth`.
NOUNS: Final = frozenset({
    *("about", "account", "add", "area", "attach", "attach_ad_accounts", "audio", "available"),
    *("available_ad_accounts", "batch", "batch_rows", "change_password", "checkout", "choose", "dark_post", "dry_run"),
    *("error", "finish", "followers", "full", "health", "history", "image", "insights", "locations", "login", "logout"),
    *("me", "models", "next_slot", "open", "pixels", "plans", "portal", "post", "register", "start", "states"),
    *("summary", "telegram", "templates", "text", "video", "wasender", "wasender_qr", "whatsapp_cloud"),
})  # fmt: skip
# What several things are returned by.
_PLURAL_VERBS = frozenset({"list", "stream"})
# Resources that are named after a place or a program instead of what is in it.
_CONTENTS = {"calendar": "calendar_events", "ai": "ai_generations"}
_NEVER_SINGULAR = frozenset({"insights", "metrics", "docs", "llms"})
_FORM = re.compile(r"([a-z]+(?:_[a-z]+)*)((?:\.[a-z]+(?:_[a-z]+)*)?)\.([a-z]+(?:_[a-z]+)*)")


class SdkName(msgspec.Struct, frozen=True):
    """The resource and the method of a route in clients."""

    resource: str
    method: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a declaration such as `posts.create` or `queue.slots.list`."""
        if _FORM.fullmatch(text) is None:
            raise ValueError(f"{text!r} is not the name of a method in clients, such as posts.create")
        resource, _, method = text.rpartition(".")
        if method not in VERBS | NOUNS:
            raise ValueError(f"{text!r}: {method} is not in the vocabulary. Use another method, or add it to VERBS")
        return cls(resource, method)

    @property
    def operation_id(self) -> str:
        """The name of the operation: `createPost`, `listLeadForms`, `setLeadState`, `accountHealth`."""
        if self.method in NOUNS:
            return _camel([*_words_of(self.resource, plural=False), *self.method.split("_")])
        verb, *rest = self.method.split("_")
        contents = _CONTENTS.get(self.resource, self.resource)
        return _camel([verb, *_words_of(contents, plural=verb in _PLURAL_VERBS), *rest])


def _words_of(resource: str, *, plural: bool) -> list[str]:
    """Split `leads.forms` into `lead` and `forms`, or `lead` and `form`. `ads.ad_sets` says `ad` only once."""
    *parents, own = resource.split(".")
    words = own.split("_")
    last = words[-1] if plural else _singular(words[-1])
    owner = [_singular(word) for parent in parents for word in parent.split("_")]
    if owner and _singular(words[0]) == owner[0]:
        owner = []
    return [*owner, *words[:-1], last]


def _singular(word: str) -> str:
    if word in _NEVER_SINGULAR:
        return word
    return word.removesuffix("ies") + "y" if word.endswith("ies") else word.removesuffix("s")


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word.title() for word in words[1:])
