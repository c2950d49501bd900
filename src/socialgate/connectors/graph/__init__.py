"""What Meta's products have in common on the wire: Facebook and Instagram, Threads, WhatsApp."""
