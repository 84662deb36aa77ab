"""A tournament: its journal, its state, the director that runs it, and what is computed from its results.

entries.py, journal.py   what has happened, entry by entry; durable
state.py                 what follows from it: entrants, rounds, jobs that are due
director.py              draws rounds and has their matches played
steady.py                whether a program has changed
cache.py                 what was worked out, kept until something that it follows from changes
verify.py                derives every entry of a journal again
figures.py, caveats.py   what stands behind and below the table
ahead.py, wording.py     the table in a sentence and in cells
standings.py             the table and the figures behind it, as data; pairings.py: the rounds
export.py, row_lines.py  rows for other programs, and these as lines of CSV or JSON
season.py                several runs read as one; season_data.py: as data; points.py: counted by name
comparison.py            plays until a question about two bots is answered
organiser.py, orders.py  what the organiser may change, also while it is played
ends.py, deadline.py     when it has to end, and what that means for its rounds
forecast.py, progress.py how long it takes, before and while it is played
groups.py, titles.py     groups of bots; what bots are called in data
"""
