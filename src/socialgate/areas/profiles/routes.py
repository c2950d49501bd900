from socialgate.areas.profiles.schemas import NewProfile, Profile, ProfileChanges
from socialgate.areas.profiles.service import ProfileService
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery
from socialgate.web.route import route
from socialgate.web.schemas import Page
from socialgate.web.tags import PROFILES_TAG


@route("POST", "/profiles", sdk="profiles.create", tag=PROFILES_TAG)
async def create_profile(data: NewProfile, work: UnitOfWork, profiles: ProfileService) -> Profile:
    """Create a profile.

    Accounts are connected to a profile, and every event has a profile id. A key that is limited to some profiles cannot
    create another.
    """
    return await work.write(profiles.create, work.caller, data)


@route("GET", "/profiles", sdk="profiles.list", tag=PROFILES_TAG, query=ListQuery)
async def list_profiles(params: ListQuery, work: UnitOfWork, profiles: ProfileService) -> Page[Profile]:
    """List the profiles that the credential covers, newest first."""
    return await work.read(profiles.list, work.caller, params)


@route("GET", "/profiles/{profile_id:str}", sdk="profiles.get", tag=PROFILES_TAG)
async def show_profile(profile_id: str, work: UnitOfWork, profiles: ProfileService) -> Profile:
    """Return a profile, with its ETag for a later update."""
    return await work.read(profiles.show, work.caller, profile_id)


@route("PATCH", "/profiles/{profile_id:str}", sdk="profiles.update", tag=PROFILES_TAG)
async def change_profile(
    profile_id: str, data: ProfileChanges, expected: ExpectedVersion, work: UnitOfWork, profiles: ProfileService
) -> Profile:
    """Update a profile. Send `If-Match` with the ETag of the version you read to prevent lost updates."""
    return await work.write(profiles.change, work.caller, profile_id, data, expected)


routes = [create_profile, list_profiles, show_profile, change_profile]
