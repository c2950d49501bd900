"""One folder per platform: the only code that knows a vendor's words. `catalogue.py` is the explicit list."""
