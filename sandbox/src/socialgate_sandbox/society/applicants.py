"""People from many countries who fill in forms: their names, phone numbers and addresses.

Phone numbers come from the ranges that a country's regulator reserves for fiction. If there is no such range, they come
from a block that nobody uses.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec


class Land(NamedTuple):
    """`phones` is the first number of a range and its size. `places` are town, postcode and region."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    phones: tuple[int, int]
    places: tuple[tuple[str, str, str], ...]
    street: str


_AMERICAN = (
    ("Olivia", "Noah", "Maya", "Ethan", "Grace", "Diego"),
    ("Johnson", "Ramirez", "Nguyen", "Carter", "Brooks", "Patel"),
)
_BRITISH = (
    ("Amelia", "George", "Priya", "Harry", "Isla", "Callum"),
    ("Hughes", "Begum", "Taylor", "MacLeod", "Davies", "Wright"),
)
LANDS: Mapping[str, Land] = {
    "AU": Land(
        ("Charlotte", "Lachlan", "Matilda", "Jarrah"), ("Nguyen", "Campbell", "Walsh", "Kelly"), (61491570156, 4),
        (("Melbourne", "3000", "VIC"), ("Perth", "6000", "WA")), "{n} Banksia Street",
    ),
    "BR": Land(
        ("Beatriz", "João", "Thaís", "Otávio", "Conceição"), ("Gonçalves", "da Silva", "Araújo", "Moreira"),
        (5511900000000, 10_000), (("São Paulo", "01310-100", "SP"), ("Belém", "66010-000", "PA")),
        "Rua das Acácias, {n}",
    ),
    "DE": Land(
        ("Jürgen", "Annika", "Björn", "Leyla", "Käthe"), ("Müller", "Groß", "Şahin", "Schäfer", "Krause"),
        (491713920000, 100), (("Köln", "50667", "Nordrhein-Westfalen"), ("Leipzig", "04109", "Sachsen")),
        "Lindenstraße {n}",
    ),
    "FR": Land(
        ("Chloé", "Théo", "Zoé", "Raphaël", "Aïcha"), ("Lefèvre", "Moreau", "Benali", "Garçon"), (33639980000, 10_000),
        (("Lyon", "69001", "Auvergne-Rhône-Alpes"), ("Saint-Malo", "35400", "Bretagne")), "{n} rue de l'Église",
    ),
    "GB": Land(
        *_BRITISH, (447700900000, 1000), (("Leeds", "LS1 4AP", "West Yorkshire"), ("Cardiff", "CF10 1EP", "Wales")),
        "{n} Chapel Lane",
    ),
    "IE": Land(
        ("Aoife", "Seán", "Niamh", "Pádraig"), ("Ó Briain", "Murphy", "O'Sullivan", "Byrne"), (353209100000, 100_000),
        (("Cork", "T12 W8KN", "Munster"), ("Galway", "H91 E2K3", "Connacht")), "{n} Quay Road",
    ),
    "JP": Land(
        ("陽菜", "蓮", "さくら", "大翔"), ("佐藤", "鈴木", "高橋", "渡辺"), (819000000000, 10_000),
        (("札幌市", "060-0001", "北海道"), ("京都市", "600-8216", "京都府")), "中央町{n}",
    ),
    "NG": Land(
        ("Chinedu", "Folasade", "Ngozi", "Yusuf"), ("Okafor", "Adéyẹmí", "Bello", "Eze"), (2349000000000, 10_000),
        (("Lagos", "100001", "Lagos"), ("Abuja", "900001", "FCT")), "{n} Allen Avenue",
    ),
    "SE": Land(
        ("Åsa", "Björn", "Saga", "Elif", "Göran", "Zoë"), ("Lindström", "Åkesson", "Öberg", "Yilmaz", "Holm"),
        (46701740605, 95), (("Göteborg", "411 03", "Västra Götaland"), ("Umeå", "903 26", "Västerbotten")),
        "Storgatan {n}",
    ),
    "US": Land(
        *_AMERICAN, (12125550100, 100), (("Portland", "97201", "OR"), ("Austin", "78701", "TX")), "{n} Maple Avenue",
    ),
}  # fmt: skip
_MOST_NAMES, _LONGEST_MAILBOX = 4, 40
_JOBS = ("Nurse", "Baker", "Teacher", "Software engineer", "Electrician")
_WORDS = ("As soon as possible, please.", "For about 30 people.", "I saw your ad and have a question.", "Next spring?")


class Applicant(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    country: str
    first: str
    last: str
    email: str
    phone: str

    @property
    def name(self) -> str:
        return f"{self.last} {self.first}" if self.country == "JP" else f"{self.first} {self.last}"

    @property
    def land(self) -> Land:
        return LANDS[self.country]


def applicant(country: str, number: int) -> Applicant:
    """Return the person with this number in a country; for an unknown country, somebody from the United States."""
    country = country if country in LANDS else "US"
    land = LANDS[country]
    first, last = land.first[number % len(land.first)], land.last[number * 3 % len(land.last)]
    lowest, span = land.phones
    return Applicant(
        number=number,
        country=country,
        first=first,
        last=last,
        email=_address((first, last), number),
        phone=f"+{lowest + number % span}",
    )


def named(who: Applicant, name: str) -> Applicant:
    """Give a person another name, and the address that fits it."""
    return msgspec.structs.replace(who, email=_address(name.split()[:_MOST_NAMES], who.number))


def _address(names: Iterable[str], number: int) -> str:
    mailbox = ".".join(filter(None, map(_plain, names)))[:_LONGEST_MAILBOX].strip(".") or "applicant"
    return f"{mailbox}.{number}@example.com"


def answer_of(who: Applicant, kind: str) -> str:
    """Return what a person enters into a field of this kind; for an unknown kind, a sentence of their own.

    The kinds are those of Meta's forms, which have the most.
    """
    known = _ANSWERS.get(kind)
    return known(who) if known is not None else _WORDS[who.number % len(_WORDS)]


def _plain(name: str) -> str:
    """Keep only what can be part of an address."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return "".join(mark for mark in letters if mark.isalpha())


def _place(index: int) -> Callable[[Applicant], str]:
    return lambda who: who.land.places[who.number % len(who.land.places)][index]


def _choose(*words: str) -> Callable[[Applicant], str]:
    return lambda who: words[who.number % len(words)]


def _company(who: Applicant) -> str:
    return f"{who.last} & Co."


_ANSWERS: Mapping[str, Callable[[Applicant], str]] = {
    "FULL_NAME": lambda who: who.name,
    "FIRST_NAME": lambda who: who.first,
    "LAST_NAME": lambda who: who.last,
    "EMAIL": lambda who: who.email,
    "WORK_EMAIL": lambda who: who.email.replace("@", "@work."),
    "PHONE": lambda who: who.phone,
    "WORK_PHONE_NUMBER": lambda who: who.phone,
    "CITY": _place(0),
    "ZIP": _place(1),
    "POST_CODE": _place(1),
    "STATE": _place(2),
    "PROVINCE": _place(2),
    "COUNTRY": lambda who: who.country,
    "STREET_ADDRESS": lambda who: who.land.street.format(n=who.number % 80 + 1),
    "DOB": lambda who: f"{who.number % 12 + 1:02}/{who.number % 28 + 1:02}/{1960 + who.number % 40}",
    "DATE_OF_BIRTH": lambda who: f"{who.number % 12 + 1:02}/{who.number % 28 + 1:02}/{1960 + who.number % 40}",
    "GENDER": _choose("female", "male"),
    "MARITAL_STATUS": _choose("married", "single"),
    "RELATIONSHIP_STATUS": _choose("married", "single"),
    "MILITARY_STATUS": _choose("not_applicable"),
    "COMPANY_NAME": _company,
    "JOB_TITLE": _choose(*_JOBS),
    "DATE_TIME": lambda who: f"2027-{who.number % 12 + 1:02}-{who.number % 28 + 1:02}T10:00:00+0000",
    # Identity numbers that are known to belong to nobody.
    "ID_CPF": _choose("000.000.001-91"),
    "ID_CL_RUT": _choose("11.111.111-1"),
    **dict.fromkeys(("ID_AR_DNI", "ID_CO_CC", "ID_EC_CI", "ID_PE_DNI"), _choose("00000000")),
}
