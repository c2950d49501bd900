"""One folder per platform: the only code that knows a vendor's terms. `catalogue.py` is the explicit list."""
