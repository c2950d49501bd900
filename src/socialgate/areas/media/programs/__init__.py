"""Programs that look into files in processes of their own, which can be ended. They import nothing of the service."""
