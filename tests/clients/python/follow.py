"""Follow the events of a service, and print the id of each lead: `python follow.py URL KEY CURSOR`."""

import sys

from socialgate_client import Socialgate

_, url, key, cursor = sys.argv
for event in Socialgate(base_url=url, api_key=key).events.stream(after=cursor):
    sys.stdout.write(f"{event.to_dict()['data']['leadId']}\n")
    sys.stdout.flush()
