"""What everything stands on: no web framework, no platform, no area."""
