"""Conformance: runs one bot through some forty steps, and reports what its author should fix.

probe.py        one process and one match, with every line and all timing recorded
symptoms.py     what was observed of a fault
predicates.py   yes/no questions about symptoms
cures.py        the table of predicates and the advice for each
logged.py       advice for a fault in a match log
pace.py         derives safe limits from reply times
beside.py       a copy of a bot's files that is read-only or not
steps.py        the steps, in order
findings.py     the result of each step
lines.py        formats findings for people, and prints repeats once
several.py      checks many bots, some of them in parallel
alone.py        checks one bot in a separate process
"""
