"""One match, and the processes that play matches.

arguments.py      how the arguments of a command are declared; spellings.py how Python programs write them
terms.py          from the settings that were asked for to what a match is played with
job.py            what a worker is asked to do, and what it answers
referee.py        plays a match
conversation.py   the dialogue with one bot, with its clock
exit_cause.py     why a bot is silent: it has ended, or was killed
reused.py         bot processes that play several matches
pool.py           jobs go in, reports come out
worker.py         plays matches, one at a time
"""
