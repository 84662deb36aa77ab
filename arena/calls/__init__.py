"""What can be asked of the arena: for each command a frozen value that holds its arguments, and carries it
out.

Values in, values out. The command line and the library both build these calls. Knows no words of a command
line, no screen and no table, and not who is asking: remarks for people go to a function `say`.
"""
