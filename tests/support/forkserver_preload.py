"""What the server loads from which processes are forked (`support.forking`): all that the command may need."""

import gc
from importlib import import_module

for name in (
    "socialgate.__main__",
    "socialgate.connectors.registry",
    "socialgate.entry.sandbox",
    "socialgate.entry.serve",
    "support.stopped_clock",
):
    import_module(name)
# What is loaded stays. Forked processes do not search it for garbage, and so keep sharing its memory.
gc.collect()
gc.freeze()
