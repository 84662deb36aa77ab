"""Pages to publish: the report of a tournament, the replay of a match, the results of checks. Each page is
one file that needs no other and no network; only reports of thousands of matches load further files.

    pages.py        puts template, style, script and data together so that no text can become markup
    replay.py       a match log -> the data of a replay page
    tournament.py   a journal and its logs -> the data of a report
    live.py         what is happening while a tournament runs, for its report and the stage
    updates.py      keeps the pages up to date meanwhile, by a separate process, page_writer.py
    bots.py         the data of each bot's page
    folder.py       for thousands of matches: the contents of the files that their report loads
    files.py        writes a tournament's report, and has replay_files.py write its replays
    hands.py        which matches' hands may be seen; removes pages that show others
    league.py       the pages of a league, from the data of league_pages.py; league_site.py writes them
    checks.py       the results of checks: a page for each bot's author, and an index
    templates/, static/   markup, styles and scripts; also those of the page that arena/screens/web/ serves

Everything is computed in Python; templates and scripts only show it, and know no rules.
"""

from typing import Final

REPORT: Final = "report.html"
REPLAYS: Final = "replays"
"""The folder of the replays."""
ROW_FILES: Final = "report"
"""The folder of what the report of thousands of matches reads."""
LIVE: Final = "live.json"
"""The file that says what is being played, in the folder of a tournament that has live pages."""
