"""Simulated platforms: real HTTP servers on loopback that speak each vendor's own protocol.

They follow the vendors' documentation and import nothing from the product, so the product is checked against a second,
independent reading. `kit` explains how to write a vendor, `control` what a person or a test can control.
"""

__version__ = "0.1.0"
