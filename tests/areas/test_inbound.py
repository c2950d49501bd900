"""The door for platforms: what is proven is stored before it is answered, and nothing else is."""

from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.inbound.routes import MAX_BODY_BYTES
from socialgate.areas.inbound.store import inbound, read_inbound
from socialgate.contracts.platforms import Platform
from support.connections import by_credential, connect_accounts
from support.database import dump, list_plain_forms, rows
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import (
    VERIFY_TOKEN,
    Google,
    Sign,
    SignedRequest,
    address_of,
    fixtures_of,
    security_claims,
    signer_of,
    tiktok,
)

# The app's secret proves the webhooks of the first, a secret for each address those of the second.
OF_THE_APP = [Platform.META, Platform.THREADS, Platform.TIKTOK, Platform.TIKTOKADS, Platform.GOOGLE]
OF_AN_ADDRESS = [Platform.WHATSAPP_CLOUD, Platform.TELEGRAM, Platform.WASENDER]
PLATFORMS = [*OF_THE_APP, *OF_AN_ADDRESS]
A_BODY = b'{"object":"page","entry":[]}'


class Door:
    """A service whose worker does not run, so that what is stored stays as it came."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self.client = running.client()
        self._signers: dict[str, Sign] = {}

    def sign(self, platform: str, body: bytes = A_BODY) -> SignedRequest:
        if platform not in self._signers:
            account = None
            if platform in OF_AN_ADDRESS:
                (account,) = connect_accounts(self.sandbox, self.running.new_owner(), platform)
                # What the platform itself has to say about a new account must not come in between.
                eventually(lambda: not self.sandbox.listed("deliveries", platform=platform, state="waiting"))
            self._signers[platform] = signer_of(self.sandbox, platform, account)
        return self._signers[platform](body)

    def stored(self) -> list[sa.Row[Any]]:
        return rows(self.running, sa.select(inbound).order_by(inbound.c.id))

    def counted(self, platform: str, outcome: str) -> float:
        labels = {"platform": platform, "outcome": outcome}
        registry = self.running.service.metrics.registry
        return registry.get_sample_value("socialgate_inbound_webhooks_total", labels) or 0.0


@pytest.fixture(scope="module")
def client(start_service: StartService) -> Iterator[Door]:
    with start_service(worker="separate") as running, Sandbox(running) as sandbox:
        yield Door(running, sandbox)


def without_proof(sent: SignedRequest) -> SignedRequest:
    kept = {name: value for name, value in sent.headers.items() if name == "Content-Type"}
    return msgspec.structs.replace(sent, headers=kept)


def with_wrong_proof(sent: SignedRequest) -> SignedRequest:
    """Change one letter of the proof, in its middle: the last ones of a token may carry no bits."""

    def changed(proof: str) -> str:
        place = len(proof) - 20
        return proof[:place] + ("b" if proof[place] == "a" else "a") + proof[place + 1 :]

    headers = {name: value if name == "Content-Type" else changed(value) for name, value in sent.headers.items()}
    return msgspec.structs.replace(sent, headers=headers)


def test_every_platform_is_tested() -> None:
    assert set(PLATFORMS) == set(Platform)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_proven_is_stored_as_it_came_before_anybody_works_on_it(client: Door, platform: str) -> None:
    bodies = [body for name, body in fixtures_of(platform).items() if name.endswith(".json")]
    sent = [client.sign(platform, body) for body in bodies]
    before, counted = len(client.stored()), client.counted(platform, "stored")
    for signed_request in sent:
        answer = signed_request.send(client.client)
        assert answer.status_code == (204 if platform == "google" else 200), answer.text
        assert answer.content == b""
    kept = client.stored()[before:]
    assert [row.platform for row in kept] == [platform] * len(bodies)
    assert all(row.tries == 0 and row.due_at is not None and row.error is None for row in kept)
    if platform != "wasender":
        assert [read_inbound(row).decoded_request.body for row in kept] == bodies
    assert client.counted(platform, "stored") == counted + len(bodies)


def test_a_security_event_of_google_is_stored_too(client: Door) -> None:
    google = Google(client.sandbox)
    before = len(client.stored())
    for name, body in fixtures_of("google").items():
        if name.startswith("risc"):
            assert google.security_event(security_claims(body)).send(client.client).status_code == 202
    assert len(client.stored()) == before + 4
    for_another_app = google.security_event(security_claims(fixtures_of("google")["risc_batch.json"], aud="other"))
    problem_of(for_another_app.send(client.client), 401, "webhook_not_verified")
    assert len(client.stored()) == before + 4


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("forge", [without_proof, with_wrong_proof])
def test_what_is_not_proven_is_refused_and_counted_and_leaves_nothing(client: Door, platform: str, forge: Any) -> None:
    forged = forge(client.sign(platform))
    before, counted = len(client.stored()), client.counted(platform, "refused")
    problem_of(forged.send(client.client), 401, "webhook_not_verified")
    assert len(client.stored()) == before
    assert client.counted(platform, "refused") == counted + 1


@pytest.mark.parametrize("platform", [Platform.META, Platform.THREADS, Platform.TIKTOK, Platform.TIKTOKADS])
def test_a_body_that_was_changed_on_the_way_is_refused(client: Door, platform: str) -> None:
    sent = msgspec.structs.replace(client.sign(platform), body=A_BODY + b" ")
    problem_of(sent.send(client.client), 401, "webhook_not_verified")


def test_a_proof_of_tiktok_grows_old(client: Door) -> None:
    now = client.running.clock.now().timestamp()
    assert tiktok(A_BODY, now - 290).send(client.client).status_code == 200
    for moment in (now - 310, now + 310):
        problem_of(tiktok(A_BODY, moment).send(client.client), 401, "webhook_not_verified")


@pytest.mark.parametrize("routing_id", ["x" * 43, "\0", "x" * 5000, "é", "", "' OR 1=1 --"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_address_that_nobody_registered_is_refused(client: Door, platform: str, routing_id: str) -> None:
    sent = msgspec.structs.replace(client.sign(platform), query={"r": routing_id})
    before, counted = len(client.stored()), client.counted(platform, "refused")
    problem_of(sent.send(client.client), 401, "webhook_not_verified")
    problem_of(client.client.get(f"/webhooks/{platform}", params={"r": routing_id}), 401, "webhook_not_verified")
    assert len(client.stored()) == before
    assert client.counted(platform, "refused") == counted + 2


@pytest.mark.parametrize("platform", OF_AN_ADDRESS)
def test_what_is_proven_for_an_address_is_nothing_without_it(client: Door, platform: str) -> None:
    sent = client.sign(platform)
    for query in ({}, {"R": sent.query["r"]}):
        problem_of(msgspec.structs.replace(sent, query=query).send(client.client), 401, "webhook_not_verified")


@pytest.mark.parametrize("platform", OF_AN_ADDRESS)
def test_the_address_of_one_platform_is_none_of_another(client: Door, platform: str) -> None:
    sent = client.sign(platform)
    others = [other for other in PLATFORMS if other != platform]
    for other in others:
        problem_of(msgspec.structs.replace(sent, platform=other).send(client.client), 401, "webhook_not_verified")


def test_the_secret_of_one_bot_proves_nothing_for_another(client: Door) -> None:
    owner = client.running.new_owner()
    mine, theirs = (by_credential("telegram", which)(client.sandbox, owner)[0] for which in (0, 1))
    sign = signer_of(client.sandbox, "telegram", mine)
    other = address_of(client.running, theirs)
    assert sign(A_BODY).send(client.client).status_code == 200
    problem_of(
        msgspec.structs.replace(sign(A_BODY), query={"r": other.routing_id}).send(client.client),
        401,
        "webhook_not_verified",
    )


def greeted(client: Door, platform: str, token: str, **more: str) -> httpx.Response:
    request = {"hub.mode": "subscribe", "hub.challenge": "<b>1158201444</b>", "hub.verify_token": token, **more}
    return client.client.get(f"/webhooks/{platform}", params=request)


@pytest.mark.parametrize("platform", [Platform.META, Platform.THREADS])
def test_a_handshake_is_answered_to_who_knows_the_word(client: Door, platform: str) -> None:
    before = len(client.stored())
    answer = greeted(client, platform, VERIFY_TOKEN)
    assert (answer.status_code, answer.text) == (200, "<b>1158201444</b>")
    # What a stranger can have echoed must not be taken for a page.
    assert answer.headers["content-type"].startswith("text/plain")
    problem_of(greeted(client, platform, "another word"), 403, "verification_failed")
    problem_of(greeted(client, platform, ""), 403, "verification_failed")
    problem_of(greeted(client, platform, VERIFY_TOKEN, **{"hub.mode": "unsubscribe"}), 403, "verification_failed")
    assert len(client.stored()) == before


def test_a_handshake_of_whatsapp_wants_the_word_of_its_own_address(client: Door) -> None:
    (account,) = connect_accounts(client.sandbox, client.running.new_owner(), "whatsapp-cloud")
    address = address_of(client.running, account)
    answer = greeted(client, "whatsapp-cloud", address.secrets.verify_token, r=address.routing_id)
    assert (answer.status_code, answer.text) == (200, "<b>1158201444</b>")
    problem_of(greeted(client, "whatsapp-cloud", VERIFY_TOKEN, r=address.routing_id), 403, "verification_failed")
    problem_of(greeted(client, "whatsapp-cloud", address.secrets.verify_token), 403, "verification_failed")


@pytest.mark.parametrize("platform", [Platform.TIKTOK, Platform.TIKTOKADS, Platform.TELEGRAM, Platform.WASENDER])
def test_who_shakes_no_hands_is_refused(client: Door, platform: str) -> None:
    problem_of(greeted(client, platform, VERIFY_TOKEN), 401, "webhook_not_verified")


def test_google_s_hub_is_told_nothing_about_addresses_that_are_not_ours(client: Door) -> None:
    problem_of(greeted(client, "google", VERIFY_TOKEN), 404, "not_found")


@pytest.mark.parametrize("platform", ["nobody", "Stripe", "Meta", "whatsapp_cloud"])
def test_an_unknown_platform_is_404(client: Door, platform: str) -> None:
    problem_of(client.client.post(f"/webhooks/{platform}", content=A_BODY), 404, "not_found")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_eight_mebibytes_is_taken_and_no_more(client: Door, chunked: bool) -> None:
    def posted(sent: SignedRequest) -> httpx.Response:
        content = iter([sent.body]) if chunked else sent.body
        return client.client.post("/webhooks/meta", content=content, headers=dict(sent.headers))

    before = len(client.stored())
    assert posted(client.sign("meta", b"x" * MAX_BODY_BYTES)).status_code == 200
    problem_of(posted(client.sign("meta", b"x" * (MAX_BODY_BYTES + 1))), 413, "body_too_large")
    assert len(client.stored()) == before + 1


def test_requests_that_come_at_once_are_each_stored_once(client: Door) -> None:
    bodies = [b'{"number":%d}' % number for number in range(64)]
    sent = [client.sign("meta", body) for body in bodies]
    before = len(client.stored())
    answers = run_simultaneously(len(sent), lambda number: sent[number].send(client.client).status_code)
    assert set(answers) == {200}
    assert sorted(read_inbound(row).decoded_request.body for row in client.stored()[before:]) == sorted(bodies)


def secrets_in(client: Door, before: int) -> str:
    """Give everything that was stored since, with the bodies opened, and what else the database holds."""
    kept = [read_inbound(row).decoded_request for row in client.stored()[before:]]
    return repr(kept) + dump(client.running)


@pytest.mark.parametrize("platform", [Platform.TELEGRAM, Platform.WASENDER])
def test_a_secret_that_comes_as_the_proof_is_not_stored(client: Door, platform: str) -> None:
    sent = client.sign(platform)
    (secret,) = sent.headers.values()
    before = len(client.stored())
    assert sent.send(client.client).status_code == 200
    assert all(form not in secrets_in(client, before) for form in list_plain_forms(secret))


def test_the_key_of_a_session_in_a_body_is_not_stored(client: Door) -> None:
    bodies = [body for name, body in fixtures_of("wasender").items() if name.endswith(".json")]
    key = msgspec.json.decode(fixtures_of("wasender")["session_word.json"])["data"]["session_id"]
    assert sum(key.encode() in body for body in bodies) > 1
    before = len(client.stored())
    for body in bodies:
        assert client.sign("wasender", body).send(client.client).status_code == 200
    assert len(client.stored()) == before + len(bodies)
    assert all(form not in secrets_in(client, before) for form in list_plain_forms(key))


def test_the_word_of_pub_sub_in_the_address_is_not_stored(client: Door) -> None:
    google = Google(client.sandbox)
    claims = {"iss": "https://accounts.google.com", "aud": "https://gate.example.com", "exp": 4_000_000_000}
    proof = f"Bearer {google.token(msgspec.json.encode(claims))}"
    sent = SignedRequest(platform="google", body=b'{"message":{}}', headers={"Authorization": proof})
    problem_of(sent.send(client.client), 401, "webhook_not_verified")
    before = len(client.stored())
    assert msgspec.structs.replace(sent, query={"token": VERIFY_TOKEN}).send(client.client).status_code == 204
    assert len(client.stored()) == before + 1
    assert all(
        form not in secrets_in(client, before) for form in (*list_plain_forms(VERIFY_TOKEN), *list_plain_forms(proof))
    )


def test_a_webhook_needs_no_credential_and_takes_none(client: Door) -> None:
    """A key that somebody sends along opens nothing here."""
    owner: OwnerFixture = client.running.new_owner()
    problem_of(without_proof(client.sign("meta")).send(owner.key()), 401, "webhook_not_verified")
