"""Conformance: one bot, put through some forty steps by itself, and what its author should mend.

rehearsal.py   one process and one match, seen as closely as a debugger would
symptoms.py    what was seen of a fault
signs.py       what one may ask of symptoms, yes or no
mendings.py    the table: which sign, and what to tell the author
diagnosis.py   from symptoms to the row that fits
pace.py        from reply times to limits that are safe
steps.py       the steps, in their order
findings.py    what came of each step
telling.py     findings in lines for people, what repeats told once
several.py     many bots, some of them at a time
alone.py       one of these, in a process of its own
"""
