"""Socialgate: one HTTP API for social, messaging and advertising accounts."""

__version__ = "0.2.0"
