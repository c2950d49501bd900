"""Settings: the password, where one is signed in, and what this service is."""

from socialgate.areas.description.service import HealthCheck
from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.schemas import PasswordChange
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import PageQuery, Visit


@console_page(
    "/console/settings",
    "settings.html",
    entry=Entry(label="Settings", icon="gear", group=Group.SETTINGS, key="s"),
)
async def settings_page(
    visit: Visit, params: PageQuery, identity: IdentityService, health_check: HealthCheck
) -> Values:
    del params  # it only has the profile
    return {
        "sessions": await visit.work.read(identity.list_sessions, visit.caller),
        "health": await health_check.check(),
    }


@settings_page.form("password", PasswordChange)
async def change_password(
    visit: Visit,
    data: PasswordChange,
    identity: IdentityService,
    throttle: LoginThrottle,
    tokens: TokenAuthenticator,
) -> Outcome:
    await throttle.check_user(visit.caller)
    await identity.change_password(visit.work, data)
    tokens.invalidate_owner(visit.owner_id)
    return Done("The password was changed. You are signed out everywhere else.")


@settings_page.form("sessions")
async def end_other_sessions(visit: Visit, identity: IdentityService, tokens: TokenAuthenticator) -> Outcome:
    await visit.work.write(identity.end_other_sessions, visit.caller)
    tokens.invalidate_owner(visit.owner_id)
    return Done("You are signed out everywhere else.")
