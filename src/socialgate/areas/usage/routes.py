from socialgate.areas.usage.schemas import Usage, UsageQuery
from socialgate.areas.usage.service import UsageService
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteTag, route

TAG = RouteTag("Usage", "What was used in a month, and the limits of the plan.")


@route("GET", "/usage", sdk="usage.get", tag=TAG, query=UsageQuery)
async def show_usage(params: UsageQuery, work: UnitOfWork, usage: UsageService) -> Usage:
    """Show what was used in a month, by metric and by day, with the limits of the plan.

    With a key that is limited to some profiles, you see what these profiles used; `apiCalls` are then the requests made
    with this key, and `connectedAccounts` is the sum of the highest number of each profile. Limits apply to the whole
    owner. Days and months are in UTC. A month in the future is empty.
    """
    return await usage.show(work, params)


routes = [show_usage]
