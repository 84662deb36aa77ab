"""What every room needs of the outside: text made harmless, files made durable, strangers' files read, the
machine's limits, our errors. Knows nothing of games or bots."""
