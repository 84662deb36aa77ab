"""What can be asked of the arena, without a command line: each file is one command.

A call that starts programs is a frozen msgspec.Struct with the command's arguments as fields and a method
`carry_out` that returns values. A call that only reads is a function. Knows no words of a command line, no
screen, no table, and not who calls: `arena/cli/` reads words and prints, `arena/library/` serves Python
programs.
"""
