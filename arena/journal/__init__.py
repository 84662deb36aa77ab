"""A journal: an append-only list of entries in one SQLite file, with a proof of who made it, and the socket
through which its writing process receives orders.

chained.py    the file: durable, chained by digests
database.py   how a file that may be a stranger's is opened
writers.py    who else can write to its folder: other processes, users, machines
entry.py      what every kind of entry can do
provenance.py whether this user made a journal
place.py      the folder of the socket, which only its owner may open
server.py     receives orders, each a line of JSON
client.py     sends an order and reads the answer

Knows neither the meaning of entries and orders nor what is being run.
"""
