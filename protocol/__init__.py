"""The ground: what a referee and a bot say to each other, and the values both sides name.

Knows no game, no process, no clock and no tournament. Everything here is data and pure functions.
"""
