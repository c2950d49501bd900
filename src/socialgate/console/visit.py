"""One request of a signed-in person: who they are, which profile they chose, and the addresses that keep the choice."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec
from litestar.datastructures import Cookie
from msgspec import Meta

from socialgate.areas.identity.schemas import Me
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.profiles.schemas import Profile
from socialgate.areas.profiles.service import ProfileService
from socialgate.console.forms import KEY_FIELD, FormData
from socialgate.console.navigation import HOME_PATH, Entry, Navigation
from socialgate.console.rendering import AnyRequest, get_theme
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Capability, Platform, PlatformManifest
from socialgate.contracts.sandbox_info import SandboxInfo
from socialgate.core.caller import Caller
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.form_keys import new_form_key
from socialgate.web.pagination import MAX_PAGE_LIMIT, ListQuery
from socialgate.web.schemas import QueryParameters

FLASH_COOKIE = "sg_flash"
_FLASH_SECONDS = 60
_MAX_FLASH_CHARACTERS = 500
# A form with more checkboxes than these is too large.
_MAX_PROFILE_CHOICES = 100

Cursor = Annotated[str, Meta(max_length=200)]


class PageQuery(QueryParameters, frozen=True, kw_only=True):
    """What every page has in its address: the chosen profile. Without one, a page shows all profiles."""

    profile: Annotated[str, Meta(max_length=40)] | None = None


class ListPageQuery(PageQuery, frozen=True, kw_only=True):
    """A page with one list, and where the list continues."""

    cursor: Cursor | None = None


class Flash(msgspec.Struct, frozen=True):
    """What was just done, shown once on the next page. `tone` is `good`, `warn` or `bad`."""

    tone: str
    message: str


class Visit:
    """What a page knows about the request. Templates have it as `visit`."""

    def __init__(
        self,
        *,
        request: AnyRequest,
        work: UnitOfWork,
        me: Me,
        profiles: Sequence[Profile],
        profile_names: Mapping[str, str],
        profile: Profile | None,
        query: PageQuery,
        path: str,
        navigation: Navigation,
        sandbox: SandboxInfo,
        is_development: bool,
        manifests: Mapping[Platform, PlatformManifest],
    ) -> None:
        self.request = request
        self.work = work
        self.me = me
        self.profiles = profiles
        self.profile = profile
        self._profile_names = profile_names
        self.query = query
        self.path = path
        self.navigation = navigation
        self.sandbox = sandbox
        self.is_development = is_development
        self._manifests = manifests
        self.now: datetime = work.db.clock.now()
        self.theme = get_theme(request)
        self.flash = _read_flash(request)
        # What a page adds to its response, such as when to reload it.
        self.headers: dict[str, str] = {}
        self._forms: dict[str, FormData] = {}

    @property
    def caller(self) -> Caller:
        return self.work.caller

    @property
    def owner_id(self) -> str:
        return self.work.caller.owner_id

    @property
    def profile_id(self) -> str | None:
        """The chosen profile; None for all of them."""
        return None if self.profile is None else self.profile.id

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of all times on the page: that of the profile, if it is clear which one."""
        if self.profile is not None:
            return ZoneInfo(self.profile.timezone)
        zones = {profile.timezone for profile in self.profiles}
        return ZoneInfo(zones.pop() if len(zones) == 1 else "UTC")

    @property
    def today(self) -> datetime:
        """The beginning of the day, in the time zone of the page."""
        return self.now.astimezone(self.zone).replace(hour=0, minute=0, second=0, microsecond=0)

    @property
    def entry(self) -> Entry | None:
        """The entry of the sidebar that this page belongs to."""
        return self.navigation.find_entry(self.path)

    @cached_property
    def kind_names(self) -> Mapping[str, str]:
        """What people call each kind of account. The manifests are loaded when they are first needed."""
        return {str(kind.kind): kind.name for manifest in self._manifests.values() for kind in manifest.kinds}

    def supports(self, kind: str, capability: Capability[Any]) -> bool:
        """Whether a kind of account can do something."""
        kinds = (each for manifest in self._manifests.values() for each in manifest.kinds)
        return any(each.kind == kind and capability in each.capabilities for each in kinds)

    @cached_property
    def platform_names(self) -> Mapping[Platform, str]:
        """What people call each platform: like its only kind of account, if it has one."""
        return {
            platform: manifest.kinds[0].name if len(manifest.kinds) == 1 else manifest.name
            for platform, manifest in self._manifests.items()
        }

    def list_kinds_on(self, platform: str) -> Sequence[str]:
        """List what can be connected on a platform, if that is more than its name says."""
        names = [kind.name for each, manifest in self._manifests.items() if each == platform for kind in manifest.kinds]
        return names if len(names) > 1 else []

    def profile_name(self, profile_id: str) -> str:
        return self._profile_names.get(profile_id, profile_id)

    @property
    def profile_choices(self) -> Sequence[Profile]:
        """The profiles that a form has room for: the chosen one, and the newest."""
        chosen = [self.profile] if self.profile is not None else []
        return [*chosen, *(profile for profile in self.profiles if profile not in chosen)][:_MAX_PROFILE_CHOICES]

    def link(self, path: str = HOME_PATH, **params: Any) -> str:
        """Return the address of a page, with the chosen profile and with parameters that are not None."""
        return build_address(path, {"profile": self.query.profile, **params})

    def here(self, **changes: Any) -> str:
        """Return the address of this page with other parameters. A list starts again, unless `cursor` is one."""
        params: dict[str, Any] = msgspec.to_builtins(self.query)
        defaults: dict[str, Any] = msgspec.to_builtins(type(self.query)())
        kept = {name: value for name, value in params.items() if value != defaults[name] and name != "cursor"}
        return build_address(self.path, {**kept, **changes})

    def form(self, name: str) -> FormData:
        """Return what a form of this page contains: what was filled in if it was sent with an error."""
        return self._forms.get(name) or FormData()

    def form_key(self, name: str) -> str:
        """Return the key of a form: a new one, or the one that it was sent with."""
        return self.form(name).value(KEY_FIELD) or new_form_key()

    def keep_form(self, name: str, form: FormData) -> None:
        self._forms[name] = form

    @property
    def status(self) -> int:
        return max((form.status for form in self._forms.values()), default=200)

    @property
    def has_failed(self) -> bool:
        """Whether the page is shown again because one of its forms failed."""
        return any(form.failure is not None for form in self._forms.values())

    @property
    def button_failure(self) -> str | None:
        """Return why a button did not work. Forms with fields show it themselves."""
        failures = (form.failure for form in self._forms.values() if form.is_button)
        return next((failure.detail for failure in failures if failure is not None), None)


class VisitFactory:
    """Reads what every page needs."""

    def __init__(
        self,
        identity: IdentityService,
        profiles: ProfileService,
        navigation: Navigation,
        sandbox: SandboxInfo,
        settings: Settings,
        catalogue: ConnectorRegistry,
    ) -> None:
        self._manifests = catalogue.manifests
        self._identity = identity
        self._profiles = profiles
        self._navigation = navigation
        self._sandbox = sandbox
        self._settings = settings

    async def open(self, request: AnyRequest, work: UnitOfWork, query: PageQuery, path: str) -> Visit:
        me = await work.read(self._identity.describe_caller, work.caller)
        page = await work.read(self._profiles.list, work.caller, ListQuery(limit=MAX_PAGE_LIMIT))
        profiles: Sequence[Profile] = page.data
        names: Mapping[str, str] = {profile.id: profile.name for profile in profiles}
        if page.next_cursor is not None:
            # What a page lists may belong to any of them.
            names = await work.read(self._profiles.list_names, work.caller)
        profile = await self._choose_profile(work, query.profile, profiles)
        if profile is not None and profile not in profiles:
            # There are more profiles than are listed. Forms must be able to keep the chosen one.
            profiles = [*profiles, profile]
        return Visit(
            request=request,
            work=work,
            me=me,
            profiles=profiles,
            profile_names=names,
            profile=profile,
            query=query,
            path=path,
            navigation=self._navigation,
            sandbox=self._sandbox,
            is_development=self._settings.is_local_only,
            manifests=self._manifests,
        )

    def build_cookie(self, name: str, value: str, *, max_age: int) -> Cookie:
        secure = self._settings.public_url.startswith("https://")
        return Cookie(name, value=value, path=HOME_PATH, max_age=max_age, httponly=True, samesite="lax", secure=secure)

    def build_flash_cookie(self, flash: Flash | None) -> Cookie:
        """Return the cookie that shows a message on the next page, or removes it after that."""
        if flash is None:
            return self.build_cookie(FLASH_COOKIE, "", max_age=0)
        shown = Flash(flash.tone, flash.message[:_MAX_FLASH_CHARACTERS])
        value = urlsafe_b64encode(msgspec.json.encode(shown)).decode().rstrip("=")
        return self.build_cookie(FLASH_COOKIE, value, max_age=_FLASH_SECONDS)

    async def _choose_profile(
        self, work: UnitOfWork, profile_id: str | None, profiles: Sequence[Profile]
    ) -> Profile | None:
        if profile_id is None:
            # With a single profile there is nothing to choose.
            return profiles[0] if len(profiles) == 1 else None
        listed = next((profile for profile in profiles if profile.id == profile_id), None)
        return listed or await work.read(self._profiles.show, work.caller, profile_id)


def build_address(path: str, params: Mapping[str, Any]) -> str:
    """Return a path with a query, without the parameters that are None. A list is repeated."""
    filled = {name: _to_text(value) for name, value in params.items() if value is not None}
    return f"{path}?{urlencode(filled, doseq=True)}" if filled else path


def _to_text(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_to_text(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read_flash(request: AnyRequest) -> Flash | None:
    """Read the message. Other programs on the same host may have set the cookie to anything."""
    value = request.cookies.get(FLASH_COOKIE)
    if not value or request.method != "GET":
        return None
    try:
        return msgspec.json.decode(urlsafe_b64decode(value + "=" * (-len(value) % 4)), type=Flash)
    except (ValueError, msgspec.DecodeError):
        return None
