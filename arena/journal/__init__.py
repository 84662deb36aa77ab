"""A journal: entries in one SQLite file that are added and never changed, and whether it was made here.

chained.py   the file: durable, chained by digests, written by one process
trust.py     whether a journal was made by this user
"""
