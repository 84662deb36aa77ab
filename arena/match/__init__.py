"""One match: the referee, its conversations with the bots, and what comes of it."""
