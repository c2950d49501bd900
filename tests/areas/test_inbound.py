"""The door for platforms: what is proven is stored before it is answered, and nothing else is."""

from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.inbound.routes import MOST_BYTES
from socialgate.areas.inbound.store import inbound, read_inbound
from socialgate.contracts.platforms import Platform
from support.connections import by_credential, connected
from support.database import dump, forms_of, rows
from support.parallel import at_once
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerOf, RunningService, StartService
from support.waiting import eventually
from support.webhooks import (
    VERIFY_TOKEN,
    Google,
    Sent,
    Sign,
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

    def sign(self, platform: str, body: bytes = A_BODY) -> Sent:
        if platform not in self._signers:
            account = None
            if platform in OF_AN_ADDRESS:
                (account,) = connected(self.sandbox, self.running.new_owner(), platform)
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
def door(start_service: StartService) -> Iterator[Door]:
    with start_service(worker="separate") as running, Sandbox(running) as sandbox:
        yield Door(running, sandbox)


def without_proof(sent: Sent) -> Sent:
    kept = {name: value for name, value in sent.headers.items() if name == "Content-Type"}
    return msgspec.structs.replace(sent, headers=kept)


def with_wrong_proof(sent: Sent) -> Sent:
    """Change one letter of the proof, in its middle: the last ones of a token may carry no bits."""

    def changed(proof: str) -> str:
        place = len(proof) - 20
        return proof[:place] + ("b" if proof[place] == "a" else "a") + proof[place + 1 :]

    headers = {name: value if name == "Content-Type" else changed(value) for name, value in sent.headers.items()}
    return msgspec.structs.replace(sent, headers=headers)


def test_every_platform_is_tested() -> None:
    assert set(PLATFORMS) == set(Platform)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_proven_is_stored_as_it_came_before_anybody_works_on_it(door: Door, platform: str) -> None:
    bodies = [body for name, body in fixtures_of(platform).items() if name.endswith(".json")]
    sent = [door.sign(platform, body) for body in bodies]
    before, counted = len(door.stored()), door.counted(platform, "stored")
    for one in sent:
        answer = one.to(door.client)
        assert answer.status_code == (204 if platform == "google" else 200), answer.text
        assert answer.content == b""
    kept = door.stored()[before:]
    assert [row.platform for row in kept] == [platform] * len(bodies)
    assert all(row.tries == 0 and row.due_at is not None and row.error is None for row in kept)
    if platform != "wasender":
        assert [read_inbound(row).came.body for row in kept] == bodies
    assert door.counted(platform, "stored") == counted + len(bodies)


def test_a_security_event_of_google_is_stored_too(door: Door) -> None:
    google = Google(door.sandbox)
    before = len(door.stored())
    for name, body in fixtures_of("google").items():
        if name.startswith("risc"):
            assert google.security_event(security_claims(body)).to(door.client).status_code == 202
    assert len(door.stored()) == before + 4
    for_another_app = google.security_event(security_claims(fixtures_of("google")["risc_batch.json"], aud="other"))
    problem_of(for_another_app.to(door.client), 401, "webhook_not_verified")
    assert len(door.stored()) == before + 4


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("forge", [without_proof, with_wrong_proof])
def test_what_is_not_proven_is_refused_and_counted_and_leaves_nothing(door: Door, platform: str, forge: Any) -> None:
    forged = forge(door.sign(platform))
    before, counted = len(door.stored()), door.counted(platform, "refused")
    problem_of(forged.to(door.client), 401, "webhook_not_verified")
    assert len(door.stored()) == before
    assert door.counted(platform, "refused") == counted + 1


@pytest.mark.parametrize("platform", [Platform.META, Platform.THREADS, Platform.TIKTOK, Platform.TIKTOKADS])
def test_a_body_that_was_changed_on_the_way_is_refused(door: Door, platform: str) -> None:
    sent = msgspec.structs.replace(door.sign(platform), body=A_BODY + b" ")
    problem_of(sent.to(door.client), 401, "webhook_not_verified")


def test_a_proof_of_tiktok_grows_old(door: Door) -> None:
    now = door.running.clock.now().timestamp()
    assert tiktok(A_BODY, now - 290).to(door.client).status_code == 200
    for moment in (now - 310, now + 310):
        problem_of(tiktok(A_BODY, moment).to(door.client), 401, "webhook_not_verified")


@pytest.mark.parametrize("routing_id", ["x" * 43, "\0", "x" * 5000, "é", "", "' OR 1=1 --"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_address_that_nobody_registered_is_refused(door: Door, platform: str, routing_id: str) -> None:
    sent = msgspec.structs.replace(door.sign(platform), query={"r": routing_id})
    before, counted = len(door.stored()), door.counted(platform, "refused")
    problem_of(sent.to(door.client), 401, "webhook_not_verified")
    problem_of(door.client.get(f"/webhooks/{platform}", params={"r": routing_id}), 401, "webhook_not_verified")
    assert len(door.stored()) == before
    assert door.counted(platform, "refused") == counted + 2


@pytest.mark.parametrize("platform", OF_AN_ADDRESS)
def test_what_is_proven_for_an_address_is_nothing_without_it(door: Door, platform: str) -> None:
    sent = door.sign(platform)
    for query in ({}, {"R": sent.query["r"]}):
        problem_of(msgspec.structs.replace(sent, query=query).to(door.client), 401, "webhook_not_verified")


@pytest.mark.parametrize("platform", OF_AN_ADDRESS)
def test_the_address_of_one_platform_is_none_of_another(door: Door, platform: str) -> None:
    sent = door.sign(platform)
    others = [other for other in PLATFORMS if other != platform]
    for other in others:
        problem_of(msgspec.structs.replace(sent, platform=other).to(door.client), 401, "webhook_not_verified")


def test_the_secret_of_one_bot_proves_nothing_for_another(door: Door) -> None:
    owner = door.running.new_owner()
    mine, theirs = (by_credential("telegram", which)(door.sandbox, owner)[0] for which in (0, 1))
    sign = signer_of(door.sandbox, "telegram", mine)
    other = address_of(door.running, theirs)
    assert sign(A_BODY).to(door.client).status_code == 200
    problem_of(
        msgspec.structs.replace(sign(A_BODY), query={"r": other.routing_id}).to(door.client),
        401,
        "webhook_not_verified",
    )


def greeted(door: Door, platform: str, token: str, **more: str) -> httpx.Response:
    asked = {"hub.mode": "subscribe", "hub.challenge": "<b>1158201444</b>", "hub.verify_token": token, **more}
    return door.client.get(f"/webhooks/{platform}", params=asked)


@pytest.mark.parametrize("platform", [Platform.META, Platform.THREADS])
def test_a_handshake_is_answered_to_who_knows_the_word(door: Door, platform: str) -> None:
    before = len(door.stored())
    answer = greeted(door, platform, VERIFY_TOKEN)
    assert (answer.status_code, answer.text) == (200, "<b>1158201444</b>")
    # What a stranger can have echoed must not be taken for a page.
    assert answer.headers["content-type"].startswith("text/plain")
    problem_of(greeted(door, platform, "another word"), 403, "verification_failed")
    problem_of(greeted(door, platform, ""), 403, "verification_failed")
    problem_of(greeted(door, platform, VERIFY_TOKEN, **{"hub.mode": "unsubscribe"}), 403, "verification_failed")
    assert len(door.stored()) == before


def test_a_handshake_of_whatsapp_wants_the_word_of_its_own_address(door: Door) -> None:
    (account,) = connected(door.sandbox, door.running.new_owner(), "whatsapp-cloud")
    address = address_of(door.running, account)
    answer = greeted(door, "whatsapp-cloud", address.secrets.verify_token, r=address.routing_id)
    assert (answer.status_code, answer.text) == (200, "<b>1158201444</b>")
    problem_of(greeted(door, "whatsapp-cloud", VERIFY_TOKEN, r=address.routing_id), 403, "verification_failed")
    problem_of(greeted(door, "whatsapp-cloud", address.secrets.verify_token), 403, "verification_failed")


@pytest.mark.parametrize("platform", [Platform.TIKTOK, Platform.TIKTOKADS, Platform.TELEGRAM, Platform.WASENDER])
def test_who_shakes_no_hands_is_refused(door: Door, platform: str) -> None:
    problem_of(greeted(door, platform, VERIFY_TOKEN), 401, "webhook_not_verified")


def test_google_s_hub_is_told_nothing_about_addresses_that_are_not_ours(door: Door) -> None:
    problem_of(greeted(door, "google", VERIFY_TOKEN), 404, "not_found")


@pytest.mark.parametrize("platform", ["nobody", "Stripe", "Meta", "whatsapp_cloud"])
def test_an_unknown_platform_is_404(door: Door, platform: str) -> None:
    problem_of(door.client.post(f"/webhooks/{platform}", content=A_BODY), 404, "not_found")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_eight_mebibytes_is_taken_and_no_more(door: Door, chunked: bool) -> None:
    def posted(sent: Sent) -> httpx.Response:
        content = iter([sent.body]) if chunked else sent.body
        return door.client.post("/webhooks/meta", content=content, headers=dict(sent.headers))

    before = len(door.stored())
    assert posted(door.sign("meta", b"x" * MOST_BYTES)).status_code == 200
    problem_of(posted(door.sign("meta", b"x" * (MOST_BYTES + 1))), 413, "body_too_large")
    assert len(door.stored()) == before + 1


def test_requests_that_come_at_once_are_each_stored_once(door: Door) -> None:
    bodies = [b'{"number":%d}' % number for number in range(64)]
    sent = [door.sign("meta", body) for body in bodies]
    before = len(door.stored())
    answers = at_once(len(sent), lambda number: sent[number].to(door.client).status_code)
    assert set(answers) == {200}
    assert sorted(read_inbound(row).came.body for row in door.stored()[before:]) == sorted(bodies)


def secrets_in(door: Door, before: int) -> str:
    """Give everything that was stored since, with the bodies opened, and what else the database holds."""
    kept = [read_inbound(row).came for row in door.stored()[before:]]
    return repr(kept) + dump(door.running)


@pytest.mark.parametrize("platform", [Platform.TELEGRAM, Platform.WASENDER])
def test_a_secret_that_comes_as_the_proof_is_not_stored(door: Door, platform: str) -> None:
    sent = door.sign(platform)
    (secret,) = sent.headers.values()
    before = len(door.stored())
    assert sent.to(door.client).status_code == 200
    assert all(form not in secrets_in(door, before) for form in forms_of(secret))


def test_the_key_of_a_session_in_a_body_is_not_stored(door: Door) -> None:
    bodies = [body for name, body in fixtures_of("wasender").items() if name.endswith(".json")]
    key = msgspec.json.decode(fixtures_of("wasender")["session_word.json"])["data"]["session_id"]
    assert sum(key.encode() in body for body in bodies) > 1
    before = len(door.stored())
    for body in bodies:
        assert door.sign("wasender", body).to(door.client).status_code == 200
    assert len(door.stored()) == before + len(bodies)
    assert all(form not in secrets_in(door, before) for form in forms_of(key))


def test_the_word_of_pub_sub_in_the_address_is_not_stored(door: Door) -> None:
    google = Google(door.sandbox)
    claims = {"iss": "https://accounts.google.com", "aud": "https://gate.example.com", "exp": 4_000_000_000}
    proof = f"Bearer {google.token(msgspec.json.encode(claims))}"
    sent = Sent(platform="google", body=b'{"message":{}}', headers={"Authorization": proof})
    problem_of(sent.to(door.client), 401, "webhook_not_verified")
    before = len(door.stored())
    assert msgspec.structs.replace(sent, query={"token": VERIFY_TOKEN}).to(door.client).status_code == 204
    assert len(door.stored()) == before + 1
    assert all(form not in secrets_in(door, before) for form in (*forms_of(VERIFY_TOKEN), *forms_of(proof)))


def test_a_webhook_needs_no_credential_and_takes_none(door: Door) -> None:
    """A key that somebody sends along opens nothing here."""
    owner: OwnerOf = door.running.new_owner()
    problem_of(without_proof(door.sign("meta")).to(owner.key()), 401, "webhook_not_verified")
