"""The simulated platforms, one package each. A vendor is active if it is in `ALL_VENDORS`."""

from socialgate_sandbox.kernel.vendor import Vendor
from socialgate_sandbox.vendors import (
    google,
    meta,
    openai,
    stripe,
    telegram,
    threads,
    tiktok,
    tiktokads,
    wasender,
    whatsapp_cloud,
)

ALL_VENDORS: tuple[Vendor, ...] = (
    google.VENDOR,
    meta.VENDOR,
    threads.VENDOR,
    tiktok.VENDOR,
    tiktokads.VENDOR,
    whatsapp_cloud.VENDOR,
    telegram.VENDOR,
    openai.VENDOR,
    wasender.VENDOR,
    stripe.VENDOR,
)
