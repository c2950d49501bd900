"""Types and protocols shared by parts that must not import each other. `entry` wires them together."""
