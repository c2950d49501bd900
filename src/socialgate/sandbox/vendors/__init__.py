"""The simulated platforms, one package each. A vendor exists when it stands in `ALL`."""

from socialgate.sandbox.vendor import Vendor

ALL: tuple[Vendor, ...] = ()
