"""The people on the other side, who all have WhatsApp, and a group that they are in."""

from socialgate_sandbox.kit import FOLLOWERS, Person
from socialgate_sandbox.vendors.wasender.state import Json

PHONES = {person.key: f"155502000{place:02}" for place, person in enumerate(FOLLOWERS, start=1)}
LIDS = {person.key: f"2480000000{place:04}" for place, person in enumerate(FOLLOWERS, start=1)}
GROUP = "120363040000000001@g.us"
GROUP_NAME = "Bakery regulars"
GROUP_MADE = 1_760_000_000


def person_at(number: str) -> Person | None:
    """Find the person with a number or LID, in any of its spellings."""
    wanted = number.partition("@")[0].lstrip("+")
    return next((person for person in FOLLOWERS if wanted in {PHONES[person.key], LIDS[person.key]}), None)


def jid_of(person: Person) -> str:
    return f"{PHONES[person.key]}@s.whatsapp.net"


def lid_of(person: Person) -> str:
    return f"{LIDS[person.key]}@lid"


def contact_json(person: Person) -> Json:
    return {
        "jid": PHONES[person.key],
        "name": person.name,
        "notify": person.name.partition(" ")[0],
        "verifiedName": None,
        "imgUrl": None,
        "status": "Hey there! I am using WhatsApp.",
    }


def participants_json() -> list[Json]:
    return [
        {"id": jid_of(person), "isAdmin": place == 0, "isSuperAdmin": False} for place, person in enumerate(FOLLOWERS)
    ]
