"""Every failure that a simulated platform knows has one of the common words with its connector, and never another end.

The platforms fail on order (`POST /_control/fail`), with their own errors by name, in their true shape.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import pytest

from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    AccountCredentials,
    CredentialRejectedError,
    WebhookEndpoint,
)
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.failures import (
    PLATFORM_ERROR_TYPES,
    NotSupportedError,
    OutcomeUnknownError,
    PlatformDuplicateError,
    PlatformFailure,
    SyncTokenExpiredError,
    VersionConflictError,
)
from socialgate.contracts.platforms import Capability, Kind, Platform
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    NextStage,
    PostContent,
    PublishingProgress,
)
from support.connections import connect_accounts
from support.connectors import connector_of, open_credentials
from support.database import run_sql
from support.sandbox import Sandbox
from support.service import RunningService, running_service

T = TypeVar("T")

Word: TypeAlias = type[PlatformFailure]
Call: TypeAlias = Callable[[Connector, AccountCredentials], Awaitable[Any]]

CALLBACK = WebhookEndpoint(url="http://127.0.0.1:1/webhooks", secret="s" * 32, verify_token="v" * 32)
LOST = {"a lost answer": {"when": "drop"}, "a lost answer to a change": {"when": "drop", "method": "POST"}}
# Kinds that take a post of nothing but text.
WRITING = {Kind.FACEBOOK_PAGE, Kind.THREADS, Kind.TELEGRAM_BOT}

NO_DUPLICATES = "it takes the same as often as it is sent"
NOTHING_ONCE = "nothing is sent there yet that must not be sent twice"
NO_LIMITED_KINDS = "it has one kind of account, and refuses what that cannot do as a wrong value"

# The words that a platform has no failure for, each with the reason.
WITHOUT: dict[Platform, dict[Word, str]] = {
    Platform.THREADS: {PlatformDuplicateError: NO_DUPLICATES, NotSupportedError: NO_LIMITED_KINDS},
    Platform.TIKTOK: {PlatformDuplicateError: NO_DUPLICATES, NotSupportedError: NO_LIMITED_KINDS},
    Platform.TIKTOKADS: {OutcomeUnknownError: NOTHING_ONCE},
    Platform.WASENDER: {PlatformDuplicateError: NO_DUPLICATES, NotSupportedError: NO_LIMITED_KINDS},
    Platform.WHATSAPP_CLOUD: {
        PlatformDuplicateError: NO_DUPLICATES,
        NotSupportedError: NO_LIMITED_KINDS,
        OutcomeUnknownError: NOTHING_ONCE,
    },
    Platform.TELEGRAM: {NotSupportedError: NO_LIMITED_KINDS},
}

# What only calendars have: versions that are compared, and lists that go on from a token.
OF_CALENDARS: set[Word] = {VersionConflictError, SyncTokenExpiredError}

# Failures that the platforms document and the sandbox has no name for.
UNNAMED: dict[Platform, dict[str, Any]] = {
    Platform.META: {"trial_reel": {"error": {"message": "No", "code": 100, "error_subcode": 2207081}}},
    Platform.GOOGLE: {
        reason: {"error": {"code": status, "message": "No", "errors": [{"reason": reason}]}}
        for status, reason in ((409, "duplicate"), (412, "conditionNotMet"))
    },
}


class NoMedia:
    async def read(self, media_id: str, start: int, length: int) -> bytes:
        raise AssertionError(f"a text has no media to read ({media_id}, {start}, {length})")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), worker="separate") as service:
        yield service


@pytest.fixture(scope="module")
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


class Stage:
    """An account of a platform, and the sandbox behind it that fails on order."""

    def __init__(self, sandbox: Sandbox, platform: Platform) -> None:
        self.sandbox = sandbox
        self.running = sandbox.running
        self.platform = platform
        self.credentials = open_credentials(
            self.running, connect_accounts(sandbox, self.running.new_owner(), platform)[0]
        )
        self.orders = self._orders()
        self.calls: dict[str, Call] = self.running.run(self._calls(self._text()))

    def end_of(self, name: str, order: dict[str, Any]) -> Word | None:
        """Let all calls to the platform fail in one way, and tell how a call of ours ends: None if well."""
        with self._failing(order):
            failure: PlatformFailure | None = self.running.run(self._failure_of(self.calls[name]))
        if failure is None:
            return None
        assert failure.platform == self.platform
        assert failure.detail.endswith((".", "…"))
        return type(failure)

    @contextmanager
    def _failing(self, order: dict[str, Any]) -> Iterator[None]:
        self.sandbox.control("fail", platform=self.platform, times=100, **order)
        try:
            yield
        finally:
            assert self.sandbox.http.delete("/_control/fail").is_success
            # A platform that asked to wait has been heard by now.
            run_sql(self.running, "DELETE FROM pauses")

    async def _failure_of(self, call: Call) -> PlatformFailure | None:
        with connector_of(self.running, self.platform) as connector:
            try:
                await call(connector, self.credentials)
            except PlatformFailure as failure:
                return failure
            except CredentialRejectedError:
                # The word for what a customer has just typed in.
                return None
        return None

    def _orders(self) -> dict[str, dict[str, Any]]:
        listed = self.sandbox.http.get("/_control").json()["data"]
        named = next(item["errors"] for item in listed if item["platform"] == self.platform)
        unnamed = {name: {"status": 400, "body": body} for name, body in UNNAMED.get(self.platform, {}).items()}
        pages = {f"a page with {status}": {"status": status, "body": "<html>No</html>"} for status in (404, 418, 502)}
        return {**{name: {"error": name} for name in named}, **unnamed, **pages, **LOST}

    async def _calls(self, content: PostContent) -> dict[str, Call]:
        """Everything that the connector can be asked for, up to the first stage of a post that must not run twice."""
        function: dict[str, Call] = {}
        credentials = self.credentials
        with connector_of(self.running, self.platform) as connector:
            function |= {name: call for name, call in CALLS.items() if getattr(connector, name) is not None}
            function |= {
                str(capability): call
                for capability, call in OF_KIND.items()
                if connector.find_adapter(credentials.kind, capability) is not None
            }
            publishing = connector.find_adapter(credentials.kind, PUBLISH_POST_CAPABILITY)
            if publishing is None or credentials.kind not in WRITING:
                return function
            progress = publishing.create_progress(content)
            while progress.stage not in publishing.non_repeatable_stages:
                step = await publishing.run_stage(credentials, content, progress, NoMedia())
                assert isinstance(step, NextStage)
                progress = step.progress
        return {**function, "publishing": _publish(content, progress)}

    def _text(self) -> PostContent:
        if self.platform is not Platform.TELEGRAM:
            return PostContent(text="Hello")
        channel = next(item for item in self.sandbox.accounts("telegram") if item["kind"] == "channel")
        return PostContent(text="Hello", options={"chatId": channel["id"]})


def _part(connector: Connector, credentials: AccountCredentials, capability: Capability[T]) -> T:
    part = connector.find_adapter(credentials.kind, capability)
    assert part is not None
    return part


async def _about(connector: Connector, credentials: AccountCredentials) -> None:
    await _part(connector, credentials, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(credentials)


async def _check(connector: Connector, credentials: AccountCredentials) -> None:
    await _part(connector, credentials, ACCOUNT_HEALTH_CAPABILITY).check(credentials)


async def _history(connector: Connector, credentials: AccountCredentials) -> None:
    await _part(connector, credentials, POST_HISTORY_CAPABILITY).list_live_posts(credentials, 5, None)


async def _remove(connector: Connector, credentials: AccountCredentials) -> None:
    await _part(connector, credentials, DELETE_POST_CAPABILITY).delete_post(
        credentials, f"{credentials.platform_account_id}_1"
    )


async def _refresh(connector: Connector, credentials: AccountCredentials) -> None:
    assert connector.token_refresher is not None
    await connector.token_refresher.refresh(credentials.grant)


async def _subscribe(connector: Connector, credentials: AccountCredentials) -> None:
    assert connector.webhook_subscriber is not None
    await connector.webhook_subscriber.subscribe(credentials, CALLBACK)


async def _pair(connector: Connector, credentials: AccountCredentials) -> None:
    assert connector.qr_pairing is not None
    await connector.qr_pairing.begin_pairing({"name": "Shop", "phoneNumber": credentials.platform_account_id}, CALLBACK)


async def _revoke(connector: Connector, credentials: AccountCredentials) -> None:
    assert connector.grant_revoker is not None
    await connector.grant_revoker.revoke(credentials, is_last_account=True)


OF_KIND: dict[Capability[Any], Call] = {
    ACCOUNT_PROFILE_CAPABILITY: _about,
    ACCOUNT_HEALTH_CAPABILITY: _check,
    POST_HISTORY_CAPABILITY: _history,
    DELETE_POST_CAPABILITY: _remove,
}
CALLS: dict[str, Call] = {
    "token_refresher": _refresh,
    "webhook_subscriber": _subscribe,
    "qr_pairing": _pair,
    "grant_revoker": _revoke,
}


def _publish(content: PostContent, progress: PublishingProgress) -> Call:
    async def publish(connector: Connector, credentials: AccountCredentials) -> None:
        await _part(connector, credentials, PUBLISH_POST_CAPABILITY).run_stage(
            credentials, content, progress, NoMedia()
        )

    return publish


@pytest.mark.parametrize("platform", Platform)
def test_every_failure_has_a_word_and_every_word_its_failure(sandbox: Sandbox, platform: Platform) -> None:
    stage = Stage(sandbox, platform)
    words: dict[Word, set[str]] = defaultdict(set)
    for error, order in stage.orders.items():
        ends = {call: stage.end_of(call, order) for call in stage.calls}
        for word in filter(None, ends.values()):
            words[word].add(error)
        assert any(ends.values()), f"nobody hears of {error}"
    assert set(words) <= set(PLATFORM_ERROR_TYPES)
    without = WITHOUT.get(platform, {})
    unreached = set(PLATFORM_ERROR_TYPES) - set(words)
    if platform is not Platform.GOOGLE:
        assert unreached >= OF_CALENDARS
        unreached -= OF_CALENDARS
    assert unreached == set(without), {word.__name__: sorted(errors) for word, errors in words.items()}
