"""A league: a long-running contest. Versions arrive at any time, are checked, and are ranked on boards by
what they gain against a fixed panel.

ids.py, carried.py     the names of authors, versions and boards; the state as a value
entries/, journal.py   each kind of entry, and the files that hold them
state.py, numbers.py   what follows from the entries: who plays; strengths
drawing.py, pods.py    selects the next draw; the draw as an entry, and its matches
due.py                 the entries that are due without anybody's request
hand.py                requests of the organiser and of authors, and the entries that carry them out
groups.py, finals.py   the order and the groups of a board; the end of a league
days.py                the daily seeds

statements.py          what a board says: who is ahead of whom, now and for certain
alike.py               whether the two versions of a comparison played alike

store.py, inbox.py     the programs, by digest; where authors put them
room.py                free disk space
logs.py, copies.py     the public and the private part of logs; copies and backups of a league
shown.py               what may be shown, frozen or not
tables.py              the tables of a league, as rows
office.py, orders.py   the process that writes a league; how other processes send it requests
intake.py, daemon.py   takes versions in; plays until it is stopped
verify.py              derives every draw and every result again

The arithmetic is in `tournaments/`: strength.py, evidence.py, questions.py, agenda.py; eprocess.py
is for what leagues said before.
"""
