from socialgate.areas.profiles.schemas import NewProfile, Profile, ProfileChanges
from socialgate.areas.profiles.service import Profiles
from socialgate.core.work import Work
from socialgate.web.edits import Expected
from socialgate.web.paging import ListQuery
from socialgate.web.route import route
from socialgate.web.schema import Page
from socialgate.web.tags import PROFILES


@route("POST", "/profiles", tag=PROFILES)
async def create_profile(data: NewProfile, work: Work, profiles: Profiles) -> Profile:
    """Create a profile.

    Accounts are connected to a profile, and every event has a profile id. A key that is limited to some profiles cannot
    create another.
    """
    return await work.write(profiles.create, work.caller, data)


@route("GET", "/profiles", tag=PROFILES, query=ListQuery)
async def list_profiles(params: ListQuery, work: Work, profiles: Profiles) -> Page[Profile]:
    """List the profiles that the credential covers, newest first."""
    return await work.read(profiles.list, work.caller, params)


@route("GET", "/profiles/{profile_id:str}", tag=PROFILES)
async def show_profile(profile_id: str, work: Work, profiles: Profiles) -> Profile:
    """Return a profile, with its ETag for a later update."""
    return await work.read(profiles.show, work.caller, profile_id)


@route("PATCH", "/profiles/{profile_id:str}", tag=PROFILES)
async def change_profile(
    profile_id: str, data: ProfileChanges, expected: Expected, work: Work, profiles: Profiles
) -> Profile:
    """Update a profile. Send `If-Match` with the ETag of the version you read to prevent lost updates."""
    return await work.write(profiles.change, work.caller, profile_id, data, expected)


routes = [create_profile, list_profiles, show_profile, change_profile]
