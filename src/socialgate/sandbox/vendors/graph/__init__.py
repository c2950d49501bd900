"""The protocol that Meta's products share: nodes, edges, fields, cursors, error envelopes and signed callbacks.

It is no vendor of its own. `api.py` finds the handler of a call, `nodes.py` writes what `fields` asks for, `hub.py`
speaks to the product.
"""
