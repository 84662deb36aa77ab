"""Rules in step: the deals of a batch advance together, as numpy arrays, by one decision of each at a time.

The plain rules (arena/games) are the truth, and the only ones that a referee uses; these are for what plays
millions of deals. tests/games/instep compares the two action by action.
"""
