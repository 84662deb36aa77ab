"""A program as a child process, and the sandbox around it. Knows no games and no matches."""
