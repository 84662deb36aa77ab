"""Processes that play matches.

pool.py     jobs go in, reports come out
worker.py   plays matches, one at a time
child.py    a worker as a child process
"""
