from socialgate.areas.usage.schemas import Usage, UsageQuery
from socialgate.areas.usage.service import UsageBook
from socialgate.core.work import Work
from socialgate.web.route import Tag, route

TAG = Tag("Usage", "What was used in a month, and the limits of the plan.")


@route("GET", "/usage", tag=TAG, query=UsageQuery)
async def show_usage(params: UsageQuery, work: Work, usage: UsageBook) -> Usage:
    """Show what was used in a month, by metric and by day, with the limits of the plan.

    A key that is limited to some profiles sees what these profiles used. Its `apiCalls` are the requests made with this
    key, and its `connectedAccounts` the sum of the highest number of each profile. Limits apply to the owner as a
    whole. Days and months are those of UTC; a month in the future is empty.
    """
    return await usage.show(work, params)


routes = [show_usage]
