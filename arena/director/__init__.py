"""A tournament: its journal, its state, the director that runs it, and what is computed from its results.

entries.py, journal.py   the kinds of entries, and the files that hold them
state.py                 what follows from the entries: entrants, rounds, due matches
director.py              pairs rounds and has their matches played
steady.py                detects whether a program has changed
cache.py                 keeps computed results until one of their inputs changes
verify.py                derives every entry of a journal again; logs_checked.py: every log
figures.py, caveats.py   the figures behind the table; the caveats below it
ahead.py, wording.py     the table in one sentence; its rows as texts
standings.py             the table and its figures as data; pairings.py: the rounds as data
export.py, row_lines.py  rows for other programs; these rows as lines of CSV or JSON
season.py                several runs as one season; season_data.py: as data; points.py: points by name
comparison.py            plays until a question about two bots is answered
organiser.py, orders.py  what the organiser may change; how the running director receives it
ends.py, deadline.py     parses the time to end; keeps to it
forecast.py, progress.py predicts durations, before and during play
groups.py, titles.py     groups of bots; titles of bots in data
"""
