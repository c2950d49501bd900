"""Which IP addresses belong to the public internet.

Customers choose where hooks are sent, so they can enter any address, and the attractive targets are ours: a database, a
cloud's metadata service. Each range outside the public internet has its predicate here, following the IANA
special-purpose registries.
"""

from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self, TypeAlias

import msgspec

IpAddress: TypeAlias = IPv4Address | IPv6Address
IpNetwork: TypeAlias = IPv4Network | IPv6Network


class NetworkSet(msgspec.Struct, frozen=True):
    """Networks that an operator allows although they are not public."""

    networks: tuple[IpNetwork, ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        return cls(tuple(_parse_network(text) for text in texts))

    def __contains__(self, address: IpAddress) -> bool:
        plain = _unwrap_mapped_ipv4(address)
        return any(plain in net for net in self.networks)


def get_network_key(host: str) -> str:
    """Return the key that identifies where a connection comes from. An IPv6 customer owns a whole /64, so that counts
    as one.
    """
    try:
        address = _unwrap_mapped_ipv4(ip_address(host))
    except ValueError:
        return host[:100]
    prefix = 64 if isinstance(address, IPv6Address) else 32
    return str(ip_network((address, prefix), strict=False))


def is_public_address(address: IpAddress) -> bool:
    return get_non_public_range(address) is None


def get_non_public_range(address: IpAddress) -> str | None:
    """Return the name of the range that makes an address non-public, or None if it is public."""
    for destination in get_effective_addresses(address):
        for name, holds in _NON_PUBLIC_RANGES:
            if holds(destination):
                return name
    return None


def get_effective_addresses(address: IpAddress) -> tuple[IpAddress, ...]:
    """Return every address that packets may end up at: the address itself, and any IPv4 address embedded in it.

    A gateway unpacks NAT64, 6to4 and Teredo on the way, so 64:ff9b::7f00:1 means 127.0.0.1. The NAT64 form of a public
    address is public: with DNS64 every IPv4 host has one.
    """
    if isinstance(address, IPv4Address):
        return (address,)
    if address in _IPV4_MAPPED or address in _NAT64_NETWORK:
        return (_last_32_bits(address),)
    if address.sixtofour is not None:
        return (address, address.sixtofour)
    if address.teredo is not None:
        return address.teredo
    return (address,)


def is_this_network(address: IpAddress) -> bool:
    """0.0.0.0 reaches the local machine on Linux."""
    return _is_in_networks(address, _THIS_NETWORK)


def is_loopback(address: IpAddress) -> bool:
    return _is_in_networks(address, _LOOPBACK_NETWORKS)


def is_private_address(address: IpAddress) -> bool:
    return _is_in_networks(address, _PRIVATE_NETWORKS)


def is_unique_local(address: IpAddress) -> bool:
    """The private networks of IPv6. One cloud has its metadata service there, at fd00:ec2::254."""
    return _is_in_networks(address, _UNIQUE_LOCAL)


def is_link_local(address: IpAddress) -> bool:
    """169.254.169.254 hands out the machine's cloud credentials to anyone who asks."""
    return _is_in_networks(address, _LINK_LOCAL)


def is_carrier_nat(address: IpAddress) -> bool:
    """Shared address space. Clouds use it internally, one for its metadata service at 100.100.100.200."""
    return _is_in_networks(address, _CARRIER_NAT)


def is_cloud_agent_address(address: IpAddress) -> bool:
    """Public according to the registry, but inside one large cloud it is the host's own agent."""
    return _is_in_networks(address, _CLOUD_AGENT_NETWORKS)


def is_protocol_assignment_address(address: IpAddress) -> bool:
    """Addresses reserved for protocols, including a metadata service at 192.0.0.192."""
    return _is_in_networks(address, _PROTOCOL_ASSIGNMENT_NETWORKS)


def is_sixtofour_relay(address: IpAddress) -> bool:
    """The retired anycast address of 6to4 relays: anyone who announces it nearby receives the packets."""
    return _is_in_networks(address, _SIXTOFOUR_RELAY)


def is_documentation_address(address: IpAddress) -> bool:
    return _is_in_networks(address, _DOCUMENTATION_NETWORKS)


def is_benchmark_address(address: IpAddress) -> bool:
    return _is_in_networks(address, _BENCHMARK_NETWORKS)


def is_multicast(address: IpAddress) -> bool:
    return _is_in_networks(address, _MULTICAST_NETWORKS)


def is_reserved_address(address: IpAddress) -> bool:
    """Class E, including the broadcast address."""
    return _is_in_networks(address, _RESERVED_NETWORKS)


def is_unassigned_address(address: IpAddress) -> bool:
    """IPv6 works the other way around: only 2000::/3 was ever allocated, and everything else is rejected."""
    return isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST


def _parse_network(text: str) -> IpNetwork:
    try:
        return ip_network(text.strip())
    except ValueError as error:
        raise ValueError(f"{text!r} is not a network in CIDR notation such as 10.1.0.0/16: {error}") from None


def _parse_networks(*texts: str) -> tuple[IpNetwork, ...]:
    return tuple(ip_network(text) for text in texts)


def _is_in_networks(address: IpAddress, nets: tuple[IpNetwork, ...]) -> bool:
    return any(address in net for net in nets)


def _last_32_bits(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFF_FFFF)


def _unwrap_mapped_ipv4(address: IpAddress) -> IpAddress:
    """A socket for ::ffff:10.0.0.1 connects to 10.0.0.1, so both spellings are the same destination."""
    if isinstance(address, IPv6Address) and address in _IPV4_MAPPED:
        return _last_32_bits(address)
    return address


_IPV4_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64_NETWORK = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")

_THIS_NETWORK = _parse_networks("0.0.0.0/8", "::/128")
_LOOPBACK_NETWORKS = _parse_networks("127.0.0.0/8", "::1/128")
_PRIVATE_NETWORKS = _parse_networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_UNIQUE_LOCAL = _parse_networks("fc00::/7")
_LINK_LOCAL = _parse_networks("169.254.0.0/16", "fe80::/10")
_CARRIER_NAT = _parse_networks("100.64.0.0/10")
_CLOUD_AGENT_NETWORKS = _parse_networks("168.63.129.16/32")
_PROTOCOL_ASSIGNMENT_NETWORKS = _parse_networks("192.0.0.0/24", "2001::/23")
_SIXTOFOUR_RELAY = _parse_networks("192.88.99.0/24")
_DOCUMENTATION_NETWORKS = _parse_networks(
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"
)
_BENCHMARK_NETWORKS = _parse_networks("198.18.0.0/15", "2001:2::/48")
_MULTICAST_NETWORKS = _parse_networks("224.0.0.0/4", "ff00::/8")
_RESERVED_NETWORKS = _parse_networks("240.0.0.0/4")

# Narrow ranges come before wide ones, so that the reader gets the most specific name.
_NON_PUBLIC_RANGES: tuple[tuple[str, Callable[[IpAddress], bool]], ...] = (
    ("loopback", is_loopback),
    ("private", is_private_address),
    ("unique local", is_unique_local),
    ("link-local", is_link_local),
    ("carrier NAT", is_carrier_nat),
    ("cloud agent", is_cloud_agent_address),
    ("this network", is_this_network),
    ("multicast", is_multicast),
    ("documentation", is_documentation_address),
    ("benchmark", is_benchmark_address),
    ("6to4 relay", is_sixtofour_relay),
    ("protocol assignment", is_protocol_assignment_address),
    ("reserved", is_reserved_address),
    ("unassigned", is_unassigned_address),
)
