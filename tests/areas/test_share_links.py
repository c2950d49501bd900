"""Links of file shares become the addresses that their services document for downloads; others stay what they are."""

from base64 import urlsafe_b64decode

import pytest

from socialgate.areas.media.share_links import find_download_url

DRIVE = "https://drive.google.com/uc?export=download&id=1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("https://drive.google.com/file/d/1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk/view?usp=sharing", DRIVE),
        ("https://drive.google.com/file/u/1/d/1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk/edit", DRIVE),
        ("https://drive.google.com/open?id=1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk&usp=drive_fs", DRIVE),
        (
            "https://drive.google.com/file/d/1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk/view?resourcekey=0-aB_c",
            f"{DRIVE}&resourcekey=0-aB_c",
        ),
        ("https://www.dropbox.com/s/a1b2c3d4/bread.jpg?dl=0", "https://www.dropbox.com/s/a1b2c3d4/bread.jpg?dl=1"),
        (
            "https://www.dropbox.com/scl/fi/a1b2/bread%20buns.jpg?rlkey=k3y&st=x&dl=0",
            "https://www.dropbox.com/scl/fi/a1b2/bread%20buns.jpg?rlkey=k3y&st=x&dl=1",
        ),
        ("https://www.dropbox.com/s/a1b2c3d4/bread.jpg?raw=1", "https://www.dropbox.com/s/a1b2c3d4/bread.jpg?dl=1"),
    ],
)
def test_a_link_becomes_the_address_of_its_file(link: str, expected: str) -> None:
    assert find_download_url(link) == expected


@pytest.mark.parametrize("link", ["https://1drv.ms/i/s!AkU1~b?e=x", "https://onedrive.live.com/redir?resid=1!12&k=2"])
def test_a_link_of_onedrive_is_encoded_as_its_api_documents(link: str) -> None:
    prefix, _, token = find_download_url(link).rsplit("/", 2)[0].partition("u!")
    assert prefix == "https://api.onedrive.com/v1.0/shares/"
    assert urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode() == link


@pytest.mark.parametrize(
    "link",
    [
        "https://example.com/bread.jpg",
        "https://drive.google.com/drive/folders/1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk",
        "https://drive.google.com/open?id=../../etc",
        "https://www.dropbox.com/scl/fo/a1b2/folder?rlkey=k3y",
        "https://drive.google.com.example.com/file/d/1Px8bePd7pFSz5r6bTA7GKN9HloCzMfFk/view",
        "http://[::1/",
    ],
)
def test_what_is_no_link_to_a_file_stays_as_it_is(link: str) -> None:
    assert find_download_url(link) == link
