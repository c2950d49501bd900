"""What every connector owes: parts for what it declares, a whole manifest, a page, fixtures, and words for failures.

The connectors are read from the catalogue: a new one is covered without being named, and what it lacks is said here.
"""

import asyncio
import base64
import importlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args
from zoneinfo import available_timezones

import jsonschema
import pytest

from socialgate.connectors.registry import CONNECTOR_FACTORIES, MANIFESTS
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
)
from socialgate.contracts.ads import ADVERTISING_CAPABILITY
from socialgate.contracts.commerce import COMMERCE_CAPABILITY
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import (
    AD_KINDS,
    AccountKind,
    AdAccountKind,
    Capability,
    ConnectMethod,
    Kind,
    KindManifest,
    Platform,
    PlatformManifest,
    TextKind,
)
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY
from socialgate.contracts.sign_in_forms import CONNECT_FORMS_BY_PLATFORM, REDIRECT_PLATFORMS, SignInForm
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY, UnhandledFact, WebhookRequest
from socialgate.core.settings import get_env_variable, get_setting_types
from support.connectors import connector_of
from support.service import RunningService, running_service
from support.webhooks import FIXTURES, fixtures_of

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "platforms"
KINDS = [(manifest, kind) for manifest in MANIFESTS.values() for kind in manifest.kinds]
_DAY = 24 * 60 * 60
VARIABLE = re.compile(r"SOCIALGATE_[A-Z_]+[A-Z]")
# What each way of connecting needs.
PARTS_OF_WAYS = {
    ConnectMethod.REDIRECT: "redirect_login",
    ConnectMethod.CREDENTIAL: "credential_login",
    ConnectMethod.QR: "qr_pairing",
}
# Shops are read by the same part as catalogs, and places are tagged in posts, with permissions of their own.
PARTS_OF_CAPABILITIES = {"shops": COMMERCE_CAPABILITY.name, "tagLocation": PUBLISH_POST_CAPABILITY.name}

each_platform = pytest.mark.parametrize("platform", Platform)
each_kind = pytest.mark.parametrize(("manifest", "kind"), KINDS, ids=[str(kind.kind) for _, kind in KINDS])


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), worker="separate") as service:
        yield service


@pytest.fixture(scope="module")
def connectors(running: RunningService) -> Iterator[dict[Platform, Connector]]:
    with ExitStack() as stack:
        yield {platform: stack.enter_context(connector_of(running, platform)) for platform in Platform}


def settings_of(platform: Platform) -> set[str]:
    """Name the variables that tell a deployment's app to a platform. Stand-in addresses are for tests alone."""
    prefix = f"{platform.replace('-', '_')}_"
    own = [name for name in get_setting_types() if name.startswith(prefix) and not name.endswith("_url")]
    return {get_env_variable(name) for name in own}


def test_platforms_without_a_redirect_have_a_form() -> None:
    methods = {platform: manifest.method for platform, manifest in MANIFESTS.items()}
    assert {platform: form.method for platform, form in CONNECT_FORMS_BY_PLATFORM.items()} == {
        platform: method for platform, method in methods.items() if method is not ConnectMethod.REDIRECT
    }
    assert {platform for platform, method in methods.items() if method is ConnectMethod.REDIRECT} == set(
        REDIRECT_PLATFORMS
    )


@pytest.mark.parametrize("form", CONNECT_FORMS_BY_PLATFORM.values(), ids=CONNECT_FORMS_BY_PLATFORM)
def test_no_secret_of_a_form_is_shown(form: SignInForm) -> None:
    entered = {name: f"entered-{name}" for name in form.body.__struct_encode_fields__}
    shown = MANIFESTS[form.platform].shown_input(entered)
    secrets = [value for name, value in entered.items() if re.search("token|secret|pin", name, re.IGNORECASE)]
    assert secrets
    assert not set(shown.values()) & set(secrets)


def test_the_kinds_of_the_api_are_those_of_the_manifests() -> None:
    assert set(get_args(AccountKind)) | set(get_args(AdAccountKind)) == set(Kind)
    assert set(get_args(AdAccountKind)) == AD_KINDS
    texts = {kind.kind for _, kind in KINDS if {PUBLISH_POST_CAPABILITY, MESSAGES_CAPABILITY} & set(kind.capabilities)}
    assert {Kind(text_kind) for text_kind in TextKind} == texts


@each_kind
def test_publishers_of_ads_are_kinds_of_other_accounts(manifest: PlatformManifest, kind: KindManifest) -> None:
    del manifest
    assert bool(kind.publishers) is (ADVERTISING_CAPABILITY in kind.capabilities)
    assert not kind.publishers.keys() & AD_KINDS


OF_PLATFORM: tuple[Capability[Any], ...] = (
    TOKEN_REFRESH_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    INBOUND_WEBHOOKS_CAPABILITY,
)


def test_the_catalogue_has_every_platform_and_every_kind_once() -> None:
    assert set(MANIFESTS) == set(CONNECTOR_FACTORIES) == set(Platform)
    assert all(manifest.platform is platform for platform, manifest in MANIFESTS.items())
    assert sorted(kind.kind for _, kind in KINDS) == sorted(Kind)


@each_platform
def test_every_declared_capability_has_its_part_and_every_part_is_declared(
    connectors: dict[Platform, Connector], platform: Platform
) -> None:
    connector = connectors[platform]
    assert connector.manifest is MANIFESTS[platform]
    for kind in connector.manifest.kinds:
        of_platform = [
            capability for capability in OF_PLATFORM if connector.find_adapter(kind.kind, capability) is not None
        ]
        there = {*of_platform, *(part.capability for part in connector.adapters[kind.kind])}
        assert set(kind.capabilities) == there


@each_platform
def test_the_way_of_connecting_has_its_part_and_no_other_way_has_one(
    connectors: dict[Platform, Connector], platform: Platform
) -> None:
    connector = connectors[platform]
    there = {way for way, part in PARTS_OF_WAYS.items() if getattr(connector, part) is not None}
    assert there == {connector.manifest.method}


@each_kind
def test_every_kind_is_described(manifest: PlatformManifest, kind: KindManifest) -> None:
    assert manifest.name
    assert kind.name
    assert len(set(kind.capabilities)) == len(kind.capabilities)
    assert {ACCOUNT_PROFILE_CAPABILITY, ACCOUNT_HEALTH_CAPABILITY, INBOUND_WEBHOOKS_CAPABILITY} <= set(
        kind.capabilities
    )
    assert kind.permissions, "health could say nothing about what this kind can do"
    if manifest.method is ConnectMethod.REDIRECT:
        assert all(scopes for scopes in kind.permissions.values()), "a person is asked for scopes here"
    assert all(quota.name and quota.limit > 0 and quota.seconds > 0 for quota in kind.limits.quotas)
    assert all(rule.mime_types and rule.max_count > 0 for rule in kind.media.values())
    jsonschema.Draft202012Validator.check_schema(dict(kind.options))


@each_kind
def test_health_says_only_what_this_service_does_with_a_kind(manifest: PlatformManifest, kind: KindManifest) -> None:
    """Each use in `get_allowed_uses` is a capability of the kind, or a part of one with a permission of its own."""
    declared = {capability.name for capability in kind.capabilities}
    useless = [use for use in kind.get_allowed_uses(()) if PARTS_OF_CAPABILITIES.get(use, use) not in declared]
    assert useless == [], f"{manifest.name} asks for permissions that nothing here uses"


@each_kind
def test_what_an_option_needs_is_requested_and_the_option_exists(
    manifest: PlatformManifest, kind: KindManifest
) -> None:
    for option, scopes in kind.option_permissions.items():
        assert option in kind.options["properties"]
        assert {*scopes} <= {*manifest.list_scopes()}


@each_platform
def test_the_quotas_of_a_platform_can_be_told_apart(platform: Platform) -> None:
    """A call names a quota by its name alone, whichever kind of account it is for."""
    kinds = [kind.limits.quotas for kind in MANIFESTS[platform].kinds]
    for name in {quota.name for quotas in kinds for quota in quotas}:
        declared = {tuple(quota for quota in quotas if quota.name == name) for quotas in kinds}
        assert len(declared - {()}) == 1, f"kinds of {platform} have different quotas called {name}"
    resetting = [quota for quotas in kinds for quota in quotas if quota.resets is not None]
    assert {quota.resets for quota in resetting} <= available_timezones()
    assert all(quota.seconds == _DAY for quota in resetting)


@each_kind
def test_a_kind_that_posts_says_what_it_takes(manifest: PlatformManifest, kind: KindManifest) -> None:
    if PUBLISH_POST_CAPABILITY not in kind.capabilities:
        assert not kind.options.get("properties"), f"{manifest.name} has options for posts that it does not make"
        return
    assert kind.kind not in AD_KINDS
    assert "post" in kind.permissions
    assert kind.limits.text_max
    assert kind.media
    assert kind.options["type"] == "object"
    assert kind.options["additionalProperties"] is False, "a typo in an option would pass"


@each_kind
def test_a_kind_that_sends_messages_says_which_options_they_have(
    manifest: PlatformManifest, kind: KindManifest
) -> None:
    if MESSAGES_CAPABILITY not in kind.capabilities:
        assert not kind.message_options, f"{manifest.name} has options for messages that it does not send"
        return
    jsonschema.Draft202012Validator.check_schema(dict(kind.message_options))
    assert kind.message_options["additionalProperties"] is False, "a typo in an option would pass"
    assert all(message_option["description"] for message_option in kind.message_options["properties"].values())


@each_platform
def test_how_to_set_up_names_the_settings_that_exist(platform: Platform) -> None:
    payload = set(VARIABLE.findall(MANIFESTS[platform].how_to_set_up))
    assert payload == settings_of(platform)


@each_platform
def test_the_manifest_names_the_settings_of_the_platform(platform: Platform) -> None:
    """Settings are read before any connector is loaded, so their descriptions are kept elsewhere."""
    prefix = f"{platform.replace('-', '_')}_"
    assert {get_env_variable(prefix + part) for part in MANIFESTS[platform].settings} == settings_of(platform)
    assert f"{prefix}url" in get_setting_types()
    assert not MANIFESTS[platform].needs_app or {"app_id", "app_secret"} <= set(MANIFESTS[platform].settings)


@each_platform
def test_the_page_of_the_platform_names_its_kinds_and_settings(platform: Platform) -> None:
    page = (PAGES / f"{platform}.md").read_text(encoding="utf-8")
    missing = [kind.kind for kind in MANIFESTS[platform].kinds if f"`{kind.kind}`" not in page]
    assert missing == []
    assert settings_of(platform) <= set(VARIABLE.findall(page))
    assert set(VARIABLE.findall(page)) <= {get_env_variable(name) for name in get_setting_types()}
    assert f"/connect/{platform}" in page
    if MANIFESTS[platform].method is ConnectMethod.REDIRECT:
        assert f"/webhooks/{platform}" in page, "an operator enters it in the app; elsewhere we register it"


def test_no_page_is_of_a_platform_that_does_not_exist() -> None:
    assert sorted(path.stem for path in PAGES.iterdir()) == sorted(Platform)


def came(name: str, body: bytes) -> WebhookRequest:
    """Put a true body into the request that brings it. Google wraps security events into tokens."""
    headers = {}
    if name.startswith("risc"):
        payload = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
        body, headers = f"e30.{payload}.c2ln".encode(), {"content-type": "application/secevent+jwt"}
    elif name.endswith(".xml"):
        headers = {"content-type": "application/atom+xml"}
    return WebhookRequest(method="POST", query={}, headers=headers, body=body)


@each_platform
def test_every_fixture_is_read(connectors: dict[Platform, Connector], platform: Platform) -> None:
    fixtures = fixtures_of(platform)
    assert fixtures, f"there is nothing true to read in {FIXTURES / platform}"
    for name, body in fixtures.items():
        facts = connectors[platform].webhook_receiver.parse(came(name, body))
        assert facts, name
        assert all(fact.dedup_key for fact in facts), name
        unread = [
            fact for fact in facts if isinstance(fact, UnhandledFact) and fact.name in {"unreadable", "unknown", ""}
        ]
        assert unread == [], name
        assert [fact.dedup_key for fact in connectors[platform].webhook_receiver.parse(came(name, body))] == [
            f.dedup_key for f in facts
        ]


STRANGE = [b"", b"\xff", b"null", b"[]", b"{}", b'"\\ud800"', b"[" * 5000, b'{"entry":7}', b"signed_request=", b"<a/>"]


@each_platform
@pytest.mark.parametrize("body", STRANGE, ids=lambda body: repr(body[:20]))
def test_nothing_that_comes_in_can_fail(connectors: dict[Platform, Connector], platform: Platform, body: bytes) -> None:
    inbound = connectors[platform].webhook_receiver
    for method in ("GET", "POST"):
        request = WebhookRequest(method=method, query={}, headers={}, body=body)
        reply = asyncio.run(inbound.receive(request, ()))
        assert not reply.should_store or reply.status < 300
        assert reply.status in {401, 403, 404} or not reply.should_store
        assert inbound.parse(request)


@each_platform
def test_the_same_files_do_the_same_jobs(platform: Platform) -> None:
    package = f"socialgate.connectors.{platform.replace('-', '_')}"
    for name in ("accounts", "api", "auth", "errors", "manifest", "webhooks"):
        assert importlib.import_module(f"{package}.{name}").__doc__, f"{package}.{name} does not say what it does"


def test_the_pages_are_linked() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert all(f"(platforms/{platform}.md)" in index for platform in Platform)
