"""A program as a child process, and the walls around it. Knows no games and no matches."""
