"""Google Calendar: calendars, events, and channels that notify of changes."""
