"""The people on the other side, who all have WhatsApp, and a group that they are in."""

from socialgate_sandbox.kit import FOLLOWERS, Person
from socialgate_sandbox.vendors.wasender.state import Json

PHONES_BY_PERSON = {person.key: f"155502000{place:02}" for place, person in enumerate(FOLLOWERS, start=1)}
LIDS_BY_PERSON = {person.key: f"2480000000{place:04}" for place, person in enumerate(FOLLOWERS, start=1)}
GROUP_JID = "120363040000000001@g.us"
GROUP_NAME = "Bakery regulars"
GROUP_CREATED_AT = 1_760_000_000


def find_person(number: str) -> Person | None:
    """Find the person with a number or LID, in any of its spellings."""
    expected = number.partition("@")[0].lstrip("+")
    return next(
        (person for person in FOLLOWERS if expected in {PHONES_BY_PERSON[person.key], LIDS_BY_PERSON[person.key]}), None
    )


def build_jid(person: Person) -> str:
    return f"{PHONES_BY_PERSON[person.key]}@s.whatsapp.net"


def build_lid(person: Person) -> str:
    return f"{LIDS_BY_PERSON[person.key]}@lid"


def build_contact_json(person: Person) -> Json:
    return {
        "jid": PHONES_BY_PERSON[person.key],
        "name": person.name,
        "notify": person.name.partition(" ")[0],
        "verifiedName": None,
        "imgUrl": None,
        "status": "Hey there! I am using WhatsApp.",
    }


def build_participants_json() -> list[Json]:
    return [
        {"id": build_jid(person), "isAdmin": place == 0, "isSuperAdmin": False}
        for place, person in enumerate(FOLLOWERS)
    ]
