"""A tournament: its journal, its state, the director that runs it, and what is computed from its results.

journal.py               what has happened, durable
state.py                 what follows from it: entrants, rounds, jobs that are due
director.py              draws rounds and has their matches played
steady.py                whether a program has changed
cache.py                 what was worked out, kept until something that it follows from changes
verify.py                derives every entry of a journal again
figures.py, caveats.py   what stands behind and below the table
ahead.py, wording.py     the table in a sentence and in cells
export.py                rows for other programs
compare.py               plays until a question about two bots is answered
"""
