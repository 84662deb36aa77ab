"""Our own players, and what is learnt of games without a referee.

house/      bots that speak the wire like any other
review/     what the decisions of a seat cost
learning/   games for machine learning: views as numbers, environments
"""
