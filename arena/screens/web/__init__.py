"""A person plays a match in a browser: a second kind of screen, for the same session as in a terminal.

    server.py    HTTP for one person on this machine; knows no game
    shown.py     what the page shows, made from the session
    playing.py   the addresses: the page, its updates, and the person's intents

The page itself is in arena/report/, as all pages are, and the replay's script draws it.
"""
