"""The laws that every game keeps, as a tool for the authors of games.

    known.py    what a seat gets to know, and where two texts of it differ
    trial.py    a variant of a game, and a random match of it, which the laws judge
    rules.py    laws of play: legal actions, deals, outcomes, the same bytes again
    words.py    laws of texts: views, events, JSON
    secrets.py  laws of hidden cards: where they are, what a seat can infer, what is imagined
    extras.py   laws of a game's picture and advice
    house.py    the law that the arena's own bots can play
    learners.py the law that learners get all of a view
    judge.py    all laws, what breaks them, and that as lines
    second.py   the law that a second implementation of the rules agrees
    apart.py    the laws in a process of their own; twin.py a match in another one

    pytest_plugin.py, strategies.py    for the tests of a game, with pytest and hypothesis

A law is a function. Authors read its name and its docstring. Knows no command; this module imports nothing,
since pytest loads the plug-in of this room whenever it starts.
"""
