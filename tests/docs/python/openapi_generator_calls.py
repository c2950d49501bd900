"""Seven calls with the client that openapi-generator generates for Python, and what a later version may send.

`openapi_generator_calls.py <address> <key> <bot token> <what a later version may send>`, run by the
Python of the generator in the folder of the client. It prints what it read as JSON.
"""

import json
import sys

from generated_client import (
    Account,
    AccountConnectedEnvelope,
    AccountsApi,
    AIApi,
    AiCopyTask,
    ApiClient,
    Configuration,
    ConnectApi,
    CopyGenerationBody,
    EventEnvelope,
    EventPage,
    EventsApi,
    MediaApi,
    MessageReceivedEvent,
    NewProfile,
    OtherEvent,
    Problem,
    ProfilesApi,
    TasksApi,
    TelegramConnection,
)
from generated_client.exceptions import UnprocessableEntityException


def pages(profiles: ProfilesApi) -> list[str]:
    names: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        page = profiles.list_profiles(limit=1, cursor=cursor)
        names += [profile.name for profile in page.data]
        cursor = page.next_cursor
    assert cursor is None
    return names


def refusal(profiles: ProfilesApi) -> Problem:
    try:
        profiles.create_profile(NewProfile.model_construct(name=""))
    except UnprocessableEntityException as error:
        if isinstance(error.data, Problem):
            return error.data
    raise AssertionError("a profile without a name was not refused with a problem")


def first_event(events: EventsApi, cursor: str) -> AccountConnectedEnvelope:
    answer = events.stream_events_without_preload_content(after=cursor)
    for line in answer:
        if line.startswith(b"data: {"):
            frame = EventEnvelope.from_json(line.decode().removeprefix("data: "))
            assert frame is not None
            assert isinstance(frame.actual_instance, AccountConnectedEnvelope), frame
            answer.close()
            return frame.actual_instance
    raise AssertionError("the stream ended")


def main(address: str, key: str, bot_token: str, sample: str) -> None:
    client = ApiClient(Configuration(host=address, access_token=key))
    events, profiles = EventsApi(client), ProfilesApi(client)
    cursor = events.list_events().next_cursor
    ids = [
        profiles.create_profile(NewProfile(name=name), idempotency_key=name).id
        for name in ("One", "Two", "Three", "Three")
    ]
    credential = TelegramConnection(profileId=ids[0], botToken=bot_token)
    ConnectApi(client).connect_telegram(credential)
    accounts = AccountsApi(client).list_accounts().data
    refused = refusal(profiles)
    assert refused.errors
    media = MediaApi(client).upload_media(("menu.pdf", b"%PDF-1.4\n"))
    event = first_event(events, cursor)
    started = AIApi(client).ai_text(CopyGenerationBody(prompt="Rye bread"))
    task = TasksApi(client).get_task(started.id, wait=30).actual_instance
    assert isinstance(task, AiCopyTask), task
    assert task.result is not None
    later = json.loads(sample)
    account, page = Account.from_dict(later["account"]), EventPage.from_dict(later["events"])
    assert account is not None
    assert page is not None
    known = [item.actual_instance for item in page.data]
    seen = {
        "accounts": [[item.platform, item.kind, item.status] for item in accounts],
        "replayed": ids[2] == ids[3],
        "pages": pages(profiles),
        "refused": [refused.status, refused.code, refused.errors[0].pointer],
        "media": [media.type, media.mime_type, media.file_name, media.size],
        "event": [event.event, event.data.account_id == accounts[0].id],
        "task": [task.type, task.status, len(task.result.variants)],
        "later": [
            account.kind,
            *(item.data.text for item in known if isinstance(item, MessageReceivedEvent)),
            *(item.event for item in known if isinstance(item, OtherEvent)),
        ],
    }
    sys.stdout.write(json.dumps(seen))


main(*sys.argv[1:])
