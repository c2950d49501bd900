"""What people do in the same way on every platform. A vendor adds its own shapes and rules."""
