"""One match: the job, the referee, its conversations with the bots, and the report."""
