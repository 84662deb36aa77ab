"""A league: a contest that does not end with the evening. Versions come in at any time, are checked, and are
ranked on boards by what they gain against a fixed mix.

ids.py, carried.py     the words for authors, versions and boards; a state as a value
entries/, journal.py   what has happened: each kind of entry, and the files that hold them
state.py, numbers.py   what follows: who plays; strengths, and who is ahead of whom
drawing.py, pods.py    what is played next; that as an entry, and its matches
due.py                 what is due by itself
hand.py                what may be asked of it, and the entries that follow
groups.py, finals.py   what may be said of a board; the end of a league
days.py                the seeds of the days

store.py, inbox.py     the programs, by digest; where authors put them
room.py                room on the disk
logs.py, copies.py     the public and the private part of logs; copies of all of it
shown.py               what may be shown, while a league is frozen and else
tables.py              what it says of itself, as rows
office.py, orders.py   a league that one process writes, and how others ask it
intake.py, daemon.py   takes versions in; plays, until it is stopped
verify.py              derives every draw and every result again

The arithmetic is that of `tournaments/`: strength.py, eprocess.py, questions.py, agenda.py.
"""
