"""Conversations with a Page and its Instagram account: Meta's own SDK sends and lists, people write, the app hears."""

import json
from typing import Any

import pytest
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.unifiedthread import UnifiedThread
from facebook_business.exceptions import FacebookRequestError

from sandbox.graph_media import MediaHost, jpeg
from sandbox.graph_support import codes_of, signed_by
from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG, CATERING

FIELDS = ["messages", "message_echoes", "message_deliveries", "message_reads", "message_reactions", "message_edits"]
DAY = 86400
JPEG = jpeg()


class Desk:
    """Ada answers for the bakery, with webhooks of both products."""

    def __init__(self, meta: Meta) -> None:
        self.meta = meta
        self.token = meta.page(ADA, BAKERY)
        self.seen = 0
        fields = ",".join([*FIELDS, "messaging_postbacks"])
        assert meta.post(f"{BAKERY}/subscribed_apps", self.token, subscribed_fields=fields).status_code == 200

    def write(self, account: str = BAKERY, **more: Any) -> str:
        """Let a person write, and give the id that they have for the account."""
        params = {"account": account, "text": "Open?", **more}
        self.meta.platform.act("message", **params)
        return str(self.news()["sender"]["id"])

    def send(self, to: str, token: str | None = None, **input_value: Any) -> Any:
        form = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in input_value.items()}
        return self.meta.post(f"{BAKERY}/messages", token or self.token, recipient=json.dumps({"id": to}), **form)

    def text(self, to: str, words: str = "Until six", **value: Any) -> str:
        answer = self.send(to, message={"text": words}, **value)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["message_id"])

    def news(self, product: str | None = None) -> dict[str, Any]:
        """Give the next event, whose envelope and signature must be right."""
        request = self.meta.platform.arrived(self.seen + 1)[self.seen]
        self.seen += 1
        assert signed_by(self.meta.platform.secret, request)
        body = request.json
        (entry,) = body["entry"]
        assert {"page": BAKERY, "instagram": BAKERY_IG}[body["object"]] == entry["id"]
        assert product in {None, body["object"]}
        (event,) = entry["messaging"]
        assert entry["time"] > 10**12
        return dict(event)


@pytest.fixture
def desk(meta: Meta) -> Desk:
    return Desk(meta)


def test_the_sdk_sends_and_lists(desk: Desk, sdk: Sdk) -> None:
    person = desk.write(text="Är ni öppna? 🥐")
    page = Page(BAKERY, api=sdk.api(desk.token))
    sent = page.create_message(
        params={
            "recipient": {"id": person},
            "messaging_type": Page.MessagingType.response,
            "message": {"text": "Until six", "metadata": "ours-1"},
        }
    )
    (thread,) = page.get_conversations(
        fields=["participants", "snippet", "message_count", "unread_count", "can_reply", "updated_time"],
        params={"platform": UnifiedThread.Platform.messenger, "user_id": person},
    )
    assert (thread["snippet"], thread["message_count"], thread["can_reply"]) == ("Until six", 2, True)
    assert thread["participants"]["data"][0] == {
        "name": "Dario Weiss",
        "email": f"{person}@facebook.com",
        "id": person,
    }
    rows = list(thread.get_messages(params={"limit": 1, "fields": "message,from,to,created_time"}))
    assert [(row["message"], row["from"]["name"]) for row in rows] == [
        ("Until six", "Lindqvist Bakery"),
        ("Är ni öppna? 🥐", "Dario Weiss"),
    ]
    assert rows[0]["to"]["data"][0]["id"] == person
    echo = desk.news("page")
    assert (echo["sender"]["id"], echo["recipient"]["id"]) == (BAKERY, person)
    assert echo["message"] == {
        "mid": sent["message_id"],
        "text": "Until six",
        "is_echo": True,
        "app_id": desk.meta.platform.client_id,
        "metadata": "ours-1",
    }
    with pytest.raises(FacebookRequestError) as failed:
        page.create_message(params={"recipient": {"id": "1"}, "message": {"text": "Who?"}})
    assert (failed.value.api_error_code(), failed.value.api_error_subcode()) == (100, 2018001)


@pytest.mark.parametrize(
    ("account", "status", "subcode", "kind"),
    [(BAKERY, 400, 2018278, "OAuthException"), (BAKERY_IG, 403, 2534022, "IGApiException")],
)
def test_the_window_closes_a_day_after_the_last_message(
    desk: Desk, account: str, status: int, subcode: int, kind: str
) -> None:
    person = desk.write(account)
    desk.meta.platform.pass_time(DAY - 60)
    desk.text(person)
    desk.meta.platform.pass_time(120)
    refused = desk.send(person, message={"text": "Too late"})
    assert (codes_of(refused, status), refused.json()["error"]["type"]) == ((10, subcode), kind)
    thread = desk.meta.get(f"{BAKERY}/conversations", desk.token, platform=_platform(account), fields="can_reply")
    assert thread.json()["data"][0]["can_reply"] is False
    desk.text(person, messaging_type="MESSAGE_TAG", tag="HUMAN_AGENT")
    gone = desk.send(person, message={"text": "x"}, messaging_type="MESSAGE_TAG", tag="ACCOUNT_UPDATE")
    assert codes_of(gone) == (100, 1893061)
    desk.meta.platform.pass_time(6 * DAY)
    human = desk.send(person, message={"text": "x"}, messaging_type="MESSAGE_TAG", tag="HUMAN_AGENT")
    assert codes_of(human, status) == (10, subcode)
    desk.meta.platform.act("message", account=account, text="Still there?")
    desk.text(person)


def test_a_comment_is_answered_privately_once_and_within_seven_days(desk: Desk, sdk: Sdk) -> None:
    post = desk.meta.post(f"{BAKERY}/feed", desk.token, message="Buns").json()["id"]

    def commented() -> str:
        created = desk.meta.platform.act("comment", objectId=post, text="Price?", person="elif")
        return str(created["id"])

    page, comment = Page(BAKERY, api=sdk.api(desk.token)), commented()
    answer = {"recipient": {"comment_id": comment}, "message": {"text": "Three"}}
    sent = page.create_message(params=answer)
    shown = desk.meta.platform.running.look("chat", platform="meta", account=BAKERY, person="elif")["data"]
    assert [(item["id"], item["text"], item["byAccount"]) for item in shown] == [(sent["message_id"], "Three", True)]
    # She has not written: nothing more can be sent but to another comment of hers.
    assert codes_of(desk.send(sent["recipient_id"], message={"text": "More"})) == (10, 2018278)
    with pytest.raises(FacebookRequestError) as again:
        page.create_message(params=answer)
    assert again.value.api_error_code() == 10900
    late = commented()
    desk.meta.platform.pass_time(7 * DAY)
    for about, code in ((late, 10901), ("1_2", 10903)):
        with pytest.raises(FacebookRequestError) as refused:
            page.create_message(params={**answer, "recipient": {"comment_id": about}})
        assert refused.value.api_error_code() == code


def _platform(account: str) -> str:
    return "messenger" if account == BAKERY else "instagram"


def test_everybody_has_another_id_for_each_account(desk: Desk) -> None:
    ids = {desk.write(BAKERY), desk.write(BAKERY_IG), desk.write(BAKERY, person="elif")}
    assert len(ids) == 3
    desk.meta.platform.act("message", account=CATERING, text="Hi")
    other = desk.meta.page(ADA, CATERING)
    rows = desk.meta.get(f"{CATERING}/conversations", other, fields="senders").json()["data"]
    assert rows[0]["senders"]["data"][0]["id"] not in ids
    thread = desk.meta.get(f"{BAKERY}/conversations", desk.token).json()["data"][0]["id"]
    assert codes_of(desk.meta.get(f"{thread}/messages", other)) == (100, 33)
    assert codes_of(desk.meta.get(min(ids), other)) == (100, 33)


def test_a_person_is_shown_to_the_account_that_they_wrote_to(desk: Desk) -> None:
    person, on_instagram = desk.write(), desk.write(BAKERY_IG)
    shown = desk.meta.get(person, desk.token, fields="first_name,last_name,profile_pic").json()
    assert (shown["first_name"], shown["last_name"]) == ("Dario", "Weiss")
    shown = desk.meta.get(on_instagram, desk.token, fields="name,username,follower_count,is_verified_user").json()
    assert (shown["username"], shown["name"]) == ("dario.weiss", "Dario Weiss")
    media = {"image_url": "https://example.com/a.jpg", "caption": "Buns"}
    box = desk.meta.post(f"{BAKERY_IG}/media", desk.token, **media).json()["id"]
    desk.meta.platform.pass_time(10)
    post = desk.meta.post(f"{BAKERY_IG}/media_publish", desk.token, creation_id=box).json()["id"]
    desk.meta.platform.act("comment", objectId=post, text="Mine", person="finn")
    stranger = desk.meta.get(f"{post}/comments", desk.token, fields="from").json()["data"][0]["from"]["id"]
    assert codes_of(desk.meta.get(stranger, desk.token))[0] == 230
    assert codes_of(desk.send(stranger, message={"text": "Hi"})) == (100, 2018001)


def test_what_people_do_is_told_on_messenger(desk: Desk) -> None:
    person = desk.write()
    mid = desk.text(person)
    assert desk.news()["message"]["is_echo"] is True
    delivery = desk.news("page")
    assert delivery["delivery"]["mids"] == [mid]
    act = desk.meta.platform.act
    act("read", account=BAKERY)
    assert desk.news("page")["read"] == {"watermark": delivery["delivery"]["watermark"]}
    act("react", account=BAKERY, messageId=mid, emoji="❤️")
    assert desk.news()["reaction"] == {"mid": mid, "action": "react", "reaction": "love", "emoji": "❤️"}
    act("react", account=BAKERY, messageId=mid)
    assert desk.news()["reaction"] == {"mid": mid, "action": "unreact"}
    theirs = act("message", account=BAKERY, text="Thx", replyTo=mid)["messageId"]
    assert desk.news()["message"] == {"mid": theirs, "text": "Thx", "reply_to": {"mid": mid}}
    act("edit", account=BAKERY, messageId=theirs, text="Thanks")
    assert desk.news()["message_edit"] == {"mid": theirs, "text": "Thanks", "num_edit": 1}
    assert desk.meta.get(theirs, desk.token, fields="message,reply_to").json()["message"] == "Thanks"
    act("delete", account=BAKERY, messageId=theirs)
    assert codes_of(desk.meta.get(theirs, desk.token)) == (100, 33)
    # Of this the Page is not told: the next that it hears is another message.
    desk.write(text="Bye")


def test_what_people_do_is_told_on_instagram(desk: Desk) -> None:
    person = desk.write(BAKERY_IG)
    mid = desk.text(person)
    assert desk.news("instagram")["message"]["is_echo"] is True
    act = desk.meta.platform.act
    act("read", account=BAKERY_IG)
    assert desk.news("instagram")["read"] == {"mid": mid}
    theirs = act("message", account=BAKERY_IG, text="Thx")["messageId"]
    assert desk.news("instagram")["message"]["mid"] == theirs
    act("edit", account=BAKERY_IG, messageId=theirs, text="Thanks")
    assert desk.news("instagram")["message_edit"]["text"] == "Thanks"
    act("delete", account=BAKERY_IG, messageId=theirs)
    assert desk.news("instagram")["message"] == {"mid": theirs, "is_deleted": True}
    (thread,) = desk.meta.get(
        f"{BAKERY}/conversations", desk.token, platform="instagram", fields="messages{message,from},participants"
    ).json()["data"]
    assert [row["message"] for row in thread["messages"]["data"]] == ["Until six", "Open?"]
    assert thread["messages"]["data"][0]["from"] == {"username": "lindqvist.bakery", "id": BAKERY_IG}
    assert codes_of(desk.meta.get(theirs, desk.token)) == (100, 33)


def test_buttons_and_quick_replies(desk: Desk) -> None:
    person = desk.write()
    buttons = [
        {"type": "postback", "title": "Order", "payload": "ORDER"},
        {"type": "web_url", "title": "Menu", "url": "https://bakery.example.com/"},
    ]
    payload = {"template_type": "button", "text": "What now?", "buttons": buttons}
    mid = desk.send(person, message={"attachment": {"type": "template", "payload": payload}}).json()["message_id"]
    act = desk.meta.platform.act
    act("press", account=BAKERY, messageId=mid, button="Order")
    reported_payload = [desk.news() for _ in range(3)]
    (pressed,) = [event["postback"] for event in reported_payload if "postback" in event]
    assert pressed == {"mid": mid, "title": "Order", "payload": "ORDER"}
    quick = [{"content_type": "text", "title": "Yes", "payload": "YES"}]
    request = desk.send(person, message={"text": "Sure?", "quick_replies": quick}).json()["message_id"]
    act("press", account=BAKERY, messageId=request, button="Yes")
    reported_payload = [desk.news() for _ in range(3)]
    (chosen,) = [event["message"] for event in reported_payload if "quick_reply" in event.get("message", {})]
    assert (chosen["text"], chosen["quick_reply"]) == ("Yes", {"payload": "YES"})
    assert codes_of(desk.send(person, message={"text": "x", "quick_replies": quick * 14})) == (100, None)
    buttons[0]["title"] = "x" * 21
    refused = desk.send(person, message={"attachment": {"type": "template", "payload": payload}})
    assert codes_of(refused) == (100, None)


def test_files_go_both_ways(desk: Desk, host: MediaHost) -> None:
    desk.meta.platform.act("message", account=BAKERY, attachment="image")
    event = desk.news()
    (theirs,) = event["message"]["attachments"]
    picture = desk.meta.platform.running.client.get(theirs["payload"]["url"])
    assert (theirs["type"], picture.headers["content-type"]) == ("image", "image/png")
    person = event["sender"]["id"]
    url = host.add("bun.jpg", JPEG)
    params = {"type": "image", "payload": {"url": url, "is_reusable": True}}
    mid = desk.send(person, message={"attachment": params}).json()["message_id"]
    (row,) = desk.meta.get(mid, desk.token, fields="attachments").json()["attachments"]["data"]
    assert (row["mime_type"], row["size"]) == ("image/jpeg", len(JPEG))
    assert desk.meta.platform.running.client.get(row["image_data"]["url"]).content == JPEG
    params["payload"] = {"url": f"{url}.nothing"}
    assert codes_of(desk.send(person, message={"attachment": params})) == (100, 2018008)
    params = {"type": "video", "payload": {"url": url}}
    assert codes_of(desk.send(person, message={"attachment": params})) == (100, 2018047)
    assert codes_of(desk.send(person, message={"text": "both", "attachment": params})) == (100, None)


def test_actions_of_the_sender(desk: Desk) -> None:
    person = desk.write()
    mine = desk.text(person, reply_to={"mid": desk.meta.platform.act("message", account=BAKERY, text="2")["messageId"]})
    assert desk.send(person, sender_action="typing_on").json() == {"recipient_id": person}
    desk.write()
    unread = {"fields": "unread_count,message_count"}
    assert desk.meta.get(f"{BAKERY}/conversations", desk.token, **unread).json()["data"][0]["unread_count"] == 1
    assert desk.send(person, sender_action="mark_seen").status_code == 200
    assert desk.meta.get(f"{BAKERY}/conversations", desk.token, **unread).json()["data"][0]["unread_count"] == 0
    desk.send(person, sender_action="react", payload={"message_id": mine, "reaction": "love"})
    (reaction,) = desk.meta.get(mine, desk.token, fields="reactions").json()["reactions"]["data"]
    assert (reaction["reaction"], reaction["users"][0]["id"]) == ("❤️", BAKERY)
    assert codes_of(desk.send(person, sender_action="dance")) == (100, None)
    assert codes_of(desk.send(person, sender_action="react", payload={"message_id": "m_x"})) == (100, None)


def test_texts_have_a_limit(desk: Desk) -> None:
    person, on_instagram = desk.write(), desk.write(BAKERY_IG)
    desk.text(person, "ä" * 2000)
    desk.text(on_instagram, "ä" * 500)
    for to, words in ((person, "x" * 2001), (on_instagram, "ä" * 501), (person, "")):
        assert codes_of(desk.send(to, message={"text": words})) == (100, None)


def test_who_may_write(desk: Desk) -> None:
    person, on_instagram = desk.write(), desk.write(BAKERY_IG)
    assert codes_of(desk.send(person, desk.meta.long(ADA), message={"text": "x"}), 403) == (210, None)
    act = desk.meta.platform.act
    act("tasks", account=BAKERY, person=ADA, tasks=["CREATE_CONTENT"])
    assert codes_of(desk.send(person, message={"text": "x"}), 403) == (200, None)
    act("tasks", account=BAKERY, person=ADA, tasks=["MESSAGING"])
    desk.text(person)
    for scope, to, platform in (
        ("pages_messaging", person, "messenger"),
        ("instagram_manage_messages", on_instagram, "instagram"),
    ):
        act("revoke", account=BAKERY, how=f"permission:{scope}")
        assert codes_of(desk.send(to, message={"text": "x"}), 403) == (200, None)
        assert codes_of(desk.meta.get(f"{BAKERY}/conversations", desk.token, platform=platform), 403) == (200, None)


def test_the_controls_name_who_is_missing(desk: Desk) -> None:
    client = desk.meta.platform.running.client
    params = {"platform": "meta", "account": BAKERY, "text": "x"}
    assert client.post("/_control/message", json={**params, "person": "nobody"}).status_code == 404
    assert client.post("/_control/message", json={**params, "account": "1"}).status_code == 404
    assert client.post("/_control/message", json={**params, "text": " "}).status_code == 422
    assert client.post("/_control/message", json={**params, "attachment": "sticker"}).status_code == 422
    assert client.post("/_control/read", json={"platform": "meta", "account": BAKERY}).status_code == 409
