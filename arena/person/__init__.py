"""A person's seat at a match, whatever shows it."""
