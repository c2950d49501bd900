"""People from many countries who fill in forms: their names, phone numbers and addresses.

Phone numbers come from the ranges that a country's regulator reserves for fiction. If there is no such range, they come
from a block that nobody uses.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec


class Country(NamedTuple):
    """`phone_range` is the first number of a range and its size. `places` are town, postcode and region."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    phone_range: tuple[int, int]
    places: tuple[tuple[str, str, str], ...]
    street_template: str


_AMERICAN = (
    ("Olivia", "Noah", "Maya", "Ethan", "Grace", "Diego"),
    ("Johnson", "Ramirez", "Nguyen", "Carter", "Brooks", "Patel"),
)
_BRITISH = (
    ("Amelia", "George", "Priya", "Harry", "Isla", "Callum"),
    ("Hughes", "Begum", "Taylor", "MacLeod", "Davies", "Wright"),
)
COUNTRIES: Mapping[str, Country] = {
    "AU": Country(
        ("Charlotte", "Lachlan", "Matilda", "Jarrah"), ("Nguyen", "Campbell", "Walsh", "Kelly"), (61491570156, 4),
        (("Melbourne", "3000", "VIC"), ("Perth", "6000", "WA")), "{n} Banksia Street",
    ),
    "BR": Country(
        ("Beatriz", "João", "Thaís", "Otávio", "Conceição"), ("Gonçalves", "da Silva", "Araújo", "Moreira"),
        (5511900000000, 10_000), (("São Paulo", "01310-100", "SP"), ("Belém", "66010-000", "PA")),
        "Rua das Acácias, {n}",
    ),
    "DE": Country(
        ("Jürgen", "Annika", "Björn", "Leyla", "Käthe"), ("Müller", "Groß", "Şahin", "Schäfer", "Krause"),
        (491713920000, 100), (("Köln", "50667", "Nordrhein-Westfalen"), ("Leipzig", "04109", "Sachsen")),
        "Lindenstraße {n}",
    ),
    "FR": Country(
        ("Chloé", "Théo", "Zoé", "Raphaël", "Aïcha"), ("Lefèvre", "Moreau", "Benali", "Garçon"), (33639980000, 10_000),
        (("Lyon", "69001", "Auvergne-Rhône-Alpes"), ("Saint-Malo", "35400", "Bretagne")), "{n} rue de l'Église",
    ),
    "GB": Country(
        *_BRITISH, (447700900000, 1000), (("Leeds", "LS1 4AP", "West Yorkshire"), ("Cardiff", "CF10 1EP", "Wales")),
        "{n} Chapel Lane",
    ),
    "IE": Country(
        ("Aoife", "Seán", "Niamh", "Pádraig"), ("Ó Briain", "Murphy", "O'Sullivan", "Byrne"), (353209100000, 100_000),
        (("Cork", "T12 W8KN", "Munster"), ("Galway", "H91 E2K3", "Connacht")), "{n} Quay Road",
    ),
    "JP": Country(
        ("陽菜", "蓮", "さくら", "大翔"), ("佐藤", "鈴木", "高橋", "渡辺"), (819000000000, 10_000),
        (("札幌市", "060-0001", "北海道"), ("京都市", "600-8216", "京都府")), "中央町{n}",
    ),
    "NG": Country(
        ("Chinedu", "Folasade", "Ngozi", "Yusuf"), ("Okafor", "Adéyẹmí", "Bello", "Eze"), (2349000000000, 10_000),
        (("Lagos", "100001", "Lagos"), ("Abuja", "900001", "FCT")), "{n} Allen Avenue",
    ),
    "SE": Country(
        ("Åsa", "Björn", "Saga", "Elif", "Göran", "Zoë"), ("Lindström", "Åkesson", "Öberg", "Yilmaz", "Holm"),
        (46701740605, 95), (("Göteborg", "411 03", "Västra Götaland"), ("Umeå", "903 26", "Västerbotten")),
        "Storgatan {n}",
    ),
    "US": Country(
        *_AMERICAN, (12125550100, 100), (("Portland", "97201", "OR"), ("Austin", "78701", "TX")), "{n} Maple Avenue",
    ),
}  # fmt: skip
_MAX_NAMES, _MAX_MAILBOX_LENGTH = 4, 40
_JOBS = ("Nurse", "Baker", "Teacher", "Software engineer", "Electrician")
_FREE_ANSWERS = (
    "As soon as possible, please.",
    "For about 30 people.",
    "I saw your ad and have a question.",
    "Next spring?",
)


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
    def country_data(self) -> Country:
        return COUNTRIES[self.country]


def build_applicant(country: str, number: int) -> Applicant:
    """Return the person with this number in a country; for an unknown country, somebody from the United States."""
    country = country if country in COUNTRIES else "US"
    land = COUNTRIES[country]
    first, last = land.first[number % len(land.first)], land.last[number * 3 % len(land.last)]
    lowest, span = land.phone_range
    return Applicant(
        number=number,
        country=country,
        first=first,
        last=last,
        email=_build_email((first, last), number),
        phone=f"+{lowest + number % span}",
    )


def with_name(applicant: Applicant, name: str) -> Applicant:
    """Give a person another name, and the address that fits it."""
    return msgspec.structs.replace(applicant, email=_build_email(name.split()[:_MAX_NAMES], applicant.number))


def _build_email(names: Iterable[str], number: int) -> str:
    mailbox = ".".join(filter(None, map(_to_ascii_letters, names)))[:_MAX_MAILBOX_LENGTH].strip(".") or "applicant"
    return f"{mailbox}.{number}@example.com"


def build_answer(applicant: Applicant, kind: str) -> str:
    """Return what a person enters into a field of this kind; for an unknown kind, a sentence of their own.

    The kinds are those of Meta's forms, which have the most.
    """
    known = _ANSWERS.get(kind)
    return known(applicant) if known is not None else _FREE_ANSWERS[applicant.number % len(_FREE_ANSWERS)]


def _to_ascii_letters(name: str) -> str:
    """Keep only what can be part of an address."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return "".join(mark for mark in letters if mark.isalpha())


def _build_place_answer(index: int) -> Callable[[Applicant], str]:
    return lambda applicant: applicant.country_data.places[applicant.number % len(applicant.country_data.places)][index]


def _build_choice_answer(*words: str) -> Callable[[Applicant], str]:
    return lambda applicant: words[applicant.number % len(words)]


def _build_company_answer(applicant: Applicant) -> str:
    return f"{applicant.last} & Co."


_ANSWERS: Mapping[str, Callable[[Applicant], str]] = {
    "FULL_NAME": lambda applicant: applicant.name,
    "FIRST_NAME": lambda applicant: applicant.first,
    "LAST_NAME": lambda applicant: applicant.last,
    "EMAIL": lambda applicant: applicant.email,
    "WORK_EMAIL": lambda applicant: applicant.email.replace("@", "@work."),
    "PHONE": lambda applicant: applicant.phone,
    "WORK_PHONE_NUMBER": lambda applicant: applicant.phone,
    "CITY": _build_place_answer(0),
    "ZIP": _build_place_answer(1),
    "POST_CODE": _build_place_answer(1),
    "STATE": _build_place_answer(2),
    "PROVINCE": _build_place_answer(2),
    "COUNTRY": lambda applicant: applicant.country,
    "STREET_ADDRESS": lambda applicant: applicant.country_data.street_template.format(n=applicant.number % 80 + 1),
    "DOB": lambda applicant: (
        f"{applicant.number % 12 + 1:02}/{applicant.number % 28 + 1:02}/{1960 + applicant.number % 40}"
    ),
    "DATE_OF_BIRTH": lambda applicant: (
        f"{applicant.number % 12 + 1:02}/{applicant.number % 28 + 1:02}/{1960 + applicant.number % 40}"
    ),
    "GENDER": _build_choice_answer("female", "male"),
    "MARITAL_STATUS": _build_choice_answer("married", "single"),
    "RELATIONSHIP_STATUS": _build_choice_answer("married", "single"),
    "MILITARY_STATUS": _build_choice_answer("not_applicable"),
    "COMPANY_NAME": _build_company_answer,
    "JOB_TITLE": _build_choice_answer(*_JOBS),
    "DATE_TIME": lambda applicant: f"2027-{applicant.number % 12 + 1:02}-{applicant.number % 28 + 1:02}T10:00:00+0000",
    # Identity numbers that are known to belong to nobody.
    "ID_CPF": _build_choice_answer("000.000.001-91"),
    "ID_CL_RUT": _build_choice_answer("11.111.111-1"),
    **dict.fromkeys(("ID_AR_DNI", "ID_CO_CC", "ID_EC_CI", "ID_PE_DNI"), _build_choice_answer("00000000")),
}
