"""Our own players, and games for learners, without a referee.

house/      our own bots, which speak the wire like any other
review/     what a seat's decisions cost
learning/   games for machine learning: views as numbers, environments
"""
