"""Operations: every call that changed something on a platform, and its result."""

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.operations.schemas import OperationsQuery
from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.tables import OperationStatus
from socialgate.console.formatting import list_statuses
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Values, console_page
from socialgate.console.pages.posts import has_account
from socialgate.console.visit import ListPageQuery, Visit

_OPERATIONS_PER_PAGE = 30


class OperationsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which operations to show."""

    status: OperationStatus | None = None


@console_page(
    "/console/operations",
    "operations.html",
    query=OperationsPageQuery,
    entry=Entry(label="Operations", icon="checklist", group=Group.DEVELOPERS, key="o"),
)
async def operations_page(
    visit: Visit, params: OperationsPageQuery, operations: OperationService, accounts: AccountService
) -> Values:
    query = OperationsQuery(limit=_OPERATIONS_PER_PAGE, cursor=params.cursor, status=params.status)
    listed = await visit.work.read(operations.list, visit.caller, query)
    ids = {account_id for item in listed.data if (account_id := item.account_id or item.ad_account_id)}
    return {
        "operations": listed,
        "has_account": bool(listed.data) or await has_account(visit, accounts),
        "labels": await visit.work.read(accounts.list_labels, visit.caller, sorted(ids)),
        "status_names": list_statuses(OperationStatus),
    }
