"""What happened in a match: written, read, retraced by the rules, told again."""
