"""The people of the sandbox, the same on every platform: some own accounts, others follow them and write to them."""

import msgspec


class Person(msgspec.Struct, frozen=True):
    key: str
    name: str
    email: str
    about: str = ""


ADA = Person("ada", "Ada Lindqvist", "ada@example.com", "owns a bakery and all its accounts")
BRAM = Person("bram", "Bram Okafor", "bram@example.com", "manages accounts for an agency")
CLEO = Person("cleo", "Cleo Marchetti", "cleo@example.com", "has just signed up and owns almost nothing")
OWNERS = (ADA, BRAM, CLEO)

DARIO = Person("dario", "Dario Weiss", "dario@example.com")
ELIF = Person("elif", "Elif Yilmaz", "elif@example.com")
FINN = Person("finn", "Finn O'Sullivan", "finn@example.com")
FOLLOWERS = (DARIO, ELIF, FINN)
