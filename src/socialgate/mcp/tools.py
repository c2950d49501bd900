"""The tools: what each is for, and which operations it calls.

Reads need no line here: what returns a list is in `find`, what returns numbers is in `report`, and the rest is in
`get`. What writes belongs to the tool that names its resource, and without one to `call`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from socialgate.mcp.operations import ApiOperations, Operation

MAX_TOOLS: Final = 30
MAX_SCHEMA_TOKENS: Final = 8_000
MAX_RESULT_TOKENS: Final = 2_000

# What tools do not call, and why. A test compares this with the routes.
NOT_FOR_TOOLS: Final[Mapping[str, str]] = {
    "auth.login": "people sign in; tools have a key",
    "auth.logout": "ends the session of a person",
    "auth.register": "people register",
    "auth.change_password": "people change their password",
    "events.stream": "a stream that never ends; `find` reads the same events page by page",
    "media.download": "the bytes of a file; `find` returns its signed URL",
    "media.upload": "the bytes of a file; `upload_media` returns a signed address for them",
}


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a person, in the words of a model."""

    name: str
    title: str
    description: str
    # `posts.update`, or `hooks.*` for all that writes. A tool without `writes` changes nothing.
    operations: Sequence[str] = ()
    writes: bool = True
    # Its arguments are written by hand, because they are not those of its operations.
    is_handmade: bool = False


READ_TOOLS: Final = (
    Tool(
        name="overview",
        title="Overview",
        description="Start here: who you act for, profiles, accounts with their health and fixes, posts that failed, "
        "and how much of the plan is used.",
        operations=("auth.me", "accounts.health", "usage.get", "health.get"),
        writes=False,
        is_handmade=True,
    ),
    Tool(
        name="find",
        title="Find",
        description="List and search anything. Results are short pages; continue with `cursor`.",
        writes=False,
        is_handmade=True,
    ),
    Tool(
        name="get",
        title="Get",
        description="Get one thing by its id, complete. `part` returns only a part of it, such as /targets/0.",
        writes=False,
        is_handmade=True,
    ),
    Tool(
        name="report",
        title="Report",
        description="Numbers over a period: of an account, its posts, followers, a summary compared with the period "
        "before, or of ads.",
        operations=("insights.*", "ads.insights"),
        writes=False,
    ),
    Tool(
        name="validate",
        title="Validate",
        description="Check a post for every account, or what an automation would do, without creating anything.",
        operations=("posts.validate", "automations.dry_run"),
        writes=False,
    ),
    Tool(
        name="wait",
        title="Wait",
        description="Wait up to 30 seconds for a task, a generation or a post, and return its state. Call it again "
        "while it is not finished.",
        operations=("tasks.get", "ai.get", "posts.get"),
        writes=False,
        is_handmade=True,
    ),
    Tool(
        name="docs",
        title="Documentation",
        description="Search the guides by words, or show all arguments of an operation such as posts.create, with an "
        "example. Use it before writing nested arguments.",
        writes=False,
        is_handmade=True,
    ),
)
WRITE_TOOLS: Final = (
    Tool(
        name="draft_post",
        title="Draft a post",
        description="Validate a post for every account and store it as a draft. Nothing is published. Then call "
        "publish_post with its id.",
        operations=("posts.create",),
        is_handmade=True,
    ),
    Tool(
        name="publish_post",
        title="Publish a post",
        description="Publish a draft that draft_post returned: now, at a time, or in the next free slot of the queue. "
        "Calling it twice publishes once.",
        operations=("posts.update", "queue.next_slot"),
        is_handmade=True,
    ),
    Tool(
        name="change_post",
        title="Change a post",
        description="Change a post that is not published yet. Only what is given changes.",
        operations=("posts.update",),
    ),
    Tool(
        name="retry_post",
        title="Retry a post",
        description="Publish the failed targets of a post again, or settle a target whose outcome is unknown.",
        operations=("posts.retry", "posts.reconcile"),
    ),
    Tool(
        name="delete_post",
        title="Delete a post",
        description="Delete a post here and on its platforms, or a post of the platform that was not made here.",
        operations=("posts.delete", "accounts.delete_post"),
    ),
    Tool(
        name="queue",
        title="Queue",
        description="Add a post to the queue, and change the weekly slots of a profile.",
        operations=("queue.*", "queue.slots.*"),
    ),
    Tool(
        name="upload_media",
        title="Upload a file",
        description="Get a signed address to which a file is sent with PUT (curl -T file URL), and the id that it "
        "will have; or delete a file. Posts also accept files by their public URL.",
        operations=("media.*", "media.links.*"),
    ),
    Tool(
        name="send_message",
        title="Send a message",
        description="Reply in a conversation, or send a WhatsApp message or template. The preview says whether the "
        "reply window is open.",
        operations=("messages.*", "conversations.*"),
    ),
    Tool(
        name="moderate_comments",
        title="Moderate comments",
        description="Answer, hide or delete comments and reviews.",
        operations=("comments.*",),
    ),
    Tool(
        name="automate",
        title="Automate",
        description="Create and change automations: trigger, conditions, actions. New ones are switched off until "
        "`active` is true. Check with validate first.",
        operations=("automations.*", "automations.runs.*"),
    ),
    Tool(
        name="leads",
        title="Leads",
        description="Change the state of leads, delete them, and create lead forms.",
        operations=("leads.*", "leads.forms.*"),
    ),
    Tool(
        name="calendar",
        title="Calendar",
        description="Create, change and delete events of a connected calendar.",
        operations=("calendar.*",),
    ),
    Tool(
        name="catalog",
        title="Catalog",
        description="Create catalogs, product sets and products, change many products at once (a task), delete them.",
        operations=("catalogs.*", "products.*", "product_sets.*", "shops.*"),
    ),
    Tool(
        name="create_ads",
        title="Create ads",
        description="Create campaigns, ad sets, ads and creatives, or boost a post. Everything is paused and costs "
        "nothing until `status` is active.",
        operations=(
            *("ads.boost", "ads.dark_post", "ads.campaigns.*", "ads.ad_sets.*", "ads.ads.*"),
            *("ads.creatives.*", "ads.conversions.*"),
        ),
    ),
    Tool(
        name="change_ads",
        title="Change ads",
        description="Start, pause, change or delete a campaign, ad set, ad, audience or conversion.",
        operations=("ads.update", "ads.delete"),
    ),
    Tool(
        name="audiences",
        title="Audiences",
        description="Create an audience from people (hashed before they are sent), and send conversion events.",
        operations=("ads.audiences.*", "ads.send_events"),
    ),
    Tool(
        name="generate",
        title="Generate",
        description="Generate text, images, video or audio. Returns a task: call wait.",
        operations=("ai.*",),
    ),
    Tool(
        name="hooks",
        title="Hooks",
        description="Send events to a URL: create, change, test, rotate the secret, send failed deliveries again.",
        operations=("hooks.*", "deliveries.*"),
    ),
    Tool(
        name="connect_account",
        title="Connect an account",
        description="Get a link that a person opens to connect an account, or connect with tokens. Then look with "
        "find what=accounts.",
        operations=("connect.*", "connect.links.*"),
    ),
    Tool(
        name="manage_accounts",
        title="Manage accounts",
        description="Move an account to another profile, or disconnect it.",
        operations=("accounts.*", "ad_accounts.*"),
    ),
    Tool(
        name="manage_workspace",
        title="Manage the workspace",
        description="Profiles, API keys, and links to buy or change a plan.",
        operations=("profiles.*", "api_keys.*", "billing.*"),
    ),
    Tool(
        name="call",
        title="Call an operation",
        description="Call an operation that no other tool has. docs shows its arguments.",
        is_handmade=True,
    ),
)
TOOLS: Final = (*READ_TOOLS, *WRITE_TOOLS)


class ToolOperations:
    """Which operations each tool calls."""

    def __init__(self, operations: ApiOperations) -> None:
        self.operations = operations
        self._by_tool: dict[str, list[Operation]] = {tool.name: [] for tool in TOOLS}
        for operation in operations.by_name.values():
            for name in find_tools(operation):
                self._by_tool[name].append(operation)

    def list_operations(self, tool: str) -> Sequence[Operation]:
        return self._by_tool[tool]

    def list_actions(self, tool: str) -> Mapping[str, Operation]:
        """List the operations of a tool by the names of its actions: without the resource that all of them share."""
        operations = self._by_tool[tool]
        shared = {operation.name.partition(".")[0] for operation in operations}
        prefix = f"{next(iter(shared))}." if len(shared) == 1 else ""
        return {operation.name.removeprefix(prefix): operation for operation in operations}

    def get_action(self, tool: str, operation: Operation) -> str | None:
        """Return the name of the action of a tool that calls an operation. None if it has only this one."""
        actions = self.list_actions(tool)
        return next((name for name, known in actions.items() if known is operation and len(actions) > 1), None)

    def get_tool(self, operation: Operation) -> str | None:
        """Return the tool that is meant for an operation. None for what is not for tools."""
        names = find_tools(operation)
        return names[0] if names else None


def find_tools(operation: Operation) -> Sequence[str]:
    """Find the tools that call an operation, the one that is meant for it first."""
    if operation.name in NOT_FOR_TOOLS:
        return ()
    declared = [tool for tool in TOOLS if tool.writes == operation.writes and _names(tool, operation)]
    own = [tool.name for tool in declared if not tool.is_handmade]
    if operation.writes:
        return [*own, *(tool.name for tool in declared if tool.is_handmade)] or ["call"]
    if own:
        return own
    return ["find" if operation.is_list else "get", *(tool.name for tool in declared)]


def _names(tool: Tool, operation: Operation) -> bool:
    return operation.name in tool.operations or f"{operation.resource}.*" in tool.operations
