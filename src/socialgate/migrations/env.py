"""Run by Alembic. The connection comes from `core.schema_migration`, with its transaction already open."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
