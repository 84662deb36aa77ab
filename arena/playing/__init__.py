"""One match: the job, the referee, its conversations with the bots, and the report.

job.py            what a worker is asked to do, and what it answers
referee.py        plays a match
conversation.py   the dialogue with one bot, with its clock
exit_cause.py     why a bot is silent: it has ended, or was killed
reused.py         bot processes that play several matches
"""
