"""Language models use the service through tools: the official client, over HTTP and through the command."""

from support.mcp_client import McpTools, use_http, use_stdio
from support.service import OwnerFixture, RunningService


def test_first(service: RunningService, owner: OwnerFixture) -> None:
    async def look(tools: McpTools):
        print(await tools.list_names())
        print(await tools.call("overview"))
        print(await tools.refuse("find", what="nonsense"))
        print(await tools.call("find", what="profiles"))
        print(await tools.call("docs", query="resumable upload"))
        print(await tools.call("docs", operation="queue.slots.create"))
        print((await tools.client.list_resources()).resources[:2])
        print(await tools.call("queue", action="slots.create", profileId=owner.profile_id, weekday="monday", time="09:00"))
        print(await tools.call("queue", action="slots.create", profileId=owner.profile_id, weekday="monday", time="09:00"))
        print(tools.client.protocol_version)

    for mode in "auto","legacy":
        use_http(service.address, owner.key_value(), look, mode)
    use_stdio(service.address, owner.key_value(), look)
