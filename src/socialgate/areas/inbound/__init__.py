"""What platforms send by themselves: verified, stored and answered at once, then worked on."""
