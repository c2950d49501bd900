"""Durable work, done one way: due rows are claimed, held by a lease, and finished only while the claim is valid.

`queue.py` is the primitive, over any table whose rows are a queue. `runner.py` runs what a queue returns, `loop.py`
wakes it, `group.py` writes many results in one commit, `backoff.py` decides when to retry. `jobs.py` is the general
form: a separate table for work that takes longer than a request, with steps, progress, a result and schedules.
"""
