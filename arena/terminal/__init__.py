"""A match in a terminal: drawn, played, stepped through."""
