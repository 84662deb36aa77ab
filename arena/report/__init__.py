"""Pages to publish: the report of a tournament and the replay of a match, each one file that needs no other
and asks nobody for anything.

    pages.py        templates, style, script and data, put together so that no text can become markup
    replay.py       a match log -> the data of a replay page
    tournament.py   a journal and its logs -> the data of a report
    files.py        what is written where
    checks.py       what came of checks: a page for each bot's author, and their index
    templates/, static/   what the pages look like and what they do; also the page that arena/web/ serves

Everything is gathered and worked out in Python: templates and scripts only show it, and know no rules.
"""
