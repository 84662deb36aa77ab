"""A running process takes orders: a Unix socket in a folder, which only the folder's owner may open, with one
line of JSON for the order and one for the answer.

Knows folders and bytes; neither what is ordered nor who runs.
"""
