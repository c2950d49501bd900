"""Profiles: one for each brand or customer. The switcher in the sidebar chooses among them."""

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.profiles.schemas import NewProfile, ProfileChanges
from socialgate.areas.profiles.service import ProfileService
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery

# Each row has its dialogs with it.
_MAX_ROWS = 16


@console_page("/console/profiles", "profiles.html", query=ListPageQuery)
async def profiles_page(visit: Visit, params: ListPageQuery, profiles: ProfileService) -> Values:
    return {
        "listed": await visit.work.read(profiles.list, visit.caller, ListQuery(limit=_MAX_ROWS, cursor=params.cursor))
    }


@profiles_page.form("create", NewProfile, path="")
async def create_profile(visit: Visit, data: NewProfile, profiles: ProfileService) -> Outcome:
    created = await visit.work.write(profiles.create, visit.caller, data)
    return Done(f"{created.name} was created.")


@profiles_page.form("change", ProfileChanges, path="/{profile_id:str}/change")
async def change_profile(visit: Visit, profile_id: str, data: ProfileChanges, profiles: ProfileService) -> Outcome:
    changed = await visit.work.write(profiles.change, visit.caller, profile_id, data, ExpectedVersion(None))
    return Done(f"{changed.name} was changed.")


@profiles_page.form("delete", path="/{profile_id:str}/delete")
async def delete_profile(visit: Visit, profile_id: str, accounts: AccountService) -> Outcome:
    """Delete a profile that has no accounts. The accounts of others are disconnected one by one on their page."""
    await accounts.delete_profile(visit.work, profile_id, force=False)
    return Done("The profile was deleted.", to="/console/profiles")
