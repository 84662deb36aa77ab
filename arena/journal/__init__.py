"""A journal: entries in one SQLite file that are added and never changed, and whether it was made here; and
the socket by which the process that writes it takes orders.

chained.py    the file: durable, chained by digests, written by one process
entry.py      what every entry can do, of whatever kind
provenance.py whether a journal was made by this user
place.py      the folder of the socket, which only its owner may open
server.py     takes orders, each a line of JSON
client.py     gives an order and reads the answer

Knows neither what is written or ordered nor who runs.
"""
