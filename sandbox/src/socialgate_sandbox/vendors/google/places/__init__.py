"""Google Business Profile: locations, their posts, reviews and performance."""
