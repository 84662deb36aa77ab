"""What `import arena` gives a Python program: calls that return values, and values that show themselves.

What starts programs is done by a child process (host.py), to which the caller's process only talks; what only
reads is done in the caller's process. Neither changes anything there: no signal handler, no working folder,
no state outside of the values that are returned. Knows no words of a command line."""
