"""The first accounts of TikTok: a public one, two of an agency of which one may not post, and a private one."""

from collections.abc import Iterator

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.tiktok.state import Creator

ADA_OPEN_ID, BRAM_OPEN_ID, TOUR_OPEN_ID, CLEO_OPEN_ID = (
    "_000Ad4LindqvistB4keryStockholmSE01xQ",
    "_000Br4mOkaforMediaL4gosNigeria02yR",
    "_000Br4mOnTourFilmsEverywhere03zS",
    "_000Cle0MarchettiJustSignedUp04wT",
)


@build_seed
def seed(_world: VendorContext) -> Iterator[Creator]:
    yield Creator(
        id=ADA_OPEN_ID,
        union_id="c9c60f44-a68e-4f5d-84dd-ce22faeb0ba1",
        username="adasbakery",
        name="Ada's Bakery",
        bio="Sourdough from Stockholm",
        about="Ada's, public and verified",
        verified=True,
        followers=12_870,
        following=84,
        likes=301_442,
    )
    yield Creator(
        id=BRAM_OPEN_ID,
        union_id="1b7e02d5-3d5c-4b58-9a0e-6f1d2c3b4a59",
        username="okaformedia",
        name="Okafor Media",
        bio="We film your business",
        about="Bram's agency, no duets and no stitches",
        followers=98_400,
        following=310,
        likes=2_204_118,
        longest_video=300,
        duet_off=True,
        stitch_off=True,
    )
    yield Creator(
        id=TOUR_OPEN_ID,
        union_id="6fd2b5a0-77c1-4f0e-8a3c-0d9e8f7a6b5c",
        username="bram.on.tour",
        name="Bram on tour",
        bio="",
        about="Bram's second account, banned from posting",
        blocked="spam_risk_user_banned_from_posting",
        followers=12,
    )
    yield Creator(
        id=CLEO_OPEN_ID,
        union_id="e4a90c3f-5b6d-4c7e-9f81-a2b3c4d5e6f7",
        username="cleo.m",
        name="Cleo Marchetti",
        bio="",
        about="Cleo's, private",
        private=True,
        followers=3,
        following=11,
        longest_video=180,
    )
