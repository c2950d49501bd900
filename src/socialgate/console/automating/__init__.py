"""The editor of automations: a form made from what the areas declare, and what it says in words."""
