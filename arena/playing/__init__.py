"""Plays matches: one match, and the processes that play them. Knows no tournament.

arguments.py      how the arguments of a command are declared; spellings.py how Python programs write them
terms.py          turns requested settings and bots into a job; times.py parses durations and clocks
job.py            a match to be played, and the worker's report
referee.py        plays a match
conversation.py   the dialogue with one bot, with its clock
running_bot.py    a started bot: its process and its conversation
functions.py      bots that are functions of the calling program
exit_cause.py     why a bot is silent: it has exited, or was killed
reused.py         bot processes that play several matches
pool.py           distributes jobs to workers; here.py plays them in this process
worker.py         plays matches, one at a time
resend.py         sends logged lines to a bot again
"""
