"""Signatures, checked by implementations that share nothing with ours."""

import base64
import hashlib
import hmac
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from socialgate.delivery.signing import HookSigner, generate_hook_secret, validate_hook_secret

# The spaces are part of what is signed: a receiver that parses and prints the JSON again loses them.
BODY = b'{"event": "post.published",  "ownerId":"own_1","profileId":"prf_1","data":{"b":1,"a":"\xc3\xa9"}}'
EVENT_ID = "evt_01jd7r2m3kf8q9x0c5v6b7n8m9"
CUSTOMER_SECRET = "correct horse battery staple"


def signed(*secrets: str, body: bytes = BODY) -> dict[str, str]:
    return HookSigner(secrets).build_headers(
        event="post.published",
        event_id=EVENT_ID,
        delivery_id="dlv_1",
        timestamp=int(time.time()),
        body=body,
    )


def plain_hmac(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def test_headers_name_the_event_and_the_delivery() -> None:
    headers = signed(generate_hook_secret())
    assert headers["X-Service-Event"] == "post.published"
    assert headers["X-Service-Delivery"] == "dlv_1"
    assert headers["webhook-id"] == EVENT_ID
    assert headers["webhook-timestamp"].isdigit()


@pytest.mark.parametrize("secret", [generate_hook_secret(), CUSTOMER_SECRET], ids=["made", "brought"])
def test_the_service_signature_is_keyed_with_the_secret_as_returned(secret: str) -> None:
    assert signed(secret)["X-Service-Signature"] == "sha256=" + plain_hmac(secret.encode(), BODY)


def test_a_standard_webhooks_library_accepts_the_delivery() -> None:
    secret = generate_hook_secret()
    assert Webhook(secret).verify(BODY, signed(secret)) == json.loads(BODY)


@pytest.mark.parametrize(
    "secret",
    [CUSTOMER_SECRET, "whsec_is not base64!", "whsec_QUJDREVGR0hJSg", "whsec_QUJD-REVG_R0hJ", "whsec_" + "=" * 10],
)
def test_a_secret_of_another_form_is_the_key_itself(secret: str) -> None:
    Webhook(secret.encode()).verify(BODY, signed(secret))


def test_a_body_that_was_serialised_again_is_refused() -> None:
    secret = generate_hook_secret()
    headers = signed(secret)
    again = json.dumps(json.loads(BODY)).encode()
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(again, headers)
    assert headers["X-Service-Signature"] != "sha256=" + plain_hmac(secret.encode(), again)


def test_another_time_or_id_is_refused() -> None:
    secret = generate_hook_secret()
    headers = signed(secret)
    for name, value in {"webhook-id": "evt_2", "webhook-timestamp": str(int(time.time()) - 60)}.items():
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(BODY, headers | {name: value})


def test_both_secrets_verify_while_a_rotation_overlaps() -> None:
    new, old, stranger = generate_hook_secret(), CUSTOMER_SECRET, generate_hook_secret()
    headers = signed(new, old)
    Webhook(new).verify(BODY, headers)
    Webhook(old.encode()).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(stranger).verify(BODY, headers)
    assert headers["X-Service-Signature"] == "sha256=" + plain_hmac(new.encode(), BODY)


@given(body=st.binary(max_size=200), key=st.binary(min_size=1, max_size=64))
def test_any_bytes_are_signed_as_they_are(body: bytes, key: bytes) -> None:
    headers = signed("whsec_" + base64.b64encode(key).decode(), body=body)
    content = f"{EVENT_ID}.{headers['webhook-timestamp']}.".encode() + body
    expected = hmac.new(key, content, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(expected).decode()


def test_made_secrets_are_random_valid_and_decodable() -> None:
    created = {generate_hook_secret() for _ in range(100)}
    assert len(created) == 100
    for secret in created:
        assert secret.startswith("whsec_")
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
        assert validate_hook_secret(secret) is None


@pytest.mark.parametrize("secret", ["x" * 16, "x" * 256, "a secret, with blanks ~", '"quoted" \\ & <all>'])
def test_printable_secrets_of_fair_length_are_taken(secret: str) -> None:
    assert validate_hook_secret(secret) is None


@pytest.mark.parametrize(
    "secret",
    ["", "x" * 15, "x" * 257, "sixteen or more\n", "\x00" * 16, "sécrète de poche", "tab\tbetween words"],
)
def test_other_secrets_are_refused_without_quoting_them(secret: str) -> None:
    fault = validate_hook_secret(secret)
    assert fault is not None
    assert not secret or secret not in fault
