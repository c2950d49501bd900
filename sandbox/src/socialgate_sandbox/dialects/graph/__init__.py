"""The protocol that Meta's products share: nodes, edges, fields, cursors, error envelopes and signed callbacks.

It is not a vendor itself. `api.py` finds the handler of a call, `nodes.py` returns what `fields` asks for, `hub.py`
talks to the product.
"""
