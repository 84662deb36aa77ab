"""What every screen and page shows: positions, stories and steps.

position.py   a position as one seat sees it; a function for each game
cards.py      cards and hands as coloured text
story.py      a match as lines of text
steps.py      a match as a list of steps
"""
