"""Tournaments as pure functions: from what has happened to the next round, and to the standings.

Knows entrants, pods and results. Knows no game, no seat's cards, no process and no clock.
"""
