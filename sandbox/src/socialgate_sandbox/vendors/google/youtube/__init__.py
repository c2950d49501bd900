"""YouTube: channels, videos and how they are uploaded, comments, search, reports."""
