"""Turns words on a command line into bots that can be started. Knows no matches and no tournament.

find.py                 which words are bots
entrant.py              a bot that takes part, as a value
names.py, titles.py     the names of bots for commands, and their titles for people
manifest.py             bot.toml
build.py, quota.py      builds, and their limits
clutter.py              files that systems, editors and interpreters leave, and that are not part of a program
digest.py               the digest of a program
kept.py                 the copies from which bots play, and how the originals differ
archive.py, unpack.py   archives from strangers
reading.py              the process that reads archives and tables
table.py, roster.py     a class in a table or an archive, as one word for each bot
pinned.py               copies of the arena's own bots that no upgrade changes
apart.py                keeps the files of bots secret from each other
"""
