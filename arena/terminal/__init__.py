"""A match in a terminal.

terminal.py   keys in, whole screens out
drawing.py    a position as text
playing.py    a person plays
stepping.py   stepping through a match
"""
