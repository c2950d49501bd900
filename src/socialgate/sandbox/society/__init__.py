"""What people do on every platform alike. A vendor adds the shapes and the rules of its own."""
