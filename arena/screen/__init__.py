"""A match on the screen of a terminal: positions drawn as text, stepped through by keys, and played by a
person.

Whoever draws knows a view and what may be shown beside it; where that comes from (a log, a match that runs,
a seat at it) is known to the screens alone.
"""
