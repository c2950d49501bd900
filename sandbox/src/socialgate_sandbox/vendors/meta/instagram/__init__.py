"""Instagram: publishing, media, comments, insights."""
