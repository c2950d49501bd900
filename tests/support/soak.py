"""The long forms of tests that are heavy by nature. `make soak` runs them, `make test` a small form of each."""

import os

import pytest

# A test that has both forms is marked `soak` and chooses its size by this.
SOAK = bool(os.environ.get("SOAK"))
# The marks of what runs in the soak alone.
LONG = [pytest.mark.soak, pytest.mark.skipif(not SOAK, reason="takes long, see `make soak`")]
