"""Durable work, one way: rows that are due are claimed, held by a lease, and settled only while the claim holds.

`queue.py` is the primitive, over any table whose rows are a queue. `runner.py` runs what a queue gives, `loop.py`
wakes it, `group.py` writes many results in one commit, `backoff.py` says when to try again. `jobs.py` is the general
form: a table of its own for work that takes longer than a request, with steps, progress, a result and schedules.
"""
