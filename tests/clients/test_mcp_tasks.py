"""Twenty tasks that people give a language model, done with nothing but tools. The sandbox shows what really happened.

Each task stands alone, and is refused or repeated where that could do harm: nothing may happen twice.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import uuid4

import httpx
import pytest

from socialgate.contracts.platforms import Platform
from support.ads_api import AdsClient
from support.connections import get_connect_fields
from support.factories import account_on, calendar_of
from support.leads import FORM
from support.mcp_client import McpTools, use_http
from support.post_files import file_of
from support.sandbox import Sandbox
from support.service import RunningService
from support.unreliable_line import UnreliableLine
from support.waiting import eventually

BUDGET = {"amount": 80_000, "currency": "SEK", "type": "daily"}


class Workspace:
    """An owner with a Page, a bot and an ad account, and what the platforms saw of it."""

    def __init__(self, service: RunningService, sandbox: Sandbox) -> None:
        self.service, self.sandbox = service, sandbox
        self.agency = AdsClient(service, sandbox, "meta")
        self.owner = self.agency.owner
        self.key = self.owner.key_value()
        self.profile_id = self.owner.profile_id
        self.page_id = self.agency.page_id
        self.bot_id = account_on(self.owner, Platform.TELEGRAM)

    def received(self, platform: str, path: str, text: str) -> int:
        """Count the calls of a platform in which a text occurs."""
        rows = self.sandbox.listed("received", platform=platform, path=path, limit=2000)
        return sum(text in json.dumps(row, ensure_ascii=False) for row in rows)

    def send_photo(self, url: str) -> str:
        """Send a file to a signed address, as a person does, and return its id."""
        answer = httpx.put(url, content=file_of("image/jpeg"), timeout=60)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def send_and_lose_the_answer(self, name: str, arguments: dict[str, Any]) -> None:
        """Have the service do what a tool is called for, over a connection that breaks before its answer."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Authorization": f"Bearer {self.key}", "X-Fault": f"drop 1 {uuid4().hex}"}
        with UnreliableLine(self.service.address) as line, pytest.raises(httpx.RemoteProtocolError):
            httpx.post(f"{line.url}/mcp", json=message, headers=headers, timeout=60)

    def bot_target(self) -> dict[str, Any]:
        return {"accountId": self.bot_id, "options": {"chatId": "@adasbakery"}}

    def post(self, text: str, account_id: str) -> dict[str, Any]:
        body = {"profileId": self.profile_id, "content": text, "targets": [{"accountId": account_id}]}
        post_id = self.owner.session.post("/posts", json=body).json()["id"]
        return eventually(lambda: self._published(post_id))

    def _published(self, post_id: str) -> dict[str, Any] | None:
        post: dict[str, Any] = self.owner.session.get(f"/posts/{post_id}").json()
        return post if post["status"] == "published" else None


Task: TypeAlias = Callable[[McpTools, Workspace], Awaitable[None]]


async def see_what_there_is(tools: McpTools, space: Workspace) -> None:
    overview = await tools.call("overview")
    assert {row["id"] for row in overview["accounts"]} >= {space.page_id, space.bot_id}
    assert overview["profiles"][0]["id"] == space.profile_id


async def connect_with_a_token(tools: McpTools, space: Workspace) -> None:
    token = get_connect_fields(space.sandbox, "telegram", which=1)["botToken"]
    order = {"action": "telegram", "profileId": space.profile_id, "botToken": token}
    first = await tools.call("connect_account", **order)
    again = await tools.call("connect_account", **order)
    assert first["result"]["id"] == again["result"]["id"]
    assert first["undo"]["tool"] == "manage_accounts"
    undone = await tools.confirm(first["undo"]["tool"], **first["undo"]["arguments"])
    assert undone["result"]["deleted"] is True


async def ask_a_person_to_connect(tools: McpTools, space: Workspace) -> None:
    begun = await tools.call("connect_account", action="start", platform="tiktok", profileId=space.profile_id)
    assert begun["result"]["authUrl"].startswith(space.sandbox.url)


async def publish_with_a_file(tools: McpTools, space: Workspace) -> None:
    link = (await tools.call("upload_media", action="links.create", fileName="oven.jpg"))["result"]
    assert [space.send_photo(link["url"]) for _ in range(2)] == [link["mediaId"]] * 2
    text = f"Oven {uuid4().hex}"
    draft = await tools.call(
        "draft_post",
        profileId=space.profile_id,
        content=text,
        media=[{"mediaId": link["mediaId"]}],
        targets=[{"accountId": space.page_id}, space.bot_target()],
    )
    assert draft["result"]["status"] == "draft"
    assert space.received("telegram", "*", text) == 0
    post_id = draft["result"]["id"]
    await tools.call("publish_post", postId=post_id, when="now")
    await tools.call("publish_post", postId=post_id, when="now")
    done = await tools.call("wait", id=post_id)
    assert done["finished"], done
    assert done["state"]["status"] == "published"
    assert space.received("telegram", "*/sendPhoto", text) == 1


async def learn_why_a_post_is_refused(tools: McpTools, space: Workspace) -> None:
    checked = await tools.call(
        "validate", action="posts.validate", profileId=space.profile_id, content="", targets=[space.bot_target()]
    )
    assert checked["valid"] is False
    refused = await tools.refuse(
        "draft_post",
        profileId=space.profile_id,
        content="Hi",
        targets=[{"accountId": "acc_01h455vb4pex5vsknk084sn02q"}],
    )
    assert refused["code"] == "invalid"
    assert refused["errors"][0]["pointer"] == "/targets/0/accountId"


async def schedule_and_change(tools: McpTools, space: Workspace) -> None:
    order = {"profileId": space.profile_id, "content": f"Later {uuid4().hex}", "targets": [space.bot_target()]}
    first = await tools.call("draft_post", **order)
    assert (await tools.call("draft_post", **order))["result"]["id"] == first["result"]["id"]
    assert (await tools.call("draft_post", **order, again=2))["result"]["id"] != first["result"]["id"]
    post_id = first["result"]["id"]
    moment = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    scheduled = await tools.call("publish_post", postId=post_id, when=moment)
    assert scheduled["changed"]["status"] == {"from": "draft", "to": "scheduled"}
    changed = await tools.call("change_post", postId=post_id, content="Even later")
    assert changed["changed"]["content"]["to"] == "Even later"
    await tools.call(changed["undo"]["tool"], **changed["undo"]["arguments"])
    assert (await tools.call("get", id=post_id))["content"] == order["content"]


async def use_the_queue(tools: McpTools, space: Workspace) -> None:
    slot = await tools.call(
        "queue", action="slots.create", profileId=space.profile_id, weekday="sunday", time="04:05", timezone="UTC"
    )
    draft = await tools.call(
        "draft_post", profileId=space.profile_id, content=f"Queued {uuid4().hex}", targets=[space.bot_target()]
    )
    queued = await tools.call("publish_post", postId=draft["result"]["id"], when="next_slot")
    assert "T04:05" in queued["result"]["scheduledFor"]
    await tools.confirm("delete_post", action="posts.delete", postId=draft["result"]["id"])
    await tools.confirm(slot["undo"]["tool"], **slot["undo"]["arguments"])


async def delete_what_is_live(tools: McpTools, space: Workspace) -> None:
    post = space.post(f"Gone {uuid4().hex}", space.page_id)
    order = {"action": "posts.delete", "postId": post["id"]}
    preview = await tools.call("delete_post", **order, platforms=True)
    assert preview["now"]["status"] == "published"
    other = await tools.refuse("delete_post", **order, platforms=False, confirm=preview["confirm"])
    assert other["code"] == "not_confirmed"
    await tools.call("delete_post", **order, platforms=True, confirm=preview["confirm"])
    history = await tools.call("find", what="accounts.history", filters={"accountId": space.page_id})
    assert post["targets"][0]["platformPostId"] not in json.dumps(history)


async def read_page_by_page(tools: McpTools, space: Workspace) -> None:
    profile_id = space.owner.new_profile()
    for number in range(12):
        await tools.call("draft_post", profileId=profile_id, content=f"Idea {number}")
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await tools.call("find", what="posts", filters={"profileId": profile_id}, limit=5, **cursor)
        seen += [row["id"] for row in page["data"]]
        if "cursor" not in page:
            break
        cursor = {"cursor": page["cursor"]}
    assert len(seen) == len(set(seen)) == 12


async def answer_a_message(tools: McpTools, space: Workspace) -> None:
    rows = space.owner.session.get("/accounts").json()["data"]
    (page,) = [row["platformAccountId"] for row in rows if row["id"] == space.page_id]
    space.sandbox.control("message", platform="meta", account=page, text=f"Open? {uuid4().hex}")
    path = f"/accounts/{space.page_id}/conversations"
    eventually(lambda: space.owner.session.get(path).json()["data"])
    conversations = await tools.call("find", what="conversations", filters={"accountId": space.page_id})
    text = f"Until six {uuid4().hex}"
    order = {
        "action": "messages.send",
        "accountId": space.page_id,
        "conversationId": conversations["data"][0]["id"],
        "text": text,
    }
    preview = await tools.call("send_message", **order)
    assert preview["conversation"]["window"]["open"] is True
    assert space.received("meta", "*/messages", text) == 0
    sent = [await tools.call("send_message", **order, confirm=preview["confirm"]) for _ in range(2)]
    assert sent[0]["result"]["id"] == sent[1]["result"]["id"]
    assert "not repeated" in sent[1]["note"]
    assert space.received("meta", "*/messages", text) == 1


async def answer_a_comment(tools: McpTools, space: Workspace) -> None:
    post = space.post(f"Bread {uuid4().hex}", space.page_id)
    comment = space.sandbox.control(
        "comment", platform="meta", objectId=post["targets"][0]["platformPostId"], text="Do you ship?"
    )
    where = {"accountId": space.page_id, "postId": post["id"]}
    comments = await tools.call("find", what="comments", filters=where)
    comment_id = comments["data"][0]["id"]
    assert comment_id == comment["id"]
    reply = {"action": "create", "accountId": space.page_id, "parentId": comment_id, "text": f"Yes {uuid4().hex}"}
    await tools.confirm("moderate_comments", **reply)
    assert space.received("meta", "*/comments", reply["text"]) == 1
    hidden = await tools.call(
        "moderate_comments", action="hide", accountId=space.page_id, commentId=comment_id, hidden=True
    )
    shown = await tools.call(hidden["undo"]["tool"], **hidden["undo"]["arguments"])
    assert shown["result"]["hidden"] is False


async def automate_safely(tools: McpTools, space: Workspace) -> None:
    rules = {
        "name": "Hours",
        "trigger": {"type": "message.received"},
        "conditions": [{"type": "keyword", "any": ["hours"]}],
        "actions": [{"type": "reply", "text": "Until six."}],
    }
    created = await tools.call("automate", action="create", profileId=space.profile_id, **rules)
    assert created["result"]["active"] is False
    automation_id = created["result"]["id"]
    preview = await tools.call("automate", action="update", automationId=automation_id, active=True)
    assert (await tools.call("get", id=automation_id))["active"] is False
    await tools.call("automate", action="update", automationId=automation_id, active=True, confirm=preview["confirm"])
    assert (await tools.call("get", id=automation_id))["active"] is True
    await tools.confirm("automate", action="delete", automationId=automation_id)


async def report_numbers(tools: McpTools, space: Workspace) -> None:
    account = await tools.call("report", action="insights.account", accountId=space.page_id)
    assert account["metrics"]
    summary = await tools.call("report", action="insights.summary", accountId=space.page_id, period="7d")
    assert summary["period"]


async def follow_up_a_lead(tools: McpTools, space: Workspace) -> None:
    lead = await tools.call("leads", action="forms.simulate", accountId=space.page_id, formId=FORM)
    lead_id = lead["result"]["id"]
    leads = await tools.call("find", what="leads", filters={"accountId": space.page_id})
    assert lead_id in [row["id"] for row in leads["data"]]
    order = {"action": "set_state", "accountId": space.page_id, "leadId": lead_id}
    assert (await tools.call("leads", **order, state="contacted"))["result"]["state"] == "contacted"
    await tools.confirm("leads", action="delete", accountId=space.page_id, leadId=lead_id)


async def plan_an_event(tools: McpTools, space: Workspace) -> None:
    account_id = calendar_of(space.owner)
    day = (datetime.now(UTC) + timedelta(days=5)).date().isoformat()
    order = {
        "action": "create",
        "accountId": account_id,
        "title": f"Tasting {uuid4().hex}",
        "start": {"dateTime": f"{day}T09:00:00", "timezone": "Europe/Stockholm"},
        "end": {"dateTime": f"{day}T10:00:00", "timezone": "Europe/Stockholm"},
    }
    created = [await tools.call("calendar", **order) for _ in range(2)]
    assert created[0]["result"]["id"] == created[1]["result"]["id"]
    events = await tools.call("find", what="calendar", filters={"accountId": account_id, "q": order["title"]})
    assert len(events["data"]) == 1
    await tools.confirm(created[0]["undo"]["tool"], **created[0]["undo"]["arguments"])


async def boost_a_post(tools: McpTools, space: Workspace) -> None:
    post = space.post(f"Boosted {uuid4().hex}", space.page_id)
    order = {
        "action": "boost",
        "adAccountId": space.agency.account_id,
        "accountId": space.page_id,
        "postId": post["id"],
        "name": f"Boost {uuid4().hex}",
        "budget": BUDGET,
        "targeting": {"countries": ["NO"]},
    }
    created = [await tools.call("create_ads", **order) for _ in range(2)]
    assert created[0]["result"] == created[1]["result"]
    assert created[0]["result"]["configuredStatus"] == "paused"
    assert space.received("meta", "*/campaigns", order["name"]) == 1
    preview = await tools.call("create_ads", **{**order, "name": "Started"}, status="active")
    assert preview["done"] is False


async def start_and_stop_a_campaign(tools: McpTools, space: Workspace) -> None:
    ad_account_id = space.agency.account_id
    created = await tools.call(
        "create_ads", action="campaigns.create", adAccountId=ad_account_id, name=f"Cakes {uuid4().hex}", goal="traffic"
    )
    thing = {"adAccountId": ad_account_id, "type": "campaign", "id": created["result"]["id"]}
    await tools.confirm("change_ads", action="update", **thing, status="active")
    paused = await tools.call("change_ads", action="update", **thing, status="paused")
    assert paused["result"]["configuredStatus"] == "paused"
    await tools.confirm(created["undo"]["tool"], **created["undo"]["arguments"])


async def import_products(tools: McpTools, space: Workspace) -> None:
    ad_account_id = space.agency.account_id
    catalog = await tools.call("catalog", action="catalogs.create", adAccountId=ad_account_id, name=uuid4().hex)
    catalog_id = catalog["result"]["id"]
    items = [
        {
            "method": "upsert",
            "retailerId": f"cake-{number}",
            "title": f"Cake {number}",
            "description": "For eight.",
            "price": {"amount": 950, "currency": "SEK"},
            "availability": "inStock",
            "condition": "new",
            "brand": "Ada",
            "url": "https://bakery.example.com/cake",
            "imageUrl": "https://bakery.example.com/cake.jpg",
        }
        for number in range(20)
    ]
    order = {"action": "products.batch", "adAccountId": ad_account_id, "catalogId": catalog_id, "items": items}
    batches = [await tools.call("catalog", **order) for _ in range(2)]
    assert batches[0]["result"]["id"] == batches[1]["result"]["id"]
    done = await tools.call("wait", id=batches[0]["result"]["id"])
    assert done["state"]["status"] == "succeeded"
    rows = await tools.call(
        "find", what="products.batch_rows", filters={"taskId": batches[0]["result"]["id"]}, limit=20
    )
    assert len(rows["data"]) == 20


async def generate_a_text(tools: McpTools, space: Workspace) -> None:
    order = {"action": "text", "prompt": "Rye bread", "profileId": space.profile_id}
    preview = await tools.call("generate", **order)
    assert preview["done"] is False
    begun = [await tools.call("generate", **order, confirm=preview["confirm"]) for _ in range(2)]
    assert begun[0]["result"]["id"] == begun[1]["result"]["id"]
    done = await tools.call("wait", id=begun[0]["result"]["id"])
    assert done["state"]["status"] == "succeeded"


async def receive_events(tools: McpTools, space: Workspace) -> None:
    url = f"https://example.com/{space.profile_id}"
    created = await tools.call("hooks", action="hooks.create", url=url, events=["post.published"])
    hook_id = created["result"]["id"]
    await tools.call("hooks", action="hooks.test", hookId=hook_id)
    deliveries = await tools.call("find", what="deliveries", filters={"hookId": hook_id})
    assert deliveries["data"][0]["event"] == "webhook.test"
    changed = await tools.call("hooks", action="hooks.update", hookId=hook_id, description="Ours")
    assert changed["changed"]["description"]["to"] == "Ours"
    await tools.confirm(created["undo"]["tool"], **created["undo"]["arguments"])


async def repeat_after_a_cut_connection(tools: McpTools, space: Workspace) -> None:
    """The service has done it, and its answer is lost. The model calls again."""
    name = f"Cut {uuid4().hex}"
    arguments = {"action": "profiles.create", "name": name}
    space.send_and_lose_the_answer("manage_workspace", arguments)
    again = await tools.call("manage_workspace", **arguments)
    assert "not repeated" in again["note"]
    assert [row["name"] for row in space.owner.session.get("/profiles?limit=200").json()["data"]].count(name) == 1


TASKS: tuple[Task, ...] = (
    *(see_what_there_is, connect_with_a_token, ask_a_person_to_connect, publish_with_a_file),
    *(learn_why_a_post_is_refused, schedule_and_change, use_the_queue, delete_what_is_live, read_page_by_page),
    *(answer_a_message, answer_a_comment, automate_safely, report_numbers, follow_up_a_lead, plan_an_event),
    *(boost_a_post, start_and_stop_a_campaign, import_products, generate_a_text, receive_events),
    repeat_after_a_cut_connection,
)


@pytest.fixture(scope="module")
def space(service: RunningService) -> Iterator[Workspace]:
    with Sandbox(service) as sandbox:
        yield Workspace(service, sandbox)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_model_does_it_with_tools_alone(space: Workspace, task: Task) -> None:
    use_http(space.service.address, space.key, lambda tools: task(tools, space))
