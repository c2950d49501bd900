"""Runs operations that write: a preview first where it matters, once however often it is called, and with an undo."""

from collections.abc import Mapping
from typing import Any

from socialgate.mcp.api import ApiResponse, ApiSession, ProblemError
from socialgate.mcp.confirmations import build_key, needs_confirmation, new_confirmation, require_confirmed
from socialgate.mcp.operations import Operation
from socialgate.mcp.results import shorten
from socialgate.mcp.tools import ToolOperations

# A call that was refused may be made again when its reason is gone, each time with the next key.
_MAX_REFUSALS = 50
# Safe values of what can be left out.
SAFE_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"automations.create": {"active": False}}
# What cannot be undone by a call that follows from the routes.
_UNDO = {
    "messages.send": "A message cannot be taken back.",
    "messages.send_whatsapp": "A message cannot be taken back.",
    "conversations.mark_read": "This cannot be undone.",
    "posts.retry": "Delete what was published with delete_post.",
    "posts.reconcile": "Reconcile again with the right outcome.",
    "accounts.disconnect": "Connect it again with connect_account.",
    "ad_accounts.disconnect": "Connect it again with connect_account.",
    "ads.boost": "Pause or delete the campaign with change_ads.",
    "ads.dark_post": "Pause or delete the campaign with change_ads.",
    "ads.update": "Call change_ads again with the previous values; a started ad stops with status paused.",
    "products.batch": "Send the previous values with catalog.",
    "connect.start": "Nothing is connected until a person opens the link.",
}


class Writer:
    """Runs writes for one caller."""

    def __init__(self, session: ApiSession, tools: ToolOperations) -> None:
        self._session = session
        self._tools = tools

    async def run(
        self, tool: str, operation: Operation, arguments: Mapping[str, Any], confirm: str | None, again: int
    ) -> dict[str, Any]:
        arguments = {**SAFE_DEFAULTS.get(operation.name, {}), **arguments}
        is_confirmed = needs_confirmation(operation, arguments)
        if is_confirmed and confirm is None:
            return await self._preview(tool, operation, arguments)
        key = require_confirmed(operation, arguments, confirm or "") if is_confirmed else None
        before = await self._read_current(operation, arguments) if operation.http == "PATCH" else None
        response = await self._send_once(operation, arguments, key or build_key(operation, arguments, again))
        return self._describe(operation, arguments, response, before)

    async def _preview(self, tool: str, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Say what would happen, and give the confirmation for exactly that."""
        current = await self._read_current(operation, arguments)
        conversation = await self._read_conversation(operation, arguments)
        return {
            "preview": operation.summary,
            "with": shorten(dict(arguments)),
            **({} if current is None else {"now": shorten(current)}),
            **({} if conversation is None else {"conversation": shorten(conversation)}),
            "done": False,
            "confirm": new_confirmation(operation, arguments),
            "next": f"Nothing was done. To do it, call {tool} with the same arguments and this `confirm`.",
        }

    async def _read_current(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Read what is changed or deleted, where a route returns it. It may be missing, which the call itself says."""
        reader = self._session.operations.find("GET", operation.path)
        if reader is None or operation.http not in {"PATCH", "DELETE"} or reader.is_list:
            return None
        names = {argument.name for argument in reader.path_arguments}
        return (await self._session.run(reader, {name: arguments.get(name) for name in names})).value

    async def _read_conversation(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        if operation.name != "messages.send" or not arguments.get("conversationId"):
            return None
        names = ("accountId", "conversationId")
        conversation = await self._session.call(
            "conversations.get", limit=1, **{name: arguments.get(name) for name in names}
        )
        return {name: conversation.get(name) for name in ("contact", "window", "lastMessage")}

    async def _send_once(self, operation: Operation, arguments: Mapping[str, Any], key: str) -> ApiResponse:
        if not operation.is_idempotent:
            return await self._session.run(operation, arguments)
        for number in range(_MAX_REFUSALS):
            try:
                return await self._session.run(operation, arguments, f"{key}-{number}")
            except ProblemError as problem:
                # It was refused before and nothing was done, so that it may succeed now.
                if not problem.response.was_replayed:
                    raise
                refusal = problem
        raise refusal

    def _describe(
        self, operation: Operation, arguments: Mapping[str, Any], response: ApiResponse, before: Any
    ) -> dict[str, Any]:
        result = response.value
        report: dict[str, Any] = {"done": True, "operation": operation.name}
        if response.was_replayed:
            report["note"] = "The same call was made before, and was not repeated. This is its result."
        changed = _compare(before, result)
        if changed:
            report["changed"] = changed
        report["result"] = shorten(result)
        report["undo"] = self._build_undo(operation, arguments, result, changed)
        following = _find_next(result)
        if following is not None:
            report["next"] = following
        return report

    def _build_undo(
        self, operation: Operation, arguments: Mapping[str, Any], result: Any, changed: Mapping[str, Any]
    ) -> Any:
        if operation.name in _UNDO:
            return _UNDO[operation.name]
        if operation.name == "comments.hide":
            return self.build_call(operation, {**arguments, "hidden": not arguments.get("hidden", True)})
        if operation.http == "PATCH" and changed:
            ids = {argument.name: arguments[argument.name] for argument in operation.path_arguments}
            previous = {name: values["from"] for name, values in changed.items() if name in arguments}
            return self.build_call(operation, {**ids, **previous})
        opposite = self._find_opposite(operation)
        if opposite is not None and isinstance(result, dict):
            needed = _fill(opposite, arguments, result)
            if needed is not None:
                return self.build_call(opposite, needed)
        return "This cannot be undone." if operation.http == "DELETE" else "There is nothing to undo."

    def _find_opposite(self, operation: Operation) -> Operation | None:
        """Find what removes what an operation creates."""
        if operation.http != "POST":
            return None
        names: tuple[str, ...] = (
            f"{operation.resource}.delete",
            f"{operation.resource}.disconnect",
            f"{operation.resource}.revoke",
        )
        if operation.resource.startswith("ads."):
            names = ("ads.delete",)
        if operation.resource == "connect":
            names = ("accounts.disconnect",)
        if operation.name == "queue.add":
            names = ("posts.delete",)
        known = self._session.operations.by_name
        return next((known[name] for name in names if name in known), None)

    def build_call(self, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Say how a tool is called, for a result that names what to do next."""
        tool = self._tools.get_tool(operation) or "call"
        action = self._tools.get_action(tool, operation)
        return {"tool": tool, "arguments": {**({} if action is None else {"action": action}), **arguments}}


def _fill(opposite: Operation, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any] | None:
    """Find the arguments of the opposite of a call in what it was given and in what it returned."""
    last = opposite.path_arguments[-1].name if opposite.path_arguments else "id"
    known = {**arguments, **{name: value for name, value in result.items() if value is not None}}
    known[last] = result.get("id") or known.get(last)
    needed = [argument.name for argument in opposite.arguments if argument.required or argument.name == last]
    values = {name: known.get(name) for name in needed}
    return values if all(values.values()) else None


def _compare(before: Any, after: Any) -> dict[str, Any]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return {}
    return {
        name: {"from": before.get(name), "to": value}
        for name, value in after.items()
        if name in before and before[name] != value and name != "updatedAt"
    }


def _find_next(result: Any) -> str | None:
    """Say how to learn the outcome of what is not finished."""
    if isinstance(result, dict) and result.get("status") in {"queued", "running", "publishing"} and "id" in result:
        return f"It is not finished yet. Call wait with id {result['id']}."
    return None
