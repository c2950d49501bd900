"""Which addresses count as public, against the registries and against Python's own opinion."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.core import addresses
from socialgate.core.addresses import IpAddress, NetworkSet, get_non_public_range, is_public_address

IN_RANGE = [
    ("0.0.0.0", addresses.is_this_network),  # noqa: S104 - nothing is bound to it
    ("0.255.255.255", addresses.is_this_network),
    ("::", addresses.is_this_network),
    ("127.0.0.1", addresses.is_loopback),
    ("127.255.255.254", addresses.is_loopback),
    ("::1", addresses.is_loopback),
    ("10.0.0.0", addresses.is_private_address),
    ("10.255.255.255", addresses.is_private_address),
    ("172.16.0.1", addresses.is_private_address),
    ("172.31.255.255", addresses.is_private_address),
    ("192.168.1.1", addresses.is_private_address),
    ("fc00::1", addresses.is_unique_local),
    ("fd00:ec2::254", addresses.is_unique_local),
    ("169.254.169.254", addresses.is_link_local),
    ("fe80::1", addresses.is_link_local),
    ("fe80::1%eth0", addresses.is_link_local),
    ("100.64.0.1", addresses.is_carrier_nat),
    ("100.100.100.200", addresses.is_carrier_nat),
    ("100.127.255.255", addresses.is_carrier_nat),
    ("168.63.129.16", addresses.is_cloud_agent_address),
    ("192.0.0.192", addresses.is_protocol_assignment_address),
    ("2001:1::1", addresses.is_protocol_assignment_address),
    ("192.88.99.1", addresses.is_sixtofour_relay),
    ("192.0.2.1", addresses.is_documentation_address),
    ("198.51.100.1", addresses.is_documentation_address),
    ("203.0.113.1", addresses.is_documentation_address),
    ("2001:db8::1", addresses.is_documentation_address),
    ("3fff::1", addresses.is_documentation_address),
    ("198.18.0.1", addresses.is_benchmark_address),
    ("198.19.255.255", addresses.is_benchmark_address),
    ("2001:2::1", addresses.is_benchmark_address),
    ("224.0.0.1", addresses.is_multicast),
    ("239.255.255.255", addresses.is_multicast),
    ("ff02::1", addresses.is_multicast),
    ("240.0.0.1", addresses.is_reserved_address),
    ("255.255.255.255", addresses.is_reserved_address),
    ("::127.0.0.1", addresses.is_unassigned_address),
    ("::ffff:0:127.0.0.1", addresses.is_unassigned_address),
    ("64:ff9b:1::7f00:1", addresses.is_unassigned_address),
    ("100::1", addresses.is_unassigned_address),
    ("4000::1", addresses.is_unassigned_address),
    ("5f00::1", addresses.is_unassigned_address),
    ("fec0::1", addresses.is_unassigned_address),
]

PUBLIC = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
    "2002:101:101::1",
]

PRIVATE_INSIDE = [
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:169.254.169.254", "link-local"),
    ("64:ff9b::7f00:1", "loopback"),
    ("64:ff9b::a9fe:a9fe", "link-local"),
    ("2002:7f00:1::", "loopback"),
    ("2002:a00:1::1", "private"),
    # Teredo: first a server behind the prefix, then a client with its bits turned round.
    ("2001:0:a00:1::fefe:fefe", "private"),
    ("2001:0:101:101::80ff:fffe", "loopback"),
]

v4_address = st.integers(0, 2**32 - 1).map(IPv4Address)
v6_address = st.integers(0, 2**128 - 1).map(IPv6Address)


@pytest.mark.parametrize(("text", "predicate"), IN_RANGE)
def test_each_range_has_its_predicate_and_is_not_public(text: str, predicate: Callable[[IpAddress], bool]) -> None:
    assert predicate(ip_address(text))
    assert not is_public_address(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_neighbours_of_the_ranges_are_public(text: str) -> None:
    assert get_non_public_range(ip_address(text)) is None


@pytest.mark.parametrize(("text", "why"), PRIVATE_INSIDE)
def test_an_address_inside_an_address_is_judged_too(text: str, why: str) -> None:
    assert get_non_public_range(ip_address(text)) == why


@given(v4_address)
def test_nothing_that_python_calls_unreachable_is_public(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public_address(address)


@given(v4_address)
def test_a_carried_address_is_as_public_as_it_is_itself(address: IPv4Address) -> None:
    number = int(address)
    mapped = IPv6Address((0xFFFF << 32) | number)
    translated = IPv6Address((0x0064_FF9B << 96) | number)
    six_to_four = IPv6Address((0x2002 << 112) | (number << 80))
    assert (
        is_public_address(mapped)
        == is_public_address(translated)
        == is_public_address(six_to_four)
        == is_public_address(address)
    )


@given(v6_address)
def test_ipv6_outside_global_unicast_is_never_public(address: IPv6Address) -> None:
    carries_ipv4 = address.ipv4_mapped is not None or int(address) >> 32 == 0x0064_FF9B << 64
    if int(address) >> 125 != 0b001 and not carries_ipv4:
        assert not is_public_address(address)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("10.2.0.0", False),
        ("fd00::7", True),
        ("fd01::7", False),
    ],
)
def test_nets_hold_what_they_name(text: str, *, expected: bool) -> None:
    nets = NetworkSet.parse(["10.1.0.0/16", " fd00::/64 "])
    address: IpAddress = ip_address(text)
    assert (address in nets) is expected


def test_no_nets_hold_nothing() -> None:
    assert ip_address("127.0.0.1") not in NetworkSet()


@pytest.mark.parametrize("text", ["", "ten", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/8/8"])
def test_a_net_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a network in CIDR notation"):
        NetworkSet.parse([text])
