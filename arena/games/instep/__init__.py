"""Rules in step: the deals of a batch advance together, as numpy arrays, by one decision in each at a time.

A referee uses only the plain rules, which define a game. These are for search and learning, which play
millions of deals. tests/games/instep compares the two action by action.
"""
