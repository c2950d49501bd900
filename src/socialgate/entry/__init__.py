"""Composition roots: the only place where everything meets."""
