"""Programs that inspect files in separate processes, which can be stopped. They import nothing from the service."""
