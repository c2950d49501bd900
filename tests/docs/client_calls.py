"""Ten calls with the generated client, run by the Python of the generator: `client_calls.py <address> <key>`.

Each answer must come as a model of the document, not as a dictionary.
"""

# mypy: ignore-errors
# The client exists only while the test runs.
import json
import sys
from datetime import datetime

from socialgate_client import AuthenticatedClient
from socialgate_client.api.accounts import list_accounts, list_platforms
from socialgate_client.api.events import list_events
from socialgate_client.api.hooks import list_hooks
from socialgate_client.api.media import list_media
from socialgate_client.api.posts import create_post, delete_post
from socialgate_client.api.profiles import create_profile, show_profile
from socialgate_client.models import NewPost, NewProfile, Problem


def main(address: str, key: str) -> None:
    client = AuthenticatedClient(base_url=address, token=key)
    made = create_profile.sync(client=client, body=NewProfile(name="Generated", timezone="America/Lima"))
    shown = show_profile.sync(made.id, client=client)
    assert isinstance(shown.created_at, datetime), shown
    post = create_post.sync(client=client, body=NewPost(profile_id=made.id, content="A draft", draft=True))
    deleted = delete_post.sync(post.id, client=client)
    assert deleted.deleted is True
    lists = {
        "accounts": list_accounts.sync(client=client).data,
        "events": list_events.sync(client=client).data,
        "media": list_media.sync(client=client).data,
        "hooks": list_hooks.sync(client=client).data,
        "platforms": list_platforms.sync(client=client).data,
    }
    refused = show_profile.sync("prf_none", client=client)
    assert isinstance(refused, Problem), refused
    sys.stdout.write(
        json.dumps({"timezone": shown.timezone, "code": refused.code, **{k: len(v) for k, v in lists.items()}})
    )


main(*sys.argv[1:])
