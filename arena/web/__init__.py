"""A match played by a person in a browser: a second screen beside the terminal's, for the same Sitting.

    server.py    HTTP for one person on this machine; knows no game
    shown.py     what there is to be seen, made of what the Sitting knows
    playing.py   the addresses: the page, its news, and what the person wishes

The page itself lies with the others, in arena/report/, and is drawn by the replay's script.
"""
