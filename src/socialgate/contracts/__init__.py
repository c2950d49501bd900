"""The words between parts that must not import each other. `entry` wires who speaks to whom."""
