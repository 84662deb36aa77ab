"""The Python library behind `import arena`: calls that return values, and values that display themselves.

Calls that start programs run in a child process (host.py); calls that only read run in the caller's process.
Neither changes any state of the caller's process: no signal handlers, no working folder, nothing outside the
returned values. Knows no command line."""
