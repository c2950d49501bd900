"""Simulated platforms: real HTTP servers on loopback that speak each vendor's own protocol.

Written from the vendors' documents and importing nothing of the product, so that the product is checked against a
second, independent reading. `kit.py` says how a vendor is written, `control.py` what a person or a test can steer.
"""
