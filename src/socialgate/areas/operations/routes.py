from socialgate.areas.operations.schemas import Operation, OperationsQuery
from socialgate.areas.operations.service import OperationService
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Operations", "Calls that changed something on a platform, and their results.")


@route("GET", "/operations", sdk="operations.list", tag=TAG, query=OperationsQuery)
async def list_operations(params: OperationsQuery, work: UnitOfWork, operations: OperationService) -> Page[Operation]:
    """List the calls that changed something on a platform in the last 30 days, newest first.

    `status=unconfirmed` lists those whose outcome is unknown: check them on the platform.
    """
    return await work.read(operations.list, work.caller, params)


@route("GET", "/operations/{operation_id:str}", sdk="operations.get", tag=TAG)
async def read_operation(operation_id: str, work: UnitOfWork, operations: OperationService) -> Operation:
    """Return one operation: what was requested from the platform, and the result."""
    return await work.read(operations.read, work.caller, operation_id)


routes = [list_operations, read_operation]
