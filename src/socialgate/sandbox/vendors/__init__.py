"""The simulated platforms, one package each. A vendor exists when it stands in `ALL`."""

from socialgate.sandbox.vendor import Vendor
from socialgate.sandbox.vendors import google, meta, threads, tiktok, whatsapp_cloud, telegram

ALL: tuple[Vendor, ...] = (
    google.VENDOR,
    meta.VENDOR,
    threads.VENDOR,
    tiktok.VENDOR,
    whatsapp_cloud.VENDOR,
    telegram.VENDOR,
)
