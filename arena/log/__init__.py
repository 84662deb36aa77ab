"""Match logs: written, read, replayed by the rules, and turned into transcripts and scenes.

settings.py               the settings of a match
entries.py                the lines of a log
code.py                   whether the installed code of the game is the code that played
retrace.py                replays a log, compares every line, and yields turns
turns.py                  one step of a match: what the seats did, what happened, the states around it
transcript.py, hello.py   the lines that were sent to one seat
scenes.py                 a match as scenes, for pages and screens
last_error.py             finds the line of standard error that says why a program ended
fault_report.py           the faults in logs, for people
house_bugs.py             failures of the arena's own bots
"""
