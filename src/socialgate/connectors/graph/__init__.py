"""What the APIs of Meta's products have in common: Facebook and Instagram, Threads, WhatsApp."""
