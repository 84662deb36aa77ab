"""Tournaments as pure functions: from what has happened to the next round, and to the standings.

Knows entrants, pods and results; no game, no cards, no process and no clock.
"""
