"""What can be asked of the arena: for each command a frozen value that holds its arguments, and carries it
out.

Values in, values out. The command line and the library both build these calls. Knows no screen and no table,
and not who is asking: remarks for people go to a function `say`. Errors name an argument by
`flag` (arena/system/wording.py), which is the flag at a command line and the argument's name in Python.
"""
