"""Conformance: one bot, put through some thirty steps by itself, and what its author should mend.

rehearsal.py   one process and one match, seen as closely as a debugger would
diagnosis.py   from what was seen of a fault to what it was: a table
pace.py        from reply times to limits that are safe
steps.py       the steps, in their order
"""
