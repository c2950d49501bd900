"""The lead simulator: invented people, with answers that fit the questions of a form.

Phone numbers are from ranges that national regulators reserve for fiction, and addresses at example.com reach nobody.
"""

import random
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import msgspec

from socialgate.contracts.leads import CHOICE, LeadForm, LeadItem, LeadQuestion
from socialgate.core.ids import new_id

DEFAULT_COUNTRY = "US"
_MIN_AGE, _MAX_AGE = timedelta(days=20 * 366), timedelta(days=70 * 365)


class _CountryData(msgspec.Struct, frozen=True):
    """`name` is how platforms write it in English. `phone` is a reserved range, with # for each variable digit."""

    name: str
    phone: str
    first: tuple[str, ...]
    last: tuple[str, ...]
    # City, region and postal code.
    places: tuple[tuple[str, str, str], ...]
    streets: tuple[str, ...]
    companies: tuple[str, ...]
    jobs: tuple[str, ...]


SIMULATED_COUNTRIES: Mapping[str, _CountryData] = {
    "US": _CountryData(
        "United States",
        "+121255501##",
        ("Emily", "James", "Olivia", "Michael", "Grace", "Daniel"),
        ("Johnson", "Miller", "Garcia", "Davis", "Nguyen", "Brown"),
        (("Austin", "TX", "78701"), ("Portland", "OR", "97205"), ("Columbus", "OH", "43215")),
        ("412 Maple Avenue", "78 Lincoln Street", "1305 Oak Drive"),
        ("Maple Street Bakery", "Northside Dental", "Harbor Logistics"),
        ("Office Manager", "Owner", "Marketing Lead"),
    ),
    "GB": _CountryData(
        "United Kingdom",
        "+447700900###",
        ("Amelia", "Oliver", "Isla", "Harry", "Freya", "George"),
        ("Smith", "Taylor", "Patel", "Wilson", "Evans", "Wright"),
        (("Leeds", "West Yorkshire", "LS1 4AP"), ("Bristol", "Bristol", "BS1 5TR"), ("York", "York", "YO1 7HH")),
        ("14 Church Lane", "3 Victoria Road", "27 Mill Street"),
        ("Mill Street Tea Rooms", "Evans & Daughters", "Northern Print"),
        ("Shop Manager", "Director", "Events Coordinator"),
    ),
    "DE": _CountryData(
        "Germany",
        "+4917139200##",
        ("Anna", "Jürgen", "Lena", "Paul", "Käthe", "Jonas"),
        ("Müller", "Schmidt", "Weber", "Schäfer", "Koch", "Groß"),
        (
            ("Leipzig", "Sachsen", "04109"),
            ("Köln", "Nordrhein-Westfalen", "50667"),
            ("Ulm", "Baden-Württemberg", "89073"),
        ),
        ("Lindenstraße 12", "Am Markt 4", "Gartenweg 31"),
        ("Bäckerei Weber", "Koch Metallbau GmbH", "Praxis am Markt"),
        ("Geschäftsführerin", "Einkauf", "Büroleitung"),
    ),
    "FR": _CountryData(
        "France",
        "+3363998####",
        ("Chloé", "Lucas", "Manon", "Hugo", "Zoé", "Étienne"),
        ("Martin", "Bernard", "Lefèvre", "Moreau", "Girard", "Roux"),
        (
            ("Lyon", "Auvergne-Rhône-Alpes", "69002"),
            ("Nantes", "Pays de la Loire", "44000"),
            ("Lille", "Hauts-de-France", "59000"),
        ),
        ("8 rue des Lilas", "21 avenue Jean Jaurès", "5 place du Marché"),
        ("Boulangerie Moreau", "Atelier Girard", "Lefèvre Conseil"),
        ("Gérante", "Responsable achats", "Architecte"),
    ),
    "SE": _CountryData(
        "Sweden",
        "+46701740###",
        ("Åsa", "Erik", "Maja", "Nils", "Elsa", "Göran"),
        ("Andersson", "Lindqvist", "Åberg", "Nyström", "Ek", "Sjöberg"),
        (
            ("Uppsala", "Uppsala län", "753 10"),
            ("Malmö", "Skåne län", "211 22"),
            ("Umeå", "Västerbottens län", "903 26"),
        ),
        ("Storgatan 14", "Björkvägen 3", "Kungsgatan 58"),
        ("Åbergs Konditori", "Nordljus AB", "Ek & Partner"),
        ("Projektledare", "Inköpare", "Ägare"),
    ),
}
# Of the thousand numbers +46 70 174 0###, only these are reserved.
_SWEDISH_PHONE_ENDINGS = range(605, 700)


class SimulatedPerson(msgspec.Struct, frozen=True):
    """A person who fills in a form."""

    country: str
    first: str
    last: str
    phone: str
    place: tuple[str, str, str]
    street: str
    company: str
    job: str
    born: datetime
    gender: str

    @property
    def email(self) -> str:
        return f"{_to_ascii(self.first)}.{_to_ascii(self.last)}.{self.phone[-4:]}@example.com"


def choose_country(account_country: str | None, locale: str | None) -> str:
    """Choose where the person lives: in the country of the account, otherwise in that of the form's language."""
    names = {land.name.casefold(): code for code, land in SIMULATED_COUNTRIES.items()}
    for known in (account_country or "", (locale or "").replace("-", "_").rpartition("_")[2]):
        code = names.get(known.casefold(), known.upper())
        if code in SIMULATED_COUNTRIES:
            return code
    return DEFAULT_COUNTRY


def build_simulated_lead(form: LeadForm, country: str, now: datetime, rng: random.Random) -> LeadItem:
    """Fill in a form as a person from a country."""
    applicant = _build_simulated_person(country, now, rng)
    return LeadItem(
        id=f"test_{new_id('lead')}",
        form_id=form.id,
        form_name=form.name,
        created_at=now,
        fields={question.key: _build_answer(question, applicant, now, rng) for question in form.questions},
        test=True,
    )


def _build_simulated_person(country: str, now: datetime, rng: random.Random) -> SimulatedPerson:
    land = SIMULATED_COUNTRIES[country]
    phone = "".join(str(rng.randrange(10)) if sign == "#" else sign for sign in land.phone)
    if country == "SE":
        phone = f"{land.phone[:-3]}{rng.choice(_SWEDISH_PHONE_ENDINGS)}"
    return SimulatedPerson(
        country=country,
        first=rng.choice(land.first),
        last=rng.choice(land.last),
        phone=phone,
        place=rng.choice(land.places),
        street=rng.choice(land.streets),
        company=rng.choice(land.companies),
        job=rng.choice(land.jobs),
        born=now - timedelta(seconds=rng.uniform(_MIN_AGE.total_seconds(), _MAX_AGE.total_seconds())),
        gender=rng.choice(("female", "male")),
    )


_ANSWERS_BY_QUESTION_TYPE: Mapping[str, Callable[[SimulatedPerson], str]] = {
    "full_name": lambda applicant: f"{applicant.first} {applicant.last}",
    "name": lambda applicant: f"{applicant.first} {applicant.last}",
    "first_name": lambda applicant: applicant.first,
    "last_name": lambda applicant: applicant.last,
    "email": lambda applicant: applicant.email,
    "work_email": lambda applicant: applicant.email,
    "phone": lambda applicant: applicant.phone,
    "phone_number": lambda applicant: applicant.phone,
    "work_phone_number": lambda applicant: applicant.phone,
    "city": lambda applicant: applicant.place[0],
    "state": lambda applicant: applicant.place[1],
    "province": lambda applicant: applicant.place[1],
    "zip": lambda applicant: applicant.place[2],
    "zip_code": lambda applicant: applicant.place[2],
    "post_code": lambda applicant: applicant.place[2],
    "country": lambda applicant: applicant.country,
    "street_address": lambda applicant: applicant.street,
    "dob": lambda applicant: f"{applicant.born:%m/%d/%Y}",
    "date_of_birth": lambda applicant: f"{applicant.born:%m/%d/%Y}",
    "gender": lambda applicant: applicant.gender,
    "marital_status": lambda _: "married",
    "relationship_status": lambda _: "married",
    "military_status": lambda _: "none",
    "company_name": lambda applicant: applicant.company,
    "job_title": lambda applicant: applicant.job,
}
_SENTENCES_BY_COUNTRY = {
    "US": ("Next week works best for me.", "Please call in the afternoon.", "A friend recommended you."),
    "GB": ("Next week would be lovely.", "Please ring in the afternoon.", "A friend recommended you."),
    "DE": ("Nächste Woche passt mir gut.", "Bitte nachmittags anrufen.", "Eine Freundin hat Sie empfohlen."),
    "FR": ("La semaine prochaine me convient.", "Appelez-moi l'après-midi.", "Une amie vous a recommandés."),
    "SE": ("Nästa vecka passar bra.", "Ring gärna på eftermiddagen.", "En vän har rekommenderat er."),
}


def _build_answer(question: LeadQuestion, applicant: SimulatedPerson, now: datetime, rng: random.Random) -> str:
    """Answer a question: with one of its options, otherwise with what its type or key asks for."""
    if question.options:
        return rng.choice(question.options).key
    if question.type == "date_time":
        return f"{now + timedelta(days=rng.randrange(1, 15)):%Y-%m-%dT10:00:00+00:00}"
    known = _ANSWERS_BY_QUESTION_TYPE.get(question.type) or (
        None if question.type == CHOICE else _ANSWERS_BY_QUESTION_TYPE.get(question.key.lower())
    )
    return known(applicant) if known is not None else rng.choice(_SENTENCES_BY_COUNTRY[applicant.country])


def _to_ascii(name: str) -> str:
    spelled = name.replace("ß", "ss").replace("Å", "A").lower()
    return unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
