"""A match in a terminal: drawn, played by a person, stepped through."""
