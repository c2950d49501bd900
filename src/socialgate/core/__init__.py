"""The foundation of everything else: no web framework, no platform, no area."""
