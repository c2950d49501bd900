"""Hook URLs: what is refused, and that what is accepted means the same to us and to the client."""

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyreqwest.client import ClientBuilder
from pyreqwest.http import Url

from socialgate.core.addresses import IpAddress, NetworkSet
from socialgate.core.egress import ParsedUrl, build_public_address_policy
from socialgate.delivery.url_rules import UrlCheck, UrlRefusal, check_url_text, validate_hook_url

PUBLIC_ADDRESS = "93.184.216.34"
GOOD = [
    "https://example.com",
    "https://example.com/",
    "HTTPS://Example.COM/Hook",
    "https://example.com:8443/hook?a=b&c=d",
    "https://example.com:1/",
    "https://example.com:65535/",
    "https://a_b.example.com/",
    "https://receiver/",
    "https://93.184.216.34/hook",
    "https://[2606:4700::1111]:8443/hook",
    "https://[2606:4700:0:0:0:0:0:1111]/",
    "https://münchen.example/hook",
    "https://MÜNCHEN.example/hook",
    "https://xn--mnchen-3ya.example/hook",
    "https://例え.テスト/フック",
    "https://example.com/a%20b/../c@d:e?f=https://10.0.0.1/",
]

# URLs that somebody might try, under the code with which each is refused.
HOSTILE = {
    "url_host_ambiguous": [
        "https://2130706433/",
        "https://017700000001/",
        "https://0x7f000001/",
        "https://0X7F.1/",
        "https://0x7f.0x0.0x0.0x1/",
        "https://0177.0.0.1/",
        "https://0177.0.0.01/",
        "https://127.1/",
        "https://127.0.1/",
        "https://127.0.0.1./",
        "https://0/",
        "https://0x/",
        "https://2852039166/latest/meta-data/",
        "https://0xa9fea9fe/",
        "https://10.1/",
        "https://3232235777/",
        "https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
        "https://127。0。0。1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://%31%32%37.0.0.1/",
        "https://127%2e0%2e0%2e1/",
        "https://example%2ecom/",
        "https://%65xample.com/",
        "https://ⓔxample.com/",
        "https://example。com/",
    ],
    "url_address_refused": [
        "https://127.0.0.1/",
        "https://127.0.0.1:8443/hook",
        "https://127.255.255.254/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.0.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://168.63.129.16/",
        "https://192.0.0.192/",
        "https://198.18.0.1/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::]/",
        "https://[::1]/",
        "https://[0:0:0:0:0:0:0:1]:443/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::FFFF:169.254.169.254]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::127.0.0.1]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[64:ff9b:1::a00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2002:c0a8:101::1]/",
        "https://[2001:0:a00:1::1]/",
        "https://[fd00:ec2::254]/",
        "https://[fe80::1]/",
        "https://[ff02::1]/",
    ],
    "url_not_https": [
        "",
        "example.com",
        "//example.com/",
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_FLUSHALL",
        "data:text/plain,hello",
        "unix:/var/run/docker.sock",
        "wss://example.com/",
        "httpss://example.com/",
        "https:example.com",
        "https:/example.com/",
    ],
    "url_host_missing": [
        "https://",
        "https:///example.com/",
        "https://:443/",
        "https://?x=1",
        "https://::1/",
    ],
    "url_has_credentials": [
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://@example.com/",
        "https://:@example.com/",
        "https://example.com@127.0.0.1/",
        "https://example.com%40127.0.0.1@10.0.0.1/",
    ],
    "url_has_fragment": [
        "https://example.com/#fragment",
        "https://example.com/#",
        "https://127.0.0.1#@example.com/",
    ],
    "url_has_blanks": [
        " https://example.com/",
        "https://example.com/ ",
        "https://exam ple.com/",
        "ht\ntps://example.com/",
        "https://exam\tple.com/",
        "https://example.com/\r\nX-Injected: 1",
        "https://example.com\x00.evil.test/",
        "https://example.com/\x7f",
        "https://exam\u00adple.com/",
        "https://exam\u200bple.com/",
        "https://example.com/\u2028",
        "https://example.com/\u202emoc",
        "https://example.com/\ud800",
    ],
    "url_has_backslash": [
        "https:\\\\example.com\\",
        "https://example.com\\@127.0.0.1/",
        "https://127.0.0.1\\.example.com/",
    ],
    "url_malformed": [
        "https://example.com./",
        "https://example.com../",
        "https://localhost./",
        "https://example.com。/",
        "https://./",
        "https://[fe80::1%25eth0]/",
        "https://[::1%eth0]/",
        "https://[::1/",
        "https://[v1.fe80::a]/",
        "https://256.256.256.256/",
        "https://1.2.3.4.5/",
        "https://example.0x7f/",
        "https://127.0.0.1%00.example.com/",
        "https://xn--a/",
        "https://example.com:65536/",
        "https://example.com:-1/",
        "https://example.com:\uff18\uff10/",
        "https://example.com:443:80/",
    ],
    "url_port_invalid": [
        "https://example.com:0/",
    ],
    "url_host_invalid": [
        "https://a..b.example/",
        "https://.example.com/",
        "https://a,b.example/",
        "https://*.example.com/",
        "https://a!b.example/",
        f"https://{'a' * 64}.example/",
        f"https://{'a.' * 130}example/",
    ],
    "too_long": [
        f"https://example.com/{'a' * 2048}",
    ],
}

# What the names in these URLs resolve to in the tests, so that each is refused.
NAMES = {
    "loopback.test": ["127.0.0.1"],
    "six.test": ["::1"],
    "private.test": ["10.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "mixed.test": ["93.184.216.34", "10.0.0.1"],
    "mixed-last.test": ["2606:4700::1111", "93.184.216.34", "fd00::1"],
    "mapped.test": ["::ffff:192.168.1.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "wildcard.127.0.0.1.test": ["127.0.0.1"],
    "localhost": ["127.0.0.1", "::1"],
    "xn--mnchen-3ya.test": ["10.0.0.1"],
}
NAMES_OF_ADDRESSES_INSIDE = [
    "https://loopback.test/",
    "https://LOOPBACK.test/",
    "https://six.test/",
    "https://private.test:8443/hook?x=1",
    "https://metadata.test/latest/meta-data/",
    "https://mixed.test/",
    "https://mixed-last.test/",
    "https://mapped.test/",
    "https://nat64.test/",
    "https://wildcard.127.0.0.1.test/",
    "https://localhost/",
    "https://localhost:8443/",
    "https://münchen.test/",
]


async def resolve(host: str) -> Sequence[IpAddress]:
    return [ip_address(text) for text in NAMES.get(host, [PUBLIC_ADDRESS])]


def vet(url: str, *allow: str) -> UrlCheck:
    return asyncio.run(
        validate_hook_url(url, resolver=resolve, policy=build_public_address_policy(NetworkSet.parse(allow)))
    )


@pytest.mark.parametrize("url", GOOD)
def test_honest_urls_are_accepted(url: str) -> None:
    assert isinstance(vet(url), ParsedUrl)


@pytest.mark.parametrize(("code", "url"), [(code, url) for code, urls in HOSTILE.items() for url in urls])
def test_hostile_urls_are_refused(code: str, url: str) -> None:
    verdict = vet(url)
    assert isinstance(verdict, UrlRefusal)
    assert verdict.code == code
    assert verdict.detail.endswith(".")


@pytest.mark.parametrize("url", NAMES_OF_ADDRESSES_INSIDE)
def test_names_of_addresses_inside_are_refused(url: str) -> None:
    verdict = vet(url)
    assert isinstance(verdict, UrlRefusal)
    assert verdict.code == "url_address_refused"


def test_an_opened_net_is_open_and_no_other() -> None:
    assert isinstance(vet("https://private.test/", "10.0.0.0/24"), ParsedUrl)
    assert isinstance(vet("https://10.0.0.9/", "10.0.0.0/24"), ParsedUrl)
    assert isinstance(vet("https://10.0.1.9/", "10.0.0.0/24"), UrlRefusal)
    assert isinstance(vet("https://localhost/", "127.0.0.0/8"), UrlRefusal), "its IPv6 address is not opened"
    assert isinstance(vet("https://localhost/", "127.0.0.0/8", "::1/128"), ParsedUrl)


def test_a_name_that_does_not_resolve_is_accepted_on_save() -> None:
    async def fail(host: str) -> Sequence[IpAddress]:
        raise OSError(f"{host} is unknown")

    async def hang(host: str) -> Sequence[IpAddress]:
        await asyncio.Event().wait()
        raise AssertionError(host)

    policy = build_public_address_policy(NetworkSet())
    for resolver in (fail, hang):
        verdict = asyncio.run(validate_hook_url("https://soon.example/", resolver=resolver, policy=policy, within=0.05))
        assert isinstance(verdict, ParsedUrl)


hosts = st.from_regex(r"[0-9a-zA-Z.:%\[\]@\\。\uff0e\uff11٣xX-]{0,20}", fullmatch=True)
any_url = st.one_of(
    st.text(max_size=60),
    st.text(max_size=40).map(lambda rest: "https://" + rest),
    st.builds("https://{}{}".format, hosts, st.sampled_from(["", "/", "/a?b", ":443/", "?@10.0.0.1"])),
)


@given(any_url)
@example("https://a:b:c@d/")
@example("https://[::1]:443@example.com/")
def test_any_text_is_refused_or_means_to_the_client_what_was_checked(url: str) -> None:
    verdict = check_url_text(url)
    if isinstance(verdict, UrlRefusal):
        assert verdict.code
        assert verdict.detail
        return
    sent = ClientBuilder().no_proxy().build().post(url).build().url
    assert sent.scheme == "https"
    assert sent.host_str == verdict.host == verdict.url.host_str
    assert (sent.username, sent.password, sent.fragment) == ("", None, None)
    assert not verdict.host.endswith(".")
    # The client takes whatever is not an address for a name: both sides must agree on which it is.
    assert (sent.domain is None) == (verdict.address is not None)
    if verdict.address is not None:
        assert Url("https://x/").with_ip_host(str(verdict.address)).host_str == sent.host_str
