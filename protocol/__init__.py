"""What a referee and a bot send each other, and the values that both sides use: data and pure functions.

Knows no game, no process, no clock and no tournament.
"""
