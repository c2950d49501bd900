"""Seven calls with the client that openapi-python-client generates, and what a later version may send.

`openapi_python_client_calls.py <address> <key> <bot token> <what a later version may send>`, run by the
Python of the generator in the folder of the client. It prints what it read as JSON. Each response
must be a model of the document, not a dictionary.
"""

import json
import sys
from io import BytesIO
from typing import TypeVar

from generated_client import AuthenticatedClient
from generated_client.api.accounts import list_accounts
from generated_client.api.ai import ai_text
from generated_client.api.connect import connect_telegram
from generated_client.api.events import list_events, stream_events
from generated_client.api.media import upload_media
from generated_client.api.profiles import create_profile, list_profiles
from generated_client.api.tasks import get_task
from generated_client.models import (
    Account,
    AccountConnectedEnvelope,
    AiCopyTask,
    CopyGenerationBody,
    EventPage,
    MessageReceivedEvent,
    NewProfile,
    OtherEvent,
    Problem,
    TelegramConnection,
    UploadForm,
)
from generated_client.types import UNSET, File

Model = TypeVar("Model")


def read(kind: type[Model], answer: object) -> Model:
    """Return a response of the type that the document names; anything else ends the program."""
    if not isinstance(answer, kind):
        raise TypeError(f"{kind.__name__} was expected, not {answer}")
    return answer


def pages(client: AuthenticatedClient) -> list[str]:
    names: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        page = list_profiles.sync(client=client, limit=1, cursor=UNSET if cursor is None else cursor)
        assert page is not None
        assert not isinstance(page, Problem), page
        names += [profile.name for profile in page.data]
        cursor = page.next_cursor
    assert cursor is None
    return names


def first_event(client: AuthenticatedClient, cursor: str) -> AccountConnectedEnvelope:
    request = stream_events._get_kwargs(after=cursor)
    with client.get_httpx_client().stream(**request) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: {"):
                return AccountConnectedEnvelope.from_dict(json.loads(line.removeprefix("data: ")))
    raise AssertionError("the stream ended")


def main(address: str, key: str, bot_token: str, sample: str) -> None:
    client = AuthenticatedClient(base_url=address, token=key)
    cursor = read(EventPage, list_events.sync(client=client)).next_cursor
    created = [
        create_profile.sync(client=client, body=NewProfile(name=name), idempotency_key=name)
        for name in ("One", "Two", "Three", "Three")
    ]
    ids = [profile.id for profile in created if profile is not None and not isinstance(profile, Problem)]
    connect_telegram.sync(client=client, body=TelegramConnection(profile_id=ids[0], bot_token=bot_token))
    accounts = list_accounts.sync(client=client)
    assert accounts is not None
    assert not isinstance(accounts, Problem), accounts
    refused = read(Problem, create_profile.sync(client=client, body=NewProfile(name="")))
    assert refused.errors
    file = File(payload=BytesIO(b"%PDF-1.4\n"), file_name="menu.pdf", mime_type="application/pdf")
    media = upload_media.sync(client=client, body=UploadForm(file=file))
    assert media is not None
    assert not isinstance(media, Problem), media
    event = first_event(client, cursor)
    started = ai_text.sync(client=client, body=CopyGenerationBody(prompt="Rye bread"))
    assert started is not None
    assert not isinstance(started, Problem), started
    task = read(AiCopyTask, get_task.sync(started.id, client=client, wait=30))
    assert task.result is not None
    later = json.loads(sample)
    events = EventPage.from_dict(later["events"]).data
    seen = {
        "accounts": [[item.platform, item.kind, item.status] for item in accounts.data],
        "replayed": ids[2] == ids[3],
        "pages": pages(client),
        "refused": [refused.status, refused.code, refused.errors[0].pointer],
        "media": [media.type_, media.mime_type, media.file_name, media.size],
        "event": [event.event, event.data.account_id == accounts.data[0].id],
        "task": [task.type_, task.status, len(task.result.variants)],
        "later": [
            Account.from_dict(later["account"]).kind,
            *(item.data.text for item in events if isinstance(item, MessageReceivedEvent)),
            *(item.event for item in events if isinstance(item, OtherEvent)),
        ],
    }
    sys.stdout.write(json.dumps(seen))


main(*sys.argv[1:])
