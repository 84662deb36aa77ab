"""What every room needs of the system: untrusted text made harmless, durable files, untrusted files read, the
machine's limits, our two error classes. Knows nothing of games or bots."""
