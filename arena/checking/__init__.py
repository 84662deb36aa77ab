"""Conformance: runs one bot by itself through some forty steps, and says what its author should fix.

probe.py        one process and one match, with every line and all timing recorded
symptoms.py     what was seen of a fault
predicates.py   yes/no questions about symptoms
cures.py        the table: which predicate, and what to tell the author
logged.py       the same for a fault in a match log
pace.py         from reply times to limits that are safe
steps.py        the steps, in their order
findings.py     the result of each step
lines.py        findings as lines for people, repeats printed once
several.py      many bots, some of them in parallel
alone.py        one bot's check, in a process of its own
"""
