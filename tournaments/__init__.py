"""Tournaments as pure functions: what has happened gives the next round, and the standings.

Knows entrants, pods and results; no game, no cards, no process and no clock.
"""
