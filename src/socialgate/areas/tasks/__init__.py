"""Tasks: long work of an owner, to be watched and cancelled. `core/jobs` does it."""
