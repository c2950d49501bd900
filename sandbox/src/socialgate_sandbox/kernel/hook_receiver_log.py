"""What the product delivered to the sandbox's own hook receiver, and how the receiver responds."""

import hmac
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from socialgate_sandbox.kernel.store import Store, StoredObject

ReceiverResponse = int | Literal["hang"]
SignatureCheck = Literal["valid", "invalid", "unknown"]

ANY_PATH = "*"
_MAX_STORED_DELIVERIES = 2000


def normalize_path(text: str) -> str:
    """Return the path as requests have it, with a leading slash."""
    return text if text == ANY_PATH or text.startswith("/") else f"/{text}"


class Rule(StoredObject):
    """Its id is the path that it applies to. `times` counts the responses that are left; None means no limit."""

    secret: str | None = None
    answer: ReceiverResponse = 200
    times: int | None = None
    retry_after: int | None = None


class Delivered(StoredObject):
    """`parent` is the path."""

    at: datetime
    headers: dict[str, str]
    body: str
    signature: SignatureCheck
    answer: ReceiverResponse


class HookReceiverLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get_effective_rule(self, path: str) -> Rule:
        own = self._store.get(Rule, path)
        return own or self._store.get(Rule, ANY_PATH) or Rule(id=ANY_PATH)

    def get_path_rule(self, path: str) -> Rule:
        """Return the rule of exactly this path, to be changed and stored again."""
        return self._store.get(Rule, path) or Rule(id=path)

    def set_rule(self, rule: Rule) -> None:
        self._store.put(rule)

    def list_rules(self) -> list[Rule]:
        return self._store.find(Rule)

    def record_delivery(self, path: str, headers: Mapping[str, str], body: bytes) -> Rule:
        """Store a delivery and return the rule that decides the response."""
        with self._store.transaction():
            rule = self._use_rule(path)
            number = self._store.get_next_number("delivered")
            self._store.delete(Delivered, str(number - _MAX_STORED_DELIVERIES))
            self._store.put(
                Delivered(
                    id=str(number),
                    parent=path,
                    at=datetime.now(UTC),
                    headers=dict(headers),
                    body=body.decode("utf-8", "replace"),
                    signature=check_signatures(rule.secret, headers, body),
                    answer=rule.answer,
                )
            )
        return rule

    def list_deliveries(self, path: str | None, limit: int) -> list[Delivered]:
        return self._store.find(Delivered, parent=path, newest_first=True, limit=limit)

    def clear(self) -> None:
        """Delete all deliveries and rules."""
        self._store.delete_all(Delivered)
        self._store.delete_all(Rule)

    def _use_rule(self, path: str) -> Rule:
        rule = self.get_effective_rule(path)
        if rule.times is None:
            return rule
        if rule.times == 0:
            return Rule(id=rule.id, secret=rule.secret)
        rule.times -= 1
        self._store.put(rule)
        return rule


def check_signatures(secret: str | None, headers: Mapping[str, str], body: bytes) -> SignatureCheck:
    """Check both signatures. Every signature present must be correct, and at least one must be present."""
    if secret is None:
        return "unknown"
    checks = []
    if (value := headers.get("x-service-signature")) is not None:
        expected = "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
        checks.append(hmac.compare_digest(value.encode(), expected.encode()))
    if (value := headers.get("webhook-signature")) is not None:
        expected = _sign_standard_webhook(secret, headers, body)
        checks.append(any(hmac.compare_digest(value.encode(), expected.encode()) for value in value.split(" ")))
    return "valid" if checks and all(checks) else "invalid"


def _sign_standard_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> str:
    """Sign according to the Standard Webhooks specification."""
    signed = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
    return "v1," + b64encode(hmac.digest(_decode_standard_key(secret), signed, "sha256")).decode()


def _decode_standard_key(secret: str) -> bytes:
    if secret.startswith("whsec_"):
        try:
            return b64decode(secret.removeprefix("whsec_"), validate=True)
        except Error:
            pass
    return secret.encode()
