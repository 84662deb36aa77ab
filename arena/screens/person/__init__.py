"""A person's seat at a match, whatever screen shows it.

session.py   the state of the person's turn: messages and intents in, replies out
driver.py    carries messages between the seat's line, the session and the hints
line.py      the socket to the seat's program
hints.py     a bot that is asked what it would do
"""
