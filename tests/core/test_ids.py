"""Ids: their form, their order, and that none is made twice."""

import os
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.core.ids import BASE32_ALPHABET, first_id_at, is_id, new_id, new_ids

PREFIXES = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=5)
# Every nanosecond that 48 bits of milliseconds can name, some 8,900 years.
MOMENTS = st.integers(0, (1 << 48) * 1_000_000 - 1)
# Ids hold a moment to 1/4096 of a millisecond.
RESOLUTION = 245


def id_at(nanoseconds: int, prefix: str = "prf") -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: nanoseconds)
        return new_id(prefix)


def as_uuid(some_id: str) -> UUID:
    number = 0
    for character in some_id.partition("_")[2]:
        number = number * 32 + BASE32_ALPHABET.index(character)
    return UUID(int=number)


@given(PREFIXES)
def test_an_id_has_the_form_of_its_kind(prefix: str) -> None:
    created = new_id(prefix)
    assert is_id(prefix, created)
    assert len(created) == len(prefix) + 27


@given(MOMENTS)
def test_an_id_is_a_uuid_of_version_7_with_its_time(nanoseconds: int) -> None:
    uuid = as_uuid(id_at(nanoseconds))
    assert (uuid.version, uuid.variant) == (7, "specified in RFC 4122")
    assert uuid.int >> 80 == nanoseconds // 1_000_000


@given(MOMENTS.filter(lambda moment: moment >= RESOLUTION), st.data())
def test_ids_sort_by_the_time_they_were_made(later: int, data: st.DataObject) -> None:
    earlier = data.draw(st.one_of(st.just(later - RESOLUTION), st.integers(0, later - RESOLUTION)))
    assert id_at(earlier) < id_at(later)


def test_ids_of_one_instant_differ() -> None:
    assert len({id_at(1_763_200_000_000_000_000) for _ in range(2_000)}) == 2_000


def test_all_the_randomness_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    monkeypatch.setattr(os, "urandom", lambda count: b"\xff" * count)
    assert as_uuid(new_id("prf")).int == (0x7 << 76) | (0x2 << 62) | ((1 << 62) - 1)


@given(st.text(max_size=40))
def test_a_text_of_another_form_is_no_id(text: str) -> None:
    assert not is_id("prf", text)


@pytest.mark.parametrize(
    "text",
    [
        "prf_01h455vb4pex5vsknk084sn02",
        "prf_01h455vb4pex5vsknk084sn02qq",
        "prf_81h455vb4pex5vsknk084sn02q",
        "prf_01H455VB4PEX5VSKNK084SN02Q",
        "prf_01h455vb4pex5vsknk084sn02u",
        "prf_01h455vb4pex5vsknk084sn02q\n",
        "own_01h455vb4pex5vsknk084sn02q",
        "prf01h455vb4pex5vsknk084sn02q",
        "",
    ],
)
def test_a_near_miss_is_no_id(text: str) -> None:
    assert is_id("prf", "prf_01h455vb4pex5vsknk084sn02q")
    assert not is_id("prf", text)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2500, 1, 1)))  # noqa: DTZ001 - the zone is given below
def test_the_first_id_of_a_moment_parts_older_from_newer(naive: datetime) -> None:
    moment = naive.replace(microsecond=0, tzinfo=UTC)
    nanoseconds = int(moment.timestamp()) * 1_000_000_000
    border = first_id_at("evt", moment)
    assert is_id("evt", border)
    assert id_at(nanoseconds - 1, "evt") < border <= id_at(nanoseconds, "evt")
    assert border < first_id_at("evt", moment + timedelta(milliseconds=1))


def test_ids_that_are_made_at_once_are_ids_like_others() -> None:
    created, others = new_ids("dlv", 20), new_ids("dlv", 20)
    assert all(is_id("dlv", value) for value in (*created, *others))
    assert len({*created, *others}) == 40
    assert created == sorted(created)
