"""Turns words on a command line into bots that can be started.

find.py               which words are bots
entrant.py            a bot that takes part, as a value
names.py, titles.py   what a bot is called, by commands and by people
manifest.py           bot.toml
build.py, quota.py    builds, and what they may take of the machine
clutter.py            what systems, editors and interpreters leave, which is no program
digest.py             the digest of a program
kept.py               the copies from which bots play, and how the originals differ
unpack.py             archives of strangers
table.py, roster.py   a class in a table or an archive, as words for one bot each
pinned.py             copies of the arena's own bots, which no upgrade changes
apart.py              which bots must not see whose files
"""
