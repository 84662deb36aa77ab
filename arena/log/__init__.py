"""What happened in a match: logs written, read, retraced by the rules, and shown as transcripts and scenes.

settings.py               what is settled before a match
entries.py                the lines of a log
code.py                   whether the game's code is what it was played with
retrace.py                plays a log again, compares every line, and yields turns
turns.py                  one step of a match: what the seats did, what happened, the states around it
transcript.py, hello.py   the lines that were sent to one seat
scenes.py                 a match as scenes, for pages
last_error.py             the line of a standard error that says why a program ended
fault_report.py           the faults of logs, for people
house_bugs.py             what failed in bots of the arena's own
"""
