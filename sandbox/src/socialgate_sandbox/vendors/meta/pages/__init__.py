"""Facebook Pages: posts, videos, comments, insights."""
