"""What `import arena` gives: the calls of `arena/calls/` for Python programs and notebooks.

    rows.py     a table of values: a sequence, and a table for notebooks, pandas and polars
    run.py      a run directory that was read: `arena.open`
    replay.py   a match log that was read: `arena.replay`

What only reads works in the caller's process, from any thread and inside any event loop: it starts no
process, hears no signal and changes nothing. Values are frozen. Knows no command line.
"""
