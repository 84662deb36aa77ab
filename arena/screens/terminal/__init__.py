"""A match in a terminal.

terminal.py   keys in, whole screens out
keys.py       the names of keys
drawing.py    a position as text
playing.py    a person plays by keys
stepping.py   stepping through a match
"""
